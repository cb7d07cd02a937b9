// SPDX-License-Identifier: Apache-2.0
// Shapes of blocks that break what counts on whole warps or on one dimension.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/simt/simt.cuh>

namespace ballot::test {

// A shape known at compile time, with items a thread: a test's template argument.
template <unsigned X, unsigned Y, unsigned Z, int Items = 1>
struct static_shape {
  static constexpr int threads = static_cast<int>(X * Y * Z), items = Items;
  static dim3 dimensions() { return dim3(X, Y, Z); }
};

}  // namespace ballot::test

// For TEST_CASE_TEMPLATE: one thread, less and more than a warp, whole warps, the largest; in one
// to three dimensions.
#define BALLOT_TEST_BLOCK_SHAPES                                                                                       \
  ballot::test::static_shape<1, 1, 1>, ballot::test::static_shape<31, 1, 1>, ballot::test::static_shape<32, 1, 1>,     \
      ballot::test::static_shape<33, 1, 1>, ballot::test::static_shape<5, 4, 2>, ballot::test::static_shape<16, 9, 3>, \
      ballot::test::static_shape<8, 8, 4>, ballot::test::static_shape<1, 999, 1>,                                      \
      ballot::test::static_shape<1024, 1, 1>
