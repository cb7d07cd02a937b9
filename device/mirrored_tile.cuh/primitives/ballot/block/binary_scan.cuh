// Binary prefix sums of a block: a vote in each warp, one count a warp in shared memory, one barrier.
//
//     warp 0: votes 1011...  count 19 \                          exclusive scan of the counts: 0, 19, 33, ...
//     warp 1: votes 0110...  count 14  > shared counts, barrier  rank = that of the warp + set flags below in the warp
//     warp 2: votes 1110...  count 23 /
//
// The scan of the at most 32 counts is done by every warp for itself, so the second barrier that a scan by one warp
// would need falls away (Harris and Garland, GPU Computing Gems Jade Edition, chapter 3, listings 3.4 and 3.5).
//
// Blocks of any shape of up to 1024 threads, in linear thread order; the last warp may be partial. All threads call
// together. The storage may be used again after the next barrier of the block.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/binary_scan.cuh>
#include <ballot/warp/scan.cuh>

namespace ballot::block {

class binary_scan {
 public:
  struct storage {
    unsigned warp_count[32];
  };
  struct result {
    unsigned rank;   // set flags of the threads before this one
    unsigned total;  // set flags of the block
  };

  // Exclusive: add the own flag for the inclusive scan; total - rank - own flag is the reverse exclusive one. One
  // barrier.
  static __device__ __forceinline__ result exclusive(storage& shared, bool flag) {
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    const unsigned warps = (threads + 31u) / 32u;
    const unsigned warp = simt::warp_id();
    const unsigned in_last_warp = threads - (warps - 1u) * 32u;
    const unsigned mask = warp + 1u == warps && in_last_warp < 32u ? (1u << in_last_warp) - 1u : simt::full_mask;

    const warp::rank_and_total mine = warp::binary_rank(flag, mask);
    if (simt::lane_id() == 0) shared.warp_count[warp] = mine.total;
    simt::sync_block();

    result sum{mine.rank, 0};
    for (unsigned w = 0; w < warps; ++w) {  // the same word for all lanes: a broadcast
      const unsigned count = shared.warp_count[w];
      if (w < warp) sum.rank += count;
      sum.total += count;
    }
    return sum;
  }
};

}  // namespace ballot::block
