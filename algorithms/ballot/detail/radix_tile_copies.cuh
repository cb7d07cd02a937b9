// Copies of a tile by all threads of a block: from memory to memory, and of its values into shared memory.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

// Eight loads of a thread are on their way together: as many as a pass has registers for.
template <class Shape, class T>
__device__ __forceinline__ void copy_tile(const T* in, T* out, unsigned valid) {
  constexpr int together = 8;
#pragma unroll 1
  for (unsigned first = simt::thread_rank(); first < valid; first += together * Shape::threads) {
    T item[together]{};
#pragma unroll
    for (int i = 0; i < together; ++i)
      if (const unsigned at = first + static_cast<unsigned>(i) * Shape::threads; at < valid) item[i] = in[at];
#pragma unroll
    for (int i = 0; i < together; ++i)
      if (const unsigned at = first + static_cast<unsigned>(i) * Shape::threads; at < valid) out[at] = item[i];
  }
}

// Begins to copy the tile's values, in their order, into shared memory: 16 bytes at a time where they are aligned so.
// They are there when each thread has waited for its copies and all have met at a barrier.
template <bool Full, class Shape, class V>
__device__ __forceinline__ void start_values(V* to, const V* from, unsigned valid) {
  constexpr unsigned width = 16 / sizeof(V);
  static_assert(Shape::items % width == 0);
  if (Full && reinterpret_cast<std::uintptr_t>(from) % 16 == 0) {
#pragma unroll
    for (unsigned first = 0; first < Shape::items; first += Shape::threads * width) {
      const unsigned at = first + simt::thread_rank() * width;
      if (first + Shape::threads * width <= Shape::items || at < Shape::items) simt::copy_async<16>(to + at, from + at);
    }
  } else {
#pragma unroll 1
    for (unsigned at = simt::thread_rank(); at < valid; at += Shape::threads)
      simt::copy_async<sizeof(V)>(to + at, from + at);
  }
}

}  // namespace ballot::detail
