// SPDX-License-Identifier: Apache-2.0
// Sklansky: pairs of finished runs become one: the last item of the left run is added to every item
// of the right.
//
//     item          0   1   2   3   4   5   6   7
//     distance 1    o-->+   o-->+   o-->+   o-->+
//     distance 2        o-->+-->+       o-->+-->+
//     distance 4                o-->+-->+-->+-->+
//     then          0  0-1 0-2 0-3 0-4 0-5 0-6 0-7
//
// Steps: log2 n, as few as Kogge-Stone. Additions: n/2 log2 n, half as many. An item that many read
// (`o`) is never written in the same step. So it works in place with one barrier a step and no
// spare memory. Threads are numbered over the right runs alone, so none idles. Bank conflicts
// (items of 4 bytes): two-way while runs are shorter than a warp, none after; an `o` that many
// lanes read is a broadcast. Sklansky 1960.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/survey/patterns/pattern.cuh>

namespace ballot::survey {

struct sklansky : block_pattern<sklansky> {
  static constexpr const char* name = "sklansky";
  static constexpr bool full_warps = false;
  static BALLOT_HOST_DEVICE constexpr unsigned barriers(unsigned n, unsigned) { return barriers_from(1, n); }
  static BALLOT_HOST_DEVICE constexpr std::uint64_t additions(unsigned n, unsigned) { return additions_from(1, n); }

  template <class T, class Op>
  static __device__ __forceinline__ void inclusive(T* items, unsigned n, T*, Op op) {
    steps_from(1, items, n, op);
  }

  // The steps from a distance on: the array already consists of finished runs of that many items.
  template <class T, class Op>
  static __device__ __forceinline__ void steps_from(unsigned distance, T* items, unsigned n, Op op) {
    const unsigned threads = block_threads();
    for (; distance < n; distance *= 2) {
      // Thread j takes item j of all right runs together, counted through: the bit `distance` is
      // inserted into j.
      for (unsigned j = simt::thread_rank();; j += threads) {
        const unsigned in_run = j & (distance - 1), right_run = (j - in_run) * 2 + distance, i = right_run + in_run;
        if (i >= n) break;
        items[i] = op(items[right_run - 1], items[i]);
      }
      simt::sync_block();
    }
  }
  static BALLOT_HOST_DEVICE constexpr unsigned barriers_from(unsigned distance, unsigned n) {
    unsigned steps = 0;
    for (; distance < n; distance *= 2) ++steps;
    return steps;
  }
  static BALLOT_HOST_DEVICE constexpr std::uint64_t additions_from(unsigned distance, unsigned n) {
    std::uint64_t sum = 0;
    for (; distance < n; distance *= 2) {
      const unsigned tail = n % (2 * distance);
      sum += n / (2 * distance) * distance + (tail > distance ? tail - distance : 0);
    }
    return sum;
  }
};

}  // namespace ballot::survey
