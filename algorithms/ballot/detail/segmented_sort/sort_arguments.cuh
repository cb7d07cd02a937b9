// SPDX-License-Identifier: Apache-2.0
// The shape of a sort within segments, and the arguments of its kernel.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/segmented_sort/composite_keys.cuh>
#include <ballot/detail/segmented_sort/listed_segments.cuh>
#include <ballot/detail/segmented_sort/long_segments.cuh>
#include <ballot/detail/segmented_sort/segment_bounds.cuh>
#include <ballot/detail/segmented_sort/subsegments.cuh>

#include <cstdint>

namespace ballot::detail {

// Order: a block_sort_shape. Its items are the longest segment that a block sorts. TileItems: at
// most as many. MergeWidth: the subsegments of so many tiles are merged at once. MergeWidthInLarge:
// the same in large arrays, where longer segments are sorted by digits. LongestAlone: there, up to
// so many items are sorted by a block of their own, on a GPU that has the shared memory; 0: none.
template <class Order, unsigned TileItems, unsigned MergeWidth = 16, unsigned MergeWidthInLarge = 4,
          unsigned LongestAlone = 0>
struct segment_sort_shape {
  using order = Order;
  static constexpr unsigned tile_items = TileItems;
  static constexpr unsigned longest = Order::items;
  // So few items are one tile. A block takes longer for them than two blocks, but less than the
  // launch that would merge.
  static constexpr unsigned single_tile_items = Order::sparse && 2 * TileItems <= longest ? 2 * TileItems : TileItems;
  static constexpr std::uint64_t merged_items = std::uint64_t{TileItems} * MergeWidth;  // in one round,
  static constexpr std::uint64_t merged_twice = merged_items * MergeWidth;              // and in two
  static constexpr std::uint64_t merged_in_large = std::uint64_t{TileItems} * MergeWidthInLarge;
  static constexpr unsigned longest_alone = LongestAlone;
  static_assert(TileItems <= longest, "at most one long segment begins in a tile");
};

template <class U, class Offset, class V>
struct segment_sort_arguments {
  const U* keys;
  length n;
  offsets_of_kernel_t<Offset> offsets;
  length segments;  // offsets, or pairs of them
  composite_layout<U> layout;
  U* keys_out;
  const V* values;  // null: the positions
  V* values_out;
  tile_subsegments subsegments;
  U* subsegment_keys;  // each in order, where the items lie
  V* subsegment_values;
  long_segments<U, V> gathered;  // of capacity 0: all long segments are merged
  remaining_tiles remaining;
  listed_segments listed;  // of capacity 0: there are none
};

// The number of all offsets.
template <class U, class Offset, class V>
__device__ __forceinline__ std::uint64_t offset_count(const segment_sort_arguments<U, Offset, V>& a) {
  if constexpr (has_gaps<offsets_of_kernel_t<Offset>>) return 2 * a.segments.get();
  else return a.segments.get();
}

// For a segment that begins there and whose values are positions: from where these count.
template <class U, class Offset, class V>
__device__ __forceinline__ std::uint64_t counted_from(const segment_sort_arguments<U, Offset, V>& a,
                                                      [[maybe_unused]] std::uint64_t segment_begin) {
  if constexpr (may_be_rows<offsets_of_kernel_t<Offset>>) return a.offsets.counts_from_segment ? segment_begin : 0;
  else return 0;
}
template <class Shape, class U, class Offset, class V>
BALLOT_HOST_DEVICE std::uint64_t items_of_tile(const segment_sort_arguments<U, Offset, V>& a) {
  if constexpr (may_be_rows<offsets_of_kernel_t<Offset>>)
    if (a.offsets.tile_items != 0) return a.offsets.tile_items;
  return a.n.capacity <= Shape::single_tile_items ? Shape::single_tile_items : Shape::tile_items;
}

}  // namespace ballot::detail
