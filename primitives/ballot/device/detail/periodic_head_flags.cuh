// SPDX-License-Identifier: Apache-2.0
// Head flags at every multiple of a period, computed from the index.
//
//     period 6, a vector of 4 items at item 9:    9 10 11 12     3 items to the next head: bit 3
//     pattern of the period, bits 0, 6, 12, ...               <<  3
//
// A thread with a vector of each chunk keeps the distance to the next head. From one chunk to the
// next this distance changes by a constant, modulo the period. That takes an addition, not a
// division.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/device/flags.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::device {

template <class Shape>
struct periodic_head_flags {
  static constexpr bool backward = false;
  static constexpr std::uint32_t far = 1u << 30;  // longer than any tile

  std::uint64_t period;
  std::uint32_t near_period;  // the period, or `far`: a tile has at most one head then
  std::uint32_t chunk_step;   // items of a chunk, modulo near_period
  std::uint32_t pattern;      // the multiples of the period below 32

  // period >= 1
  static periodic_head_flags every(std::uint64_t period) {
    const auto near = static_cast<std::uint32_t>(ballot::detail::smaller(period, far));
    std::uint32_t pattern = 0;
    for (std::uint64_t bit = 0; bit < 32; bit += near) pattern |= 1u << bit;
    return {period, near, Shape::chunk_items % near, pattern};
  }

  // The head flags of this thread's items in a tile that begins with a head, laid out by block/tile.cuh: bits c *
  // width + j.
  __device__ __forceinline__ unsigned of_tile_of_full_blocks() const {
    constexpr unsigned width = Shape::width;
    static_assert(Shape::chunks * width <= 32, "the flags of a thread's items are the bits of one word");
    const unsigned first = block::tile<std::uint8_t, Shape>::first_item(0);
    std::uint32_t to_head = first == 0 ? 0 : near_period - 1 - (first - 1) % near_period;
    unsigned heads = 0;
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) {
      if (to_head < width) heads |= (pattern << to_head & low_bits(width)) << (c * width);
      to_head = to_head >= chunk_step ? to_head - chunk_step : to_head + (near_period - chunk_step);
    }
    return heads;
  }

  // No shared memory: the flags are computed (compare head_flag_loader).
  template <class>
  struct storage {};
  template <class S>
  __device__ __forceinline__ const periodic_head_flags& of_tile(storage<S>&, std::uint64_t /*begin*/) const {
    return *this;
  }

  // The head flags of this thread's consecutive items in the tile at item `begin`, for segmented_scan_kernel: bit i
  // for its i-th item. One division per thread.
  template <class S>
  __device__ __forceinline__ unsigned of_thread(std::uint64_t begin, unsigned /*valid*/, std::uint64_t /*n*/) const {
    static_assert(std::is_same_v<S, Shape>);
    constexpr unsigned run = Shape::chunks * Shape::width;
    const std::uint64_t since_head = (begin + simt::thread_rank() * run) % period;
    const std::uint64_t to_head = since_head == 0 ? 0 : period - since_head;
    return to_head < run ? pattern << to_head & low_bits_of_word(run) : 0u;
  }
};

}  // namespace ballot::device
