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
#include <ballot/core/key_order.hpp>
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

// Items as they are, for comparisons of the caller's. Keys are staged as ordered bits (key_codec) and compared as
// integers.
template <class T>
struct plain_items {
  BALLOT_HOST_DEVICE const T& encode(const T& item) const { return item; }
  BALLOT_HOST_DEVICE const T& decode(const T& item) const { return item; }
};
// Integers: their ordered bits differ from their bits in the same bits always.
template <class U>
struct flipped_bits {
  U flip;
  BALLOT_HOST_DEVICE U encode(U bits) const { return static_cast<U>(bits ^ flip); }
  BALLOT_HOST_DEVICE U decode(U bits) const { return static_cast<U>(bits ^ flip); }
};
template <class K>
auto merge_codec(direction d, nan_order nans) {
  const auto codec = key_codec_of<K>(d, nans);
  if constexpr (key_traits<K>::kind == key_kind::floating) return codec;
  else return flipped_bits<ordered_bits_t<K>>{codec.flip};
}
struct smaller_bits {
  template <class U>
  BALLOT_HOST_DEVICE bool operator()(U a, U b) const {
    return a < b;
  }
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

template <class K, class V, class Codec, class Before>
__global__ void __launch_bounds__(merge_path_threads)
    merge_path_kernel(merge_arguments<K, V> a, Codec codec, Before before, std::uint32_t tiles, unsigned tile_items) {
  const std::uint64_t tile = std::uint64_t{blockIdx.x} * merge_path_threads + simt::thread_rank();
  if (tile > tiles) return;
  const std::uint64_t first_items = a.first_length.get(), second_items = a.second_length.get();
  const std::uint64_t diagonal = smaller(tile * tile_items, first_items + second_items);
  a.from_first[tile] = search_merge_path<std::uint64_t>(
      diagonal, first_items, second_items, [&](std::uint64_t i) { return codec.encode(a.first[i]); },
      [&](std::uint64_t i) { return codec.encode(a.second[i]); }, before);
}

template <class K, class V, class Shape>
struct merge_storage {
  static constexpr bool has_values = !std::is_same_v<V, no_value>;
  alignas(16) unsigned char keys[(Shape::items + 1) * sizeof(K)];  // one more is read, and not used
  std::uint16_t position[has_values ? Shape::items : 1];
};

// The items of a tile, by their positions in shared memory: those of `first`, then those of `second`.
template <class T>
struct merge_source {
  const T* first;
  const T* second;
  unsigned from_first;
  __device__ __forceinline__ const T& operator[](unsigned at) const {
    return at < from_first ? first[at] : second[at - from_first];
  }
};

// get(at), for the thread's positions of a tile, and once all are read, put(at, item). Neighbours have neighbouring positions.
template <class Shape, class T, bool Full, class Get, class Put>
__device__ __forceinline__ void move_tile(unsigned valid, const Get& get, const Put& put) {
  constexpr int at_once = sizeof(T) <= 16 ? Shape::items_per_thread : 1;
  const unsigned thread = simt::thread_rank();
#pragma unroll
  for (int first = 0; first < Shape::items_per_thread; first += at_once) {
    T item[at_once];
#pragma unroll
    for (int j = 0; j < at_once; ++j) {
      const unsigned at = thread + static_cast<unsigned>((first + j) * Shape::threads);
      if (Full || at < valid) item[j] = get(at);
    }
#pragma unroll
    for (int j = 0; j < at_once; ++j) {
      const unsigned at = thread + static_cast<unsigned>((first + j) * Shape::threads);
      if (Full || at < valid) put(at, item[j]);
    }
  }
}

// A tile that begins at first[first_begin] and second[begin - first_begin]. Full: all of its items are there.
template <bool Full, class K, class V, class Shape, class Codec, class Before>
__device__ __forceinline__ void merge_tile(const merge_arguments<K, V>& a, const Codec& codec, const Before& before,
                                           std::uint64_t begin, std::uint64_t first_begin, unsigned from_first,
                                           unsigned items) {
  constexpr int each = Shape::items_per_thread;
  constexpr bool has_values = !std::is_same_v<V, no_value>;
  auto& shared = simt::shared_storage<merge_storage<K, V, Shape>>();
  K* const keys = reinterpret_cast<K*>(shared.keys);
  const unsigned valid = Full ? Shape::items : items, thread = simt::thread_rank();
  const std::uint64_t second_begin = begin - first_begin;
  const merge_source<K> source{a.first + first_begin, a.second + second_begin, from_first};
  move_tile<Shape, K, Full>(
      valid, [&](unsigned at) { return source[at]; }, [&](unsigned at, const K& key) { keys[at] = codec.encode(key); });
  if (thread == 0) keys[valid] = codec.encode(source[0]);  // some item: is read, and not used
  simt::sync_block();

  const unsigned mine = Full || thread * each < valid ? thread * each : valid;
  unsigned i = search_merge_path<unsigned>(
      mine, from_first, valid - from_first, [&](unsigned k) { return keys[k]; },
      [&](unsigned k) { return keys[from_first + k]; }, before);
  unsigned j = from_first + (mine - i);
  K key[each];
  std::uint16_t position[each];
  K of_first = keys[i], of_second = keys[j];
#pragma unroll
  for (int k = 0; k < each; ++k) {
    if (!Full && mine + static_cast<unsigned>(k) >= valid) break;
    const bool takes_second = j < valid && (i >= from_first || call(before, of_second, of_first));
    key[k] = takes_second ? of_second : of_first;
    if constexpr (has_values) position[k] = static_cast<std::uint16_t>(takes_second ? j : i);
    // One load, whichever it is. Behind a range it is of no use.
    i += takes_second ? 0u : 1u;
    j += takes_second ? 1u : 0u;
    const K next = keys[takes_second ? j : i];
    of_first = takes_second ? of_first : next;
    of_second = takes_second ? next : of_second;
  }
  simt::sync_block();  // all keys have been read
#pragma unroll
  for (int k = 0; k < each; ++k) {
    if (!Full && mine + static_cast<unsigned>(k) >= valid) break;
    keys[mine + k] = key[k];
    if constexpr (has_values) shared.position[mine + k] = position[k];
  }
  simt::sync_block();
  move_tile<Shape, K, Full>(
      valid, [&](unsigned at) { return keys[at]; },
      [&](unsigned at, const K& item) { a.keys_out[begin + at] = codec.decode(item); });
  if constexpr (has_values) {
    const merge_source<V> values{a.first_values + first_begin, a.second_values + second_begin, from_first};
    move_tile<Shape, V, Full>(
        valid, [&](unsigned at) { return values[shared.position[at]]; },
        [&](unsigned at, const V& value) { a.values_out[begin + at] = value; });
  }
}

template <class K, class V, class Shape, class Codec, class Before>
__global__ void __launch_bounds__(Shape::threads) merge_kernel(merge_arguments<K, V> a, Codec codec, Before before) {
  const std::uint64_t n = a.first_length.get() + a.second_length.get();
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * Shape::items;
  if (begin >= n) return;
  const auto valid = static_cast<unsigned>(smaller(n - begin, Shape::items));
  const std::uint64_t first_begin = a.from_first[blockIdx.x], first_end = a.from_first[blockIdx.x + 1];
  // In ranges that are not sorted a stretch may seem to end before it begins.
  const unsigned from_first =
      first_end < first_begin ? 0u : static_cast<unsigned>(smaller(first_end - first_begin, valid));
  if (valid == Shape::items) merge_tile<true, K, V, Shape>(a, codec, before, begin, first_begin, from_first, valid);
  else merge_tile<false, K, V, Shape>(a, codec, before, begin, first_begin, from_first, valid);
}

}  // namespace ballot::detail
