// SPDX-License-Identifier: Apache-2.0
// The words by which a block sorts its segments.
//
//     word   | begin of the segment | compared bits | position |
//
// Begin and position are items of the block's window. So segments stay apart and equal keys stay in
// order. The position says where to find the key, if it has bits that are not compared. Leading
// compared bits in which all keys of the window agree are ignored.
//
// There are about as many bins as items. The bin of a word is where it would lie if the keys of its
// segment were spread evenly.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/segmented_sort/composite_keys.cuh>
#include <ballot/detail/segmented_sort/heads.cuh>

#include <cstdint>

namespace ballot::detail {

template <class U, class Shape>
struct block_word {
  using word = composite_of_t<U>;
  static constexpr int key_bits = 8 * static_cast<int>(sizeof(U)), position_bits = Shape::position_bits;
  static constexpr int compared_shift = position_bits, begin_shift = position_bits + key_bits;
  static_assert(begin_shift + position_bits < 8 * static_cast<int>(sizeof(word)),
                "a missing word is larger than all others");

  static __device__ __forceinline__ word make(unsigned begin, U compared, unsigned position) {
    return static_cast<word>(begin) << begin_shift | static_cast<word>(compared) << compared_shift | position;
  }
  static __device__ __forceinline__ unsigned position(word w) {
    return static_cast<unsigned>(w) & ((1u << position_bits) - 1u);
  }
  static __device__ __forceinline__ unsigned begin(word w) { return static_cast<unsigned>(w >> begin_shift); }
  static __device__ __forceinline__ U compared(word w) { return static_cast<U>(w >> compared_shift); }

  // differing_bits: how many of the lowest compared bits decide the order; keys of the window agree in those above.
  static __device__ __forceinline__ unsigned bin(const segment_bounds& segment, U compared, int differing_bits) {
    return bin_at(segment, leading_part(compared, differing_bits));
  }
  // The bits that decide, as a part of their range, in units of 2^-32.
  static __device__ __forceinline__ std::uint32_t leading_part(U compared, int differing_bits) {
    if (differing_bits == 0) return 0;
    if constexpr (sizeof(U) == 8) return static_cast<std::uint32_t>(compared << (64 - differing_bits) >> 32);
    else return static_cast<std::uint32_t>(compared) << (32 - differing_bits);
  }
  // The bin at a part of the segment, in units of 2^-32.
  static __device__ __forceinline__ unsigned bin_at(const segment_bounds& segment, std::uint32_t part) {
    const unsigned before = static_cast<unsigned>(std::uint64_t{part} * (segment.end - segment.begin) >> 32);
    constexpr unsigned ratio = (Shape::bins << 12) / Shape::items;  // never more than exact
    return (segment.begin + before) * ratio >> 12;
  }
};

}  // namespace ballot::detail
