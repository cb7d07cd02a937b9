// Shapes of blocks that break what counts on whole warps or on one dimension.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/simt/simt.cuh>

namespace ballot::test {

inline const dim3 block_shapes[] = {dim3(1),   dim3(31),   dim3(32),      dim3(33),       dim3(100),
                                    dim3(256), dim3(1024), dim3(5, 4, 2), dim3(16, 9, 3), dim3(7, 1, 31)};

constexpr unsigned threads_of(const dim3& shape) { return shape.x * shape.y * shape.z; }

// A shape known at compile time, with items a thread: a test's template argument.
template <unsigned X, unsigned Y, unsigned Z, int Items = 1>
struct static_shape {
  static constexpr int threads = static_cast<int>(X * Y * Z), items = Items;
  static dim3 dimensions() { return dim3(X, Y, Z); }
};

}  // namespace ballot::test
