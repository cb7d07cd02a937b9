// Head flags of the segments in a block's window of items, a bit an item, and from them where an item's segment begins
// and ends.
//
//     heads       1 0 0 1 | 0 0 0 0 | 0 0 1 0      rows of a warp's width, here 4
//     item 5      its row has no head before it and none behind: begin 3 from the row before, end 10 from the row after
//
// A warp looks once which rows have heads, by a vote for 32 of them. Then each lane finds for one of the warp's rows
// what lies around it, and hands it out.
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

// Up to so many offsets of a range are looked at one by one; where more of them, of empty segments, lie there, each
// item searches among them.
inline constexpr std::uint64_t offsets_at_a_time = 1u << 14;

// Sets the heads of the window's items [begin, begin + valid), of which the first begins a segment; of others, those
// from the range's first segment to its last one: where offsets do not ascend there are more, which would cut a piece of
// a longer segment in two, and it is merged as one. They are zero, behind a barrier; a barrier has to follow. All
// threads.
template <class Shape, class Offset>
__device__ __forceinline__ void mark_heads(segment_heads<Shape>& heads, const Offset* offsets,
                                           const tile_segments& range, std::uint64_t begin, unsigned valid) {
  // Relaxed: read behind the barrier.
  const auto mark = [&](unsigned item) {
    simt::atomic_or<simt::order::relaxed, simt::scope::block>(&heads.row[item / simt::warp_size],
                                                              1u << item % simt::warp_size);
  };
  const std::uint64_t between = range.last - range.first, before_first = begin - range.first;  // wraps, and back
  const auto lies_between = [&](std::uint64_t item) { return before_first + item <= between; };
  const unsigned thread = simt::thread_rank();
  if (thread == 0) mark(0);
  if (range.end_offset - range.first_offset <= offsets_at_a_time) {
#pragma unroll 4
    for (std::uint64_t j = range.first_offset + thread; j < range.end_offset; j += Shape::threads)
      if (const std::uint64_t item = static_cast<std::uint64_t>(offsets[j]) - begin; item < valid && lies_between(item))
        mark(static_cast<unsigned>(item));
  } else {
#pragma unroll 1
    for (unsigned item = thread + 1; item < valid; item += Shape::threads) {
      const std::uint64_t below = offsets_up_to(offsets, range.first_offset, range.end_offset, begin + item - 1);
      if (below < range.end_offset && offsets[below] == begin + item && lies_between(item)) mark(item);
    }
  }
}

struct segment_bounds {
  unsigned begin, end;  // items of the window
};

// What a warp knows of its rows; the heads are there.
template <class Shape>
class segment_rows {
  static constexpr unsigned rows = segment_heads<Shape>::rows, words = (rows + simt::warp_size - 1) / simt::warp_size;
  static_assert(Shape::items_per_thread <= static_cast<int>(simt::warp_size), "a lane a row");
  static_assert(Shape::items < 1u << 16);

 public:
  __device__ __forceinline__ segment_rows(const segment_heads<Shape>& heads, unsigned valid) {
    const unsigned lane = simt::lane_id(), own = row(static_cast<int>(lane));
    unsigned previous = 0, next = rows;  // that have heads, on either side of the lane's own row
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

  // Of the thread's item i; all lanes.
  __device__ __forceinline__ segment_bounds extent(int i) const {
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
  std::uint32_t heads_;   // of the lane's row,
  std::uint32_t around_;  // and the nearest heads in other rows: before it, and above that, after it
};

}  // namespace ballot::detail
