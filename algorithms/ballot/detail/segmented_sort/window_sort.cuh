// SPDX-License-Identifier: Apache-2.0
// A block sorts the segments in its window of the items: sort_window names the stages, in order.
//
//     load keys -> mark the heads of segments -> find the bits in which keys differ -> make words of (segment, key,
//     position) -> sort the words in shared memory (radix_sort/block_sort.cuh), by bins for the keys that there are
//     where these are not spread evenly (spread_bins.cuh) -> store keys -> store values
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/common/packed_words.cuh>
#include <ballot/detail/radix_sort/block_sort.cuh>
#include <ballot/detail/segmented_sort/block_words.cuh>
#include <ballot/detail/segmented_sort/heads.cuh>
#include <ballot/detail/segmented_sort/sort_arguments.cuh>
#include <ballot/detail/segmented_sort/spread_bins.cuh>
#include <ballot/detail/segmented_sort/tile_segments.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

template <class U, class Order>
struct segment_sort_storage {
  block_sort_storage<composite_of_t<U>, Order> order;
  segment_heads<Order> heads;
  std::uint32_t differing[2];  // compared bits in which keys differ, lower and upper half
  std::uint64_t broadcast[2];  // from one thread to all
};

template <class U, class Order>
__device__ __forceinline__ void clear(segment_sort_storage<U, Order>& shared) {
  const unsigned thread = simt::thread_rank();
  zero_bins(shared.order.by_bins.bins);
  for (unsigned row = thread; row < shared.heads.rows; row += Order::threads) shared.heads.row[row] = 0;
  if (thread < 2) shared.differing[thread] = 0;
}

// The same where there are gaps.
template <class U, class Order>
struct gaps_sort_storage : segment_sort_storage<U, Order> {
  segment_heads<Order> gaps;    // the heads of gaps
  segment_heads<Order> in_gap;  // all items in gaps
};
template <class U, class Order, class Offset>
using storage_for = std::conditional_t<has_gaps<offsets_of_kernel_t<Offset>>, gaps_sort_storage<U, Order>,
                                       segment_sort_storage<U, Order>>;

template <class U, class Order>
__device__ __forceinline__ void clear(gaps_sort_storage<U, Order>& shared) {
  clear(static_cast<segment_sort_storage<U, Order>&>(shared));
  for (unsigned row = simt::thread_rank(); row < shared.gaps.rows; row += Order::threads) shared.gaps.row[row] = 0;
}

// Items [begin, begin + valid) of the array. Those before complete_begin and from complete_end on, counted from `begin`,
// belong to subsegments; between them are complete segments.
struct segment_window {
  std::uint64_t begin;
  unsigned valid;
  unsigned complete_begin, complete_end;

  __device__ __forceinline__ bool is_subsegment(unsigned at) const { return at < complete_begin || at >= complete_end; }
};

// A thread's item i, before the sort.
template <class Order>
__device__ __forceinline__ unsigned window_position(unsigned thread, int i) {
  return thread + static_cast<unsigned>(i) * Order::threads;
}

// Into `differing`, which is zero: the compared bits in which any of `valid` keys differs from the first.
template <class Order, class U>
__device__ __forceinline__ void combine_differing_bits(std::uint32_t (&differing)[2],
                                                       const U (&compared)[Order::items_per_thread], U first,
                                                       unsigned valid) {
  const unsigned thread = simt::thread_rank();
  U own{};
#pragma unroll
  for (int i = 0; i < Order::items_per_thread; ++i)
    own = static_cast<U>(own | (window_position<Order>(thread, i) < valid ? compared[i] ^ first : 0));
#pragma unroll
  for (int half = 0; half < (sizeof(U) == 8 ? 2 : 1); ++half) {
    const auto of_half = static_cast<std::uint32_t>(static_cast<std::uint64_t>(own) >> 32 * half);
    const std::uint32_t of_warp = simt::reduce_or(of_half);
    // Relaxed: read after the barrier.
    if (simt::lane_id() == 0) simt::atomic_or<simt::order::relaxed, simt::scope::block>(&differing[half], of_warp);
  }
}

