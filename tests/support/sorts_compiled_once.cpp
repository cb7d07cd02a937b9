// SPDX-License-Identifier: Apache-2.0
#include "support/sorts_compiled_once.hpp"

namespace ballot::detail {
BALLOT_TEST_SORTS(BALLOT_TEST_SORT)
}
