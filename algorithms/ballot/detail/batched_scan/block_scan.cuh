// SPDX-License-Identifier: Apache-2.0
// Exclusive prefixes of the threads of a row: a scan of the threads' totals, forward or backward.
//
//     lanes of a group   inclusive scan by shuffles, log2(lanes) steps              no barrier
//     warps of a block   an aggregate each in shared memory, scanned by every warp  one barrier
//
// Backward, the last thread comes first. Kogge-Stone: the order of the additions depends only on
// the number of lanes and warps. The total is that of a balanced tree over the lanes, so it has the
// same bits in both directions. Sum: at most 8 bytes, with plus, which is commutative.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/detail/batched_scan/accumulator.hpp>
#include <ballot/simt/simt.cuh>

namespace ballot::detail {

template <class Sum>
struct prefix_and_total {
  Sum prefix;  // exclusive
  Sum total;
};

// A scan over the lanes of each group of `lanes`, a power of two from 1 to 32. All 32 lanes of the warp call together.
template <bool Backward, class Sum>
__device__ __forceinline__ prefix_and_total<Sum> scan_lanes(Sum mine, unsigned lanes) {
  const unsigned lane = simt::lane_id(), member = lane & (lanes - 1);
  const unsigned position = Backward ? lanes - 1 - member : member;
  Sum inclusive = mine;
#pragma unroll
  for (unsigned distance = 1; distance < simt::warp_size; distance *= 2) {
    if (distance < lanes) {  // the same in all lanes
      const Sum neighbour = Backward ? simt::shuffle_down(inclusive, distance) : simt::shuffle_up(inclusive, distance);
      if (position >= distance) inclusive = plus{}(neighbour, inclusive);
    }
  }
  const Sum previous = Backward ? simt::shuffle_down(inclusive, 1) : simt::shuffle_up(inclusive, 1);
  const unsigned last = Backward ? lane - member : lane - member + lanes - 1;
  return {position == 0 ? sum_identity<Sum>() : previous, simt::shuffle(inclusive, last)};
}

// An aggregate per warp. Two arrays, used in turn, so that one barrier between two scans is enough.
template <class Sum>
struct warp_aggregates {
  Sum of_warp[2][simt::warp_size];
};

// After a barrier: the exclusive prefix of this lane among the lanes of `warps` warps. `warp` is
// the number of its own warp. prefix_in_warp: of this lane.
template <bool Backward, class Sum>
__device__ __forceinline__ prefix_and_total<Sum> scan_warp_aggregates(const Sum* of_warp, unsigned warps, unsigned warp,
                                                                      Sum prefix_in_warp) {
  const unsigned lane = simt::lane_id();
  const Sum total_of_lane = lane < warps ? of_warp[lane] : sum_identity<Sum>();
  const prefix_and_total<Sum> scanned = scan_lanes<Backward>(total_of_lane, simt::warp_size);
  return {plus{}(simt::shuffle(scanned.prefix, warp), prefix_in_warp), scanned.total};
}

// A scan over the threads of a block of full warps. One barrier. `turn`: 0 and 1 alternate from call to call.
template <bool Backward, class Sum>
__device__ __forceinline__ prefix_and_total<Sum> scan_threads(warp_aggregates<Sum>& shared, unsigned turn, Sum mine) {
  const prefix_and_total<Sum> in_warp = scan_lanes<Backward>(mine, simt::warp_size);
  if (simt::lane_id() == 0) shared.of_warp[turn][simt::warp_id()] = in_warp.total;
  simt::sync_block();
  return scan_warp_aggregates<Backward>(shared.of_warp[turn], blockDim.x / simt::warp_size, simt::warp_id(),
                                        in_warp.prefix);
}

}  // namespace ballot::detail
