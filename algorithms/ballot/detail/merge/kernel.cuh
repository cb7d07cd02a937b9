// SPDX-License-Identifier: Apache-2.0
// Merges two sorted ranges tile by tile of the output. The items of a tile come from a stretch of each range; where
// these begin, a search along a diagonal of the merge path tells:
//
//     first 1 3 3 8, second 2 3 9      output 1 2 3 3 3 8 9; of its first four items, three come from `first`, one
//     from `second`
//
// A first kernel finds that for each tile, a thread a tile. Then a block brings both stretches to shared memory, each
// thread finds its own stretches in there in the same way, and merges some items serially. The keys go back to shared
// memory and out from there. Values follow by the positions of the items in the tile.
//
// Shared memory: a tile of keys, and of positions of 2 bytes. Barriers: three. If the ranges are not sorted, the
// output is unspecified, but nothing outside the ranges is accessed. Source: Green, McColl and Bader, GPU Merge Path,
// 2012.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/function_objects.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// An odd number of items a thread: then consecutive items of neighbouring threads are in different banks.
template <int Threads, int Items>
struct merge_shape {
  static constexpr int threads = Threads, items_per_thread = Items;
  static constexpr unsigned items = Threads * Items;
  static_assert(items <= 1u << 16, "positions have 16 bits");
};

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

inline constexpr int merge_path_threads = 128;

template <class K, class V, class Before>
__global__ void __launch_bounds__(merge_path_threads)
    merge_path_kernel(merge_arguments<K, V> a, Before before, std::uint32_t tiles, unsigned tile_items) {
  const std::uint64_t tile = std::uint64_t{blockIdx.x} * merge_path_threads + simt::thread_rank();
  if (tile > tiles) return;
  const std::uint64_t first_items = a.first_length.get(), second_items = a.second_length.get();
  const std::uint64_t diagonal = smaller(tile * tile_items, first_items + second_items);
  a.from_first[tile] = search_merge_path<std::uint64_t>(
      diagonal, first_items, second_items, [&](std::uint64_t i) { return a.first[i]; },
      [&](std::uint64_t i) { return a.second[i]; }, before);
}

template <class K, class Shape>
struct merge_storage {
  alignas(16) unsigned char keys[Shape::items * sizeof(K)];
  std::uint16_t position[Shape::items];
};

template <class K, class V, class Shape, class Before>
__global__ void __launch_bounds__(Shape::threads) merge_kernel(merge_arguments<K, V> a, Before before) {
  constexpr int each = Shape::items_per_thread;
  constexpr bool has_values = !std::is_same_v<V, no_value>;
  auto& shared = simt::shared_storage<merge_storage<K, Shape>>();
  K* const keys = reinterpret_cast<K*>(shared.keys);
  const unsigned thread = simt::thread_rank();
  const std::uint64_t n = a.first_length.get() + a.second_length.get();
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * Shape::items;
  if (begin >= n) return;
  const auto valid = static_cast<unsigned>(smaller(n - begin, Shape::items));
  const std::uint64_t first_begin = a.from_first[blockIdx.x], first_end = a.from_first[blockIdx.x + 1];
  const std::uint64_t second_begin = begin - first_begin;
  // In ranges that are not sorted a stretch may seem to end before it begins.
  const unsigned from_first =
      first_end < first_begin ? 0u : static_cast<unsigned>(smaller(first_end - first_begin, valid));
  const unsigned from_second = valid - from_first;
  const K* const first = a.first + first_begin;
  const K* const second = a.second + second_begin;

  K key[each]{};
#pragma unroll
  for (int j = 0; j < each; ++j) {
    const unsigned at = thread + static_cast<unsigned>(j * Shape::threads);
    if (at < valid) key[j] = at < from_first ? first[at] : second[at - from_first];
  }
#pragma unroll
  for (int j = 0; j < each; ++j) {
    const unsigned at = thread + static_cast<unsigned>(j * Shape::threads);
    if (at < valid) keys[at] = key[j];
  }
  simt::sync_block();

  const unsigned mine = thread * each < valid ? thread * each : valid;
  unsigned i = search_merge_path<unsigned>(
      mine, from_first, from_second, [&](unsigned k) { return keys[k]; },
      [&](unsigned k) { return keys[from_first + k]; }, before);
  unsigned j = from_first + (mine - i);
  std::uint16_t position[each];
  K of_first = i < from_first ? keys[i] : key[0], of_second = j < valid ? keys[j] : key[0];
#pragma unroll
  for (int k = 0; k < each; ++k) {
    const bool takes_second = j < valid && (i >= from_first || call(before, of_second, of_first));
    key[k] = takes_second ? of_second : of_first;
    if constexpr (has_values) position[k] = static_cast<std::uint16_t>(takes_second ? j : i);
    if (takes_second) {
      if (++j < valid) of_second = keys[j];
    } else {
      if (++i < from_first) of_first = keys[i];
    }
  }
  simt::sync_block();  // all keys have been read
#pragma unroll
  for (int k = 0; k < each; ++k) {
    if (mine + static_cast<unsigned>(k) >= valid) break;
    keys[mine + k] = key[k];
    if constexpr (has_values) shared.position[mine + k] = position[k];
  }
  simt::sync_block();
#pragma unroll
  for (int k = 0; k < each; ++k) {
    const unsigned at = thread + static_cast<unsigned>(k * Shape::threads);
    if (at < valid) a.keys_out[begin + at] = keys[at];
  }
  if constexpr (has_values) {
#pragma unroll 4
    for (int k = 0; k < each; ++k) {
      const unsigned at = thread + static_cast<unsigned>(k * Shape::threads);
      if (at >= valid) break;
      const unsigned from = shared.position[at];
      a.values_out[begin + at] =
          from < from_first ? a.first_values[first_begin + from] : a.second_values[second_begin + (from - from_first)];
    }
  }
}

}  // namespace ballot::detail
