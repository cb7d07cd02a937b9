// SPDX-License-Identifier: Apache-2.0
// Prefix sums of the segments of a block for any associative operator; segments may cross warps. A
// head flag marks the first item of a segment; the block's first item always begins one.
//
//     warp             0     1     2     3
//     last sum of it   t0    t1    t2    t3   of its last segment, in scan order
//     has a start      yes   no    yes   no   so warp 2 gets the prefix op(t0, t1), warp 3 gets t2
//
// Each warp scans its own segments (warp/segmented_scan_items.cuh) and stores its last sum and two
// flags. After the barrier each warp goes over the sums of the warps that precede it. Backward, the
// last sum of a warp ends with the warp if its first item is a head.
//
// Operands keep the order of the items, also backward. T: trivially copyable, at most 16 bytes.
// Items per thread: at most 32, in place. Threads and `extent` as in block/scan.cuh. All threads
// call together. One barrier per call. Shared memory: a T and a word per warp, which may be used
// again after the next barrier.
#pragma once

#include <ballot/block/extent.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/segmented_scan_items.cuh>

namespace ballot::block {

template <class T, int Threads>
class segmented_scan {
  static constexpr int warps = warps_of<Threads>;

 public:
  /// Shared memory of a scan.
  struct storage {
    /// The sum of each warp's last segment.
    T last_sum[warps];
    /// The head flags of each warp.
    unsigned flags[warps];
  };

  // ---- one item a thread ----

  // op of the items of the segment up to and with this thread.
  template <class Op = plus, class Extent = all_items>
  static __device__ __forceinline__ T inclusive(storage& shared, T item, bool head, Op op = {}, Extent extent = {}) {
    T items[1] = {item};
    inclusive_items(shared, items, {head}, op, extent);
    return items[0];
  }
  // op of `initial` and the items of the segment before this thread.
  template <class Op = plus, class Extent = all_items>
  static __device__ __forceinline__ T exclusive(storage& shared, T item, bool head, T initial, Op op = {},
                                                Extent extent = {}) {
    T items[1] = {item};
    exclusive_items(shared, items, {head}, initial, op, extent);
    return items[0];
  }
  // op of the items of the segment in this thread and after it.
  template <class Op = plus, class Extent = all_items>
  static __device__ __forceinline__ T inclusive_backward(storage& shared, T item, bool head, Op op = {},
                                                         Extent extent = {}) {
    T items[1] = {item};
    inclusive_items_backward(shared, items, {head}, op, extent);
    return items[0];
  }
  // op of the items of the segment after this thread and `initial`, the last operand.
  template <class Op = plus, class Extent = all_items>
  static __device__ __forceinline__ T exclusive_backward(storage& shared, T item, bool head, T initial, Op op = {},
                                                         Extent extent = {}) {
    T items[1] = {item};
    exclusive_items_backward(shared, items, {head}, initial, op, extent);
    return items[0];
  }

  // ---- `Items` consecutive items a thread with a head flag each, in place ----

  /// Inclusive scan of Items consecutive items a thread, within segments, in their place.
  template <int Items, class Op = plus, class Extent = all_items>
  static __device__ __forceinline__ void inclusive_items(storage& shared, T (&items)[Items], const bool (&heads)[Items],
                                                         Op op = {}, Extent extent = {}) {
    inclusive_on<warp::forward>(shared, items, heads, op, extent);
  }
  /// Exclusive scan of Items consecutive items a thread, within segments, each from `initial`, in
  /// their place.
  template <int Items, class Op = plus, class Extent = all_items>
  static __device__ __forceinline__ void exclusive_items(storage& shared, T (&items)[Items], const bool (&heads)[Items],
                                                         T initial, Op op = {}, Extent extent = {}) {
    exclusive_on<warp::forward>(shared, items, heads, initial, op, extent);
  }
  /// The same as inclusive_items, from the end of each segment.
  template <int Items, class Op = plus, class Extent = all_items>
  static __device__ __forceinline__ void inclusive_items_backward(storage& shared, T (&items)[Items],
                                                                  const bool (&heads)[Items], Op op = {},
                                                                  Extent extent = {}) {
    inclusive_on<warp::backward>(shared, items, heads, op, extent);
  }
  /// The same as exclusive_items, from the end of each segment.
  template <int Items, class Op = plus, class Extent = all_items>
  static __device__ __forceinline__ void exclusive_items_backward(storage& shared, T (&items)[Items],
                                                                  const bool (&heads)[Items], T initial, Op op = {},
                                                                  Extent extent = {}) {
    exclusive_on<warp::backward>(shared, items, heads, initial, op, extent);
  }

