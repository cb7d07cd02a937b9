// SPDX-License-Identifier: Apache-2.0
// Reduction of a block, with the result in every thread: a reduction in each warp, one barrier, and
// every warp reduces the warps' aggregates.
//
//     warp 0: a b c ... -> t0 |
//     warp 1: d e f ... -> t1 | shared, barrier -> every thread: op(t0, t1, t2)
//     warp 2: g h i ... -> t2 |
//
// Any associative operator, operands in the order of the items. If the hardware has the reduction
// (32-bit sums, minima, maxima, bits), each of the two steps is one instruction. T: trivially
// copyable, at most 16 bytes. Threads and `extent` as in block/scan.cuh. For one flag per thread:
// block/binary_reduce.cuh.
//
// One barrier per call. Shared memory: a T per warp, which may be used again after the next
// barrier.
#pragma once

#include <ballot/block/extent.cuh>
#include <ballot/block/warp_aggregates.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/reduce.cuh>
#include <ballot/warp/scan_items.cuh>

namespace ballot::block {

/// Reductions of a block of Threads threads.
template <class T, int Threads>
class reduction {
  using totals = warp_aggregates<T, Threads>;

 public:
  /// Shared memory of a reduction.
  using storage = typename totals::storage;

  // op of the items of all threads, in every thread.
  template <class Op = plus, class Extent = all_items>
  static __device__ __forceinline__ T of(storage& shared, T item, Op op = {}, Extent extent = {}) {
    const T items[1] = {item};
    return of_items(shared, items, op, extent);
  }

  // The same where each thread holds `Items` consecutive items, which do not change.
  template <int Items, class Op = plus, class Extent = all_items>
  static __device__ __forceinline__ T of_items(storage& shared, const T (&items)[Items], Op op = {},
                                               Extent extent = {}) {
    const auto in_warp = extent_of_warp<Threads, Items>(extent);
    const T of_warp = warp::reduce_items(items, op, in_warp);
    const unsigned with_items = warps_with_items<Threads, Items>(extent);
    return totals::template exchange<warp::forward>(shared, of_warp, simt::lane_id() == 0, with_items, op).total;
  }
};

}  // namespace ballot::block
