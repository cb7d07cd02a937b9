// What a block learns of the segments about its range of the items, from the offsets at which they begin.
//
//     offsets        ...  3 |  9   9  14 | 21  ...      those between the bars lie in the range
//     items            ... 6 [ 8 ............ 16 ] ...   before: 3, first: 9, last: 14, next: 21
//
// Two warps search, one for each end of the range. What they find is a function of the ends alone, so that neighbours
// agree on it: each range knows where the segment began that reaches into it and where its own last one ends, and no
// item has two owners or none, as long as the offsets ascend. Where they do not, some block finds that its ends or its
// first and last offset do not.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

// How many of offsets[first, last) are not above i; they ascend.
template <class Offset>
__device__ __forceinline__ std::uint64_t offsets_up_to(const Offset* offsets, std::uint64_t first, std::uint64_t last,
                                                       std::uint64_t i) {
  while (first < last) {
    const std::uint64_t middle = first + (last - first) / 2;
    if (static_cast<std::uint64_t>(offsets[middle]) <= i) first = middle + 1;
    else last = middle;
  }
  return first;
}

// The same for all lanes of a warp, which ask for 32 offsets at once: a vote says between which two of them it goes on.
template <class Offset>
__device__ __forceinline__ std::uint64_t offsets_up_to_by_warp(const Offset* offsets, std::uint64_t count,
                                                               std::uint64_t i) {
  const unsigned lane = simt::lane_id();
  const auto are_up_to = [&](std::uint64_t at, bool is_there) {  // the leading lanes that say so
    const std::uint32_t votes = simt::ballot(is_there && static_cast<std::uint64_t>(offsets[at]) <= i);
    return votes == simt::full_mask ? simt::warp_size : static_cast<unsigned>(simt::find_first(~votes));
  };
  std::uint64_t first = 0, last = count;
  while (last - first > simt::warp_size) {
    const std::uint64_t step = (last - first) / simt::warp_size;
    const unsigned pieces = are_up_to(first + (lane + 1) * step - 1, true);
    if (pieces < simt::warp_size) last = first + (pieces + 1) * step - 1;
    first += pieces * step;
  }
  return first + are_up_to(first + lane, first + lane < last);
}

struct tile_segments {
  std::uint64_t begin, end;                // its items
  std::uint64_t first_offset, end_offset;  // the offsets that lie in it
  std::uint64_t before;                    // where the segment of the item before it begins
  std::uint64_t first, last;               // where the first and the last segment begin that begin in it
  std::uint64_t next;                      // where the first segment behind it begins, or the end of the array

  // Item 0 begins a segment, whatever the offsets say.
  __device__ __forceinline__ bool has_segments() const { return begin == 0 || first_offset < end_offset; }
  __device__ __forceinline__ bool ascends() const {
    return first_offset <= end_offset && (!has_segments() || first <= last);
  }
};

// All threads, two warps at least; one barrier. `found` is written. Items [begin, end) of n, not none.
template <class Offset>
__device__ __forceinline__ tile_segments find_tile_segments(std::uint64_t (&found)[2], const Offset* offsets,
                                                            std::uint64_t count, std::uint64_t begin, std::uint64_t end,
                                                            std::uint64_t n) {
  if (const unsigned warp = simt::warp_id(); warp < 2) {
    const std::uint64_t at = warp == 0 ? begin : end;
    const std::uint64_t below = at == 0 ? 0 : offsets_up_to_by_warp(offsets, count, at - 1);
    if (simt::lane_id() == 0) found[warp] = below;
  }
  simt::sync_block();
  tile_segments range{begin, end, found[0], found[1], 0, 0, 0, n};
  if (range.first_offset > 0) range.before = offsets[range.first_offset - 1];
  if (range.end_offset < count) range.next = smaller(static_cast<std::uint64_t>(offsets[range.end_offset]), n);
  if (range.first_offset < range.end_offset) {
    range.last = offsets[range.end_offset - 1];
    if (begin != 0) range.first = offsets[range.first_offset];
  }
  return range;
}

}  // namespace ballot::detail
