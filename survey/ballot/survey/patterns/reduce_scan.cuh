// SPDX-License-Identifier: Apache-2.0
// Reduce-scan: Brent-Kung's tree, cut off above its lowest levels; what is left, one sum a group,
// is scanned densely.
//
//     item          0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15    groups of 4
//     up, 1         o-->+   o-->+   o-->+   o-->+   o-->+   o-->+   o-->+   o-->+
//     up, 2             o------>+       o------>+       o------>+       o------>+
//                               |               |               |               |
//     spare                     A               B               C               D    the sums of this step
//     sklansky                  A              AB              ABC            ABCD    there: log2(n/4) steps
//                               |               |               |               |
//     down, 2                   v------>+       v------>+       v------>+       v    copied back, and taken in
//     down, 1           o-->+   o-->+   o-->+   o-->+   o-->+   o-->+   o-->+
//
// With groups of g: log2 n + log2 g steps and as many barriers (Brent-Kung: 2 log2 n - 1). 2 n
// additions for the tree's part and n/2g log2(n/g) for the middle. n/g spare items. The middle,
// where the tree has its worst bank conflicts, is dense. The copies there and back belong to the
// tree's last step up and first step down, so they need no barriers of their own.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/survey/patterns/brent_kung.cuh>
#include <ballot/survey/patterns/pattern.cuh>
#include <ballot/survey/patterns/sklansky.cuh>

namespace ballot::survey {

struct reduce_scan : block_pattern<reduce_scan> {
  static constexpr const char* name = "reduce_scan";
  static constexpr bool full_warps = false;
  static constexpr unsigned group = 8;  // items: a power of two, at least 2
  static BALLOT_HOST_DEVICE constexpr unsigned spare_items(unsigned n, unsigned) { return n / group; }
  static BALLOT_HOST_DEVICE constexpr unsigned barriers(unsigned n, unsigned threads) {
    const unsigned groups = n / group;
    unsigned steps = groups == 0 ? 0 : 2 + sklansky::barriers(groups, threads);
    for (unsigned distance = 1; distance < group / 2; distance *= 2)
      steps += brent_kung::goes_up(distance, n) + brent_kung::goes_down(distance, n);
    return steps;
  }
  static BALLOT_HOST_DEVICE constexpr std::uint64_t additions(unsigned n, unsigned threads) {
    std::uint64_t sum = sklansky::additions(n / group, threads);
    for (unsigned distance = 1; distance < group && distance < n; distance *= 2)
      sum += n / (2 * distance) + (n - distance) / (2 * distance);
    return sum;
  }

  template <class T, class Op>
  static __device__ __forceinline__ void inclusive(T* items, unsigned n, T* spare, Op op) {
    constexpr unsigned half = group / 2;
    const unsigned groups = n / group, threads = block_threads();
    for (unsigned distance = 1; distance < half; distance *= 2)
      if (brent_kung::goes_up(distance, n)) brent_kung::step_up(distance, items, n, op);
    if (groups != 0) {
      for (unsigned g = simt::thread_rank(); g < groups; g += threads) {
        const unsigned last = g * group + group - 1;
        spare[g] = op(items[last - half], items[last]);
      }
      simt::sync_block();
      sklansky::inclusive(spare, groups, static_cast<T*>(nullptr), op);
      for (unsigned g = simt::thread_rank(); g < groups; g += threads) {
        const unsigned last = g * group + group - 1;
        items[last] = spare[g];
        if (last + half < n) items[last + half] = op(spare[g], items[last + half]);
      }
      simt::sync_block();
    }
    for (unsigned distance = half / 2; distance != 0; distance /= 2)
      if (brent_kung::goes_down(distance, n)) brent_kung::step_down(distance, items, n, op);
  }
};

}  // namespace ballot::survey
