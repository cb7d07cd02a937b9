// SPDX-License-Identifier: Apache-2.0
// Prefix sums of a block for any associative operator.
//
//     thread items  ->  warp scans                              (no barrier)
//     one lane of each warp  ->  its aggregate;                 (one barrier)
//         every warp's exclusive prefix                         (warp_aggregates.cuh)
//     every thread  ->  its warp's prefix applied to its own
//
// Operands keep the order of the items, also in backward scans: a thread gets items[i] op ... op
// items[last]. A device-wide backward scan is different: it takes the operands from the end. The
// operator need not commute. T: trivially copyable, at most 16 bytes.
//
// Threads: the threads of the block, 1 to 1024 in any dimensions, taken in linear order. A number
// that is not a multiple of 32 costs a few instructions. `extent` (extent.cuh): how many of the
// block's items are valid; all, unless first_items{n} is given. Threads without an item pass any
// value; of their results, only the total is specified. All threads call together, with the same
// extent.
//
// One barrier per call. Shared memory: a T per warp, which may be used again after the next
// barrier. Deterministic: the grouping of the operands depends only on Threads and the extent.
#pragma once

#include <ballot/block/extent.cuh>
#include <ballot/block/warp_aggregates.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/scan.cuh>
#include <ballot/warp/scan_items.cuh>

namespace ballot::block {

template <class T, int Threads>
class scan {
  using totals = warp_aggregates<T, Threads>;

 public:
  using storage = typename totals::storage;

  // The exclusive prefix of this warp among the warps, for a warp scan that the caller makes.
  // `mine`: the warp's aggregate, read from the last lane with an item. Full warps.
  template <class Op = plus, class Extent = all_items>
  static __device__ __forceinline__ warp_prefix<T> across_warps(storage& shared, T mine, Op op = {},
                                                                Extent extent = {}) {
    static_assert(full_warps<Threads>, "across_warps takes full warps");
    return exchange<warp::forward, 1>(shared, mine, op, extent);
  }

  // ---- one item a thread; `total` gets op of all items, without `initial`, in every thread ----

  // op of the items of threads 0 to this one.
  template <class Op = plus, class Extent = all_items>
  static __device__ __forceinline__ T inclusive(storage& shared, T item, T& total, Op op = {}, Extent extent = {}) {
    return inclusive_on<warp::forward>(shared, item, total, op, extent);
  }
  // op of `initial` and the items of the threads before this one.
  template <class Op = plus, class Extent = all_items>
  static __device__ __forceinline__ T exclusive(storage& shared, T item, T initial, T& total, Op op = {},
                                                Extent extent = {}) {
    return exclusive_on<warp::forward>(shared, item, initial, total, op, extent);
  }
  // op of the items of this thread to the last.
  template <class Op = plus, class Extent = all_items>
  static __device__ __forceinline__ T inclusive_backward(storage& shared, T item, T& total, Op op = {},
                                                         Extent extent = {}) {
    return inclusive_on<warp::backward>(shared, item, total, op, extent);
  }
  // op of the items of the threads after this one and `initial`, the last operand.
  template <class Op = plus, class Extent = all_items>
  static __device__ __forceinline__ T exclusive_backward(storage& shared, T item, T initial, T& total, Op op = {},
                                                         Extent extent = {}) {
    return exclusive_on<warp::backward>(shared, item, initial, total, op, extent);
  }

  // ---- `Items` consecutive items a thread, in place; the total is returned ----

  /// Inclusive scan of Items consecutive items a thread, in their place.
  template <int Items, class Op = plus, class Extent = all_items>
  static __device__ __forceinline__ T inclusive_items(storage& shared, T (&items)[Items], Op op = {},
                                                      Extent extent = {}) {
    return inclusive_items_on<warp::forward>(shared, items, op, extent);
  }
  /// Exclusive scan of Items consecutive items a thread, from `initial`, in their place.
  template <int Items, class Op = plus, class Extent = all_items>
  static __device__ __forceinline__ T exclusive_items(storage& shared, T (&items)[Items], T initial, Op op = {},
                                                      Extent extent = {}) {
    return exclusive_items_on<warp::forward>(shared, items, initial, op, extent);
  }
  /// The same as inclusive_items, from the last item to the first.
  template <int Items, class Op = plus, class Extent = all_items>
  static __device__ __forceinline__ T inclusive_items_backward(storage& shared, T (&items)[Items], Op op = {},
                                                               Extent extent = {}) {
    return inclusive_items_on<warp::backward>(shared, items, op, extent);
  }
  /// The same as exclusive_items, from the last item to the first.
  template <int Items, class Op = plus, class Extent = all_items>
  static __device__ __forceinline__ T exclusive_items_backward(storage& shared, T (&items)[Items], T initial,
                                                               Op op = {}, Extent extent = {}) {
    return exclusive_items_on<warp::backward>(shared, items, initial, op, extent);
  }

