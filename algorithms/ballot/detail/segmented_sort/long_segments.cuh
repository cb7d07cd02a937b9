// SPDX-License-Identifier: Apache-2.0
// Very long segments: their items are gathered as composites, sorted by a device-wide radix sort,
// and scattered back.
//
//     items         s s L L L L L s M M M M M s s    s: in segments that a block sorts
//                                                    L, M: two segments that are too long
//     composites    M M M M M L L L L L              in the order in which blocks reserved room
//
// The first block that meets an item of such a segment reserves room for the whole segment among
// the composites, by an atomic addition. So the order of the segments there is arbitrary, but the
// result does not depend on it. A segment's id in its composites is its offset among them divided
// by the minimum length. Ids grow with the offsets, so a sort leaves each segment where it was.
//
// No two such segments begin in the same tile. So each segment can use the word of the tile in
// which it begins.
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

// U: ordered bits of keys. V: words of values, or no_value.
template <class U, class V>
struct long_segments {
  std::uint64_t tile_items;  // no segment is long that has not more
  std::uint64_t min_length;  // of a long segment
  // Zero at launch:
  std::uint64_t* reservations;  // [tile]: of the segment that begins there: 0 none, 1 in progress, else offset + 2
  std::uint64_t* count;         // of composites
  std::uint32_t* disordered;    // offsets do not ascend: nothing is sorted
  // Written:
  std::uint64_t* shifts;  // [id]: from a segment's offset among composites to that among items, modulo 2^64
  composite_of_t<U>* composites;
  V* values;
  std::uint64_t capacity;  // of both

  static BALLOT_HOST_DEVICE std::uint64_t max_ids(std::uint64_t n, std::uint64_t min_length) {
    return n / min_length + 1;
  }
};

// One thread: the offset of segment [begin, end) among the composites.
template <class U, class V>
__device__ __forceinline__ std::uint64_t reserve_composites(const long_segments<U, V>& all, std::uint64_t begin,
                                                            std::uint64_t end) {
  constexpr std::uint64_t in_progress = 1, known = 2;
  std::uint64_t* const word = all.reservations + begin / all.tile_items;
  // All accesses are relaxed, because the offset is in the word itself.
  std::uint64_t found = simt::atomic_cas(word, std::uint64_t{0}, in_progress);
  if (found == 0) {
    const std::uint64_t offset = simt::atomic_add(all.count, end - begin);
    if (offset < all.capacity) all.shifts[offset / all.min_length] = begin - offset;
    simt::publish_relaxed(word, offset + known);  // pairs with the load below
    return offset;
  }
  while (found == in_progress) {
    simt::spin_hint();
    // Pairs with publish_relaxed above. The block that reserves is running and waits for no other.
    found = simt::load_relaxed(word);
  }
  return found - known;
}

// All threads: makes composites of a subsegment. `broadcast` is scratch. If positions are the
// values, they count from counted_from. One barrier.
template <class Shape, class U, class V>
__device__ __forceinline__ void gather_long_segment(const long_segments<U, V>& all, const composite_layout<U>& layout,
                                                    const U* keys, const V* values, const subsegment& part,
                                                    std::uint64_t counted_from, std::uint64_t& broadcast) {
  if (simt::thread_rank() == 0) broadcast = reserve_composites(all, part.segment_begin, part.segment_end);
  simt::sync_block();
  const std::uint64_t offset = broadcast, id = offset / all.min_length;
#pragma unroll 4
  for (std::uint64_t i = part.begin + simt::thread_rank(); i < part.end; i += Shape::threads) {
    const std::uint64_t at = offset + (i - part.segment_begin);
    // Offsets that do not ascend may exceed the capacity, and may make several blocks write one
    // composite. Then no composite is used.
    if (at >= all.capacity) continue;
    all.composites[at] = layout.make(id, keys[i]);
    if constexpr (!std::is_same_v<V, no_value>)
      all.values[at] = values != nullptr ? values[i] : static_cast<V>(i - counted_from);
  }
}

inline constexpr std::uint64_t long_segment_blocks = 2048;

// Scatters the keys of the sorted composites, and values with them, back to the items. sorted:
// *all.count composites. Nothing is written if the offsets do not ascend.
template <class U, class V>
__global__ void __launch_bounds__(elementwise_threads)
    scatter_long_segments_kernel(long_segments<U, V> all, const composite_of_t<U>* sorted, const V* sorted_values,
                                 composite_layout<U> layout, U* keys_out, V* values_out) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * elementwise_threads;
  const std::uint64_t first = static_cast<std::uint64_t>(blockIdx.x) * elementwise_threads + simt::thread_rank();
  simt::wait_for_previous_launch();
  const std::uint64_t n = *all.disordered != 0 ? 0 : *all.count;
#pragma unroll 4
  for (std::uint64_t at = first; at < n; at += step) {
    const composite_of_t<U> composite = sorted[at];
    const std::uint64_t item = at + all.shifts[layout.segment(composite)];
    keys_out[item] = layout.key(composite);
    if constexpr (!std::is_same_v<V, no_value>) values_out[item] = sorted_values[at];
  }
}

}  // namespace ballot::detail
