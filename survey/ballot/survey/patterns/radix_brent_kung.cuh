// SPDX-License-Identifier: Apache-2.0
// Brent-Kung of the radix of a warp: 32 runs become one in each step up, and go apart again in each
// step down.
//
//     item          0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15    a warp of 4 lanes
//     up, 1         o-->+-->+-->+   o-->+-->+-->+   o-->+-->+-->+   o-->+-->+-->+    a warp scan each
//     up, 4                     o-------------->+-------------->+-------------->+    one warp scan
//     down, 1                   o-->+-->+-->+   o-->+-->+-->+   o-->+-->+-->+        fans: one item into 3 (31) each
//     then          0  0-1 0-2 0-3 0-4 0-5 0-6 0-7  ...                        0-15
//
// With W = 32 and L = log_W n levels: L steps up of log2 W = 5 each, L - 1 down. 2 L - 1 barriers
// (n = 1024: 3, Brent-Kung 19). Additions: 129 a warp scan, so about 4.2 n. Going down adds n,
// since each item is added to once: the fans go from the widest to the narrowest. In place. Bank
// conflicts: none at the lowest level. Above it all places are in one bank, 32-way, but they are
// n/32. The item that a fan adds is a broadcast.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/survey/patterns/pattern.cuh>
#include <ballot/survey/patterns/warp_groups.cuh>

namespace ballot::survey {

struct radix_brent_kung : block_pattern<radix_brent_kung> {
  static constexpr const char* name = "radix_brent_kung";
  static constexpr bool full_warps = true;
  static BALLOT_HOST_DEVICE constexpr unsigned barriers(unsigned n, unsigned) {
    unsigned steps = 0;
    for (unsigned stride = 1; stride < n; stride *= radix) steps += goes_up(stride, n) + goes_down(stride, n);
    return steps;
  }
  static BALLOT_HOST_DEVICE constexpr std::uint64_t additions(unsigned n, unsigned) {
    std::uint64_t sum = 0;
    for (unsigned stride = 1; stride < n; stride *= radix) {
      const unsigned places = n / stride;
      if (goes_up(stride, n)) sum += std::uint64_t{warp_scan_additions} * warp_groups(places);
      if (goes_down(stride, n)) sum += places - places / radix - (radix - 1);
    }
    return sum;
  }

  template <class T, class Op>
  static __device__ __forceinline__ void inclusive(T* items, unsigned n, T*, Op op) {
    unsigned stride = 1;
    for (; goes_up(stride, n); stride *= radix) {
      scan_warp_groups(items, n / stride, stride, op);
      simt::sync_block();
    }
    for (; stride != 0; stride /= radix) {
      if (!goes_down(stride, n)) continue;
      // The m-th place, counted from 1, ends the first m strides. Those after the first group of
      // 32 lack the sum before their group. Only the ends of groups are finished.
      const unsigned places = n / stride;
      for (unsigned m = radix + 1 + simt::thread_rank(); m <= places; m += block_threads())
        if (m % radix != 0) {
          T& place = items[m * stride - 1];
          place = op(items[m / radix * radix * stride - 1], place);
        }
      simt::sync_block();
    }
  }

 private:
  static constexpr unsigned radix = simt::warp_size;
  static BALLOT_HOST_DEVICE constexpr bool goes_up(unsigned stride, unsigned n) { return 2 * stride <= n; }
  static BALLOT_HOST_DEVICE constexpr bool goes_down(unsigned stride, unsigned n) { return (radix + 1) * stride <= n; }
};

}  // namespace ballot::survey
