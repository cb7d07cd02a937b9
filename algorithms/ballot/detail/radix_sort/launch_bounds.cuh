// SPDX-License-Identifier: Apache-2.0
// How many resident blocks a kernel of the radix sort leaves registers for.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

namespace ballot::detail {

// As many as Shape demands, on the GPUs that it was measured on and later ones; one block less on
// earlier ones. sm_75 does not hold so many threads. For sm_80 the compiler would spill registers,
// and it also does so if no number is demanded.
template <class Shape>
inline constexpr int radix_launch_blocks =
    simt::architecture >= 900 || Shape::blocks_per_multiprocessor < 2 ? Shape::blocks_per_multiprocessor
                                                                      : Shape::blocks_per_multiprocessor - 1;

}  // namespace ballot::detail
