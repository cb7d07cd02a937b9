// SPDX-License-Identifier: Apache-2.0
// Sorts the segments that fit into a block: complete segments together in shared memory.
//
//     find the segments of the block's tile -> classify those at its ends
//     -> gather very long ones -> sort one window after the other (window_sort.cuh)
//
// A block takes the segments that begin in its tile. All of them but the last also end in the tile.
// The last segment may have as many items as the block has room for. If they do not all fit
// together, the last segment is sorted after the others, in its own window. So segments share a
// block, and the time of a block depends little on the number of segments. If all of them are
// short, there is a faster method (short_segments.cuh).
//
// If a segment is longer than that, each block sorts the subsegment in its tile (subsegments.cuh).
// In large arrays, a block of its own sorts the segment instead (listed_segments.cuh). If the
// segment does not fit into such a block either, the blocks of its tiles write its items as
// composites (long_segments.cuh).
//
// One read and one write of the keys. Values are read once the order is known. Deterministic,
// stable. Input and output must not overlap. Barriers: one to find the tile's segments, about nine
// for each window.
// Source: Satish, Harris and Garland, Designing Efficient Sorting Algorithms for Manycore GPUs,
// 2009 (tiles sorted in shared memory).
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/launch_bounds.cuh>
#include <ballot/detail/segmented_sort/long_segments.cuh>
#include <ballot/detail/segmented_sort/short_segments.cuh>
#include <ballot/detail/segmented_sort/sort_arguments.cuh>
#include <ballot/detail/segmented_sort/subsegments.cuh>
#include <ballot/detail/segmented_sort/tile_segments.cuh>
#include <ballot/detail/segmented_sort/window_sort.cuh>
#include <ballot/simt/simt.cuh>

namespace ballot::detail {

// The items of a tile, and those after it that belong to its last segment. They are the segment
// that reaches in, complete segments, and the segment that reaches out.
template <class Shape>
struct tile_parts {
  subsegment in, out;
  bool in_is_long, out_is_long;  // longer than a block sorts beside others
  bool merges_in, merges_out;    // ... and sorted as subsegments
  bool gathers_in, gathers_out;  // ... or as composites; neither: by a block of its own
  bool in_is_gap = false, out_is_gap = false;

