// Prefix sums of a block for any associative operator: each warp scans its own items, every warp scans the warps'
// totals.
//
//     thread items      -> warp inclusive scans        (no barrier)
//     last lane of each -> shared totals, one barrier
//     every warp        -> scan of the totals          (lane w takes total w)
//
// Non-commutative operators keep their order. T: trivially copyable, at most 16 bytes. Threads: a multiple of 32, at
// most 1024, one-dimensional or linear in thread order. All threads call together. The storage may be used again after
// the next barrier.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/scan.cuh>

namespace ballot::block {

// What a warp needs to place its own scan within the block's.
template <class T>
struct warp_prefix {
  bool has_before;  // false in the first warp: there is nothing before it
  T before;         // op of all warps before this one, where there are any
  T total;          // op of the whole block
};

template <class T, int Threads>
class scan {
  static_assert(Threads % simt::warp_size == 0 && Threads <= 1024, "whole warps, at most 1024 threads");
  static constexpr int warps = Threads / simt::warp_size;

 public:
  struct storage {
    T warp_total[warps];
  };

  // The exclusive prefix of this warp among the warps' totals; `mine` is read from the last lane. One barrier.
  template <class Op = plus>
  static __device__ __forceinline__ warp_prefix<T> across_warps(storage& shared, T mine, Op op = {}) {
    const unsigned warp = simt::warp_id(), lane = simt::lane_id();
    if (lane == simt::warp_size - 1) shared.warp_total[warp] = mine;
    simt::sync_block();
    // Lanes past the last warp repeat the last total: valid items, and nothing depends on them.
    const T total_of_lane = shared.warp_total[lane < warps ? lane : warps - 1];
    const T up_to_lane = warp::inclusive_scan(total_of_lane, op);
    const T before = simt::shuffle(up_to_lane, warp == 0 ? 0 : warp - 1);
    return {warp != 0, before, simt::shuffle(up_to_lane, warps - 1)};
  }

  // op of the items of threads 0 to this one; `total` gets that of the block. One barrier.
  template <class Op = plus>
  static __device__ __forceinline__ T inclusive(storage& shared, T item, T& total, Op op = {}) {
    const T in_warp = warp::inclusive_scan(item, op);
    const warp_prefix<T> prefix = across_warps(shared, in_warp, op);
    total = prefix.total;
    return prefix.has_before ? op(prefix.before, in_warp) : in_warp;
  }

  // op of `initial` and the items of the threads before this one; `total` gets that of the block without `initial`. One
  // barrier.
  template <class Op = plus>
  static __device__ __forceinline__ T exclusive(storage& shared, T item, T initial, T& total, Op op = {}) {
    const T in_warp = warp::inclusive_scan(item, op);
    const warp_prefix<T> prefix = across_warps(shared, in_warp, op);
    total = prefix.total;
    const T before_warp = prefix.has_before ? op(initial, prefix.before) : initial;
    const T below = simt::shuffle_up(in_warp, 1);
    return simt::lane_id() == 0 ? before_warp : op(before_warp, below);
  }
};

}  // namespace ballot::block
