// SPDX-License-Identifier: Apache-2.0
// Copies of a tile by all threads of a block: from memory to memory, and of its values into shared memory.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

// By vectors of Width items, of which a thread has InFlight in flight. `valid` is a multiple of Width.
template <class Shape, int Width, int InFlight, class T>
__device__ __forceinline__ void copy_vectors(const T* in, T* out, unsigned valid) {
  constexpr unsigned step = Shape::threads * Width;
#pragma unroll 1
  for (unsigned first = simt::thread_rank() * Width; first < valid; first += InFlight * step) {
    simt::vector<T, Width> item[InFlight];
#pragma unroll
    for (int i = 0; i < InFlight; ++i) {
      const unsigned at = first + static_cast<unsigned>(i) * step;
      item[i] = simt::load_vector<T, Width>(in + (at < valid ? at : first));  // no branch around a load
    }
#pragma unroll
    for (int i = 0; i < InFlight; ++i)
      if (const unsigned at = first + static_cast<unsigned>(i) * step; at < valid)
        simt::store_vector<T, Width>(out + at, item[i]);
  }
}

// 16 bytes at a time if the tile is full and both sides are aligned to that.
template <class Shape, class T>
__device__ __forceinline__ void copy_tile(const T* in, T* out, unsigned valid) {
  constexpr int width = 16 / sizeof(T);
  static_assert(Shape::items % width == 0);
  const auto either = reinterpret_cast<std::uintptr_t>(in) | reinterpret_cast<std::uintptr_t>(out);
  if (valid == Shape::items && either % 16 == 0) copy_vectors<Shape, width, 4>(in, out, valid);
  else copy_vectors<Shape, 1, 8>(in, out, valid);
}

// Whether a single item can be copied asynchronously, past the registers.
template <class T>
inline constexpr bool supports_async_copy = sizeof(T) >= 4;

// Starts to copy the tile's values, in their order, into shared memory: 16 bytes at a time if the source is aligned to
// that. Complete when each thread has waited for its copies and the block has passed a barrier. Missing values are
// zero.
template <class Shape, class V>
__device__ __forceinline__ void load_values_async(V* to, const V* from, unsigned valid) {
  constexpr unsigned width = 16 / sizeof(V);
  static_assert(Shape::items % width == 0);
  if (valid == Shape::items && reinterpret_cast<std::uintptr_t>(from) % 16 == 0) {
#pragma unroll
    for (unsigned first = 0; first < Shape::items; first += Shape::threads * width) {
      const unsigned at = first + simt::thread_rank() * width;
      if (first + Shape::threads * width <= Shape::items || at < Shape::items) simt::copy_async<16>(to + at, from + at);
    }
  } else if constexpr (supports_async_copy<V>) {
#pragma unroll 1
    for (unsigned at = simt::thread_rank(); at < Shape::items; at += Shape::threads) {
      if (at < valid) simt::copy_async<sizeof(V)>(to + at, from + at);
      else to[at] = V{};
    }
  } else {
    constexpr unsigned in_flight = 8;  // of a thread's loads
#pragma unroll 1
    for (unsigned first = simt::thread_rank(); first < Shape::items; first += in_flight * Shape::threads) {
      V value[in_flight];
#pragma unroll
      for (unsigned i = 0; i < in_flight; ++i) {
        const unsigned at = first + i * Shape::threads;
        value[i] = from[at < valid ? at : 0];  // no branch around a load
      }
#pragma unroll
      for (unsigned i = 0; i < in_flight; ++i)
        if (const unsigned at = first + i * Shape::threads; at < Shape::items) to[at] = at < valid ? value[i] : V{};
    }
  }
}

// Starts to copy values[0, valid) to to[skew, skew + valid). skew is the distance of the first
// value from a multiple of 16 bytes. Accesses are whole 16 bytes inside, and single items at the
// ends. Complete as above.
template <class Shape, class V>
__device__ __forceinline__ void load_skewed_values_async(V* to, unsigned skew, const V* values, unsigned valid) {
  constexpr unsigned width = 16 / sizeof(V);
  static_assert(2 * width <= Shape::threads, "a thread an item of the ends");
  const V* const from = values - skew;
  const unsigned end = skew + valid, whole_end = end / width * width, whole_begin = skew == 0 ? 0 : width;
  const unsigned thread = simt::thread_rank();
#pragma unroll 1
  for (unsigned at = whole_begin + thread * width; at < whole_end; at += Shape::threads * width)
    simt::copy_async<16>(to + at, from + at);
  // Threads [0, width) copy the items of the first, partial access; the next ones those of the last.
  const unsigned at = thread < width ? thread : whole_end + thread - width;
  const bool is_at_begin = thread < width && at >= skew && at < whole_begin;
  const bool is_at_end = thread >= width && at >= whole_begin;
  if ((is_at_begin || is_at_end) && at < end) {
    if constexpr (supports_async_copy<V>) simt::copy_async<sizeof(V)>(to + at, from + at);
    else to[at] = from[at];
  }
}

}  // namespace ballot::detail
