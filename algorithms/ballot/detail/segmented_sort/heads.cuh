// SPDX-License-Identifier: Apache-2.0
// Head flags of the segments in a block's window of items, one bit for each item. From these follow
// the bounds of an item's segment.
//
//     heads     1 0 0 1 | 0 0 0 0 | 0 0 1 0    rows of a warp's width, here 4
//     item 5    Its row has no head. So its segment begins at 3, in the row before, and ends at
//               10, in the row after.
//
// A warp finds the rows that have heads, by one vote for 32 rows. Then each lane finds the nearest
// heads around one of the warp's rows, and provides them by shuffles.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/segmented_sort/tile_segments.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

template <class Shape>
struct segment_heads {
  static constexpr unsigned rows = Shape::items / simt::warp_size;
  std::uint32_t row[rows];
};

// Up to so many offsets in a tile are read one by one. If there are more, some of them of empty
// segments, each item searches instead.
inline constexpr std::uint64_t max_listed_offsets = 1u << 14;

// Sets the heads of the window's items [begin, begin + valid). All threads. They are zero, and a
// barrier has been passed since; another has to follow.
//
// The first item is a head. Other heads count only from the tile's first segment to its last one.
// If offsets do not ascend there are more heads, and they would divide a subsegment that is merged
// as one.
template <class Shape, class Offsets>
__device__ __forceinline__ void mark_heads(segment_heads<Shape>& heads, Offsets offsets, const tile_segments& tile,
                                           std::uint64_t begin, unsigned valid) {
  // Relaxed: read after the barrier.
  const auto mark = [&](unsigned item) {
    simt::atomic_or<simt::order::relaxed, simt::scope::block>(&heads.row[item / simt::warp_size],
                                                              1u << item % simt::warp_size);
  };
  const std::uint64_t between = tile.last - tile.first, before_first = begin - tile.first;  // wraps, and back
  const auto lies_between = [&](std::uint64_t item) { return before_first + item <= between; };
  const unsigned thread = simt::thread_rank();
  if (thread == 0) mark(0);
  if (tile.end_offset - tile.first_offset <= max_listed_offsets) {
#pragma unroll 4
    for (std::uint64_t j = tile.first_offset + thread; j < tile.end_offset; j += Shape::threads)
      if (const std::uint64_t item = static_cast<std::uint64_t>(offsets[j]) - begin; item < valid && lies_between(item))
        mark(static_cast<unsigned>(item));
  } else {
#pragma unroll 1
    for (unsigned item = thread + 1; item < valid; item += Shape::threads) {
      const std::uint64_t below = offsets_up_to(offsets, tile.first_offset, tile.end_offset, begin + item - 1);
      if (below < tile.end_offset && offsets[below] == begin + item && lies_between(item)) mark(item);
    }
  }
}

// The same if there are gaps. It also sets the heads of gaps in `gaps`, which are zero before.
// Between two offsets, the number of offsets up to an item says whether it is in a gap. All
// threads.
template <class Shape, class Offsets>
__device__ __forceinline__ void mark_gaps(segment_heads<Shape>& gaps, Offsets offsets, const tile_segments& tile,
                                          std::uint64_t begin, unsigned valid) {
  const auto mark = [&](unsigned item) {  // relaxed: read after the barrier
    simt::atomic_or<simt::order::relaxed, simt::scope::block>(&gaps.row[item / simt::warp_size],
                                                              1u << item % simt::warp_size);
  };
  const auto up_to = [&](std::uint64_t item) {
    return offsets_up_to(offsets, tile.first_offset, tile.end_offset, item);
  };
  const unsigned thread = simt::thread_rank();
  if (thread == 0 && ends_in_gap(up_to(begin))) mark(0);
  if (tile.end_offset - tile.first_offset <= max_listed_offsets) {
    // Ends that are not the start of another segment, too.
    for (std::uint64_t j = (tile.first_offset | 1) + 2 * thread; j < tile.end_offset; j += 2 * Shape::threads) {
      const std::uint64_t item = static_cast<std::uint64_t>(offsets[j]) - begin;
      const bool is_empty = j + 1 < tile.end_offset &&
                            static_cast<std::uint64_t>(offsets[j + 1]) == static_cast<std::uint64_t>(offsets[j]);
      if (item < valid && !is_empty) mark(static_cast<unsigned>(item));
    }
  } else {
#pragma unroll 1
    for (unsigned item = thread + 1; item < valid; item += Shape::threads)
      if (ends_in_gap(up_to(begin + item))) mark(item);
  }
}

// The bounds of a segment, as items of the window.
struct segment_bounds {
  unsigned begin, end;
};

// The heads around the rows of a warp. The heads are complete.
template <class Shape>
class segment_rows {
  static constexpr unsigned rows = segment_heads<Shape>::rows, words = (rows + simt::warp_size - 1) / simt::warp_size;
  static_assert(Shape::items_per_thread <= static_cast<int>(simt::warp_size), "a lane a row");
  static_assert(Shape::items < 1u << 16);

 public:
  __device__ __forceinline__ segment_rows(const segment_heads<Shape>& heads, unsigned valid) {
    const unsigned lane = simt::lane_id(), own = row(static_cast<int>(lane));
    unsigned previous = 0, next = rows;  // the nearest rows with heads on either side of the lane's own
#pragma unroll
    for (unsigned w = 0; w < words; ++w) {
      const unsigned first = w * simt::warp_size, there = first + lane;
      const std::uint32_t have = simt::ballot(there < rows && heads.row[there < rows ? there : 0] != 0);
      const std::uint32_t below = have & ~(own <= first                     ? simt::full_mask
                                           : own - first >= simt::warp_size ? 0u
                                                                            : simt::full_mask << (own - first));
      const std::uint32_t above = have & (own < first                          ? simt::full_mask
                                          : own - first >= simt::warp_size - 1 ? 0u
                                                                               : simt::full_mask << (own - first + 1));
      if (below != 0) previous = first + simt::warp_size - 1 - simt::leading_zeros(below);
      if (above != 0 && next == rows) next = first + static_cast<unsigned>(simt::find_first(above));
    }
    heads_ = own < rows ? heads.row[own] : 0;
    const unsigned before = previous * simt::warp_size + simt::warp_size - 1 - simt::leading_zeros(heads.row[previous]);
    const unsigned after =
        next < rows ? next * simt::warp_size + static_cast<unsigned>(simt::find_first(heads.row[next])) : valid;
    around_ = before | after << 16;
  }

  // The bounds of the segment of the thread's item i. All lanes.
  __device__ __forceinline__ segment_bounds bounds(int i) const {
    const std::uint32_t heads = simt::shuffle(heads_, static_cast<unsigned>(i)),
                        around = simt::shuffle(around_, static_cast<unsigned>(i));
    const std::uint32_t up_to = heads & simt::lanemask_le(), after = heads & simt::lanemask_gt();
    const unsigned first = row(i) * simt::warp_size;
    return {up_to != 0 ? first + simt::warp_size - 1 - simt::leading_zeros(up_to) : around & 0xffffu,
            after != 0 ? first + static_cast<unsigned>(simt::find_first(after)) : around >> 16};
  }

 private:
  static __device__ __forceinline__ unsigned row(int i) {
    return simt::warp_id() + static_cast<unsigned>(i) * static_cast<unsigned>(Shape::warps);
  }
  std::uint32_t heads_;   // of the lane's row
  std::uint32_t around_;  // the nearest heads in other rows: before it, and in the upper half, after it
};

}  // namespace ballot::detail
