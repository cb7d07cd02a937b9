// SPDX-License-Identifier: Apache-2.0
// Binary prefix sums of a warp: one vote, one lane mask, one count.
//
//     lane        0 1 2 3 4 5 6 7 ...
//     flag        1 0 1 1 0 0 1 0 ...
//     ballot      every lane holds all flags as the bits of one word
//     & lanemask  lane 3, lt: the bits of lanes 0..2
//     popcount    lane 3: 2 flags below it
//
// The four lane masks give the four scans: le and lt forward (inclusive, exclusive), ge and gt
// backward. No shuffle, no shared memory, no barrier.
// Source: Harris and Garland, GPU Computing Gems Jade Edition, chapter 3. The count is listing 3.2,
// the scan 3.3, with the mask registers of the hardware (3.4) instead of computed masks.
//
// All lanes of `mask` call together, with the same mask. Lanes outside the mask count as cleared
// flags. A call is a collective of the warp. It costs a vote, a logical operation and a population
// count. Memory accesses are not ordered.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

namespace ballot::warp {

// Number of lanes with a set flag.
__device__ __forceinline__ unsigned binary_count(bool flag, unsigned mask = simt::full_mask) {
  return simt::popcount(simt::ballot(flag, mask));
}

// Number of set flags at and below this lane.
__device__ __forceinline__ unsigned binary_inclusive_scan(bool flag, unsigned mask = simt::full_mask) {
  return simt::popcount(simt::ballot(flag, mask) & simt::lanemask_le());
}

// Number of set flags below this lane: its rank among the set ones.
__device__ __forceinline__ unsigned binary_exclusive_scan(bool flag, unsigned mask = simt::full_mask) {
  return simt::popcount(simt::ballot(flag, mask) & simt::lanemask_lt());
}

// Number of set flags at and above this lane.
__device__ __forceinline__ unsigned binary_inclusive_scan_backward(bool flag, unsigned mask = simt::full_mask) {
  return simt::popcount(simt::ballot(flag, mask) & simt::lanemask_ge());
}

// Number of set flags above this lane.
__device__ __forceinline__ unsigned binary_exclusive_scan_backward(bool flag, unsigned mask = simt::full_mask) {
  return simt::popcount(simt::ballot(flag, mask) & simt::lanemask_gt());
}

/// How many flags before a lane are set, and how many in all.
struct rank_and_total {
  unsigned rank;   // set flags below this lane
  unsigned total;  // set flags of the warp
};

// The exclusive scan and the total of one vote.
__device__ __forceinline__ rank_and_total binary_rank(bool flag, unsigned mask = simt::full_mask) {
  const unsigned votes = simt::ballot(flag, mask);
  return {simt::popcount(votes & simt::lanemask_lt()), simt::popcount(votes)};
}

// The same where each lane holds `Width` consecutive items, lane 0 the first `Width`: `flags` has a
// bit for each of them. The rank is that of the lane's first item; a later item j adds
// popcount(flags & ((1 << j) - 1)). `Width` votes. All 32 lanes.
template <int Width>
__device__ __forceinline__ rank_and_total binary_rank_of_vector(unsigned flags) {
  rank_and_total sum{0, 0};
#pragma unroll
  for (int j = 0; j < Width; ++j) {
    const unsigned votes = simt::ballot((flags >> j & 1u) != 0);
    sum.rank += simt::popcount(votes & simt::lanemask_lt());
    sum.total += simt::popcount(votes);
  }
  return sum;
}

}  // namespace ballot::warp
