// SPDX-License-Identifier: Apache-2.0
// The value type of a sort of keys without values.
#pragma once

#include <ballot/core/namespace.hpp>

namespace ballot::detail {

struct no_value {};

}  // namespace ballot::detail
