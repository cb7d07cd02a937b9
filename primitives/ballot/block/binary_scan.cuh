// SPDX-License-Identifier: Apache-2.0
// Binary prefix sums of a block: a vote in each warp, one count a warp in shared memory, one
// barrier.
//
//     warp 0: votes 1011...  count 19 |            exclusive prefixes of the warps: 0, 19, 33, ...
//     warp 1: votes 0110...  count 14 | shared     rank = prefix of the warp
//     warp 2: votes 1110...  count 23 | counts,           + set flags below in the warp
//                                       barrier
//
// In the chapter one warp scans the counts, at most 32. It returns them after a second barrier
// (Harris and Garland, GPU Computing Gems Jade Edition, chapter 3, listing 3.6). Here lane w of
// every warp takes count w. Two reductions give the warp's exclusive prefix and the total
// (warp_aggregates.cuh), without a second barrier.
//
// Threads: the threads of the block, 1 to 1024 in any dimensions, taken in linear order; the last
// warp may be partial. All threads call together. One barrier per call. Shared memory: a word per
// warp, which may be used again after the next barrier.
#pragma once

#include <ballot/block/extent.cuh>
#include <ballot/block/warp_aggregates.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/lanes.cuh>

namespace ballot::block {

template <int Threads>
class binary_scan {
  using totals = warp_aggregates<unsigned, Threads>;

 public:
  using storage = typename totals::storage;

  /// The rank of a thread's flag, and how many flags are set in all.
  struct result {
    unsigned rank;   // set flags that precede this thread in scan order, and its own if inclusive
    unsigned total;  // set flags of the block
  };

  // rank: set flags of the threads up to and with this one.
  static __device__ __forceinline__ result inclusive(storage& shared, bool flag) {
    return scan<warp::forward>(shared, flag, simt::lanemask_le());
  }
  // rank: set flags of the threads before this one.
  static __device__ __forceinline__ result exclusive(storage& shared, bool flag) {
    return scan<warp::forward>(shared, flag, simt::lanemask_lt());
  }
  // rank: set flags of this thread and those after it.
  static __device__ __forceinline__ result inclusive_backward(storage& shared, bool flag) {
    return scan<warp::backward>(shared, flag, simt::lanemask_ge());
  }
  // rank: set flags of the threads after this one.
  static __device__ __forceinline__ result exclusive_backward(storage& shared, bool flag) {
    return scan<warp::backward>(shared, flag, simt::lanemask_gt());
  }

 private:
  template <class Direction>
  static __device__ __forceinline__ result scan(storage& shared, bool flag, unsigned counted_lanes) {
    const unsigned votes = simt::ballot(flag, mask_of_warp<Threads>());
    const warp_prefix<unsigned> warps = totals::template exchange<Direction>(
        shared, simt::popcount(votes), simt::lane_id() == 0, warps_of<Threads>, plus{});
    const unsigned in_warp = simt::popcount(votes & counted_lanes);
    return {warps.has_value ? warps.value + in_warp : in_warp, warps.total};
  }
};

}  // namespace ballot::block
