// SPDX-License-Identifier: Apache-2.0
// Merges two sorted ranges, one tile of the output after the other.
//
// 1. The items of a tile come from a stretch of each range. A search of the merge path finds where
//    these stretches begin (path.cuh). If there are many tiles, an earlier kernel searches, with
//    one thread for each tile. If there are few, a warp of the tile's block does.
// 2. The block brings both stretches to shared memory (stage.cuh).
// 3. Each thread finds its own stretches there in the same way, and merges some items serially.
//
// The item after each stretch is staged too. So no thread has to check whether its stretch ends.
// The merge path takes only the items of a stretch that belong to the tile. Such checks are needed
// only where a range itself ends, and in a partial tile.
//
// Keys alone are staged again, in order, and written from there. Keys with values, and large keys,
// are written from where they were first staged, by their positions in order. So are the values.
//
// Barriers: two or three. If the ranges are not sorted, the output is unspecified, but nothing
// outside the ranges is accessed.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/merge/order.cuh>
#include <ballot/detail/merge/path.cuh>
#include <ballot/detail/merge/stage.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/function_objects.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// A thread has an odd number of items. So consecutive items of neighbouring threads are in
// different banks.
template <int Threads, int Items>
struct merge_shape {
  static_assert(Threads >= 64, "two warps search");
  static constexpr int threads = Threads, items_per_thread = Items;
  static constexpr unsigned items = Threads * Items;
};

template <class K, class V, class Shape>
struct merge_storage {
  static constexpr bool has_values = !std::is_same_v<V, no_value>;
  static constexpr bool by_position = has_values || sizeof(K) > 8;
  static constexpr unsigned slack = Shape::items_per_thread;
  static constexpr unsigned key_items = staging_items<K>(Shape::items + 2) + slack;
  static_assert(key_items * sizeof(K) < 1u << 16, "positions have 16 bits");
  alignas(simt::copy_alignment) unsigned char keys[key_items * sizeof(K)];
  alignas(16) std::uint16_t position[by_position ? Shape::items : 1];
  std::uint64_t path[2];
};

// A tile: items [begin, begin + valid) of the output, of which from_first come from
// first[first_begin] on.
struct merge_part {
  std::uint64_t begin, first_begin, second_begin;
  unsigned valid, from_first;
};

// Stores items [0, valid), in order, to `to`: Width at once if possible. get(i): item i.
template <class Shape, int Width, class T, class Get>
__device__ __forceinline__ void leave_tile(T* to, unsigned valid, const Get& get) {
  constexpr int width = sizeof(T) * Width <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0 ? Width : 1;
  const unsigned thread = simt::thread_rank();
  if constexpr (width > 1) {
    if (valid == Shape::items && reinterpret_cast<std::uintptr_t>(to) % (width * sizeof(T)) == 0) {
#pragma unroll
      for (unsigned c = 0; c < ceil_div(Shape::items, unsigned{Shape::threads * width}); ++c) {
        const unsigned at = (c * Shape::threads + thread) * width;
        if (at >= Shape::items) break;
        simt::vector<T, width> item;
#pragma unroll
        for (int j = 0; j < width; ++j) item[j] = get(at + static_cast<unsigned>(j));
        simt::store_vector(to + at, item);
      }
      return;
    }
  }
#pragma unroll 4
  for (unsigned at = thread; at < valid; at += Shape::threads) to[at] = get(at);
}

// Merges the thread's items [mine, mine + each) of a tile whose stretches are staged. Calls take(k,
// position, key) for each of them. Checked: a stretch may end where nothing follows it. Returns
// whether all positions are in the stretches, as they are if the ranges are sorted.
template <bool Checked, class Shape, class K, class Codec, class Before, class Take>
__device__ __forceinline__ bool merge_serially(const unsigned char* keys, const staged_at& at, const merge_part& part,
                                               unsigned mine, const Codec& codec, const Before& before,
                                               const Take& take) {
  constexpr int each = Shape::items_per_thread;
  constexpr unsigned size = sizeof(K);
  const auto key_at = [&](unsigned byte) { return codec.encode(*reinterpret_cast<const K*>(keys + byte)); };
  const unsigned first = at.first * size, second = at.second * size;  // bytes, as are all positions here
  const unsigned end_of_first = first + part.from_first * size,
                 end_of_second = second + (part.valid - part.from_first) * size;
  const unsigned last_of_second = second + (mine - 1) * size;  // if all of `mine` items come from there
  unsigned low = mine > part.valid - part.from_first ? mine - (part.valid - part.from_first) : 0;
  unsigned high = smaller(mine, part.from_first);
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    if (call(before, key_at(last_of_second - middle * size), key_at(first + middle * size))) high = middle;
    else low = middle + 1;
  }
  unsigned i = first + low * size, j = second + (mine - low) * size;
  const unsigned both = i + j;
  auto of_first = key_at(i), of_second = key_at(j);
#pragma unroll
  for (int k = 0; k < each; ++k) {
    if (Checked && mine + static_cast<unsigned>(k) >= part.valid) break;
    bool takes_second;
    if constexpr (Checked) takes_second = j < end_of_second && (i >= end_of_first || call(before, of_second, of_first));
    else takes_second = call(before, of_second, of_first);
    const unsigned from = takes_second ? j : i;
    take(k, from, takes_second ? of_second : of_first);
    // One load, from whichever stretch it is.
    const auto next = key_at(from + size);
    i += takes_second ? 0u : size;
    j = both + static_cast<unsigned>(k + 1) * size - i;
    of_first = takes_second ? of_first : next;
    of_second = takes_second ? next : of_second;
  }
  return i <= end_of_first && j <= end_of_second;
}

