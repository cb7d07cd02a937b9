// SPDX-License-Identifier: Apache-2.0
// A block sorts the segments in its window of the items. sort_window names the stages, in order.
//
//     load keys -> mark the heads of segments -> find the least and the largest key
//     -> make words of (segment, key, position)
//     -> sort the words in shared memory (radix_sort/block_sort.cuh); if keys are not spread
//        evenly, by bins for the keys that there are (spread_bins.cuh)
//     -> store keys -> store values
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/common/packed_words.cuh>
#include <ballot/detail/radix_sort/block_sort.cuh>
#include <ballot/detail/segmented_sort/block_words.cuh>
#include <ballot/detail/segmented_sort/heads.cuh>
#include <ballot/detail/segmented_sort/short_segments.cuh>
#include <ballot/detail/segmented_sort/sort_arguments.cuh>
#include <ballot/detail/segmented_sort/spread_bins.cuh>
#include <ballot/detail/segmented_sort/tile_segments.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

template <class U>
using key_range_word = std::conditional_t<sizeof(U) == 8, std::uint64_t, std::uint32_t>;

template <class U, class Order>
struct segment_sort_storage {
  union {
    block_sort_storage<composite_of_t<U>, Order> order;
    // In its place if segments are short.
    std::conditional_t<Order::sparse, short_segments_storage<U, 2048 + longest_short_segment<U>, true>, char> of_short;
  };
  segment_heads<Order> heads;
  key_range_word<U> least_key, largest_key;  // compared bits
  std::uint64_t broadcast[2];                // from one thread to all
};

template <class U, class Order>
__device__ __forceinline__ void clear(segment_sort_storage<U, Order>& shared) {
  const unsigned thread = simt::thread_rank();
  zero_bins(shared.order.by_bins.bins);
  for (unsigned row = thread; row < shared.heads.rows; row += Order::threads) shared.heads.row[row] = 0;
  if (thread == 0) shared.least_key = static_cast<key_range_word<U>>(~key_range_word<U>{0}), shared.largest_key = 0;
}

// The same if there are gaps.
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

// Items [begin, begin + valid) of the array. Those before complete_begin and from complete_end on,
// counted from `begin`, belong to subsegments; between them are complete segments.
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

// Puts the least and the largest of `valid` keys into the window's key range, which is cleared
// before.
template <class Order, class U>
__device__ __forceinline__ void combine_key_range(segment_sort_storage<U, Order>& shared,
                                                  const U (&compared)[Order::items_per_thread], unsigned valid) {
  using word = key_range_word<U>;
  const unsigned thread = simt::thread_rank();
  word least = static_cast<word>(~word{0}), largest = 0;
#pragma unroll
  for (int i = 0; i < Order::items_per_thread; ++i) {
    if (window_position<Order>(thread, i) >= valid) continue;
    const auto key = static_cast<word>(compared[i]);
    least = key < least ? key : least;
    largest = key > largest ? key : largest;
  }
  if constexpr (sizeof(word) == 8) {  // the upper half, and the lower one among those that have it
    const auto upper_least = static_cast<std::uint32_t>(least >> 32),
               upper_largest = static_cast<std::uint32_t>(largest >> 32);
    const std::uint32_t of_least = simt::reduce_min(upper_least), of_largest = simt::reduce_max(upper_largest);
    const std::uint32_t low_least = simt::reduce_min(upper_least == of_least ? static_cast<std::uint32_t>(least) : ~0u);
    const std::uint32_t low_largest =
        simt::reduce_max(upper_largest == of_largest ? static_cast<std::uint32_t>(largest) : 0u);
    least = static_cast<word>(of_least) << 32 | low_least;
    largest = static_cast<word>(of_largest) << 32 | low_largest;
  } else {
    least = simt::reduce_min(least);
    largest = simt::reduce_max(largest);
  }
  if (simt::lane_id() == 0) {  // relaxed: read after the barrier
    simt::atomic_min<simt::order::relaxed, simt::scope::block>(&shared.least_key, least);
    simt::atomic_max<simt::order::relaxed, simt::scope::block>(&shared.largest_key, largest);
  }
}

// Makes the thread's words and their bins. Compared bits in words count from the least of the
// window. Returns how many of their lowest bits decide the order; the others are zero. Missing
// words are ~0.
template <class Order, class U, class W>
__device__ __forceinline__ int make_words(const segment_sort_storage<U, Order>& shared,
                                          const U (&compared)[Order::items_per_thread], unsigned valid,
                                          W (&item)[Order::items_per_thread],
                                          packed_words<Order::items_per_thread, 16>& bin) {
  const unsigned thread = simt::thread_rank();
  using words = block_word<U, Order>;
  const auto least = static_cast<U>(shared.least_key);
  const std::uint64_t range = shared.largest_key - shared.least_key;
  const int differing_bits = range == 0 ? 0 : 64 - static_cast<int>(simt::leading_zeros(range));
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
    const auto above_least = static_cast<U>(compared[i] - least);
    bin.set(i, position < valid ? words::bin(segment, above_least, differing_bits) : 0);
    item[i] = position < valid ? words::make(segment.begin, above_least, position) : static_cast<W>(~W{0});
  }
  return differing_bits;
}

