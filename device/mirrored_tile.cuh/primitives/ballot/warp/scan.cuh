// Prefix sums of a warp for any associative operator: Kogge-Stone over shuffles, five steps.
//
//     distance 1    a   ab   bc    cd   ...     each lane takes in what lies 1 lane below,
//     distance 2    a   ab   abc   abcd ...     then 2 lanes, then 4, 8 and 16
//
// The lower lane is always the left operand, so the operator need not be commutative; no identity is needed, because a
// lane without a partner keeps what it has. All 32 lanes call together. Orders no memory. Kogge and Stone 1973; Harris
// and Garland, GPU Computing Gems Jade Edition, chapter 3.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/simt/simt.cuh>

namespace ballot::warp {

// op of the items of lanes 0 to this one. T: trivially copyable, at most 16 bytes.
template <class T, class Op = plus>
__device__ __forceinline__ T inclusive_scan(T item, Op op = {}) {
  const unsigned lane = simt::lane_id();
#pragma unroll
  for (unsigned distance = 1; distance < simt::warp_size; distance *= 2) {
    const T below = simt::shuffle_up(item, distance);
    if (lane >= distance) item = op(below, item);
  }
  return item;
}

// op of `initial` and the items of the lanes below this one; lane 0 gets `initial`.
template <class T, class Op = plus>
__device__ __forceinline__ T exclusive_scan(T item, T initial, Op op = {}) {
  const T below = simt::shuffle_up(inclusive_scan(item, op), 1);
  return simt::lane_id() == 0 ? initial : op(initial, below);
}

// op of the items of all lanes, in lane order, in every lane.
template <class T, class Op = plus>
__device__ __forceinline__ T reduce(T item, Op op = {}) {
#pragma unroll
  for (unsigned distance = 1; distance < simt::warp_size; distance *= 2) {
    const T above = simt::shuffle_down(item, distance);
    // Lanes whose partner lies past the warp's end hold junk from here on, but no lane that lane 0 depends on does.
    item = op(item, above);
  }
  return simt::shuffle(item, 0);
}

}  // namespace ballot::warp
