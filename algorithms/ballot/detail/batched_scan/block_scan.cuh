// How the threads of a row learn what lies before them: a scan of their totals, forward or backward.
//
//     lanes of a group   inclusive scan by shuffles, log2(lanes) steps         no barrier
//     warps of a block   a total each in shared memory, scanned by every warp  one barrier
//
// Backward is the same with the last thread as the first. Kogge-Stone, so the order of the additions depends on the
// number of lanes and warps alone; and the total is that of a balanced tree over the lanes, to the bit the same in both
// directions. Sum: up to 8 bytes, with plus, which is commutative.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/detail/batched_scan/accumulator.hpp>
#include <ballot/simt/simt.cuh>

namespace ballot::detail {

template <class Sum>
struct prefix_and_total {
  Sum before;
  Sum total;
};

// Of the lanes of a group, 1 to 32 of them, a power of two: those before this one, and all. All 32 lanes of the warp
// call together.
template <bool Backward, class Sum>
__device__ __forceinline__ prefix_and_total<Sum> scan_lanes(Sum mine, unsigned lanes) {
  const unsigned lane = simt::lane_id(), member = lane & (lanes - 1);
  const unsigned place = Backward ? lanes - 1 - member : member;
  Sum up_to = mine;
#pragma unroll
  for (unsigned distance = 1; distance < simt::warp_size; distance *= 2) {
    if (distance < lanes) {  // the same in all lanes
      const Sum nearer = Backward ? simt::shuffle_down(up_to, distance) : simt::shuffle_up(up_to, distance);
      if (place >= distance) up_to = plus{}(nearer, up_to);
    }
  }
  const Sum neighbour = Backward ? simt::shuffle_down(up_to, 1) : simt::shuffle_up(up_to, 1);
  const unsigned last = Backward ? lane - member : lane - member + lanes - 1;
  return {place == 0 ? sum_identity<Sum>() : neighbour, simt::shuffle(up_to, last)};
}

// A total a warp. Two, used in turn: then one barrier between them is enough.
template <class Sum>
struct warp_aggregates {
  Sum of_warp[2][simt::warp_size];
};

// The second half of that, a barrier later: every lane of warp `warp` of `warps`, which has posted the sum of its lanes,
// learns what lies before itself.
template <bool Backward, class Sum>
__device__ __forceinline__ prefix_and_total<Sum> scan_warp_aggregates(const Sum* of_warp, unsigned warps, unsigned warp,
                                                                      Sum before_in_warp) {
  const unsigned lane = simt::lane_id();
  const Sum total_of_lane = lane < warps ? of_warp[lane] : sum_identity<Sum>();
  const prefix_and_total<Sum> warps_before = scan_lanes<Backward>(total_of_lane, simt::warp_size);
  return {plus{}(simt::shuffle(warps_before.before, warp), before_in_warp), warps_before.total};
}

// Of the threads of a block, whole warps: those before this one, and all. One barrier. `turn`: other than in the call
// before.
template <bool Backward, class Sum>
__device__ __forceinline__ prefix_and_total<Sum> scan_threads(warp_aggregates<Sum>& shared, unsigned turn, Sum mine) {
  const prefix_and_total<Sum> in_warp = scan_lanes<Backward>(mine, simt::warp_size);
  if (simt::lane_id() == 0) shared.of_warp[turn][simt::warp_id()] = in_warp.total;
  simt::sync_block();
  return scan_warp_aggregates<Backward>(shared.of_warp[turn], blockDim.x / simt::warp_size, simt::warp_id(),
                                        in_warp.before);
}

}  // namespace ballot::detail