// The thread's words and their bins. Returns how many of the lowest compared bits decide the order: keys agree in those
// above. Missing words are ~0.
template <class Order, class U, class W>
__device__ __forceinline__ int make_words(const segment_sort_storage<U, Order>& shared,
                                          const U (&compared)[Order::items_per_thread], unsigned valid,
                                          W (&item)[Order::items_per_thread],
                                          packed_words<Order::items_per_thread, 16>& bin) {
  const unsigned thread = simt::thread_rank();
  using words = block_word<U, Order>;
  const std::uint64_t all_differing = static_cast<std::uint64_t>(shared.differing[1]) << 32 | shared.differing[0];
  const int differing_bits = all_differing == 0 ? 0 : 64 - static_cast<int>(simt::leading_zeros(all_differing));
  const segment_rows<Order> rows(shared.heads, valid);
#pragma unroll
  for (int i = 0; i < Order::items_per_thread; ++i) {
    if (!Order::has_row(i, valid)) {
      bin.set(i, 0);
      item[i] = static_cast<W>(~W{0});
      continue;
    }
    const segment_bounds segment = rows.bounds(i);
    const unsigned position = window_position<Order>(thread, i);
    bin.set(i, position < valid ? words::bin(segment, compared[i], differing_bits) : 0);
    item[i] = position < valid ? words::make(segment.begin, compared[i], position) : static_cast<W>(~W{0});
  }
  return differing_bits;
}

// Which items are in gaps, a row each. All threads; heads and gaps are complete.
template <class Order, class U>
__device__ __forceinline__ void find_items_in_gaps(gaps_sort_storage<U, Order>& shared, unsigned valid) {
  const segment_rows<Order> rows(shared.heads, valid);
#pragma unroll
  for (int i = 0; i < Order::items_per_thread; ++i) {
    if (!Order::has_row(i, valid)) continue;
    const unsigned begin = rows.bounds(i).begin;
    const std::uint32_t in_gap =
        simt::ballot((shared.gaps.row[begin / simt::warp_size] >> begin % simt::warp_size & 1u) != 0);
    if (simt::lane_id() == 0)
      shared.in_gap.row[window_position<Order>(simt::thread_rank(), i) / simt::warp_size] = in_gap;
  }
}

// Stores item_of(word) for each word of the warp's part: items of complete segments to `complete`, of subsegments to
// `partial`, both at the items' places in the array. is_stored(i): of the thread's word i.
template <class Order, class W, class T, class ItemOf, class IsStored>
__device__ __forceinline__ void store_window(const W* words, const segment_window& window, T* complete, T* partial,
                                             const ItemOf& item_of, const IsStored& is_stored) {
  const unsigned first = simt::warp_id() * Order::warp_items + simt::lane_id();
  const auto row = [](int i) { return static_cast<unsigned>(i) * simt::warp_size; };
  T *const to_complete = complete + window.begin + first, *const to_partial = partial + window.begin + first;
#pragma unroll
  for (int i = 0; i < Order::items_per_thread; ++i)
    if (first + row(i) < window.valid && is_stored(i))
      (window.is_subsegment(first + row(i)) ? to_partial : to_complete)[row(i)] = item_of(words[first + row(i)]);
}

// Sorts the words: by bins of evenly spread keys, else by bins for the keys that there are, else by digits. Floats are not
// spread evenly. If few bits decide the order, many keys are equal, and no bins are small.
template <class U, class Order, class W>
__device__ __forceinline__ void sort_words(segment_sort_storage<U, Order>& shared,
                                           const W (&item)[Order::items_per_thread], unsigned valid, bool are_floats,
                                           bool one_segment, int differing_bits,
                                           packed_words<Order::items_per_thread, 16>& bin) {
  using words = block_word<U, Order>;
  auto& order = shared.order;
  const bool may_spread = differing_bits > key_cells<U>::bits;
  bool spreads = may_spread && are_floats;
#pragma unroll 1
  for (;;) {
    if (spreads)
      spread_bins<U, Order>(order.by_bins.before, order.scan, shared.heads, item, valid, differing_bits, bin);
    if (sort_by_bins<Order>(order.by_bins.bins, order.scan, order.by_bins.words, item, valid,
                            [&](int i) { return bin.get(i); }))
      return;
    if (spreads || !may_spread) break;
    spreads = true;
    zero_bins(order.by_bins.bins);  // all have counted, and spread_bins has barriers
  }
  sort_by_digits<Order>(order.digits, order.scan, order.by_bins.words, item, valid,
                        {words::compared_shift, differing_bits},
                        {words::begin_shift, one_segment ? 0 : words::position_bits});
}

