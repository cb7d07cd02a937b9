// SPDX-License-Identifier: Apache-2.0
// Brent-Kung of the radix of a warp, with the way down fused into the way up: each level is
// finished before the next begins.
//
//     item          0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15        a warp of 4 lanes
//     scan, 1       o-->+-->+-->+   o-->+-->+-->+   o-->+-->+-->+   o-->+-->+-->+        a warp scan each; barrier
//     scan, 4                   o-------------->+-------------->+-------------->+        one warp scan;    barrier
//     fan, 4                    o-->+-->+-->+   o-->+-->+-->+   o-->+-->+-->+            one item into 3 (31) each
//     scan, 16                                                                  o- ...   without a barrier in between
//
// With L = log_32 n levels: L + 1 barriers, for radix_brent_kung's 2 L - 1. A level's fan and the
// next level's scan touch different items. The fan reads ends of strides inside a group and writes
// items that are no end of a stride; the scan takes ends of whole groups. Additions: the warp
// scans' 4.2 n, and n in each level above the first. radix_brent_kung has n for all of them. So the
// two are equal up to two levels (n = 1024). With three (n = 32768) one barrier of five is bought
// with n additions. In place. Bank conflicts as in radix_brent_kung.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/survey/patterns/pattern.cuh>
#include <ballot/survey/patterns/warp_groups.cuh>

namespace ballot::survey {

struct radix_brent_kung_fused : block_pattern<radix_brent_kung_fused> {
  static constexpr const char* name = "radix_brent_kung_fused";
  static constexpr bool full_warps = true;
  static BALLOT_HOST_DEVICE constexpr unsigned barriers(unsigned n, unsigned) {
    unsigned steps = n > radix;
    for (unsigned stride = 1; stride < n; stride *= radix) ++steps;
    return steps;
  }
  static BALLOT_HOST_DEVICE constexpr std::uint64_t additions(unsigned n, unsigned) {
    std::uint64_t sum = 0;
    for (unsigned stride = 1; stride < n; stride *= radix) {
      if (2 * stride <= n) sum += std::uint64_t{warp_scan_additions} * warp_groups(n / stride);
      if (stride == 1) continue;
      const unsigned group = radix * stride, tail = n % group;
      sum += std::uint64_t{n / group} * (radix - 1) * (stride - 1);
      if (tail > stride) sum += tail - stride - (tail / stride - 1);
    }
    return sum;
  }

  template <class T, class Op>
  static __device__ __forceinline__ void inclusive(T* items, unsigned n, T*, Op op) {
    for (unsigned stride = 1; stride < n; stride *= radix) {
      if (2 * stride <= n) scan_warp_groups(items, n / stride, stride, op);
      simt::sync_block();
      if (stride == 1) continue;
      for (unsigned i = stride + simt::thread_rank(); i < n; i += block_threads()) {
        const bool first_of_group = i % (radix * stride) < stride, end_of_stride = (i + 1) % stride == 0;
        if (!first_of_group && !end_of_stride) items[i] = op(items[i / stride * stride - 1], items[i]);
      }
    }
    if (n > radix) simt::sync_block();
  }

 private:
  static constexpr unsigned radix = simt::warp_size;
};

}  // namespace ballot::survey
