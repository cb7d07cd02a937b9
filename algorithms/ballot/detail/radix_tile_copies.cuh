// Copies of a tile by all threads of a block: from memory to memory, and of its values into shared memory.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

// Vectors of Width items, of which a thread has Together on their way; `valid` is a multiple of Width.
template <class Shape, int Width, int Together, class T>
__device__ __forceinline__ void copy_vectors(const T* in, T* out, unsigned valid) {
  constexpr unsigned step = Shape::threads * Width;
#pragma unroll 1
  for (unsigned first = simt::thread_rank() * Width; first < valid; first += Together * step) {
    simt::vector<T, Width> item[Together];
#pragma unroll
    for (int i = 0; i < Together; ++i) {
      const unsigned at = first + static_cast<unsigned>(i) * step;
      item[i] = simt::load_vector<T, Width>(in + (at < valid ? at : first));  // no branch around a load
    }
#pragma unroll
    for (int i = 0; i < Together; ++i)
      if (const unsigned at = first + static_cast<unsigned>(i) * step; at < valid)
        simt::store_vector<T, Width>(out + at, item[i]);
  }
}

// 16 bytes at a time where the tile is whole and aligned so.
template <class Shape, class T>
__device__ __forceinline__ void copy_tile(const T* in, T* out, unsigned valid) {
  constexpr int width = 16 / sizeof(T);
  static_assert(Shape::items % width == 0);
  const auto either = reinterpret_cast<std::uintptr_t>(in) | reinterpret_cast<std::uintptr_t>(out);
  if (valid == Shape::items && either % 16 == 0) copy_vectors<Shape, width, 4>(in, out, valid);
  else copy_vectors<Shape, 1, 8>(in, out, valid);
}

// Begins to copy the tile's values, in their order, into shared memory: 16 bytes at a time where they are aligned so.
// They are there when each thread has waited for its copies and all have met at a barrier. Missing ones are zero.
template <class Shape, class V>
__device__ __forceinline__ void start_values(V* to, const V* from, unsigned valid) {
  constexpr unsigned width = 16 / sizeof(V);
  static_assert(Shape::items % width == 0);
  if (valid == Shape::items && reinterpret_cast<std::uintptr_t>(from) % 16 == 0) {
#pragma unroll
    for (unsigned first = 0; first < Shape::items; first += Shape::threads * width) {
      const unsigned at = first + simt::thread_rank() * width;
      if (first + Shape::threads * width <= Shape::items || at < Shape::items) simt::copy_async<16>(to + at, from + at);
    }
  } else {
#pragma unroll 1
    for (unsigned at = simt::thread_rank(); at < Shape::items; at += Shape::threads) {
      if (at < valid) simt::copy_async<sizeof(V)>(to + at, from + at);
      else to[at] = V{};
    }
  }
}

}  // namespace ballot::detail
