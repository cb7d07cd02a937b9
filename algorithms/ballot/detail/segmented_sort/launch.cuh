// SPDX-License-Identifier: Apache-2.0
// The host's side of the sort within segments: shapes, scratch, launches.
//
//     segmented_sort, segmented_sort_pairs (segmented_sort.cuh)
//       |
//     launch.cuh             shape for the number of items, scratch, launches:
//       |
//       +-- row_partition.cuh     many rows that no block has room for: divides each into segments
//       |                         that a block has room for
//       +-- fill                  in large arrays: reservations of very long segments
//       +-- short_kernel.cuh      many items in short segments: a block for each tile whose segments
//       |     |                   are all short
//       |     \__ short_segments.cuh: sorts them in registers
//       |           \__ segment_classes.cuh, lane_networks.cuh
//       +-- block_segment_launch.cuh   rows, or listed segments, that have room in a block of their own
//       |     \__ block_segment_kernel.cuh, listed_segments.cuh
//       |           \__ block_segment_bins.cuh, block_segment_digits.cuh
//       +-- sort_kernel.cuh       a block for each tile, or for each that is left:
//       |     \__ tile_segments.cuh: which segments begin in the tile, which reach in and out
//       |         short_segments.cuh: of few items
//       |         window_sort.cuh: sorts complete segments and subsegments (subsegments.cuh) in
//       |           shared memory
//       |           \__ heads.cuh, block_words.cuh, spread_bins.cuh, ../radix_sort/block_sort.cuh
//       |         long_segments.cuh: gathers very long segments as composites (composite_keys.cuh)
//       +-- merge_kernel.cuh      one or two rounds: merges the subsegments of long segments
//       +-- ../radix_sort         in large arrays: sorts the composites by digits
//       +-- long_segments.cuh     ... and scatters them back
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/common/elementwise_kernels.cuh>
#include <ballot/detail/radix_sort/launch.cuh>
#include <ballot/detail/segmented_sort/block_segment_launch.cuh>
#include <ballot/detail/segmented_sort/long_segments.cuh>
#include <ballot/detail/segmented_sort/merge_kernel.cuh>
#include <ballot/detail/segmented_sort/row_partition.cuh>
#include <ballot/detail/segmented_sort/short_kernel.cuh>
#include <ballot/detail/segmented_sort/sort_kernel.cuh>
#include <ballot/detail/segmented_sort/tuning.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>

#include <bit>

namespace ballot::detail {

// The longest segment, if the host does not know it.
inline constexpr std::uint64_t any_length = ~std::uint64_t{0};

// Whether segments are listed that have room in a block of their own. longest: the longest segment, as
// far as the host knows.
template <class Shape>
bool lists_segments(std::uint64_t n, std::uint64_t longest) {
  return Shape::longest_alone > Shape::longest && n > Shape::merged_twice && longest > Shape::longest;
}

// The scratch for segments that no block can hold. There is none if there is only one tile, or no
// such segment. Up to Shape::merged_twice items these segments are merged, in one round or two.
// Above that the longest of them are sorted by digits.
template <class U, class V, class Shape>
struct segment_sort_scratch {
  using C = composite_of_t<U>;
  tile_subsegments subsegments{};
  U* subsegment_keys[2] = {};  // [round]: its input
  V* subsegment_values[2] = {};
  long_segments<U, V> gathered{};
  remaining_tiles remaining{};
  listed_segments listed{};
  std::size_t zeroed_bytes = 0;  // from subsegments.findings on
  C* composites = nullptr;       // the other buffers of the sort; before it, subsegments
  V* values = nullptr;
  std::byte* sort = nullptr;

