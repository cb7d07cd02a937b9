// SPDX-License-Identifier: Apache-2.0
// Exchanges the aggregates of a block's warps. There is one per warp in shared memory, and one
// barrier. Then every warp computes its own exclusive prefix from them. A scan of the aggregates by
// one warp would need a second barrier.
//
//     warp          0   1   2   3        warp 2 gets value = op(a0, a1), total = op(a0, a1, a2, a3)
//     aggregate     a0  a1  a2  a3       backward value = a3
//
// Three ways, chosen at compile time:
//
//     hardware     32-bit sums, minima, maxima and bits: two reductions over the lanes
//                  (warp/hardware_reduction.cuh)
//     shuffles     other operators, full warps: lane w takes aggregate w, a warp scan
//     one by one   other operators if the last warp is not full: it may have fewer lanes than there
//                  are warps
//
// Shared memory: a T per warp, which may be used again after the next barrier of the block.
#pragma once

#include <ballot/block/extent.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/hardware_reduction.cuh>
#include <ballot/warp/scan.cuh>

namespace ballot::block {

// The exclusive prefix of a warp among the warps of its block, and the block's total.
template <class T>
struct warp_prefix {
  bool has_value;  // false for the first warp in the direction of the scan, and for warps without items unless the
                   // operator may be applied to any value
  T value;         // op of all warps that precede this one
  T total;         // op of the whole block
};

template <class T, int Threads>
class warp_aggregates {
  static constexpr int warps = warps_of<Threads>;

 public:
  /// Shared memory: an aggregate for each warp.
  struct storage {
    /// The aggregate of each warp.
    T of_warp[warps];
  };

  // `mine`: the warp's aggregate in the lane with `is_last`, one lane in each of the first
  // `with_items` warps; other values are not read. One barrier.
  template <class Direction, class Op>
  static __device__ __forceinline__ warp_prefix<T> exchange(storage& shared, T mine, bool is_last, unsigned with_items,
                                                            Op op) {
    const unsigned warp = simt::warp_id();
    if (is_last) shared.of_warp[warp] = mine;
    simt::sync_block();
    if constexpr (warps == 1) {
      return {false, shared.of_warp[0], shared.of_warp[0]};
    } else {
      const bool has_items = ballot::detail::accepts_any_operand<Op, T> || warp < with_items;
      const bool has_value = has_items && warp != warp::first_of<Direction>(with_items);
      if constexpr (warp::has_hardware_reduction<T, Op>)
        return by_hardware<Direction>(shared, has_value, with_items, op);
      else if constexpr (full_warps<Threads>) return by_shuffles<Direction>(shared, has_value, with_items, op);
      else return one_by_one<Direction>(shared, has_value, with_items, op);
    }
  }

 private:
  template <class Direction, class Op>
  static __device__ __forceinline__ warp_prefix<T> by_hardware(const storage& shared, bool has_value,
                                                               unsigned with_items, Op op) {
    using word = warp::reduction_word<T>;
    using hardware = warp::hardware_reduction<Op>;
    const unsigned warp = simt::warp_id(), mask = mask_of_warp<Threads>();
    word before = hardware::template identity<word>, total = before;
    // The operator commutes, so the lanes of a partial warp may take several aggregates each.
#pragma unroll 1
    for (unsigned w = simt::lane_id(); w < with_items; w += lanes_of_warp<Threads>()) {
      const word of_warp = static_cast<word>(shared.of_warp[w]);
      total = op(total, of_warp);
      if (Direction::precedes(w, warp)) before = op(before, of_warp);
      if constexpr (full_warps<Threads>) break;
    }
    return {has_value, static_cast<T>(hardware::over(before, mask)), static_cast<T>(hardware::over(total, mask))};
  }

  template <class Direction, class Op>
  static __device__ __forceinline__ warp_prefix<T> by_shuffles(const storage& shared, bool has_value,
                                                               unsigned with_items, Op op) {
    const unsigned lane = simt::lane_id();
    // Lanes past the last warp repeat the last aggregate: a valid value, outside the scan's reach.
    const T of_lane = shared.of_warp[lane < with_items ? lane : with_items - 1];
    const warp::first_items extent{with_items};
    const T lane_inclusive =
        warp::scan_within_reach<Direction>(of_lane, Direction::reach(with_items, extent), op, extent);
    return {has_value, simt::shuffle(lane_inclusive, Direction::previous(simt::warp_id())),
            simt::shuffle(lane_inclusive, warp::last_of<Direction>(with_items))};
  }

  template <class Direction, class Op>
  static __device__ __forceinline__ warp_prefix<T> one_by_one(const storage& shared, bool has_value,
                                                              unsigned with_items, Op op) {
    const unsigned warp = simt::warp_id(), first = warp::first_of<Direction>(with_items);
    T total = shared.of_warp[first], before = total;
#pragma unroll
    for (int k = 0; k < warps; ++k) {
      const unsigned w = static_cast<unsigned>(Direction::nth(k, warps));
      if (w >= with_items || w == first) continue;
      if (w == warp) before = total;
      total = Direction::combine(op, total, shared.of_warp[w]);
    }
    return {has_value, before, total};
  }
};

}  // namespace ballot::block