template <bool Checked, class K, class V, class Shape, class Codec, class Before>
__device__ __forceinline__ void merge_tile(const merge_arguments<K, V>& a, const Codec& codec, const Before& before,
                                           const stretch<K>& first, const stretch<K>& second, const merge_part& part) {
  using storage = merge_storage<K, V, Shape>;
  constexpr int each = Shape::items_per_thread;
  constexpr int width = static_cast<int>(smaller(4, 16 / smaller(16, sizeof(K))));
  auto& shared = simt::shared_storage<storage>();
  K* const keys = reinterpret_cast<K*>(shared.keys);
  const unsigned thread = simt::thread_rank();
  const staged_at at = stage<Shape::threads, Shape::items + 2>(keys, first, second);
  // Behind the stretches: any item. It is read, but not used.
  if (thread < storage::slack)
    keys[at.end + thread] = part.from_first != 0 ? first.range[first.begin] : second.range[second.begin];
  simt::wait_for_copies();
  simt::sync_block();
  const unsigned mine = smaller(thread * each, part.valid);
  if constexpr (!storage::by_position) {
    K key[each];
    merge_serially<Checked, Shape, K>(shared.keys, at, part, mine, codec, before,
                                      [&](int k, unsigned, const auto& code) { key[k] = codec.decode(code); });
    simt::sync_block();  // all keys have been read
#pragma unroll
    for (int k = 0; k < each; ++k) {
      if (Checked && mine + static_cast<unsigned>(k) >= part.valid) break;
      keys[mine + static_cast<unsigned>(k)] = key[k];
    }
    simt::sync_block();
    leave_tile<Shape, width>(a.keys_out + part.begin, part.valid, [&](unsigned i) { return keys[i]; });
  } else {
    const auto store = [&](int k, unsigned from) {
      shared.position[mine + static_cast<unsigned>(k)] = static_cast<std::uint16_t>(from);
    };
    const bool are_within = merge_serially<Checked, Shape, K>(
        shared.keys, at, part, mine, codec, before, [&](int k, unsigned from, const auto&) { store(k, from); });
    if (!Checked && !are_within)
      for (int k = 0; k < each; ++k) store(k, (part.from_first != 0 ? at.first : at.second) * unsigned{sizeof(K)});
    simt::sync_block();
    leave_tile<Shape, width>(a.keys_out + part.begin, part.valid,
                             [&](unsigned i) { return *reinterpret_cast<const K*>(shared.keys + shared.position[i]); });
    if constexpr (storage::has_values) {
      const V* const of_first = a.first_values + part.first_begin;
      const V* const of_second = a.second_values + part.second_begin;
      leave_tile<Shape, 4>(a.values_out + part.begin, part.valid, [&](unsigned i) {
        const unsigned from = shared.position[i] / unsigned{sizeof(K)};
        return from < at.second ? of_first[from - at.first] : of_second[from - at.second];
      });
    }
  }
}

// Searches: each block searches the merge path itself.
template <bool Searches, class K, class V, class Shape, class Codec, class Before>
__global__ void __launch_bounds__(Shape::threads) merge_kernel(merge_arguments<K, V> a, Codec codec, Before before) {
  const std::uint64_t first_items = a.first_length.get(), second_items = a.second_length.get();
  const std::uint64_t n = first_items + second_items;
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * Shape::items;
  if constexpr (!Searches) simt::wait_for_previous_launch();
  if (begin >= n) return;
  const auto valid = static_cast<unsigned>(smaller(n - begin, Shape::items));
  std::uint64_t first_begin, first_end;
  if constexpr (Searches) {
    auto& shared = simt::shared_storage<merge_storage<K, V, Shape>>();
    const unsigned warp = simt::thread_rank() / simt::warp_size;
    if (warp < 2) {
      const std::uint64_t path = warp_search_merge_path(
          begin + warp * valid, first_items, second_items, [&](std::uint64_t i) { return codec.encode(a.first[i]); },
          [&](std::uint64_t i) { return codec.encode(a.second[i]); }, before);
      if (simt::lane_id() == 0) shared.path[warp] = path;
    }
    simt::sync_block();
    first_begin = shared.path[0], first_end = shared.path[1];
  } else {
    first_begin = a.from_first[blockIdx.x], first_end = a.from_first[blockIdx.x + 1];
  }
  // In ranges that are not sorted a stretch may seem to end before it begins, or to be longer than
  // the tile.
  first_end = larger(first_begin, smaller(first_end, first_begin + valid));
  const auto from_first = static_cast<unsigned>(first_end - first_begin);
  const merge_part part{begin, first_begin, begin - first_begin, valid, from_first};
  const std::uint64_t second_end = part.second_begin + (valid - from_first);
  const stretch<K> first{a.first, first_items, first_begin, smaller(first_end + 1, first_items)};
  const stretch<K> second{a.second, second_items, part.second_begin, smaller(second_end + 1, second_items)};
  if (valid == Shape::items && first_end < first_items && second_end < second_items)
    merge_tile<false, K, V, Shape>(a, codec, before, first, second, part);
  else merge_tile<true, K, V, Shape>(a, codec, before, first, second, part);
}

}  // namespace ballot::detail