  segment_sort_scratch(scratch_carver& carver, std::uint64_t n, std::uint64_t longest = any_length) {
    if (n <= Shape::single_tile_items || longest <= Shape::longest) return;
    constexpr bool has_values = !std::is_same_v<V, no_value>;
    const std::uint64_t tiles = ceil_div(n, Shape::tile_items);
    subsegments.reaching_in = carver.take<subsegment>(tiles);
    subsegments.reaching_out = carver.take<subsegment>(tiles);
    if (lists_segments<Shape>(n, longest)) {
      listed.capacity = n / (Shape::longest + 1);
      listed.segments = carver.take<listed_segment>(listed.capacity);
    }
    const std::size_t before = carver.bytes();
    subsegments.findings = carver.take<std::uint32_t>(tiles);
    if constexpr (!Shape::order::sparse) {
      remaining.tiles = carver.take<std::uint32_t>(tiles);
      remaining.count = carver.take<std::uint32_t>(2);
      remaining.decided = remaining.count + 1;
    }
    if (lists_segments<Shape>(n, longest)) listed.zeroed_at(carver.take<std::uint32_t>(listed_segments::zeroed_words));
    zeroed_bytes = carver.bytes() - before;
    if (n <= Shape::merged_twice) {
      for (int round = 0; round < (n <= Shape::merged_items ? 1 : 2); ++round) {
        subsegment_keys[round] = carver.take<U>(n);
        if constexpr (has_values) subsegment_values[round] = carver.take<V>(n);
      }
      return;
    }
    gathered.tile_items = Shape::tile_items;
    gathered.min_length = larger(Shape::merged_in_large, Shape::longest) + 1;
    gathered.capacity = n;
    gathered.reservations = carver.take<std::uint64_t>(tiles);
    gathered.count = carver.take<std::uint64_t>(1);
    gathered.disordered = carver.take<std::uint32_t>(1);
    using shape = long_segment_shape<U, V>;
    // One fill for both sorts, although the sort by digits seldom has anything to do.
    zeroed_bytes = carver.bytes() - before + radix_cleared_bytes_in_shape<C, V, shape>(n, sort_mode::double_buffer);
    sort = carver.take<std::byte>(radix_scratch_bytes_in_shape<C, V, shape>(n, sort_mode::double_buffer));
    gathered.shifts = carver.take<std::uint64_t>(gathered.max_ids(n, gathered.min_length));
    gathered.composites = carver.take<C>(n);
    composites = carver.take<C>(n);
    if constexpr (has_values) {
      gathered.values = carver.take<V>(n);
      values = carver.take<V>(n);
    }
    subsegment_keys[0] = reinterpret_cast<U*>(composites);
    subsegment_values[0] = values;
  }
};

template <class U, class W, class Shape>
std::size_t segment_sort_bytes_in_shape(std::uint64_t n, std::uint64_t longest) {
  return most_of_shapes<Shape>([&]<class Own>(std::type_identity<Own>) {
    scratch_carver measure;
    segment_sort_scratch<U, W, Own>(measure, n, longest);
    return measure.bytes();
  });
}
// The scratch for rows that are divided.
template <class U, class W>
struct divided_rows {
  U* keys = nullptr;
  W* values = nullptr;
  std::uint64_t* offsets = nullptr;