 private:
  // Exchanges the warps' aggregates; the lane that is last in scan order has its warp's.
  template <class Direction, int Items, class Op, class Extent>
  static __device__ __forceinline__ warp_prefix<T> exchange(storage& shared, T lane_inclusive, Op op, Extent extent) {
    const unsigned with_items = warps_with_items<Threads, Items>(extent);
    const unsigned lanes = extent_of_warp<Threads, Items>(extent).template lanes<Items>();
    const bool is_last = simt::lane_id() == warp::last_of<Direction>(lanes);
    return totals::template exchange<Direction>(shared, lane_inclusive, is_last, with_items, op);
  }

  template <class Direction, class Op, class Extent>
  static __device__ __forceinline__ T inclusive_on(storage& shared, T item, T& total, Op op, Extent extent) {
    const auto in_warp = extent_of_warp<Threads, 1>(extent);
    const unsigned reach = Direction::reach(in_warp.template lanes<1>(), in_warp);
    const T lane_inclusive = warp::scan_within_reach<Direction>(item, reach, op, in_warp);
    const warp_prefix<T> prefix = exchange<Direction, 1>(shared, lane_inclusive, op, extent);
    total = prefix.total;
    const bool has_both = prefix.has_value && in_warp.template of_lane<1>() != 0;
    return has_both ? Direction::combine(op, prefix.value, lane_inclusive) : lane_inclusive;
  }

  template <class Direction, class Op, class Extent>
  static __device__ __forceinline__ T exclusive_on(storage& shared, T item, T initial, T& total, Op op, Extent extent) {
    const auto in_warp = extent_of_warp<Threads, 1>(extent);
    const warp::lane_prefix<T> lane = warp::scan_lanes<Direction, 1>(item, op, in_warp);
    const warp_prefix<T> prefix = exchange<Direction, 1>(shared, lane.inclusive, op, extent);
    total = prefix.total;
    const T warp_exclusive = prefix.has_value ? Direction::combine(op, initial, prefix.value) : initial;
    return lane.exclusive.has_value ? Direction::combine(op, warp_exclusive, lane.exclusive.value) : warp_exclusive;
  }

  // The exclusive prefix of this thread.
  template <class Direction, class Op>
  static __device__ __forceinline__ warp::scan_prefix<T> thread_exclusive(const warp_prefix<T>& warp,
                                                                          const warp::scan_prefix<T>& lane, Op op) {
    if (!warp.has_value) return lane;
    return {true, lane.has_value ? Direction::combine(op, warp.value, lane.value) : warp.value};
  }

  template <class Direction, int Items, class Op, class Extent>
  static __device__ __forceinline__ T inclusive_items_on(storage& shared, T (&items)[Items], Op op, Extent extent) {
    const auto in_warp = extent_of_warp<Threads, Items>(extent);
    const unsigned valid = in_warp.template of_lane<Items>();
    const T sum = warp::thread_inclusive_scan<Direction>(items, valid, op);
    const warp::lane_prefix<T> lane = warp::scan_lanes<Direction, Items>(sum, op, in_warp);
    const warp_prefix<T> prefix = exchange<Direction, Items>(shared, lane.inclusive, op, extent);
    warp::apply_inclusive<Direction>(items, thread_exclusive<Direction>(prefix, lane.exclusive, op), valid, op);
    return prefix.total;
  }

  template <class Direction, int Items, class Op, class Extent>
  static __device__ __forceinline__ T exclusive_items_on(storage& shared, T (&items)[Items], const T& initial, Op op,
                                                         Extent extent) {
    const auto in_warp = extent_of_warp<Threads, Items>(extent);
    const unsigned valid = in_warp.template of_lane<Items>();
    const T sum = warp::thread_inclusive_scan<Direction>(items, valid, op);
    const warp::lane_prefix<T> lane = warp::scan_lanes<Direction, Items>(sum, op, in_warp);
    const warp_prefix<T> prefix = exchange<Direction, Items>(shared, lane.inclusive, op, extent);
    warp::apply_exclusive<Direction>(items, thread_exclusive<Direction>(prefix, lane.exclusive, op), initial, valid,
                                     op);
    return prefix.total;
  }
};

}  // namespace ballot::block
