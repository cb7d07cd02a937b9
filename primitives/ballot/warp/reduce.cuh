// SPDX-License-Identifier: Apache-2.0
// Reduction of a warp: the result in every lane, or in lane 0 alone.
//
//     a b c d e f g h    distance 1: each lane adds the lane above it
//     ab  cd  ef  gh     distance 2, 4, 8, 16 ...
//     abcd    efgh       lane 0 has the result, in order; it broadcasts it if every lane needs it
//
// One instruction if the hardware has the reduction (hardware_reduction.cuh: 32-bit sums, minima,
// maxima, bits). An operator with a function `over_warp` reduces a warp by that. Else a tree of
// five steps and a broadcast, for any associative operator, which need not commute. T: trivially
// copyable, at most 16 bytes.
//
// `extent` (lanes.cuh) says how many lanes hold an item; all lanes of its mask call together. No
// shared memory. Memory accesses are not ordered.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/function_objects.cuh>
#include <ballot/warp/hardware_reduction.cuh>
#include <ballot/warp/lanes.cuh>

#include <cstring>

namespace ballot::warp {

// op of the items of all lanes, in lane order, in lane 0; unspecified in the others. Lanes: at most
// so many lanes hold items, the lowest ones; a power of two, which saves steps.
template <unsigned Lanes = simt::warp_size, class T, class Op = plus, class Extent = all_items>
__device__ __forceinline__ T reduce_to_first(T item, Op op = {}, Extent extent = {}) {
  static_assert(Lanes >= 1 && Lanes <= simt::warp_size && (Lanes & (Lanes - 1)) == 0);
  const unsigned given = extent.template lanes<1>(), lanes = Lanes < given ? Lanes : given;
  constexpr bool all = !Extent::partial && Lanes == simt::warp_size;
  if constexpr (has_hardware_reduction<T, Op>) {
    using word = reduction_word<T>;
    using hardware = hardware_reduction<Op>;
    const bool holds_item = all || simt::lane_id() < lanes;
    return static_cast<T>(
        hardware::over(holds_item ? static_cast<word>(item) : hardware::template identity<word>, extent.mask));
  } else if constexpr (requires { op.over_warp(item, lanes, extent.mask); }) {
    return op.over_warp(item, lanes, extent.mask);
  } else {
    const unsigned lane = simt::lane_id(), reach = lane < lanes ? lanes - 1u - lane : 0;
#pragma unroll
    for (unsigned distance = 1; distance < Lanes; distance *= 2) {
      const T above = backward::from(item, distance, reach, extent);
      // If all lanes up to Lanes hold items, a lane whose partner is past the end may compute
      // garbage. Lane 0 does not depend on it.
      constexpr bool combines_any_lane = !Extent::partial && ballot::detail::accepts_any_operand<Op, T>;
      if (combines_any_lane || reach >= distance) item = ballot::detail::combine(op, item, above);
    }
    return item;
  }
}

// first ? a : b, word by word. A choice between two objects may become one between their addresses,
// and then both are in local memory.
template <class T>
__device__ __forceinline__ T choose(bool first, const T& a, const T& b) {
  constexpr unsigned words = (sizeof(T) + 3) / 4;
  unsigned chosen[words] = {}, other[words] = {};
  std::memcpy(chosen, &a, sizeof(T));
  std::memcpy(other, &b, sizeof(T));
#pragma unroll
  for (unsigned i = 0; i < words; ++i) chosen[i] = first ? chosen[i] : other[i];
  T value = a;
  std::memcpy(&value, chosen, sizeof(T));
  return value;
}

// Several runs of 32 items at once: lane l has item l of each run, and all items of run r precede
// those of run r + 1. op of all items, in order, in every lane.
//
//     runs 0 1 2 3    lane 0: a e i m    lane 1: b f j n    lane 2: c g k o    lane 3: d h l p ...
//     distance 1      ab, ij             ef, mn             cd, kl             gh, op
//     distance 2      abcd               efgh               ijkl               mnop
//
// At each distance a lane keeps every other of its sums, and gives the others to its partner. So
// `Runs` runs take Runs + 4 shuffles, where one after the other they take six each. No lane ever
// branches: warps that have diverged take a slow way through each shuffle.
template <int Runs, class T, class Op>
__device__ __forceinline__ T reduce_runs(T (&run)[Runs], Op op) {
  static_assert(Runs >= 1 && Runs <= static_cast<int>(simt::warp_size) && (Runs & (Runs - 1)) == 0);
  const unsigned lane = simt::lane_id();
  const auto join = [&](bool is_second, const T& own, const T& given) {
    return ballot::detail::combine(op, choose(is_second, given, own), choose(is_second, own, given));
  };
#pragma unroll
  for (int distance = 1; distance < Runs; distance *= 2) {
    const bool is_second = (lane & static_cast<unsigned>(distance)) != 0;
#pragma unroll
    for (int pair = 0; pair < Runs / 2; ++pair) {
      if (pair >= Runs / 2 / distance) break;
      const T own = choose(is_second, run[2 * pair + 1], run[2 * pair]);
      const T other = choose(is_second, run[2 * pair], run[2 * pair + 1]);
      run[pair] = join(is_second, own, simt::shuffle_xor(other, static_cast<unsigned>(distance)));
    }
  }
  // Lane l has a sum of run l % Runs, over the `Runs` lanes around it. Next those of the other
  // lanes, and then the other runs.
  T sum = run[0];
#pragma unroll
  for (unsigned distance = Runs; distance < simt::warp_size; distance *= 2)
    sum = join((lane & distance) != 0, sum, simt::shuffle_xor(sum, distance));
#pragma unroll
  for (unsigned distance = 1; distance < Runs; distance *= 2)
    sum = join((lane & distance) != 0, sum, simt::shuffle_xor(sum, distance));
  return sum;
}

// As reduce_to_first, in every lane.
template <class T, class Op = plus, class Extent = all_items>
__device__ __forceinline__ T reduce(T item, Op op = {}, Extent extent = {}) {
  item = reduce_to_first(item, op, extent);
  if constexpr (has_hardware_reduction<T, Op> || requires { op.over_warp(item, 0u, extent.mask); }) return item;
  else return simt::shuffle(item, 0, extent.mask);
}

}  // namespace ballot::warp