  divided_rows(scratch_carver& carver, std::uint64_t n, std::uint64_t row, const row_division& division) {
    keys = carver.take<U>(n);
    if constexpr (!std::is_same_v<W, no_value>) values = carver.take<W>(n);
    offsets = carver.take<std::uint64_t>(n / row * division.buckets);
  }
};
// Whether n items in rows of one length are sorted in this way.
template <class U>
bool divides_rows(std::uint64_t n, std::uint64_t row) {
  return n > small_segmented_items && row > longest_in_block<U> && row <= longest_divided_row &&
         n / row >= least_divided_rows;
}

// Bytes of scratch for n items or fewer. with_order: including the order of indirect values.
// longest: the longest segment.
template <class U, class W>
std::size_t segmented_sort_bytes(std::uint64_t n, bool with_order, std::uint64_t longest = any_length) {
  if (n == 0) return 0;
  scratch_carver measure;
  if (with_order) measure.take<W>(n);
  std::size_t bytes =
      segment_sort_bytes_in_shape<U, W, small_segment_sort_shape<U>>(smaller(n, small_segmented_items), longest);
  if (n > small_segmented_items)
    bytes = larger(bytes, segment_sort_bytes_in_shape<U, W, large_segment_sort_shape<U>>(n, longest));
  if (divides_rows<U>(n, longest)) divided_rows<U, W>(measure, n, longest, {longest, longest_in_block<U>});
  measure.take<std::byte>(bytes);
  return measure.bytes();
}

// Merges subsegments, except those of long segments that are sorted by digits.
template <class Shape, class Offset, class U, class V>
void launch_segment_merges(stream_t stream, const segment_sort_arguments<U, Offset, V>& a,
                           const segment_sort_scratch<U, V, Shape>& scratch) {
  const std::uint64_t n = a.n.capacity;
  const bool twice = n > Shape::merged_items && n <= Shape::merged_twice;
  segment_merge_arguments<U, V> merge{};
  merge.n = a.n;
  merge.layout = a.layout;
  merge.subsegments = a.subsegments;
  merge.max_items = scratch.gathered.capacity == 0 ? Shape::merged_items : Shape::merged_in_large;
  merge.merges_longer = twice;
  merge.disordered = scratch.gathered.disordered;
  merge.keys = a.keys;
  merge.values = a.values;
  merge.intermediate_keys = scratch.subsegment_keys[1];
  merge.intermediate_values = scratch.subsegment_values[1];
  merge.keys_out = a.keys_out;
  merge.values_out = a.values_out;
  // If there are few tiles, each has several blocks, since each block waits for memory. If there
  // are many, there are no more blocks than are resident.
  constexpr std::uint64_t max_blocks_a_tile = ceil_div(Shape::tile_items, merge_threads);
  const std::uint64_t blocks = smaller(ceil_div(n, Shape::tile_items), merge_blocks);
  const std::uint64_t blocks_a_tile = smaller(max_blocks_a_tile, merge_blocks / blocks / 2 + 1);
  simt::launch_config config{dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(blocks_a_tile), 2),
                             dim3(merge_threads), 0, stream, true};
  for (int round = 0; round < (twice ? 2 : 1); ++round) {
    merge.second_round = round == 1;
    // In small arrays a second round rarely has work. So its launch has few blocks.
    if (merge.second_round && n <= small_segmented_items) config.grid.y = 1;
    merge.is_last = round == 1 || !twice;
    merge.keys_in = scratch.subsegment_keys[round];
    merge.values_in = scratch.subsegment_values[round];
    simt::launch(segment_merge_kernel<U, V, Shape>, config, merge);
  }
}

// Sorts the gathered composites by digits, and scatters them back.
template <class Shape, class Offset, class U, class V>
void launch_long_segment_sort(stream_t stream, const segment_sort_arguments<U, Offset, V>& a,
                              const segment_sort_scratch<U, V, Shape>& scratch) {
  using C = composite_of_t<U>;
  const long_segments<U, V>& gathered = scratch.gathered;
  const auto id_bits = static_cast<int>(std::bit_width(gathered.max_ids(gathered.capacity, gathered.min_length) - 1));
  const radix_digit_plan digits{a.layout.uncompared_bits(), a.layout.key_bits + id_bits};
  // Chosen by the parity of the passes, so that no copy is needed.
  const bool ends_in_first = digits.passes() % 2 == 0;
  sort_operands<C, V> operands{
      {gathered.composites, {gathered.capacity, gathered.count}}, nullptr, gathered.values, nullptr};
  operands.keys_out = ends_in_first ? gathered.composites : scratch.composites;
  operands.keys_spare = ends_in_first ? scratch.composites : gathered.composites;
  operands.values_out = ends_in_first ? gathered.values : scratch.values;
  operands.values_spare = ends_in_first ? scratch.values : gathered.values;
  using shape = long_segment_shape<U, V>;
  static_assert(runs_everywhere<C, V, shape>);
  launch_radix_sort_in_shape<C, V, shape, small_radix_histogram<C>>(stream, scratch.sort, operands, key_codec<C>{},
                                                                    digits, radix_portion_items, 0, 0, true);
  const std::uint64_t blocks =
      smaller(ceil_div(gathered.capacity, std::uint64_t{elementwise_tile}), long_segment_blocks);
  simt::launch(scatter_long_segments_kernel<U, V>,
               simt::launch_config{dim3(static_cast<unsigned>(blocks)), dim3(elementwise_threads), 0, stream, true},
               gathered, operands.keys_out, operands.values_out, a.layout, a.keys_out, a.values_out);
}

