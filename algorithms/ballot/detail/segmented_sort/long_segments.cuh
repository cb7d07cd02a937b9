// Segments that are too long to be merged: their items are gathered as composites, sorted by a device-wide sort, and
// put back.
//
//     items         s s L L L L L s M M M M M s s       s: in segments that a block orders; L, M: two that are too long
//     composites    M M M M M L L L L L                 in the order in which they were met
//
// Whoever meets an item of such a segment first gives the segment its place among the composites: the number of items
// that have been given places before. So the order of the segments there is any; but that says nothing about the order
// of the items. The number that stands for the segment in its composites grows with the place: the place over the least
// length, so that a sort leaves each segment where it was.
//
// No range of items sees two of them begin, so each has a word of the range in which it begins to itself.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/elementwise_kernels.cuh>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/segmented_sort/composite_keys.cuh>
#include <ballot/detail/segmented_sort/subsegments.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// U: of keys; V: of values, as they travel, or no_value.
template <class U, class V>
struct long_segments {
  std::uint64_t tile_items;  // no segment is long that has not more
  std::uint64_t min_length;  // of a long segment
  // Zero at launch:
  std::uint64_t* places;      // [range]: of the segment that begins there: 0: none yet, 1: being found, else 2 more
  std::uint64_t* items;       // that have been given places
  std::uint32_t* disordered;  // offsets do not ascend: nothing is sorted
  // Written:
  std::uint64_t* shifts;  // [number]: from a segment's place among composites to that among items, modulo 2^64
  composite_of_t<U>* composites;
  V* values;
  std::uint64_t capacity;  // of both

  static BALLOT_HOST_DEVICE std::uint64_t max_ids(std::uint64_t n, std::uint64_t min_length) {
    return n / min_length + 1;
  }
};

// One thread: the place of the segment [begin, end).
template <class U, class V>
__device__ __forceinline__ std::uint64_t reserve_composites(const long_segments<U, V>& all, std::uint64_t begin,
                                                            std::uint64_t end) {
  constexpr std::uint64_t being_found = 1, known = 2;
  std::uint64_t* const word = all.places + begin / all.tile_items;
  // Relaxed, all of it: the place is in the word itself.
  std::uint64_t found = simt::atomic_cas(word, std::uint64_t{0}, being_found);
  if (found == 0) {
    const std::uint64_t place = simt::atomic_add(all.items, end - begin);
    if (place < all.capacity) all.shifts[place / all.min_length] = begin - place;
    simt::publish_relaxed(word, place + known);  // pairs with the load below
    return place;
  }
  while (found == being_found) {
    simt::spin_hint();
    // Pairs with publish_relaxed above. Whom this waits for runs, and waits for nobody.
    found = simt::load_relaxed(word);
  }
  return found - known;
}

// All threads: composites of a piece. `slot` is written. One barrier.
template <class Shape, class U, class V>
__device__ __forceinline__ void gather_long_segment(const long_segments<U, V>& all, const composite_layout<U>& layout,
                                                    const U* keys, const V* values, const subsegment& piece,
                                                    std::uint64_t& broadcast) {
  if (simt::thread_rank() == 0) broadcast = reserve_composites(all, piece.segment_begin, piece.segment_end);
  simt::sync_block();
  const std::uint64_t place = broadcast, number = place / all.min_length;
#pragma unroll 4
  for (std::uint64_t i = piece.begin + simt::thread_rank(); i < piece.end; i += Shape::threads) {
    const std::uint64_t at = place + (i - piece.segment_begin);
    // Of offsets that do not ascend, which also make several blocks write one place: nobody uses what is there.
    if (at >= all.capacity) continue;
    all.composites[at] = layout.make(number, keys[i]);
    if constexpr (!std::is_same_v<V, no_value>) all.values[at] = values != nullptr ? values[i] : static_cast<V>(i);
  }
}

inline constexpr std::uint64_t long_segment_blocks = 2048;

// Puts the sorted composites, and with them values, back among the items. sorted: of all.items items; nothing, where
// offsets do not ascend.
template <class U, class V>
__global__ void __launch_bounds__(elementwise_threads)
    scatter_long_segments_kernel(long_segments<U, V> all, const composite_of_t<U>* sorted, const V* sorted_values,
                                 composite_layout<U> layout, U* keys_out, V* values_out) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * elementwise_threads;
  const std::uint64_t first = static_cast<std::uint64_t>(blockIdx.x) * elementwise_threads + simt::thread_rank();
  const std::uint64_t n = *all.disordered != 0 ? 0 : *all.items;
#pragma unroll 4
  for (std::uint64_t at = first; at < n; at += step) {
    const composite_of_t<U> composite = sorted[at];
    const std::uint64_t item = at + all.shifts[layout.segment(composite)];
    keys_out[item] = layout.key(composite);
    if constexpr (!std::is_same_v<V, no_value>) values_out[item] = sorted_values[at];
  }
}

}  // namespace ballot::detail
