// SPDX-License-Identifier: Apache-2.0
// A block finds the segments around its tile from the offsets at which segments
// begin.
//
//     offsets     ...  3 |  9   9  14 | 21  ...       those between the bars lie in the tile
//     items         ... 6 [ 8 ............ 16 ] ...   before: 3, first: 9, last: 14, next: 21
//
// Two warps search, one for each end of the tile. The results depend on the ends alone, so
// neighbouring tiles agree. Each knows where the segment begins that reaches into it, and where its
// own last segment ends. As long as the offsets ascend, every item has exactly one owner. If they
// do not, some block sees its ends, or its first and last offset, in the wrong order.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/segmented_sort/segment_bounds.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

// `first` + the number of those of offsets[first, last) that are not above i. They ascend.
template <class Offsets>
__device__ __forceinline__ std::uint64_t offsets_up_to(Offsets offsets, std::uint64_t first, std::uint64_t last,
                                                       std::uint64_t i) {
  while (first < last) {
    const std::uint64_t middle = first + (last - first) / 2;
    if (static_cast<std::uint64_t>(offsets[middle]) <= i) first = middle + 1;
    else last = middle;
  }
  return first;
}

// From so many offsets on, a search begins near where the offset would lie if segments had one
// length. It then takes one or two steps for such segments, and about three for others. Fewer
// offsets take no more without.
inline constexpr std::uint64_t least_guessed_offsets = 2048;

// The same by all lanes of a warp: they read 32 offsets at once, and a vote selects the interval to
// search next. i < n.
template <class Offsets>
__device__ __forceinline__ std::uint64_t offsets_up_to_by_warp(Offsets offsets, std::uint64_t count, std::uint64_t i,
                                                               std::uint64_t n) {
  if constexpr (may_be_rows<Offsets>)
    if (offsets.row_items != 0) return smaller(i / offsets.row_items + 1, count);
  const unsigned lane = simt::lane_id();
  const auto are_up_to = [&](std::uint64_t at, bool is_there) {  // how many of the leading lanes
    const std::uint32_t votes = simt::ballot(is_there && static_cast<std::uint64_t>(offsets[at]) <= i);
    return votes == simt::full_mask ? simt::warp_size : static_cast<unsigned>(simt::find_first(~votes));
  };
  std::uint64_t first = 0, last = count;
  if (count >= least_guessed_offsets) {
    // The lanes look at the guess, and at distances of powers of two on both sides.
    const auto guess =
        static_cast<std::int64_t>(static_cast<float>(i) / static_cast<float>(n) * static_cast<float>(count));
    const auto at = [&](unsigned k) {
      return guess + (k < 16 ? -(std::int64_t{1} << (15 - k)) : (std::int64_t{1} << (k - 16)) - 1);
    };
    const std::int64_t own = at(lane), end = static_cast<std::int64_t>(count);
    const std::uint32_t votes = simt::ballot(
        own < 0 || (own < end && static_cast<std::uint64_t>(offsets[static_cast<std::uint64_t>(own)]) <= i));
    const unsigned parts = votes == simt::full_mask ? simt::warp_size : static_cast<unsigned>(simt::find_first(~votes));
    if (parts > 0 && at(parts - 1) >= 0) first = static_cast<std::uint64_t>(at(parts - 1)) + 1;
    if (parts < simt::warp_size && at(parts) < end) last = static_cast<std::uint64_t>(at(parts));
  }
  while (last - first > simt::warp_size) {
    const std::uint64_t step = (last - first) / simt::warp_size;
    const unsigned parts = are_up_to(first + (lane + 1) * step - 1, true);
    if (parts < simt::warp_size) last = first + (parts + 1) * step - 1;
    first += parts * step;
  }
  return first + are_up_to(first + lane, first + lane < last);
}

struct tile_segments {
  std::uint64_t begin, end;                // its items
  std::uint64_t first_offset, end_offset;  // the offsets that lie in it
  std::uint64_t before;                    // where the segment of the item before it begins
  std::uint64_t first, last;               // where the first and the last segment in it begin
  std::uint64_t next;                      // where the next segment after it begins, or the end of the array

  // Item 0 begins a segment, whatever the offsets say.
  __device__ __forceinline__ bool has_segments() const { return begin == 0 || first_offset < end_offset; }
  __device__ __forceinline__ bool ascends() const {
    return first_offset <= end_offset && (!has_segments() || first <= last);
  }
};

// For offsets with gaps between segments: whether the segment that begins with the last of the
// first `offsets` offsets is only a gap.
__device__ __forceinline__ bool ends_in_gap(std::uint64_t offsets) { return offsets % 2 == 0; }

// Finds which offsets lie in a tile: [found[0], found[1]). All threads, at least two warps; one
// barrier. The tile is items [begin, end) of n, not empty.
template <class Offsets>
__device__ __forceinline__ void find_tile_offsets(std::uint64_t (&found)[2], Offsets offsets, std::uint64_t count,
                                                  std::uint64_t begin, std::uint64_t end, std::uint64_t n) {
  if (const unsigned warp = simt::warp_id(); warp < 2) {
    const std::uint64_t at = warp == 0 ? begin : end;
    const std::uint64_t below = at == 0 ? 0 : offsets_up_to_by_warp(offsets, count, at - 1, n);
    if (simt::lane_id() == 0) found[warp] = below;
  }
  simt::sync_block();
}
// The segments of a tile whose offsets are found.
template <class Offsets>
__device__ __forceinline__ tile_segments segments_of_tile(const std::uint64_t (&found)[2], Offsets offsets,
                                                          std::uint64_t count, std::uint64_t begin, std::uint64_t end,
                                                          std::uint64_t n) {
  tile_segments tile{begin, end, found[0], found[1], 0, 0, 0, n};
  if (tile.first_offset > 0) tile.before = offsets[tile.first_offset - 1];
  if (tile.end_offset < count) tile.next = smaller(static_cast<std::uint64_t>(offsets[tile.end_offset]), n);
  if (tile.first_offset < tile.end_offset) {
    tile.last = offsets[tile.end_offset - 1];
    if (begin != 0) tile.first = offsets[tile.first_offset];
  }
  return tile;
}
// Both.
template <class Offsets>
__device__ __forceinline__ tile_segments find_tile_segments(std::uint64_t (&found)[2], Offsets offsets,
                                                            std::uint64_t count, std::uint64_t begin, std::uint64_t end,
                                                            std::uint64_t n) {
  find_tile_offsets(found, offsets, count, begin, end, n);
  return segments_of_tile(found, offsets, count, begin, end, n);
}

}  // namespace ballot::detail