// For rows that a block has room for: the items of a tile, which has as many whole rows as are
// sorted together. 0: tiles may cut rows.
template <class U, class Shape>
std::uint64_t tile_of_rows(const any_offsets& at) {
  if (at.row_items == 0 || at.row_items > Shape::longest) return 0;
  constexpr std::uint64_t room = Shape::order::sparse ? Shape::tile_items : Shape::longest;
  return larger(room / at.row_items, std::uint64_t{1}) * at.row_items;
}

// Whether to try the kernel of short segments (short_kernel.cuh) first. This is a guess by the mean
// length. Among a few thousand segments of varying length, the longest is seldom more than ten
// times as long as the mean. If the kernel leaves a few tiles to the next launch, this costs as
// much time as if it leaves many, unless there are many tiles that it sorts.
template <class U, class Offset, class V>
bool are_short_on_average(const segment_sort_arguments<U, Offset, V>& a) {
  const std::uint64_t n = a.n.capacity;
  if constexpr (may_be_rows<offsets_of_kernel_t<Offset>>) {
    if (a.offsets.row_items != 0) return a.offsets.row_items <= longest_short_segment<U>;
    if (a.offsets.counts_from_segment) return false;  // positions do not say where segments begin
  }
  constexpr std::uint64_t few = 2048, many = std::uint64_t{1} << 21;
  return n / (n <= few || n > many ? 112 : 32) <= a.segments.capacity;
}

// The caller has checked everything, and n > 0. The members of `a` that lie in scratch are set
// here. `carver` has room for segment_sort_scratch.
template <class Shape, class U, class Offset, class V>
void launch_segment_sort_in_shape(stream_t stream, scratch_carver& carver, segment_sort_arguments<U, Offset, V> a,
                                  const char* function, std::uint64_t longest = any_length) {
  if constexpr (!is_for_every_gpu<Shape>) {
    with_shape_of_gpu<Shape>([&]<class Own>(std::type_identity<Own>) {
      launch_segment_sort_in_shape<Own>(stream, carver, a, function, longest);
    });
  } else {
    using order = typename Shape::order;
    using storage = storage_for<U, order, Offset>;
    static_assert(sizeof(storage) <= simt::least_shared_bytes_limit, "every GPU can run it");
    const std::uint64_t n = a.n.capacity;
    const segment_sort_scratch<U, V, Shape> scratch(carver, n, longest);
    if constexpr (may_be_rows<offsets_of_kernel_t<Offset>>) a.offsets.tile_items = tile_of_rows<U, Shape>(a.offsets);
    a.subsegments = scratch.subsegments;
    a.subsegment_keys = scratch.subsegment_keys[0];
    a.subsegment_values = scratch.subsegment_values[0];
    a.gathered = scratch.gathered;
    const remaining_tiles& remaining = a.remaining = scratch.remaining;
    if (lists_segments<Shape>(n, longest)) {
      a.listed = scratch.listed;
      limit_listed_segments<U, Shape>(a.listed, n, a.segments.capacity);
    }
    bool short_first = false;
    if constexpr (!has_gaps<offsets_of_kernel_t<Offset>>) short_first = are_short_on_average(a);
    if (scratch.gathered.capacity != 0 || a.listed.capacity != 0 || (short_first && remaining.tiles != nullptr))
      simt::fill_bytes(stream, scratch.subsegments.findings, 0, scratch.zeroed_bytes);
    const unsigned tiles = tile_count(n, items_of_tile<Shape>(a), function);
    simt::launch_config config{dim3(tiles), dim3(order::threads), sizeof(storage), stream};
    auto* kernel = segment_sort_kernel<U, Offset, V, Shape, false>;
    if constexpr (!has_gaps<offsets_of_kernel_t<Offset>>) {
      if constexpr (Shape::order::sparse) {
        if (short_first) kernel = segment_sort_kernel<U, Offset, V, Shape, true>;
      } else if (short_first) {
        simt::launch(
            short_segment_kernel<U, Offset, V, Shape>,
            simt::launch_config{dim3(tiles), dim3(short_threads<U>), sizeof(short_kernel_storage<U, V, Shape>), stream},
            a);
        kernel = remaining_tiles_kernel<U, Offset, V, Shape>;
        config.overlaps_previous_launch = true;
      }
    }
    if (!short_first || Shape::order::sparse || remaining.tiles != nullptr) simt::launch(kernel, config, a);
    const bool merges = scratch.gathered.capacity == 0 || a.listed.longest[1] < Shape::merged_in_large;
    if (a.listed.longest[1] != 0) launch_listed_segments(stream, a, !merges);
    if (merges && scratch.subsegments.findings != nullptr) launch_segment_merges(stream, a, scratch);
    if (scratch.gathered.capacity != 0) launch_long_segment_sort(stream, a, scratch);
  }
}

