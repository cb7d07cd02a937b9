// SPDX-License-Identifier: Apache-2.0
// Prefix sums of the segments of a warp for any associative operator: the scan of scan.cuh, in
// which a lane's reach ends at its segment.
//
//     lane        0   1   2   3   4   5          heads: lanes 0 and 2
//     reach       0   1   0   1   2   3          each lane computes it from the word of head flags
//     distance 1  a   ab  c   cd  de  ef
//     distance 2  a   ab  c   cd  cde cdef       nothing crosses a head, and no flag is shuffled
//
// Operators may be non-commutative: operands keep lane order. T: trivially copyable, at most 16
// bytes. `extent` (lanes.cuh) says how many lanes hold an item; heads in lanes without one do not
// count. All lanes of its mask call together. No shared memory. Memory accesses are not ordered.
// Sengupta, Harris and Garland 2008 (NVR-2008-003) for the reach instead of flags; Harris and
// Garland, GPU Computing Gems Jade Edition, chapter 3, section 3.2.2.2.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/lanes.cuh>
#include <ballot/warp/scan.cuh>
#include <ballot/warp/segments.cuh>

namespace ballot::warp {

// The number of lanes that precede this one in its segment, in the direction of the scan.
template <class Direction, class Extent>
__device__ __forceinline__ unsigned segment_reach(segment_heads heads, Extent extent) {
  return reach_within_segment<Direction>(starts_of<Direction>(heads),
                                         Direction::reach(extent.template lanes<1>(), extent));
}

// op of the items of the segment at and below this lane.
template <class T, class Op = plus, class Extent = all_items>
__device__ __forceinline__ T segmented_inclusive_scan(T item, segment_heads heads, Op op = {}, Extent extent = {}) {
  return scan_within_reach<forward>(item, segment_reach<forward>(heads, extent), op, extent);
}

// op of `initial` and the items of the segment below this lane; a head gets `initial`.
template <class T, class Op = plus, class Extent = all_items>
__device__ __forceinline__ T segmented_exclusive_scan(T item, segment_heads heads, T initial, Op op = {},
                                                      Extent extent = {}) {
  return exclusive_scan_within_reach<forward>(item, initial, segment_reach<forward>(heads, extent), op, extent);
}

// op of the items of the segment at and above this lane.
template <class T, class Op = plus, class Extent = all_items>
__device__ __forceinline__ T segmented_inclusive_scan_backward(T item, segment_heads heads, Op op = {},
                                                               Extent extent = {}) {
  return scan_within_reach<backward>(item, segment_reach<backward>(heads, extent), op, extent);
}

// op of the items of the segment above this lane and `initial`, the last operand; the segment's
// last lane gets `initial`.
template <class T, class Op = plus, class Extent = all_items>
__device__ __forceinline__ T segmented_exclusive_scan_backward(T item, segment_heads heads, T initial, Op op = {},
                                                               Extent extent = {}) {
  return exclusive_scan_within_reach<backward>(item, initial, segment_reach<backward>(heads, extent), op, extent);
}

// op of all items of the lane's segment, in each of its lanes.
template <class T, class Op = plus, class Extent = all_items>
__device__ __forceinline__ T segmented_reduce(T item, segment_heads heads, Op op = {}, Extent extent = {}) {
  const unsigned to_last = segment_reach<backward>(heads, extent);
  return simt::shuffle(segmented_inclusive_scan(item, heads, op, extent), simt::lane_id() + to_last, extent.mask);
}

}  // namespace ballot::warp
