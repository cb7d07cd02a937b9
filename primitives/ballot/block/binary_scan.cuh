// Binary prefix sums of a block: a vote in each warp, one count a warp in shared memory, one barrier.
//
//     warp 0: votes 1011...  count 19 \                          what lies before each warp: 0, 19, 33, ...
//     warp 1: votes 0110...  count 14  > shared counts, barrier  rank = that of the warp + set flags below in the warp
//     warp 2: votes 1110...  count 23 /
//
// The chapter lets one warp scan the at most 32 counts and hand them back behind a second barrier (Harris and Garland, GPU
// Computing Gems Jade Edition, chapter 3, listing 3.6, steps C and D). Here lane w of every warp takes count w, and two
// reductions give the warp what lies before it and the total: the second barrier falls away.
//
// Blocks of any shape of up to 1024 threads, in linear thread order; the last warp may be partial. All threads call
// together. One barrier a call; shared memory: 128 bytes, which may be used again after the next barrier.
#pragma once

#include <ballot/block/extent.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/lanes.cuh>

namespace ballot::block {

class binary_scan {
 public:
  struct storage {
    unsigned warp_count[32];
  };
  struct result {
    unsigned rank;   // set flags before this thread on the way of the scan, with its own where inclusive
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
  static __device__ __forceinline__ result inclusive_reverse(storage& shared, bool flag) {
    return scan<warp::reverse>(shared, flag, simt::lanemask_ge());
  }
  // rank: set flags of the threads after this one.
  static __device__ __forceinline__ result exclusive_reverse(storage& shared, bool flag) {
    return scan<warp::reverse>(shared, flag, simt::lanemask_gt());
  }

 private:
  template <class Way>
  static __device__ __forceinline__ result scan(storage& shared, bool flag, unsigned counted_lanes) {
    const launched_shape shape = shape_of_launch();
    const unsigned warp = simt::warp_id(), lane = simt::lane_id();
    const unsigned votes = simt::ballot(flag, shape.mask);
    if (lane == 0) shared.warp_count[warp] = simt::popcount(votes);
    simt::sync_block();

    unsigned before = 0, total = 0;
    // Once round, but in a partial warp, whose fewer lanes take several counts each.
    for (unsigned w = lane; w < shape.warps; w += shape.lanes) {
      const unsigned count = shared.warp_count[w];
      total += count;
      if (Way::precedes(w, warp)) before += count;
    }
    return {simt::reduce_add(before, shape.mask) + simt::popcount(votes & counted_lanes),
            simt::reduce_add(total, shape.mask)};
  }
};

}  // namespace ballot::block
