// A sort within segments, for those that a block can hold: whole segments side by side in shared memory.
//
//     find what begins in the block's range of the items -> load it -> head flags -> each item's segment
//     -> words of (segment, key, position) -> order them as in a finish of a radix sort -> write out
//
// A block takes the segments that begin in its range. All but the last of them end there, too; the last may be as long
// as the block has room for. If all do not fit together, the last one is ordered after the others. So segments share a
// block, and the time of a block depends little on how many there are. Of a longer segment each block orders the piece
// that lies in its range (subsegments.cuh), or, if it is very long, makes composites of it (long_segments.cuh).
//
// One read and one write of the keys; values are read where the order is known. Deterministic, stable. Input and output
// are apart. Barriers: one to find the range, nine or so to order. Satish, Harris and Garland, Designing Efficient
// Sorting Algorithms for Manycore GPUs, 2009 (tiles sorted in shared memory).
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/radix_sort/block_sort.cuh>
#include <ballot/detail/radix_sort/launch_bounds.cuh>
#include <ballot/detail/segmented_sort/block_words.cuh>
#include <ballot/detail/segmented_sort/heads.cuh>
#include <ballot/detail/segmented_sort/long_segments.cuh>
#include <ballot/detail/segmented_sort/subsegments.cuh>
#include <ballot/detail/segmented_sort/tile_segments.cuh>
#include <ballot/simt/simt.cuh>

#include <type_traits>

namespace ballot::detail {

// Order: a block_sort_shape, whose items are the longest segment of a block; RangeItems: of a block's range, at most
// as many; MergeWidth: ranges whose pieces are merged at once, and MergeWidthOfMany: where very long segments are
// sorted by digits.
template <class Order, unsigned TileItems, unsigned MergeWidth = 16, unsigned MergeWidthOfMany = 4>
struct segment_sort_shape {
  using order = Order;
  static constexpr unsigned tile_items = TileItems;
  static constexpr unsigned longest = Order::items;
  static constexpr std::uint64_t merged_items = std::uint64_t{TileItems} * MergeWidth;  // in one round,
  static constexpr std::uint64_t merged_twice = merged_items * MergeWidth;              // and in two
  static constexpr std::uint64_t merged_in_large = std::uint64_t{TileItems} * MergeWidthOfMany;
  static_assert(TileItems <= longest, "at most one long segment begins in a range");
};

template <class U, class Offset, class V>
struct segment_sort_arguments {
  const U* keys;
  length n;
  const Offset* offsets;
  length segments;
  composite_layout<U> layout;
  U* keys_out;
  const V* values;  // null: the positions
  V* values_out;
  tile_subsegments pieces;
  U* subsegment_keys;  // in order, where the items lie
  V* subsegment_values;
  long_segments<U, V> gathered;  // with no room: all are merged
};

template <class U, class Order>
struct segment_sort_storage {
  block_sort_storage<composite_of_t<U>, Order> order;
  segment_heads<Order> heads;
  std::uint32_t differing[2];  // asked bits in which keys differ, lower and upper half
  std::uint64_t broadcast[2];
};

// Items [begin, begin + valid) of the array: before `complete_begin` and from `complete_end` on, counted from `begin`,
// pieces; between them whole segments.
struct segment_window {
  std::uint64_t begin;
  unsigned valid;
  unsigned complete_begin, complete_end;

