// SPDX-License-Identifier: Apache-2.0
// The merge path: how many of the first items of the output come from each input.
//
//     first 1 3 3 8, second 2 3 9      output 1 2 3 3 3 8 9
//     of its first four items, three come from `first`, one from `second`
//
// A thread halves the range of answers until one is left. A warp tries 32 answers at once. So a
// search of 2^20 items waits for memory four times instead of twenty, at the cost of some more
// traffic.
// Source: Green, McColl and Bader, GPU Merge Path, 2012.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/merge/order.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/function_objects.cuh>

#include <cstdint>

namespace ballot::detail {

// Of the first `diagonal` items of the output: how many come from `first`, those of equal items before. first(i),
// second(i).
template <class Index, class First, class Second, class Before>
__device__ __forceinline__ Index search_merge_path(Index diagonal, Index first_items, Index second_items,
                                                   const First& first, const Second& second, const Before& before) {
  Index low = diagonal > second_items ? diagonal - second_items : 0;
  Index high = diagonal < first_items ? diagonal : first_items;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (call(before, second(diagonal - 1 - middle), first(middle))) high = middle;
    else low = middle + 1;
  }
  return low;
}

// The same by all lanes of a warp, with the same arguments.
template <class First, class Second, class Before>
__device__ __forceinline__ std::uint64_t warp_search_merge_path(std::uint64_t diagonal, std::uint64_t first_items,
                                                                std::uint64_t second_items, const First& first,
                                                                const Second& second, const Before& before) {
  std::uint64_t low = diagonal > second_items ? diagonal - second_items : 0;
  std::uint64_t high = smaller(diagonal, first_items);
  while (low < high) {
    // Each lane looks at the last item of its stretch. Of the stretches that come first all items come first.
    const std::uint64_t stretch = (high - low) / simt::warp_size + 1;
    const std::uint64_t last = low + stretch * (simt::lane_id() + 1) - 1;
    const bool comes_first = last < high && !call(before, second(diagonal - 1 - last), first(last));
    low += stretch * static_cast<unsigned>(simt::popcount(simt::ballot(comes_first)));
    high = smaller(high, low + stretch - 1);
  }
  return low;
}

template <class K, class V>
struct merge_arguments {
  const K* first;
  const K* second;
  length first_length, second_length;
  const V* first_values;
  const V* second_values;
  K* keys_out;
  V* values_out;
  std::uint64_t* from_first;  // [tile]: how many items before the tile come from `first`; and of all
};

inline constexpr int merge_path_threads = 128;

// from_first of each tile: a thread a tile.
template <class K, class V, class Codec, class Before>
__global__ void __launch_bounds__(merge_path_threads)
    merge_path_kernel(merge_arguments<K, V> a, Codec codec, Before before, std::uint32_t tiles, unsigned tile_items) {
  simt::let_next_launch_begin();
  const std::uint64_t tile = std::uint64_t{blockIdx.x} * merge_path_threads + simt::thread_rank();
  if (tile > tiles) return;
  const std::uint64_t first_items = a.first_length.get(), second_items = a.second_length.get();
  const std::uint64_t diagonal = smaller(tile * tile_items, first_items + second_items);
  a.from_first[tile] = search_merge_path<std::uint64_t>(
      diagonal, first_items, second_items, [&](std::uint64_t i) { return codec.encode(a.first[i]); },
      [&](std::uint64_t i) { return codec.encode(a.second[i]); }, before);
}

}  // namespace ballot::detail
