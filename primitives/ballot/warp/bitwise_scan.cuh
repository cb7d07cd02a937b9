// SPDX-License-Identifier: Apache-2.0
// Prefix sums of small integers in a warp, one bit of the integers at a time: a vote, a mask and a
// count for each bit.
//
//     lane          0  1  2  3 ...
//     value         2  3  1  3 ...
//     votes, bit 0  0  1  1  1     lane 3, lt: 2 set below   2 * 1
//     votes, bit 1  1  1  0  1     lane 3, lt: 2 set below   2 * 2      exclusive scan 6
//
// The scan by shuffles (scan.cuh) takes five steps whatever the width of the values. Here a step
// handles one bit. On sm_90 a bit takes 7 instructions (shift, mask and compare, vote, lane mask,
// count, add). The exclusive scan by shuffles takes 23 in all. So up to 3 bits, the scan by bits
// has fewer instructions, in static counts (scripts/instruction-counts; docs/survey.md has the
// table). Source: Harris and Garland, GPU Computing Gems Jade Edition, chapter 3, section 3.2.2.1.
//
// `Bits`, 1 to 32, is the width; higher bits of a value are ignored. Sums wrap at 2^32. All lanes
// named in `mask` call together, with the same mask. Lanes outside it count as zeros. A call costs
// `Bits` votes. No shared memory. Memory accesses are not ordered.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

namespace ballot::warp {

// Sum of the values of the lanes in `summed`, which may differ from lane to lane.
template <int Bits>
__device__ __forceinline__ unsigned bitwise_sum_of(unsigned value, unsigned summed, unsigned mask = simt::full_mask) {
  static_assert(Bits >= 1 && Bits <= 32, "values of 1 to 32 bits");
  unsigned sum = 0;
#pragma unroll
  for (int b = 0; b < Bits; ++b) {
    const unsigned votes = simt::ballot((value >> b & 1u) != 0, mask);
    sum += simt::popcount(votes & summed) << b;
  }
  return sum;
}

// Sum of all lanes, in every lane.
template <int Bits>
__device__ __forceinline__ unsigned bitwise_sum(unsigned value, unsigned mask = simt::full_mask) {
  return bitwise_sum_of<Bits>(value, mask, mask);
}

// Sum of the lanes at and below this one.
template <int Bits>
__device__ __forceinline__ unsigned bitwise_inclusive_scan(unsigned value, unsigned mask = simt::full_mask) {
  return bitwise_sum_of<Bits>(value, simt::lanemask_le(), mask);
}

// Sum of the lanes below this one.
template <int Bits>
__device__ __forceinline__ unsigned bitwise_exclusive_scan(unsigned value, unsigned mask = simt::full_mask) {
  return bitwise_sum_of<Bits>(value, simt::lanemask_lt(), mask);
}

// Sum of the lanes at and above this one.
template <int Bits>
__device__ __forceinline__ unsigned bitwise_inclusive_scan_backward(unsigned value, unsigned mask = simt::full_mask) {
  return bitwise_sum_of<Bits>(value, simt::lanemask_ge(), mask);
}

// Sum of the lanes above this one.
template <int Bits>
__device__ __forceinline__ unsigned bitwise_exclusive_scan_backward(unsigned value, unsigned mask = simt::full_mask) {
  return bitwise_sum_of<Bits>(value, simt::lanemask_gt(), mask);
}

}  // namespace ballot::warp