  __device__ __forceinline__ bool is_subsegment(unsigned at) const { return at < complete_begin || at >= complete_end; }
};

// Orders the segments and pieces of a window, each into its places of the output, or of the pieces.
template <class Order, class U, class Offset, class V>
__device__ __forceinline__ void sort_window(const segment_sort_arguments<U, Offset, V>& a,
                                            segment_sort_storage<U, Order>& shared, const tile_segments& range,
                                            const segment_window& window, bool one_segment) {
  using words = block_word<U, Order>;
  using W = typename words::word;
  constexpr int items = Order::items_per_thread;
  const std::uint64_t begin = window.begin;
  const unsigned valid = window.valid;
  const unsigned thread = simt::thread_rank(), warp = simt::warp_id(), lane = simt::lane_id();
  const auto place_of = [&](int i) { return thread + static_cast<unsigned>(i) * Order::threads; };
  // Threads' items are a fixed distance apart, which addresses take in.
  const U* const keys = a.keys + begin;
  U compared[items];
#pragma unroll
  for (int i = 0; i < items; ++i)
    compared[i] = place_of(i) < valid ? keys[thread + std::size_t(i) * Order::threads] : U{};
  const U first_compared = a.layout.compared(*keys);
  zero_bins(shared.order.by_bins.bins);
  for (unsigned row = thread; row < shared.heads.rows; row += Order::threads) shared.heads.row[row] = 0;
  if (thread < 2) shared.differing[thread] = 0;
  simt::sync_block();

  mark_heads(shared.heads, a.offsets, range, begin, valid);
  const bool whole_keys = a.layout.uncompared_bits() == 0, as_they_are = whole_keys && a.layout.codec.is_identity();
  if (!as_they_are) {
#pragma unroll
    for (int i = 0; i < items; ++i) compared[i] = a.layout.compared(compared[i]);
  }
  U differing{};
#pragma unroll
  for (int i = 0; i < items; ++i)
    differing = static_cast<U>(differing | (place_of(i) < valid ? compared[i] ^ first_compared : 0));
#pragma unroll
  for (int half = 0; half < (sizeof(U) == 8 ? 2 : 1); ++half) {
    const auto of_half = static_cast<std::uint32_t>(static_cast<std::uint64_t>(differing) >> 32 * half);
    const std::uint32_t of_warp = simt::reduce_or(of_half);
    // Relaxed: read behind the barrier.
    if (lane == 0) simt::atomic_or<simt::order::relaxed, simt::scope::block>(&shared.differing[half], of_warp);
  }
  simt::sync_block();

  const std::uint64_t all_differing = static_cast<std::uint64_t>(shared.differing[1]) << 32 | shared.differing[0];
  const int differing_bits = all_differing == 0 ? 0 : 64 - static_cast<int>(simt::leading_zeros(all_differing));
  const segment_rows<Order> rows(shared.heads, valid);
  W item[items];
  packed_words<items, 16> bin;
#pragma unroll
  for (int i = 0; i < items; ++i) {
    if (!Order::has_row(i, valid)) {
      bin.set(i, 0);
      item[i] = static_cast<W>(~W{0});
      continue;
    }
    const segment_bounds segment = rows.extent(i);
    bin.set(i, place_of(i) < valid ? words::bin(segment, compared[i], differing_bits) : 0);
    item[i] = place_of(i) < valid ? words::make(segment.begin, compared[i], place_of(i)) : static_cast<W>(~W{0});
  }
  sort_in_block(shared.order, item, valid, {words::compared_shift, differing_bits},
                {words::begin_shift, one_segment ? 0 : words::position_bits}, [&](int i) { return bin.get(i); });
  if (!Order::has_warp_items(warp, valid)) return;
  // Each warp reads the words that it has written, or a barrier lies between.

  const unsigned first = warp * Order::warp_items + lane;
  const W* const ordered = shared.order.by_bins.words + first;
  const auto row = [](int i) { return static_cast<unsigned>(i) * simt::warp_size; };
  const auto is_there = [&](int i) { return first + row(i) < valid; };
  const auto is_subsegment = [&](int i) { return window.is_subsegment(first + row(i)); };
  const auto write_keys = [&](auto key_of) {
    U *const whole = a.keys_out + begin + first, *const piece = a.subsegment_keys + begin + first;
#pragma unroll
    for (int i = 0; i < items; ++i)
      if (is_there(i)) (is_subsegment(i) ? piece : whole)[row(i)] = key_of(ordered[row(i)]);
  };
  if (as_they_are) write_keys([](W w) { return words::compared(w); });
  else if (whole_keys) write_keys([&](W w) { return a.layout.codec.decode(words::compared(w)); });
  else write_keys([&](W w) { return keys[words::position(w)]; });
  if constexpr (!std::is_same_v<V, no_value>) {
    V *const whole = a.values_out + begin + first, *const piece = a.subsegment_values + begin + first;
#pragma unroll
    for (int i = 0; i < items; ++i) {
      if (!is_there(i)) continue;
      const std::uint64_t from = begin + words::position(ordered[row(i)]);
      (is_subsegment(i) ? piece : whole)[row(i)] = a.values != nullptr ? a.values[from] : static_cast<V>(from);
    }
  }
}

// A range a block.
template <class U, class Offset, class V, class Shape>
__global__ void __launch_bounds__(Shape::order::threads, radix_launch_blocks<typename Shape::order>)
    segment_sort_kernel(segment_sort_arguments<U, Offset, V> a) {
  using order = typename Shape::order;
  simt::let_next_launch_begin();  // merges
  auto& shared = simt::shared_storage<segment_sort_storage<U, order>>();
  const std::uint64_t n = a.n.get(), begin = static_cast<std::uint64_t>(blockIdx.x) * Shape::tile_items;
  if (begin >= n) return;  // a surplus block of a launch sized for the capacity
  const std::uint64_t end = smaller(n, begin + Shape::tile_items);
  const tile_segments range = find_tile_segments(shared.broadcast, a.offsets, a.segments.get(), begin, end, n);
  if (!range.ascends()) {
    if (simt::thread_rank() == 0) {
      a.pieces.findings[blockIdx.x] = tile_subsegments::disordered;
      // Relaxed, since several blocks may say so: read by later launches.
      if (a.gathered.capacity != 0) simt::store_relaxed(a.gathered.disordered, 1u);
    }
    return;
  }

  // The items of the range, and what belongs to its last segment behind it: what reaches in, whole segments, what
  // reaches out.
  const bool begins_any = range.has_segments();
  const std::uint64_t in_end = begins_any ? range.first : range.next;
  const subsegment in{range.before, in_end, begin, smaller(in_end, end)}, out{range.last, range.next, range.last, end};
  const auto is_long = [&](const subsegment& piece) {
    return piece.segment_end - piece.segment_begin > Shape::longest;
  };
  const auto is_gathered = [&](const subsegment& piece) {
    return a.gathered.capacity != 0 && piece.segment_end - piece.segment_begin > Shape::merged_in_large;
  };
  const bool in_is_long = in.begin < in.end && is_long(in), out_is_long = begins_any && is_long(out);
  const bool merges_in = in_is_long && !is_gathered(in), merges_out = out_is_long && !is_gathered(out);
  if (a.pieces.findings != nullptr && simt::thread_rank() == 0) {
    a.pieces.findings[blockIdx.x] = (merges_in ? tile_subsegments::reaches_in : tile_subsegments::none) |
                                    (merges_out ? tile_subsegments::reaches_out : tile_subsegments::none);
    if (merges_in) a.pieces.reaching_in[blockIdx.x] = in;
    if (merges_out) a.pieces.reaching_out[blockIdx.x] = out;
  }
  const auto gather = [&](const subsegment& piece) {
    simt::sync_block();  // the slot has been read
    gather_long_segment<order>(a.gathered, a.layout, a.keys, a.values, piece, shared.broadcast[0]);
  };
  if (in_is_long && !merges_in) gather(in);
  if (out_is_long && !merges_out) gather(out);

  // All at once where the block has room for it; else the last segment by itself.
  const std::uint64_t complete_begin = begins_any ? range.first : in.end;
  const std::uint64_t complete_end = !begins_any ? in.end : out_is_long ? range.last : range.next;
  const std::uint64_t stop = merges_out ? end : complete_end;
  std::uint64_t from = merges_in ? begin : complete_begin;
#pragma unroll 1
  for (std::uint64_t to; from < stop; from = to) {
    to = stop - from <= Shape::longest ? stop : range.last;
    const auto in_window = [&](std::uint64_t item) {
      return static_cast<unsigned>(item < from ? 0 : smaller(item, to) - from);
    };
    sort_window<order>(a, shared, range,
                       {from, static_cast<unsigned>(to - from), in_window(complete_begin), in_window(complete_end)},
                       !begins_any || from == range.last);
    simt::sync_block();  // shared memory is read before what follows takes it
  }
}

}  // namespace ballot::detail
