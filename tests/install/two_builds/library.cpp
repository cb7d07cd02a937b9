// SPDX-License-Identifier: Apache-2.0
// Without CUDA: host headers alone.
#include "library.hpp"

#include <ballot/core/arguments.hpp>

namespace LIBRARY {
void refuse() { ballot::detail::require(false, "refuse", "as asked"); }
bool sums_on_gpu() { return false; }
}  // namespace LIBRARY
