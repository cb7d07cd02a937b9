// SPDX-License-Identifier: Apache-2.0
// Prefix sums of a warp for any associative operator: Kogge-Stone over shuffles, five steps.
//
//     distance 1    a   ab   bc    cd   ...     each lane adds the value 1 lane below,
//     distance 2    a   ab   abc   abcd ...     then 2 lanes, then 4, 8 and 16
//
// The lower lane is always the left operand, also in backward scans: lane i gets items[i] op ... op
// items[31]. A device-wide backward scan is different: it takes the operands from the end. The
// operator need not be commutative, and no identity is needed, because a lane without a partner
// keeps its value. T: trivially copyable, at most 16 bytes. Each step takes a shuffle for each 4
// bytes. Kogge and Stone 1973; Harris and Garland, GPU Computing Gems Jade Edition, chapter 3:
// listing 3.1 with shuffles for shared memory.
//
// `extent` (lanes.cuh) says how many lanes hold an item: all, unless first_items{n} is given. All
// lanes of its mask call together. No shared memory. Memory accesses are not ordered.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/lanes.cuh>
#include <ballot/warp/reduce.cuh>

namespace ballot::warp {

// op of this lane's item and those of the `reach` lanes that precede it in the scan's direction.
// All scans use it. After the step of distance d a lane has the sum of 2d lanes, or of all within
// its reach.
template <class Direction, class T, class Op, class Extent>
__device__ __forceinline__ T scan_within_reach(T item, unsigned reach, Op op, Extent extent) {
#pragma unroll
  for (unsigned distance = 1; distance < simt::warp_size; distance *= 2) {
    const T before = Direction::from(item, distance, reach, extent);
    if (reach >= distance) item = Direction::combine(op, before, item);
  }
  return item;
}

// op of `initial` and the items of the `reach` lanes before this one.
template <class Direction, class T, class Op, class Extent>
__device__ __forceinline__ T exclusive_scan_within_reach(T item, T initial, unsigned reach, Op op, Extent extent) {
  const T before = Direction::from(scan_within_reach<Direction>(item, reach, op, extent), 1, reach, extent);
  return reach == 0 ? initial : Direction::combine(op, initial, before);
}

// op of the items of lanes 0 to this one.
template <class T, class Op = plus, class Extent = all_items>
__device__ __forceinline__ T inclusive_scan(T item, Op op = {}, Extent extent = {}) {
  return scan_within_reach<forward>(item, forward::reach(extent.template lanes<1>(), extent), op, extent);
}

// op of `initial` and the items of the lanes below this one; lane 0 gets `initial`.
template <class T, class Op = plus, class Extent = all_items>
__device__ __forceinline__ T exclusive_scan(T item, T initial, Op op = {}, Extent extent = {}) {
  const unsigned reach = forward::reach(extent.template lanes<1>(), extent);
  return exclusive_scan_within_reach<forward>(item, initial, reach, op, extent);
}

// op of the items of this lane to the last.
template <class T, class Op = plus, class Extent = all_items>
__device__ __forceinline__ T inclusive_scan_backward(T item, Op op = {}, Extent extent = {}) {
  return scan_within_reach<backward>(item, backward::reach(extent.template lanes<1>(), extent), op, extent);
}

// op of the items of the lanes above this one and `initial`, which is the last operand; the last
// lane gets `initial`.
template <class T, class Op = plus, class Extent = all_items>
__device__ __forceinline__ T exclusive_scan_backward(T item, T initial, Op op = {}, Extent extent = {}) {
  const unsigned reach = backward::reach(extent.template lanes<1>(), extent);
  return exclusive_scan_within_reach<backward>(item, initial, reach, op, extent);
}

}  // namespace ballot::warp
