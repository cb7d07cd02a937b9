// SPDX-License-Identifier: Apache-2.0
// Common to the patterns of warps: a warp scan over every group of 32 places, and its cost.
//
//     stride 1     places are the items 0, 1, 2, ...                       a warp takes 32 of them
//     stride 32    places are the items 31, 63, 95, ...: the ends of the groups below
//
// A warp needs no barrier to scan, so a network whose steps have 32 inputs instead of 2 has a fifth
// of the barriers.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/survey/patterns/pattern.cuh>
#include <ballot/warp/scan.cuh>

#include <cstdint>

namespace ballot::survey {

// Kogge-Stone over 32 lanes: 31 + 30 + 28 + 24 + 16.
inline constexpr unsigned warp_scan_additions = 129;

BALLOT_HOST_DEVICE constexpr unsigned warp_groups(unsigned places) {
  return (places + simt::warp_size - 1) / simt::warp_size;
}

// Place p is the item (p + 1) stride - 1. Scans every group of 32 of the `places` in place,
// inclusively. No barrier.
template <class T, class Op>
__device__ __forceinline__ void scan_warp_groups(T* items, unsigned places, unsigned stride, Op op) {
  // Whole warps stay in the loop; lanes past the end take T{}, and no lane below depends on them.
  // They must not read: a shuffle is no barrier, so it would be a race with the lane that writes
  // there.
  const unsigned end = warp_groups(places) * simt::warp_size;
  for (unsigned p = simt::thread_rank(); p < end; p += block_threads()) {
    T* const place = items + ((p + 1) * stride - 1);
    T item{};
    if (p < places) item = *place;
    item = warp::inclusive_scan(item, op);
    if (p < places) *place = item;
  }
}

}  // namespace ballot::survey