// Finds which items are in gaps, by rows. All threads; heads and gaps are complete.
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

// Stores item_of(word) for each word of the warp's part. Items of complete segments go to
// `complete`, items of subsegments to `partial`, both at the items' places in the array.
// is_stored(i): whether the thread's word i is stored.
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

// The same for items in memory: item_of(word) loads one. All are loaded before the first is stored,
// and no branch is around a load, or each would wait for the one before. Missing words are zero, of
// which the item is not stored.
template <class Order, class W, class T, class ItemOf, class IsStored>
__device__ __forceinline__ void gather_window(const W* words, const segment_window& window, T* complete, T* partial,
                                              const ItemOf& item_of, const IsStored& is_stored) {
  const unsigned first = simt::warp_id() * Order::warp_items + simt::lane_id();
  const auto place = [&](int i) { return first + static_cast<unsigned>(i) * simt::warp_size; };
  T item[Order::items_per_thread];
#pragma unroll
  for (int i = 0; i < Order::items_per_thread; ++i) item[i] = item_of(place(i) < window.valid ? words[place(i)] : W{});
#pragma unroll
  for (int i = 0; i < Order::items_per_thread; ++i)
    if (place(i) < window.valid && is_stored(i))
      (window.is_subsegment(place(i)) ? partial : complete)[window.begin + place(i)] = item[i];
}

// Sorts the words: by bins of evenly spread keys, else by bins for the keys that there are, else by
// digits. uneven: floats in segments long enough for a bin to overflow. Then the first attempt is
// not worth while. If few bits decide the order, many keys are equal, and no bins are small.
template <class U, class Order, class W>
__device__ __forceinline__ void sort_words(segment_sort_storage<U, Order>& shared,
                                           const W (&item)[Order::items_per_thread], unsigned valid, bool uneven,
                                           bool one_segment, int differing_bits,
                                           packed_words<Order::items_per_thread, 16>& bin) {
  using words = block_word<U, Order>;
  auto& order = shared.order;
  const bool may_spread = differing_bits > key_cells<U>::bits;
  bool spreads = may_spread && uneven;
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

// Complete segments go to the output, subsegments to a.subsegment_keys and a.subsegment_values.
// one_segment: the window has no more than one.
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
  clear(shared);
  simt::sync_block();

  mark_heads(shared.heads, a.offsets, tile, window.begin, valid);
  if constexpr (gaps) mark_gaps(shared.gaps, a.offsets, tile, window.begin, valid);
  const bool whole_keys = a.layout.has_whole_keys(), is_identity = whole_keys && a.layout.codec.is_identity();
  if (!is_identity) {
#pragma unroll
    for (int i = 0; i < items; ++i) key[i] = a.layout.compared(key[i]);
  }
  combine_key_range<Order, U>(shared, key, valid);
  simt::sync_block();

  W item[items];
  packed_words<items, 16> bin;
  const int differing_bits = make_words<Order, U>(shared, key, valid, item, bin);
  if constexpr (gaps) {
    find_items_in_gaps<Order, U>(shared, valid);
    simt::sync_block();
  }
  const bool has_long_segments = valid > Order::max_in_bin * (tile.end_offset - tile.first_offset);
  sort_words(shared, item, valid, a.layout.codec.is_of_floats() && has_long_segments, one_segment, differing_bits, bin);
  if (!Order::has_warp_items(simt::warp_id(), valid)) return;

  // Each warp stores only words that it has written itself, or a barrier followed after they were
  // written.
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
  const auto compared_bits = [least = static_cast<U>(shared.least_key)](W w) {
    return static_cast<U>(words::compared(w) + least);
  };
  if (is_identity) store_keys(compared_bits);
  else if (whole_keys) store_keys([&](W w) { return a.layout.codec.decode(compared_bits(w)); });
  else store_keys([&](W w) { return keys[words::position(w)]; });
  // The items before the window of the segment that reaches into it.
  [[maybe_unused]] const std::uint64_t before_window = window.complete_begin != 0 ? window.begin - tile.before : 0;
  if constexpr (!std::is_same_v<V, no_value>) {
    if (a.values != nullptr) {
      const V* const values = a.values + window.begin;
      gather_window<Order>(
          sorted, window, a.values_out, a.subsegment_values, [&](W w) { return values[words::position(w)]; },
          is_stored);
    } else {
      const auto store_values = [&](auto value_of) {
        store_window<Order>(sorted, window, a.values_out, a.subsegment_values, value_of, is_stored);
      };
      store_values([&](W w) {
        const unsigned position = words::position(w);
        if constexpr (may_be_rows<offsets_of_kernel_t<Offset>>) {
          if (a.offsets.counts_from_segment) {
            const unsigned begin = words::begin(w);
            return static_cast<V>(position - begin + (begin == 0 ? before_window : 0));
          }
        }
        return static_cast<V>(window.begin + position);
      });
    }
  }
}

}  // namespace ballot::detail