 private:
  static constexpr unsigned has_start = 1, closes = 2;

  template <class Direction, int Items, class Op, class Extent>
  static __device__ __forceinline__ void inclusive_on(storage& shared, T (&items)[Items], const bool (&heads)[Items],
                                                      Op op, Extent extent) {
    const auto in_warp = extent_of_warp<Threads, Items>(extent);
    const unsigned valid = in_warp.template of_lane<Items>();
    const warp::segment_starts starts = warp::find_starts<Direction>(heads, in_warp);
    const T sum = warp::thread_segmented_scan<Direction>(items, starts.own, valid, op);
    const warp::scan_prefix<T> prefix = thread_exclusive<Direction, Items>(shared, sum, starts, op, extent);
    warp::apply_segmented_inclusive<Direction>(items, prefix, starts.own, valid, op);
  }

  template <class Direction, int Items, class Op, class Extent>
  static __device__ __forceinline__ void exclusive_on(storage& shared, T (&items)[Items], const bool (&heads)[Items],
                                                      const T& initial, Op op, Extent extent) {
    const auto in_warp = extent_of_warp<Threads, Items>(extent);
    const unsigned valid = in_warp.template of_lane<Items>();
    const warp::segment_starts starts = warp::find_starts<Direction>(heads, in_warp);
    const T sum = warp::thread_segmented_scan<Direction>(items, starts.own, valid, op);
    const warp::scan_prefix<T> prefix = thread_exclusive<Direction, Items>(shared, sum, starts, op, extent);
    warp::apply_segmented_exclusive<Direction>(items, prefix, initial, starts.own, valid, op);
  }

  // The exclusive prefix of this thread in the segment of its first item in scan order. Has the
  // barrier.
  template <class Direction, int Items, class Op, class Extent>
  static __device__ __forceinline__ warp::scan_prefix<T> thread_exclusive(storage& shared, T sum,
                                                                          const warp::segment_starts& starts, Op op,
                                                                          Extent extent) {
    const auto in_warp = extent_of_warp<Threads, Items>(extent);
    const unsigned lanes = in_warp.template lanes<Items>();
    const auto lane = warp::scan_lanes_segmented<Direction, Items>(sum, starts, op, in_warp);
    if (simt::lane_id() == warp::last_of<Direction>(lanes)) {
      shared.last_sum[simt::warp_id()] = lane.inclusive;
      shared.flags[simt::warp_id()] = (starts.lanes != 0 ? has_start : 0u) | (starts.closes ? closes : 0u);
    }
    simt::sync_block();

    const warp::scan_prefix<T> warp = warp_exclusive<Direction>(shared, warps_with_items<Threads, Items>(extent), op);
    if (!lane.open || !warp.has_value) return lane.exclusive;
    return {true, lane.exclusive.has_value ? Direction::combine(op, warp.value, lane.exclusive.value) : warp.value};
  }

  template <class Direction, class Op>
  static __device__ __forceinline__ warp::scan_prefix<T> warp_exclusive(const storage& shared, unsigned with_items,
                                                                        Op op) {
    const unsigned warp = simt::warp_id();
    warp::scan_prefix<T> prefix{false, shared.last_sum[0]};
#pragma unroll
    for (int k = 0; k < warps; ++k) {
      const unsigned w = static_cast<unsigned>(Direction::nth(k, warps));
      if (w >= with_items || !Direction::precedes(w, warp)) continue;
      const T sum = shared.last_sum[w];
      const unsigned flags = shared.flags[w];
      const bool continues = prefix.has_value && (flags & has_start) == 0;
      prefix = {(flags & closes) == 0, continues ? Direction::combine(op, prefix.value, sum) : sum};
    }
    return prefix;
  }
};

}  // namespace ballot::block
