// SPDX-License-Identifier: Apache-2.0
// How many resident blocks a kernel of the radix sort leaves registers for.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

namespace ballot::detail {

// As Shape asks, on the GPUs that it was measured on and later ones; one block less on earlier ones. There sm_75 does
// not hold so many threads, and for sm_80 the compiler would spill registers, as it does if nothing is asked for.
template <class Shape>
inline constexpr int radix_launch_blocks =
    simt::architecture >= 900 || Shape::blocks_per_multiprocessor < 2 ? Shape::blocks_per_multiprocessor
                                                                      : Shape::blocks_per_multiprocessor - 1;

}  // namespace ballot::detail
