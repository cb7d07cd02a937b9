// SPDX-License-Identifier: Apache-2.0
// How a block's items are laid out over its warps, and which of them are valid.
//
//     Threads = 70, Items = 2, first_items{75}:
//         warp 0: 64 items | warp 1: 11, lanes 0..5 | warp 2: none, 6 lanes
//
// Thread r, in linear order whatever the block's dimensions, has Items items from item r * Items
// on. The number of threads need not be a multiple of 32. If it is not, the last warp has fewer
// lanes, and its mask has only those.
//
// For a full block of full warps all of this is known at compile time, and costs no instruction.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/lanes.cuh>

#include <type_traits>

namespace ballot::block {

// All items of every thread are valid.
using warp::all_items;

// Only the first `count` items of the block are valid, 1 to Threads * Items.
struct first_items {
  unsigned count;
};

/// Warps of so many threads.
template <int Threads>
inline constexpr int warps_of = (Threads + static_cast<int>(simt::warp_size) - 1) / static_cast<int>(simt::warp_size);

// Whether every warp has 32 lanes.
template <int Threads>
inline constexpr bool full_warps = Threads % static_cast<int>(simt::warp_size) == 0;

// The lanes of this warp, as a mask.
template <int Threads>
__device__ __forceinline__ unsigned mask_of_warp() {
  static_assert(Threads >= 1 && Threads <= 1024, "a block has 1 to 1024 threads");
  if constexpr (full_warps<Threads>) return simt::full_mask;
  else return simt::warp_id() + 1 == warps_of<Threads> ? (1u << Threads % simt::warp_size) - 1u : simt::full_mask;
}

// The number of lanes of this warp.
template <int Threads>
__device__ __forceinline__ unsigned lanes_of_warp() {
  return simt::popcount(mask_of_warp<Threads>());
}

/// All items exist: no number limits them.
template <int Threads, int Items>
__device__ __forceinline__ unsigned count_of(all_items) {
  return Threads * Items;
}
/// How many items exist.
template <int Threads, int Items>
__device__ __forceinline__ unsigned count_of(first_items extent) {
  return extent.count;
}

// The number of warps with valid items.
template <int Threads, int Items, class Extent>
__device__ __forceinline__ unsigned warps_with_items(Extent extent) {
  constexpr unsigned of_warp = simt::warp_size * Items;
  return (count_of<Threads, Items>(extent) + of_warp - 1) / of_warp;
}

// The extent of this warp, for the scans of a warp.
template <int Threads, int Items, class Extent>
__device__ __forceinline__ auto extent_of_warp(Extent extent) {
  if constexpr (std::is_same_v<Extent, all_items> && full_warps<Threads>) {
    return warp::all_items{};
  } else {
    constexpr unsigned of_warp = simt::warp_size * Items;
    const unsigned count = count_of<Threads, Items>(extent), before = simt::warp_id() * of_warp;
    const unsigned here = count <= before ? 0 : count - before < of_warp ? count - before : of_warp;
    return warp::first_items{here, mask_of_warp<Threads>()};
  }
}

}  // namespace ballot::block
