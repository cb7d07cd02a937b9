// SPDX-License-Identifier: Apache-2.0
// The shared memory of a block of the device scan (scan_kernel.cuh).
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/block/staged_tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::device {

// Shared memory holds the items as they lie in memory; input items wider than the sums are
// converted before they are staged. So the shared memory of a tile depends on the type of the sums:
// at most twice their size.
template <class T, class Stored>
inline constexpr bool is_converted_first = sizeof(Stored) > sizeof(T);  // before staging, else after
template <class T, class Stored>
using staged_scan_item = std::conditional_t<is_converted_first<T, Stored>, T, Stored>;

// Sums overwrite the items if they have the same size; else they have memory of their own.
template <class T, class Shape, class Staged, bool SameSize = sizeof(T) == sizeof(Staged)>
struct scan_tiles {
  typename block::staged_tile<Staged, Shape>::storage items;
  typename block::staged_tile<T, Shape>::storage separate_sums;
  __device__ __forceinline__ auto& sums() { return separate_sums; }
};
template <class T, class Shape, class Staged>
struct scan_tiles<T, Shape, Staged, true> {
  union {
    typename block::staged_tile<Staged, Shape>::storage items;
    typename block::staged_tile<T, Shape>::storage sums_in_place;
  };
  __device__ __forceinline__ auto& sums() { return sums_in_place; }
};

// The most tiles that are scanned in one cluster. It is for sums that take little of the shared
// memory; 0: no cluster.
template <class T>
inline constexpr unsigned cluster_tiles = sizeof(T) <= 8 ? simt::most_cluster_blocks : 0;

template <class T, class Shape, class Stored>
struct scan_storage {
  scan_tiles<T, Shape, staged_scan_item<T, Stored>> tiles;
  typename block::scan<T, Shape::threads>::storage warps;
  std::uint32_t tile;
  // Aligned, so that a vector load of one does not read bytes of the other.
  alignas(16) alignas(T) T tile_prefix;
  alignas(16) alignas(T) T partial_aggregate;
  alignas(16) alignas(T) T
      of_tiles_before[cluster_tiles<T> == 0 ? 1 : cluster_tiles<T>];  // of a cluster, from those tiles
};

}  // namespace ballot::device
