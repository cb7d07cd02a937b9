// SPDX-License-Identifier: Apache-2.0
// The head flags of a thread's items in scan order, from flags in memory. Each thread gets one
// word, a bit for each of its items, which are consecutive (block/staged_tile.cuh).
//
//     items            a  b  c  d  e  f  g      segments  a b c | d | e f g
//     flags            1  0  0  1  1  0  0      forward: the flags, and the first item
//     scanned backward g  f  e  d  c  b  a
//     heads            1  0  0  1  1  0  0      an item is a head if the item after it in memory
//                                               has a flag, or if it is the last item
//
// So backward the flags move by one item. A thread gets the missing flag from the lane below, which
// has the items after its own.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/device/flags.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::device {

template <class Reader, bool Backward = false>
struct head_flag_loader {
  static constexpr bool backward = Backward;
  static constexpr bool tiles_begin_anywhere = !Backward;  // at any item, not only at a multiple of the tile's
  Reader reader;

  // Shared memory of a tile's flags: none, they are read from global memory.
  template <class Shape>
  struct storage {};
  // The loader of the flags of the tile at `begin`. All threads of the block.
  template <class Shape>
  __device__ __forceinline__ const head_flag_loader& of_tile(storage<Shape>&, std::uint64_t /*begin*/) const {
    return *this;
  }

  // The heads of this thread's items of the tile at `begin`, of n items in all: bit i for its i-th
  // in scan order. All threads of the warp call together.
  template <class Shape>
  __device__ __forceinline__ unsigned of_thread(std::uint64_t begin, unsigned valid, std::uint64_t n) const {
    constexpr unsigned run = Shape::chunks * Shape::width;
    static_assert(run <= 32, "the flags of a thread's items are the bits of one word");
    if constexpr (!Backward) {
      const unsigned first = simt::thread_rank() * run;
      const unsigned heads = flags_at<Shape>(begin + first, first < valid ? valid - first : 0u);
      return begin == 0 && simt::thread_rank() == 0 ? heads | 1u : heads;
    } else {
      // Backward, a partial tile lacks its first items: these are heads too, as is the last valid
      // item.
      const unsigned first = Shape::items - run - simt::thread_rank() * run;
      const unsigned count = first < valid ? valid - first : 0u;
      unsigned flags = flags_at<Shape>(begin + first, count);
      if (count < run) flags |= low_bits_of_word(run) & ~low_bits_of_word(count);
      const unsigned reversed_flags = simt::reverse_bits(flags) >> (32 - run);
      unsigned after =
          simt::shuffle_up(reversed_flags >> (run - 1), 1);  // the flag of the item after this thread's in memory
      if (simt::lane_id() == 0) {
        const std::uint64_t behind = begin + first + run;
        after = behind >= n ? 1u : reader.template flags<1>(behind, 1);
      }
      return (reversed_flags << 1 | after) & low_bits_of_word(run);
    }
  }

  // The same of the array's first tile, whose first `missing` slots have no item (shifted_tiles).
  // They are heads of their own. valid: the slots up to the last item.
  template <class Shape>
  __device__ __forceinline__ unsigned of_shorter_tile(unsigned missing, unsigned valid) const {
    constexpr unsigned run = Shape::chunks * Shape::width;
    const unsigned first = simt::thread_rank() * run, count = first < valid ? valid - first : 0u;
    if (simt::thread_rank() != 0) return flags_at<Shape>(first - missing, count);
    const unsigned items = (count < run ? count : run) - missing;
    return reader.template run<run, Shape::width>(0, items) << missing | low_bits(missing + 1);
  }

 private:
  template <class Shape>
  __device__ __forceinline__ unsigned flags_at(std::uint64_t first, unsigned count) const {
    constexpr unsigned run = Shape::chunks * Shape::width;
    return reader.template run<run, Shape::width>(first, count < run ? count : run);
  }
};

}  // namespace ballot::device