  // gathers: whether very long segments are gathered. listed: which have a block of their own.
  // has_gaps: a long gap is not sorted at all.
  __device__ __forceinline__ tile_parts(const tile_segments& tile, bool gathers, const listed_segments& listed,
                                        bool has_gaps)
      : in{}, out{tile.last, tile.next, tile.last, tile.end} {
    const bool has_segments = tile.has_segments();
    const std::uint64_t in_end = has_segments ? tile.first : tile.next;
    in = {tile.before, in_end, tile.begin, smaller(in_end, tile.end)};
    const auto length = [](const subsegment& part) { return part.segment_end - part.segment_begin; };
    const auto is_long = [&](const subsegment& part) { return length(part) > Shape::longest; };
    const auto is_gathered = [&](const subsegment& part) { return gathers && length(part) > Shape::merged_in_large; };
    in_is_long = in.begin < in.end && is_long(in);
    out_is_long = has_segments && is_long(out);
    if (has_gaps) in_is_gap = ends_in_gap(tile.first_offset), out_is_gap = ends_in_gap(tile.end_offset);
    const bool parts_in = in_is_long && !in_is_gap && !listed.has(length(in));
    const bool parts_out = out_is_long && !out_is_gap && !listed.has(length(out));
    merges_in = parts_in && !is_gathered(in), gathers_in = parts_in && is_gathered(in);
    merges_out = parts_out && !is_gathered(out), gathers_out = parts_out && is_gathered(out);
  }
  // Whether the segment that begins in the tile is sorted by a block of its own.
  __device__ __forceinline__ bool lists_out() const {
    return out_is_long && !out_is_gap && !merges_out && !gathers_out;
  }
};

// Records the tile's subsegments for the merge.
template <class Shape>
__device__ __forceinline__ void record_subsegments(const tile_subsegments& all, const tile_parts<Shape>& parts,
                                                   std::uint32_t tile) {
  if (all.findings == nullptr || simt::thread_rank() != 0) return;
  all.findings[tile] = (parts.merges_in ? tile_subsegments::reaches_in : tile_subsegments::none) |
                       (parts.merges_out ? tile_subsegments::reaches_out : tile_subsegments::none);
  if (parts.merges_in) all.reaching_in[tile] = parts.in;
  if (parts.merges_out) all.reaching_out[tile] = parts.out;
}

// One thread: records that the offsets do not ascend.
template <class U, class Offset, class V>
__device__ __forceinline__ void record_disorder(const segment_sort_arguments<U, Offset, V>& a, std::uint32_t tile) {
  a.subsegments.findings[tile] = tile_subsegments::disordered;
  // Relaxed, since several blocks may write it: read by later launches.
  if (a.gathered.capacity != 0) simt::store_relaxed(a.gathered.disordered, 1u);
  if (a.listed.capacity != 0) simt::store_relaxed(a.listed.disordered, 1u);
}

// Sorts all of the tile's items in one window if the block has room for them. Otherwise the last
// segment has its own window.
template <class Shape, class U, class Offset, class V>
__device__ __forceinline__ void sort_windows(const segment_sort_arguments<U, Offset, V>& a,
                                             storage_for<U, typename Shape::order, Offset>& shared,
                                             const tile_segments& tile, const tile_parts<Shape>& parts) {
  const std::uint64_t complete_begin = tile.has_segments() ? tile.first : parts.in.end;
  const std::uint64_t complete_end = !tile.has_segments() ? parts.in.end : parts.out_is_long ? tile.last : tile.next;
  const std::uint64_t end = parts.merges_out ? tile.end : complete_end;
  std::uint64_t from = parts.merges_in ? tile.begin : complete_begin;
#pragma unroll 1
  for (std::uint64_t to; from < end; from = to) {
    to = end - from <= Shape::longest ? end : tile.last;
    const auto in_window = [&](std::uint64_t item) {
      return static_cast<unsigned>(item < from ? 0 : smaller(item, to) - from);
    };
    const segment_window window{from, static_cast<unsigned>(to - from), in_window(complete_begin),
                                in_window(complete_end)};
    sort_window<typename Shape::order, U, Offset, V>(a, shared, tile, window,
                                                     !tile.has_segments() || from == tile.last);
    simt::sync_block();  // shared memory is read before the next window takes it
  }
}

// Sorts a tile. ShortToo: with a faster way if all of its segments are short. All threads.
template <class Shape, bool ShortToo, class U, class Offset, class V>
__device__ __forceinline__ void sort_tile(const segment_sort_arguments<U, Offset, V>& a,
                                          storage_for<U, typename Shape::order, Offset>& shared,
                                          const tile_segments& tile, std::uint32_t index) {
  if (!tile.ascends()) {
    if (simt::thread_rank() == 0) record_disorder(a, index);
    return;
  }
  const tile_parts<Shape> parts(tile, a.gathered.capacity != 0, a.listed, has_gaps<offsets_of_kernel_t<Offset>>);
  record_subsegments(a.subsegments, parts, index);
  if (parts.lists_out() && simt::thread_rank() == 0) a.listed.add({parts.out.segment_begin, parts.out.segment_end});
  if constexpr (ShortToo)
    if (!parts.in_is_long && !parts.out_is_long && sort_short_segments<Shape::order::threads>(a, shared.of_short, tile))
      return;
  const auto gather = [&](const subsegment& part) {
    simt::sync_block();  // shared.broadcast has been read
    gather_long_segment<typename Shape::order>(a.gathered, a.layout, a.keys, a.values, part,
                                               counted_from(a, part.segment_begin), shared.broadcast[0]);
  };
  if (parts.gathers_in) gather(parts.in);
  if (parts.gathers_out) gather(parts.out);
  sort_windows<Shape, U, Offset, V>(a, shared, tile, parts);
}

// Finds the segments of a tile and sorts it. All threads.
template <class Shape, bool ShortToo, class U, class Offset, class V>
__device__ __forceinline__ void find_and_sort_tile(const segment_sort_arguments<U, Offset, V>& a,
                                                   storage_for<U, typename Shape::order, Offset>& shared,
                                                   std::uint32_t index) {
  const std::uint64_t tile_items = items_of_tile<Shape>(a);
  const std::uint64_t n = a.n.get(), begin = index * tile_items;
  if (begin >= n) return;  // a surplus block of a launch sized for the capacity
  const std::uint64_t end = smaller(n, begin + tile_items);
  const tile_segments tile = find_tile_segments(shared.broadcast, a.offsets, offset_count(a), begin, end, n);
  sort_tile<Shape, ShortToo>(a, shared, tile, index);
}

// A block for each tile.
template <class U, class Offset, class V, class Shape, bool ShortToo>
__global__ void __launch_bounds__(Shape::order::threads, radix_launch_blocks<typename Shape::order>)
    segment_sort_kernel(segment_sort_arguments<U, Offset, V> a) {
  simt::let_next_launch_begin();  // merges
  find_and_sort_tile<Shape, ShortToo>(a, simt::shared_storage<storage_for<U, typename Shape::order, Offset>>(),
                                      blockIdx.x);
}

// The same for the remaining tiles, while the launch before is still at work.
template <class U, class Offset, class V, class Shape>
__global__ void __launch_bounds__(Shape::order::threads, radix_launch_blocks<typename Shape::order>)
    remaining_tiles_kernel(segment_sort_arguments<U, Offset, V> a) {
  simt::let_next_launch_begin();  // merges
  auto& shared = simt::shared_storage<storage_for<U, typename Shape::order, Offset>>();
  if (simt::thread_rank() == 0) {
    // All blocks of the launch before have begun, and none of them waits.
    std::uint32_t entry;
    while ((entry = simt::load_relaxed(a.remaining.tiles + blockIdx.x)) == 0) {
      if (simt::load_acquire(a.remaining.decided) == gridDim.x) {  // pairs with decide_tile
        entry = simt::load_relaxed(a.remaining.tiles + blockIdx.x);
        break;
      }
      simt::spin_hint();
    }
    shared.broadcast[0] = entry;
  }
  simt::sync_block();
  const auto entry = static_cast<std::uint32_t>(shared.broadcast[0]);  // a tile plus one; 0: none
  simt::sync_block();                                                  // it has been read
  if (entry != 0) find_and_sort_tile<Shape, false>(a, shared, entry - 1);
  simt::wait_for_previous_launch();  // for the next launch, which waits for this one alone
}

}  // namespace ballot::detail
