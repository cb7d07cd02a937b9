// SPDX-License-Identifier: Apache-2.0
// Raking reduce-scan: one warp rakes through the array, each lane through consecutive items.
//
//     item          0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15    a warp of 4 lanes
//                  |-- lane 0 -----|-- lane 1 -----|-- lane 2 -----|-- lane 3 -----|
//     reduce        o-->+-->+-->A   o-->+-->+-->B   o-->+-->+-->C   o-->+-->+-->D    in registers, serial
//     warp scan                 A              AB              ABC            ABCD    in registers, a warp scan
//     scan          o-->+-->+-->+   +-->+-->+-->+   +-->+-->+-->+   +-->+-->+-->+    each lane from its prefix on
//
// Additions: 2 n, and a warp's scan. Steps: 2 n/32 + 5, each of one warp: the fewest instructions.
// There is only the barrier at the end, for which the other warps wait. Nothing is written in the
// first pass: lanes exchange their sums by shuffles.
//
// Bank conflicts: lanes are a run apart. So runs get an odd length, with which 32 lanes hit 32
// banks (items of 4 bytes). A power of two would be up to 32-way. No spare memory.
// Source: Merrill and Grimshaw, Parallel scan for stream architectures, 2009.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/survey/patterns/pattern.cuh>
#include <ballot/survey/patterns/warp_groups.cuh>
#include <ballot/warp/scan.cuh>

namespace ballot::survey {

struct raking_reduce_scan : block_pattern<raking_reduce_scan> {
  static constexpr const char* name = "raking_reduce_scan";
  static constexpr bool full_warps = true;
  static BALLOT_HOST_DEVICE constexpr unsigned barriers(unsigned n, unsigned) { return n != 0; }
  static BALLOT_HOST_DEVICE constexpr std::uint64_t additions(unsigned n, unsigned) {
    if (n == 0) return 0;
    const unsigned lanes = (n + run_items(n) - 1) / run_items(n);
    return n - lanes + warp_scan_additions + n - 1;
  }

  template <class T, class Op>
  static __device__ __forceinline__ void inclusive(T* items, unsigned n, T*, Op op) {
    if (n == 0) return;
    if (simt::warp_id() == 0) rake(items, n, op);
    simt::sync_block();
  }

 private:
  static BALLOT_HOST_DEVICE constexpr unsigned run_items(unsigned n) {
    return (n + simt::warp_size - 1) / simt::warp_size | 1;
  }

  template <class T, class Op>
  static __device__ __forceinline__ void rake(T* items, unsigned n, Op op) {
    const unsigned run = run_items(n), first = simt::lane_id() * run, end = first + run < n ? first + run : n;
    T sum{};  // of lanes past the array's end, on which no lane below depends
    if (first < n) sum = items[first];
    for (unsigned i = first + 1; i < end; ++i) sum = op(sum, items[i]);
    T running = simt::shuffle_up(warp::inclusive_scan(sum, op), 1);
    for (unsigned i = first; i < end; ++i) {
      running = i == 0 ? items[0] : op(running, items[i]);
      items[i] = running;
    }
  }
};

}  // namespace ballot::survey
