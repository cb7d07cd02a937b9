// SPDX-License-Identifier: Apache-2.0
// Prefix sums of a warp where each lane holds several consecutive items, lane 0 the first ones.
//
//     scan of each lane's own items  ->  warp scan of the lanes' sums (scan.cuh)
//                                    ->  prefix applied to the items
//
// The sums replace the items, in an array of registers given by reference. Each function returns
// the total of the warp, without `initial`, in every lane. Any associative operator; the operands
// are in the order of the items, also backward. T: trivially copyable, at most 16 bytes. `extent`
// (lanes.cuh) says how many items there are in the warp: first_items{n} with n from 1 to 32 *
// Items; the items past them do not change. All lanes of its mask call together. No shared memory.
// Memory accesses are not ordered.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/lanes.cuh>
#include <ballot/warp/reduce.cuh>
#include <ballot/warp/scan.cuh>
#include <ballot/warp/thread_scan.cuh>

namespace ballot::warp {

// The exclusive and the inclusive prefix of a lane, by the sum of its items.
template <class T>
struct lane_prefix {
  scan_prefix<T> exclusive;
  T inclusive;
};

/// The scan of one sum a lane.
template <class Direction, int Items, class T, class Op, class Extent>
__device__ __forceinline__ lane_prefix<T> scan_lanes(T sum, Op op, Extent extent) {
  const unsigned reach = Direction::reach(extent.template lanes<Items>(), extent);
  const T lane_inclusive = scan_within_reach<Direction>(sum, reach, op, extent);
  return {{reach != 0, Direction::from(lane_inclusive, 1, reach, extent)}, lane_inclusive};
}

/// Inclusive scan of a lane's items, after those of the lanes before it.
template <class Direction, class T, int Items, class Op, class Extent>
__device__ __forceinline__ T inclusive_scan_items_on(T (&items)[Items], Op op, Extent extent) {
  const unsigned valid = extent.template of_lane<Items>();
  const lane_prefix<T> lane =
      scan_lanes<Direction, Items>(thread_inclusive_scan<Direction>(items, valid, op), op, extent);
  apply_inclusive<Direction>(items, lane.exclusive, valid, op);
  return simt::shuffle(lane.inclusive, last_of<Direction>(extent.template lanes<Items>()), extent.mask);
}

/// Exclusive scan of a lane's items, after those of the lanes before it, from `initial`.
template <class Direction, class T, int Items, class Op, class Extent>
__device__ __forceinline__ T exclusive_scan_items_on(T (&items)[Items], const T& initial, Op op, Extent extent) {
  const unsigned valid = extent.template of_lane<Items>();
  const lane_prefix<T> lane =
      scan_lanes<Direction, Items>(thread_inclusive_scan<Direction>(items, valid, op), op, extent);
  apply_exclusive<Direction>(items, lane.exclusive, initial, valid, op);
  return simt::shuffle(lane.inclusive, last_of<Direction>(extent.template lanes<Items>()), extent.mask);
}

// Each item becomes op of the first to it.
template <class T, int Items, class Op = plus, class Extent = all_items>
__device__ __forceinline__ T inclusive_scan_items(T (&items)[Items], Op op = {}, Extent extent = {}) {
  return inclusive_scan_items_on<forward>(items, op, extent);
}

// Each item becomes op of `initial` and those before it.
template <class T, int Items, class Op = plus, class Extent = all_items>
__device__ __forceinline__ T exclusive_scan_items(T (&items)[Items], const T& initial, Op op = {}, Extent extent = {}) {
  return exclusive_scan_items_on<forward>(items, initial, op, extent);
}

// Each item becomes op of it to the last.
template <class T, int Items, class Op = plus, class Extent = all_items>
__device__ __forceinline__ T inclusive_scan_items_backward(T (&items)[Items], Op op = {}, Extent extent = {}) {
  return inclusive_scan_items_on<backward>(items, op, extent);
}

// Each item becomes op of those after it and `initial`, the last operand.
template <class T, int Items, class Op = plus, class Extent = all_items>
__device__ __forceinline__ T exclusive_scan_items_backward(T (&items)[Items], const T& initial, Op op = {},
                                                           Extent extent = {}) {
  return exclusive_scan_items_on<backward>(items, initial, op, extent);
}

// op of all items, in every lane; the items do not change.
template <class T, int Items, class Op = plus, class Extent = all_items>
__device__ __forceinline__ T reduce_items(const T (&items)[Items], Op op = {}, Extent extent = {}) {
  const T sum = thread_reduce(items, extent.template of_lane<Items>(), op);
  if constexpr (!Extent::partial) return reduce(sum, op);
  else return reduce(sum, op, first_items{extent.template lanes<Items>(), extent.mask});
}

}  // namespace ballot::warp