// Complete segments go to the output, subsegments to a.subsegment_keys and a.subsegment_values. one_segment: the window
// has no more than one.
template <class Order, class U, class Offset, class V>
__device__ __forceinline__ void sort_window(const segment_sort_arguments<U, Offset, V>& a,
                                            storage_for<U, Order, Offset>& shared, const tile_segments& tile,
                                            const segment_window& window, bool one_segment) {
  constexpr bool gaps = has_gaps<offsets_of_kernel_t<Offset>>;
  using words = block_word<U, Order>;
  using W = typename words::word;
  constexpr int items = Order::items_per_thread;
  const unsigned thread = simt::thread_rank(), valid = window.valid;
  // Load keys. A thread's items are a constant distance apart, which fits the offset of an address.
  const U* const keys = a.keys + window.begin;
  U key[items];  // and then its compared bits
#pragma unroll
  for (int i = 0; i < items; ++i)
    key[i] = window_position<Order>(thread, i) < valid ? keys[thread + std::size_t(i) * Order::threads] : U{};
  const U first_compared = a.layout.compared(*keys);
  clear(shared);
  simt::sync_block();

  mark_heads(shared.heads, a.offsets, tile, window.begin, valid);
  if constexpr (gaps) mark_gaps(shared.gaps, a.offsets, tile, window.begin, valid);
  const bool whole_keys = a.layout.has_whole_keys(), is_identity = whole_keys && a.layout.codec.is_identity();
  if (!is_identity) {
#pragma unroll
    for (int i = 0; i < items; ++i) key[i] = a.layout.compared(key[i]);
  }
  combine_differing_bits<Order>(shared.differing, key, first_compared, valid);
  simt::sync_block();

  W item[items];
  packed_words<items, 16> bin;
  const int differing_bits = make_words<Order, U>(shared, key, valid, item, bin);
  if constexpr (gaps) {
    find_items_in_gaps<Order, U>(shared, valid);
    simt::sync_block();
  }
  sort_words(shared, item, valid, a.layout.codec.is_of_floats(), one_segment, differing_bits, bin);
  if (!Order::has_warp_items(simt::warp_id(), valid)) return;

  // Each warp stores words that it has written itself, or there was a barrier after they were written.
  const W* const sorted = shared.order.by_bins.words;
  const auto is_stored = [&](int i) {
    if constexpr (gaps) {
      const unsigned row = simt::warp_id() * Order::items_per_thread + static_cast<unsigned>(i);
      return (shared.in_gap.row[row] >> simt::lane_id() & 1u) == 0;
    } else {
      return true;
    }
  };
  const auto store_keys = [&](auto key_of) {
    store_window<Order>(sorted, window, a.keys_out, a.subsegment_keys, key_of, is_stored);
  };
  if (is_identity) store_keys([](W w) { return words::compared(w); });
  else if (whole_keys) store_keys([&](W w) { return a.layout.codec.decode(words::compared(w)); });
  else store_keys([&](W w) { return keys[words::position(w)]; });
  // Of the segment that reaches into the window.
  [[maybe_unused]] const std::uint64_t before_window = window.complete_begin != 0 ? window.begin - tile.before : 0;
  if constexpr (!std::is_same_v<V, no_value>)
    store_window<Order>(
        sorted, window, a.values_out, a.subsegment_values,
        [&](W w) {
          const unsigned position = words::position(w);
          if (a.values != nullptr) return a.values[window.begin + position];
          if constexpr (may_be_rows<offsets_of_kernel_t<Offset>>) {
            if (a.offsets.counts_from_segment) {
              const unsigned begin = words::begin(w);
              return static_cast<V>(position - begin + (begin == 0 ? before_window : 0));
            }
          }
          return static_cast<V>(window.begin + position);
        },
        is_stored);
}

}  // namespace ballot::detail
