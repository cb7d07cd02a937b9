// SPDX-License-Identifier: Apache-2.0
// Raking by warps: each warp scans a run of its own, serially; then the warps' sums are scanned,
// and added to the runs.
//
//     item          0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15        2 warps of 4 lanes
//                  |------------ warp 0 -----------|------------ warp 1 -----------|
//     step 1        o-->+-->+-->+                   o-->+-->+-->+                        warp scans
//     step 2                    o-->+-->+-->+-->+               o-->+-->+-->+-->+        with the carry
//     spare                                     A                              (B)       one sum a warp; barrier
//     warps' sums                               A                                        every warp scans all of them
//     step 3                                    o-->+-->+-->+-->+-->+-->+-->+-->+        the warp's prefix
//
// With w warps: n/32w steps of a warp scan, one more scan, n/32w steps of one addition. Additions:
// about 6 n. Two barriers, whatever n: each warp scans the sums for itself, where one warp for all
// would take a third. One spare item a warp. No bank conflicts: lanes always access adjacent items.
// The pattern of the survey's larger scans, and of ours.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/survey/patterns/pattern.cuh>
#include <ballot/survey/patterns/radix_serial.cuh>
#include <ballot/survey/patterns/warp_groups.cuh>

namespace ballot::survey {

struct radix_raking_reduce_scan : block_pattern<radix_raking_reduce_scan> {
  static constexpr const char* name = "radix_raking_reduce_scan";
  static constexpr bool full_warps = true;
  static BALLOT_HOST_DEVICE constexpr unsigned spare_items(unsigned, unsigned threads) {
    return threads / simt::warp_size;
  }
  static BALLOT_HOST_DEVICE constexpr unsigned barriers(unsigned n, unsigned) { return n == 0 ? 0 : 2; }
  static BALLOT_HOST_DEVICE constexpr std::uint64_t additions(unsigned n, unsigned threads) {
    if (n == 0) return 0;
    const unsigned warps = threads / simt::warp_size, run = run_items(n, warps), runs = (n + run - 1) / run;
    return std::uint64_t{warp_scan_additions} * (warp_groups(n) + warps) +
           std::uint64_t{simt::warp_size} * (warp_groups(n) - runs) + (n > run ? n - run : 0);
  }

  template <class T, class Op>
  static __device__ __forceinline__ void inclusive(T* items, unsigned n, T* spare, Op op) {
    if (n == 0) return;
    const unsigned warp = simt::warp_id(), lane = simt::lane_id(),
                   run = run_items(n, block_threads() / simt::warp_size);
    const unsigned runs = (n + run - 1) / run;  // with few items the last warps have none
    const unsigned begin = warp * run, end = begin + run < n ? begin + run : n;
    if (begin < end) {
      const T sum = scan_run_by_warp(items, begin, end, op);
      if (lane == 0) spare[warp] = sum;
    }
    simt::sync_block();
    // Lanes past the last sum repeat it: nothing depends on them.
    const T lane_inclusive = warp::inclusive_scan(T(spare[lane < runs ? lane : runs - 1]), op);
    const T before = simt::shuffle(lane_inclusive, warp == 0 ? 0 : warp - 1);
    if (warp != 0)
      for (unsigned i = begin + lane; i < end; i += simt::warp_size) items[i] = op(before, items[i]);
    simt::sync_block();
  }

 private:
  // Whole groups of 32, as many for each warp.
  static BALLOT_HOST_DEVICE constexpr unsigned run_items(unsigned n, unsigned warps) {
    return (warp_groups(n) + warps - 1) / warps * simt::warp_size;
  }
};

}  // namespace ballot::survey
