// SPDX-License-Identifier: Apache-2.0
// Reduction of a warp: the result in every lane.
//
//     a b c d e f g h      distance 1: each lane adds the lane above it
//     ab  cd  ef  gh       distance 2, 4, 8, 16 ...
//     abcd    efgh         lane 0 has the result, in order, and broadcasts it
//
// One instruction if the hardware has the reduction (hardware_reduction.cuh: 32-bit sums, minima, maxima, bits). An operator
// with a function `over_warp` reduces a warp by that. Else a tree of five steps and a broadcast, for any associative
// operator, which need not commute.
// T: trivially copyable, at most 16 bytes.
//
// `extent` (lanes.cuh) says how many lanes hold an item; all lanes of its mask call together. No shared memory; orders
// none.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/function_objects.cuh>
#include <ballot/warp/hardware_reduction.cuh>
#include <ballot/warp/lanes.cuh>

namespace ballot::warp {

// op of the items of all lanes, in lane order, in every lane.
template <class T, class Op = plus, class Extent = all_items>
__device__ __forceinline__ T reduce(T item, Op op = {}, Extent extent = {}) {
  const unsigned lanes = extent.template lanes<1>();
  if constexpr (has_hardware_reduction<T, Op>) {
    using word = reduction_word<T>;
    using hardware = hardware_reduction<Op>;
    const bool holds_item = !Extent::partial || simt::lane_id() < lanes;
    return static_cast<T>(
        hardware::over(holds_item ? static_cast<word>(item) : hardware::template identity<word>, extent.mask));
  } else if constexpr (requires { op.over_warp(item, lanes, extent.mask); }) {
    return op.over_warp(item, lanes, extent.mask);
  } else {
    const unsigned reach = backward::reach(lanes, extent);
#pragma unroll
    for (unsigned distance = 1; distance < simt::warp_size; distance *= 2) {
      const T above = backward::from(item, distance, reach, extent);
      // In a full warp a lane whose partner is past the end may compute garbage: lane 0 does not depend on it.
      constexpr bool takes_junk = !Extent::partial && ballot::detail::accepts_any_operand<Op, T>;
      if (takes_junk || reach >= distance) item = ballot::detail::combine(op, item, above);
    }
    return simt::shuffle(item, 0, extent.mask);
  }
}

}  // namespace ballot::warp
