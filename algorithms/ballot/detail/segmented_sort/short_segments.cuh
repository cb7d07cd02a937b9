// SPDX-License-Identifier: Apache-2.0
// A block sorts a window of short segments by comparison counting: the rank of a key is the number
// of keys of its segment that precede it.
//
//     segment     2 0 2 1 | 2 3            chunks of four keys
//     precede the second 2: 0, 2, 1        so its rank is 3
//
// A chunk has four neighbouring keys of one segment, and a thread. The thread compares its keys
// with all chunks of the segment, which it reads one after the other from shared memory, four keys
// in one access. Its neighbours mostly read the same chunk. Missing keys of a segment's last chunk
// are the largest that there are.
//
//     list the segments and number their chunks -> load keys, a chunk a thread
//     -> count -> move positions to their ranks in shared memory -> load keys and values, store
//
// There are no bins, no sweeps, and no word that tells segments apart. A key costs one comparison
// and one addition for each key of its segment. So this is only for segments that are short.
// Source: Knuth, The Art of Computer Programming 3, 5.2 (comparison counting).
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/segmented_sort/segment_chunks.cuh>
#include <ballot/detail/segmented_sort/sort_arguments.cuh>
#include <ballot/detail/segmented_sort/tile_segments.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// The ranks of a chunk's keys in their segment.
template <class U>
__device__ __forceinline__ void count_ranks(const key_chunk<U>* chunks, const chunk_place& at, unsigned own,
                                            unsigned (&rank)[chunk_keys]) {
  using word = compared_word<U>;
  const key_chunk<U> mine = chunks[own];
  float count[chunk_keys]{};  // floats are added by units that do not compare
#pragma unroll 1
  for (unsigned other = at.first_chunk; other < at.end_chunk; ++other) {
    const key_chunk<U> theirs = chunks[other];
    const word earlier = other < own ? 1 : 0;  // equal keys precede
#pragma unroll
    for (unsigned i = 0; i < chunk_keys; ++i) {
      const word bound = mine.key[i] + earlier;  // 0 if all keys of earlier chunks precede
#pragma unroll
      for (unsigned j = 0; j < chunk_keys; ++j)
        if (theirs.key[j] < bound) count[i] += 1.0f;
    }
  }
#pragma unroll
  for (unsigned i = 0; i < chunk_keys; ++i) {
    rank[i] = static_cast<unsigned>(count[i]);
    if (mine.key[i] == static_cast<word>(~word{0})) rank[i] += (own - at.first_chunk) * chunk_keys;
#pragma unroll
    for (unsigned j = 0; j < i; ++j)
      if (mine.key[j] == mine.key[i]) ++rank[i];
  }
}

// Loads the chunks' keys. All threads; ends with a barrier.
template <class Order, class U>
__device__ __forceinline__ void load_chunks(short_segments_storage<U, Order>& shared, const U* keys,
                                            const composite_layout<U>& layout, unsigned chunks) {
  using word = compared_word<U>;
#pragma unroll 2
  for (unsigned chunk = simt::thread_rank(); chunk < chunks; chunk += Order::threads) {
    const chunk_place at = place_of(shared, chunk);
    U key[chunk_keys];
#pragma unroll
    for (unsigned i = 0; i < chunk_keys; ++i) key[i] = keys[at.begin + (i < at.keys ? i : 0)];
    key_chunk<U> to;
#pragma unroll
    for (unsigned i = 0; i < chunk_keys; ++i)
      to.key[i] = i < at.keys ? static_cast<word>(layout.compared(key[i])) : static_cast<word>(~word{0});
    shared.chunk[chunk] = to;
  }
  simt::sync_block();
}

// Says for each place in the window which key comes there. All threads; ends with a barrier.
template <class Order, class U>
__device__ __forceinline__ void rank_chunks(short_segments_storage<U, Order>& shared, unsigned chunks) {
#pragma unroll 1
  for (unsigned chunk = simt::thread_rank(); chunk < chunks; chunk += Order::threads) {
    const chunk_place at = place_of(shared, chunk);
    unsigned rank[chunk_keys];
    count_ranks<U>(shared.chunk, at, chunk, rank);
#pragma unroll
    for (unsigned i = 0; i < chunk_keys; ++i) {
      if (i >= at.keys) continue;
      shared.position[at.segment_begin + rank[i]] = static_cast<std::uint16_t>(at.begin + i);
    }
  }
  simt::sync_block();
}

// The value of an item whose values are positions. If they count from segments, these are rows.
template <class U, class Offset, class V>
__device__ __forceinline__ std::uint64_t value_of_position(const segment_sort_arguments<U, Offset, V>& a,
                                                           std::uint64_t item) {
  if constexpr (may_be_rows<offsets_of_kernel_t<Offset>>)
    if (a.offsets.counts_from_segment) return item % a.offsets.row_items;
  return item;
}

// Sorts the window if all its segments are short. False: nothing is done. All threads; the same in
// all.
template <class Order, class U, class Offset, class V>
__device__ __forceinline__ bool sort_short_segments(const segment_sort_arguments<U, Offset, V>& a,
                                                    short_segments_storage<U, Order>& shared, const tile_segments& tile,
                                                    std::uint64_t window_begin, unsigned valid) {
  constexpr int items = Order::items_per_thread;
  const unsigned chunks = simt::opaque(list_short_segments<Order, U>(shared, a.offsets, tile, window_begin, valid));
  if (chunks == 0) return false;
  const U* const keys = a.keys + window_begin;
  load_chunks<Order>(shared, keys, a.layout, chunks);
  rank_chunks<Order>(shared, chunks);
  const unsigned thread = simt::thread_rank();
  const auto place = [&](int i) { return thread + static_cast<unsigned>(i) * Order::threads; };
  const auto position = [&](int i) -> unsigned { return place(i) < valid ? shared.position[place(i)] : 0; };
  // All are loaded before anything is stored, without a branch around a load. The keys are still in
  // a cache.
  U key[items];
#pragma unroll
  for (int i = 0; i < items; ++i) key[i] = keys[position(i)];
  [[maybe_unused]] V value[items];
  if constexpr (!std::is_same_v<V, no_value>) {
    if (a.values != nullptr) {
      const V* const values = a.values + window_begin;
#pragma unroll
      for (int i = 0; i < items; ++i) value[i] = values[position(i)];
    } else {
#pragma unroll
      for (int i = 0; i < items; ++i) value[i] = static_cast<V>(value_of_position(a, window_begin + position(i)));
    }
  }
#pragma unroll
  for (int i = 0; i < items; ++i)
    if (place(i) < valid) a.keys_out[window_begin + place(i)] = key[i];
  if constexpr (!std::is_same_v<V, no_value>) {
#pragma unroll
    for (int i = 0; i < items; ++i)
      if (place(i) < valid) a.values_out[window_begin + place(i)] = value[i];
  }
  return true;
}

}  // namespace ballot::detail