// Divides rows into segments, each of which a block has room for, and sorts these. carver: as
// below.
template <class Shape, class U, class V>
void launch_divided_rows(stream_t stream, scratch_carver& carver, segment_sort_arguments<U, any_offsets, V> a,
                         const char* function) {
  const std::uint64_t n = a.n.capacity, row = a.offsets.row_items, rows = n / row;
  const row_division division{row, first_shape<Shape>::longest};
  const divided_rows<U, V> to(carver, n, row, division);
  simt::launch(
      row_partition_kernel<U, V>,
      simt::launch_config{dim3(tile_count(n, row, function)), dim3(row_partition_threads),
                          sizeof(row_partition_storage<U, V>), stream},
      row_partition_arguments<U, V>{a.keys, row, division, a.layout, a.values, to.keys, to.values, to.offsets});
  a.keys = to.keys;
  a.values = to.values;
  a.offsets = {};
  a.offsets.offsets = to.offsets;
  a.offsets.are_wide = true;
  a.segments = {rows * division.buckets};
  launch_segment_sort_in_shape<Shape>(stream, carver, a, function);
}

// Sorts in the shape for so many items. `carver` has room for segmented_sort_bytes. longest: no
// segment has more items.
template <class U, class Offset, class V>
void launch_segment_sort(stream_t stream, scratch_carver& carver, const segment_sort_arguments<U, Offset, V>& a,
                         const char* function, std::uint64_t longest = any_length) {
  if constexpr (may_be_rows<offsets_of_kernel_t<Offset>>) {
    const bool values_are_known = std::is_same_v<V, no_value> || a.values != nullptr || a.offsets.counts_from_segment;
    if (a.offsets.row_items >= least_row_alone<U>(a.n.capacity) && sorts_rows_in_blocks<U>(a.offsets.row_items))
      return launch_rows_in_blocks(stream, a, function);
    if (a.offsets.row_items != 0 && values_are_known && divides_rows<U>(a.n.capacity, a.offsets.row_items))
      return launch_divided_rows<large_segment_sort_shape<U>>(stream, carver, a, function);
  }
  if (a.n.capacity <= small_segmented_items)
    launch_segment_sort_in_shape<small_segment_sort_shape<U>>(stream, carver, a, function, longest);
  else launch_segment_sort_in_shape<large_segment_sort_shape<U>>(stream, carver, a, function, longest);
}

}  // namespace ballot::detail
