// SPDX-License-Identifier: Apache-2.0
// Serial over warp scans: one warp goes through the array, 32 items per step, with a carry.
//
//     item          0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15        a warp of 4 lanes
//     step 1        o-->+-->+-->+
//     step 2                    o-->+-->+-->+-->+                                        a warp scan, and the carry
//     step 3                                    o-->+-->+-->+-->+
//     step 4                                                    o-->+-->+-->+-->+
//
// Steps: n/32, each a warp scan; additions: 129 and 32 a step, about 5 n. There is only the barrier
// at the end, for which the other warps wait. The carry stays in a register, so items are read once
// and written once, without bank conflicts. In place. The simplest pattern for one warp; more warps
// would be idle (radix_raking_reduce_scan gives each a part).
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/survey/patterns/pattern.cuh>
#include <ballot/survey/patterns/warp_groups.cuh>

namespace ballot::survey {

// One warp scans items [begin, end) in place and returns their sum in every lane. begin < end, 32
// lanes.
template <class T, class Op>
__device__ __forceinline__ T scan_run_by_warp(T* items, unsigned begin, unsigned end, Op op) {
  T carry{};
  for (unsigned first = begin; first < end; first += simt::warp_size) {
    const unsigned i = first + simt::lane_id();
    T item{};  // of lanes past the end, on which no lane below depends
    if (i < end) item = items[i];
    item = warp::inclusive_scan(item, op);
    if (first != begin) item = op(carry, item);
    if (i < end) items[i] = item;
    carry = simt::shuffle(item, end - first < simt::warp_size ? end - first - 1 : simt::warp_size - 1);
  }
  return carry;
}

struct radix_serial : block_pattern<radix_serial> {
  static constexpr const char* name = "radix_serial";
  static constexpr bool full_warps = true;
  static BALLOT_HOST_DEVICE constexpr unsigned barriers(unsigned n, unsigned) { return n != 0; }
  static BALLOT_HOST_DEVICE constexpr std::uint64_t additions(unsigned n, unsigned) {
    if (n == 0) return 0;
    return std::uint64_t{warp_scan_additions} * warp_groups(n) + std::uint64_t{simt::warp_size} * (warp_groups(n) - 1);
  }

  template <class T, class Op>
  static __device__ __forceinline__ void inclusive(T* items, unsigned n, T*, Op op) {
    if (n == 0) return;
    if (simt::warp_id() == 0) scan_run_by_warp(items, 0, n, op);
    simt::sync_block();
  }
};

}  // namespace ballot::survey
