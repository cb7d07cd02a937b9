// SPDX-License-Identifier: Apache-2.0
// Sklansky on top of warp scans: the first five steps become one warp scan, the others stay as they
// are.
//
//     item          0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15        a warp of 4 lanes
//     warp scans    o-->+-->+-->+   o-->+-->+-->+   o-->+-->+-->+   o-->+-->+-->+
//     distance 4                o-->+-->+-->+-->+               o-->+-->+-->+-->+
//     distance 8                                o-->+-->+-->+-->+-->+-->+-->+-->+
//     then          0  0-1 0-2 0-3 0-4 0-5 0-6 0-7  ...                        0-15
//
// Barriers: 1 + log2(n/32). Additions: 129 a warp scan, about 4 n, and n/2 log2(n/32). In place. No
// bank conflicts at all (items of 4 bytes): from distance 32 on a warp's lanes are neighbours, and
// take one item from the left, a broadcast.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/survey/patterns/pattern.cuh>
#include <ballot/survey/patterns/sklansky.cuh>
#include <ballot/survey/patterns/warp_groups.cuh>

namespace ballot::survey {

struct radix_sklansky : block_pattern<radix_sklansky> {
  static constexpr const char* name = "radix_sklansky";
  static constexpr bool full_warps = true;
  static BALLOT_HOST_DEVICE constexpr unsigned barriers(unsigned n, unsigned) {
    return n < 2 ? 0 : 1 + sklansky::barriers_from(simt::warp_size, n);
  }
  static BALLOT_HOST_DEVICE constexpr std::uint64_t additions(unsigned n, unsigned) {
    if (n < 2) return 0;
    return std::uint64_t{warp_scan_additions} * warp_groups(n) + sklansky::additions_from(simt::warp_size, n);
  }

  template <class T, class Op>
  static __device__ __forceinline__ void inclusive(T* items, unsigned n, T*, Op op) {
    if (n < 2) return;
    scan_warp_groups(items, n, 1, op);
    simt::sync_block();
    sklansky::steps_from(simt::warp_size, items, n, op);
  }
};

}  // namespace ballot::survey
