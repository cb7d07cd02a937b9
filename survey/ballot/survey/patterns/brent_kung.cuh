// SPDX-License-Identifier: Apache-2.0
// Brent-Kung: sums up a binary tree, then prefixes back down it. The classic of little work.
//
//     item          0   1   2   3   4   5   6   7
//     up, 1         o-->+   o-->+   o-->+   o-->+
//     up, 2             o------>+       o------>+
//     up, 4                     o-------------->+
//     down, 2                   o------>+
//     down, 1           o-->+   o-->+   o-->+
//     then          0  0-1 0-2 0-3 0-4 0-5 0-6 0-7
//
// Steps: 2 log2 n - 1, twice the fewest. Additions: 2 n - 2 - log2 n, close to the n - 1 of a loop.
// In place, one barrier a step.
//
// Item i takes part as the end of a run of `distance` items. The array may cut a run off. On the
// way up such a run is left out. On the way down its whole parts get their prefixes, each at its
// own distance. So no padding to a power of two is needed.
//
// Bank conflicts: at distance d neighbouring lanes are 2 d words apart, from two-way at the leaves
// to 32-way from distance 16 on.
// Sources: Brent and Kung 1982; Blelloch 1990; Harris, Sengupta and Owens, GPU Gems 3, chapter 39,
// where the array is padded against the conflicts.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/survey/patterns/pattern.cuh>

namespace ballot::survey {

struct brent_kung : block_pattern<brent_kung> {
  static constexpr const char* name = "brent_kung";
  static constexpr bool full_warps = false;
  static BALLOT_HOST_DEVICE constexpr unsigned barriers(unsigned n, unsigned) {
    unsigned steps = 0;
    for (unsigned distance = 1; distance < n; distance *= 2) steps += goes_up(distance, n) + goes_down(distance, n);
    return steps;
  }
  static BALLOT_HOST_DEVICE constexpr std::uint64_t additions(unsigned n, unsigned) {
    std::uint64_t sum = 0;
    for (unsigned distance = 1; distance < n; distance *= 2)
      sum += n / (2 * distance) + (n - distance) / (2 * distance);
    return sum;
  }

  template <class T, class Op>
  static __device__ __forceinline__ void inclusive(T* items, unsigned n, T*, Op op) {
    unsigned distance = 1;
    for (; goes_up(distance, n); distance *= 2) step_up(distance, items, n, op);
    for (; distance != 0; distance /= 2)
      if (goes_down(distance, n)) step_down(distance, items, n, op);
  }

  // Whether there are two whole runs side by side to be added, going up; a run to the right of a
  // pair, going down.
  static BALLOT_HOST_DEVICE constexpr bool goes_up(unsigned distance, unsigned n) { return 2 * distance <= n; }
  static BALLOT_HOST_DEVICE constexpr bool goes_down(unsigned distance, unsigned n) { return 3 * distance <= n; }

  // One step and its barrier: the ends of runs of 2 distance take in the ends of their left halves.
  template <class T, class Op>
  static __device__ __forceinline__ void step_up(unsigned distance, T* items, unsigned n, Op op) {
    for (unsigned i = (simt::thread_rank() + 1) * 2 * distance - 1; i < n; i += block_threads() * 2 * distance)
      items[i] = op(items[i - distance], items[i]);
    simt::sync_block();
  }
  // One step and its barrier: the ends of left halves take in the prefix that ends just before
  // them.
  template <class T, class Op>
  static __device__ __forceinline__ void step_down(unsigned distance, T* items, unsigned n, Op op) {
    for (unsigned i = (simt::thread_rank() + 1) * 2 * distance + distance - 1; i < n;
         i += block_threads() * 2 * distance)
      items[i] = op(items[i - distance], items[i]);
    simt::sync_block();
  }
};

}  // namespace ballot::survey
