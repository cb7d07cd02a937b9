// The sort within segments on the host: shapes, scratch, launches.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/common/elementwise_kernels.cuh>
#include <ballot/detail/radix_sort/launch.cuh>
#include <ballot/detail/segmented_sort/long_segments.cuh>
#include <ballot/detail/segmented_sort/merge_kernel.cuh>
#include <ballot/detail/segmented_sort/sort_kernel.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>

#include <bit>

namespace ballot::detail {

// By the size of keys. A block with room for more than its range orders the last segment with the others if that is
// short.
template <class U>
using large_segment_sort_shape =
    std::conditional_t<sizeof(U) == 8, segment_sort_shape<block_sort_shape<12, 9, 12, 2>, 2560>,
                       segment_sort_shape<block_sort_shape<12, 13, 12, 3>, 4096>>;
// Few items are cut into small ranges, or few multiprocessors would have work. A block has room for much more, so that
// few segments have to be merged, which takes as long as the block; it passes over what it does not need. Keys of up to 4
// bytes take as much shared memory as a kernel has without asking for it.
inline constexpr std::uint64_t small_segmented_items = std::uint64_t{1} << 18;
template <class U>
using small_segment_sort_shape = segment_sort_shape<sparse_block_sort_shape<sizeof(U) == 8 ? 12 : 19, 9, 12>, 1024, 64>;
static_assert(sizeof(segment_sort_storage<std::uint32_t, small_segment_sort_shape<std::uint32_t>::order>) <= 48 * 1024);
static_assert(small_segmented_items <= small_segment_sort_shape<std::uint32_t>::merged_twice);

// Very long segments are sorted in one shape, for the compiler's sake: many keys a tile, as far as every GPU can run
// it.
template <class U, class V>
using long_segment_shape =
    radix_shape<256, sizeof(composite_of_t<U>) == 8 ? (std::is_same_v<V, no_value> ? 20 : 12) : 8, 0, look_back_window>;

// What segments take that no block can hold: nothing, where there is but one range. Up to Shape::merged_twice items
// they are merged, in one round or two; in more items the longest of them are sorted by digits.
template <class U, class V, class Shape>
struct segment_sort_scratch {
  using C = composite_of_t<U>;
  tile_subsegments pieces{};
  U* subsegment_keys[2] = {};  // of the first round, and between the two
  V* subsegment_values[2] = {};
  long_segments<U, V> gathered{};
  std::size_t zeroed_bytes = 0;  // from far.places on
  C* composites = nullptr;       // the other buffers of the sort; until then, pieces
  V* values = nullptr;
  std::byte* sort = nullptr;

  segment_sort_scratch(scratch_carver& carver, std::uint64_t n) {
    if (n <= Shape::tile_items) return;
    constexpr bool has_values = !std::is_same_v<V, no_value>;
    const std::uint64_t ranges = ceil_div(n, Shape::tile_items);
    pieces.findings = carver.take<std::uint32_t>(ranges);
    pieces.reaching_in = carver.take<subsegment>(ranges);
    pieces.reaching_out = carver.take<subsegment>(ranges);
    if (n <= Shape::merged_twice) {
      for (int round = 0; round < (n <= Shape::merged_items ? 1 : 2); ++round) {
        subsegment_keys[round] = carver.take<U>(n);
        if constexpr (has_values) subsegment_values[round] = carver.take<V>(n);
      }
      return;
    }
    const std::size_t before = carver.bytes();
    gathered.tile_items = Shape::tile_items;
    gathered.min_length = std::max<std::uint64_t>(Shape::merged_in_large, Shape::longest) + 1;
    gathered.capacity = n;
    gathered.places = carver.take<std::uint64_t>(ranges);
    gathered.items = carver.take<std::uint64_t>(1);
    gathered.disordered = carver.take<std::uint32_t>(1);
    zeroed_bytes = carver.bytes() - before;
    gathered.shifts = carver.take<std::uint64_t>(gathered.max_ids(n, gathered.min_length));
    gathered.composites = carver.take<C>(n);
    composites = carver.take<C>(n);
    if constexpr (has_values) {
      gathered.values = carver.take<V>(n);
      values = carver.take<V>(n);
    }
    subsegment_keys[0] = reinterpret_cast<U*>(composites);
    subsegment_values[0] = values;
    sort = carver.take<std::byte>(
        radix_scratch_bytes_in_shape<C, V, long_segment_shape<U, V>>(n, sort_mode::double_buffer));
  }
};

template <class U, class W, class Shape>
std::size_t segment_sort_bytes_in_shape(std::uint64_t n) {
  scratch_carver measure;
  segment_sort_scratch<U, W, Shape>(measure, n);
  return measure.bytes();
}
// Bytes of scratch for n items or fewer; with_order: and of an order of the values.
template <class U, class W>
std::size_t segmented_sort_bytes(std::uint64_t n, bool with_order) {
  if (n == 0) return 0;
  scratch_carver measure;
  if (with_order) measure.take<W>(n);
  std::size_t bytes = segment_sort_bytes_in_shape<U, W, small_segment_sort_shape<U>>(smaller(n, small_segmented_items));
  if (n > small_segmented_items)
    bytes = std::max(bytes, segment_sort_bytes_in_shape<U, W, large_segment_sort_shape<U>>(n));
  measure.take<std::byte>(bytes);
  return measure.bytes();
}

// Merges the pieces of a.n items, but for those of long segments that are sorted by digits.
template <class Shape, class Offset, class U, class V>
void launch_segment_merges(stream_t stream, const segment_sort_arguments<U, Offset, V>& a,
                           const segment_sort_scratch<U, V, Shape>& scratch) {
  const std::uint64_t n = a.n.capacity;
  const bool twice = n > Shape::merged_items && n <= Shape::merged_twice;
  segment_merge_arguments<U, V> merge{};
  merge.n = a.n;
  merge.layout = a.layout;
  merge.pieces = a.pieces;
  merge.most_items = scratch.gathered.capacity == 0 ? Shape::merged_items : Shape::merged_in_large;
  merge.merges_longer = twice;
  merge.disordered = scratch.gathered.disordered;
  merge.keys = a.keys;
  merge.values = a.values;
  merge.intermediate_keys = scratch.subsegment_keys[1];
  merge.intermediate_values = scratch.subsegment_values[1];
  merge.keys_out = a.keys_out;
  merge.values_out = a.values_out;
  // Few ranges: several blocks for each, since each waits for memory; many: no more blocks than can be had at once.
  constexpr std::uint64_t tiles = ceil_div(Shape::tile_items, merge_threads);
  const std::uint64_t blocks = smaller(ceil_div(n, Shape::tile_items), merge_blocks);
  const std::uint64_t blocks_a_range = smaller(tiles, merge_blocks / blocks / 2 + 1);
  simt::launch_config config{dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(blocks_a_range), 2),
                             dim3(merge_threads), 0, stream, true};
  for (int round = 0; round < (twice ? 2 : 1); ++round) {
    merge.second_round = round == 1;
    // What it is for is rare in small arrays, where a launch that finds nothing to do is not.
    if (merge.second_round && n <= small_segmented_items) config.grid.y = 1;
    merge.is_last = round == 1 || !twice;
    merge.keys_in = scratch.subsegment_keys[round];
    merge.values_in = scratch.subsegment_values[round];
    simt::launch(segment_merge_kernel<U, V, Shape>, config, merge);
  }
}

// Sorts what is gathered by digits, and puts it back.
template <class Shape, class Offset, class U, class V>
void launch_long_segment_sort(stream_t stream, const segment_sort_arguments<U, Offset, V>& a,
                              const segment_sort_scratch<U, V, Shape>& scratch) {
  using C = composite_of_t<U>;
  const long_segments<U, V>& gathered = scratch.gathered;
  const auto number_bits =
      static_cast<int>(std::bit_width(gathered.max_ids(gathered.capacity, gathered.min_length) - 1));
  const radix_digit_plan digits{a.layout.uncompared_bits(), a.layout.key_bits + number_bits};
  // So that no pass is left over, however many there are.
  const bool in_first = digits.passes() % 2 == 0;
  sort_operands<C, V> job{
      {gathered.composites, {gathered.capacity, gathered.items}}, nullptr, gathered.values, nullptr};
  job.keys_out = in_first ? gathered.composites : scratch.composites;
  job.keys_spare = in_first ? scratch.composites : gathered.composites;
  job.values_out = in_first ? gathered.values : scratch.values;
  job.values_spare = in_first ? scratch.values : gathered.values;
  using shape = long_segment_shape<U, V>;
  static_assert(runs_everywhere<C, V, shape>);
  launch_radix_sort_in_shape<C, V, shape, small_radix_histogram<C>>(stream, scratch.sort, job, key_codec<C>{}, digits);
  const std::uint64_t blocks =
      smaller(ceil_div(gathered.capacity, std::uint64_t{elementwise_tile}), long_segment_blocks);
  simt::launch(scatter_long_segments_kernel<U, V>,
               simt::launch_config{dim3(static_cast<unsigned>(blocks)), dim3(elementwise_threads), 0, stream}, gathered,
               job.keys_out, job.values_out, a.layout, a.keys_out, a.values_out);
}

// n > 0 and everything checked; what of `a` lies in scratch is set here. `carver` has room for segment_sort_scratch.
template <class Shape, class U, class Offset, class V>
void launch_segment_sort_in_shape(stream_t stream, scratch_carver& carver, segment_sort_arguments<U, Offset, V> a,
                                  const char* function) {
  using order = typename Shape::order;
  static_assert(sizeof(segment_sort_storage<U, order>) <= simt::least_shared_bytes_limit, "every GPU can run it");
  const std::uint64_t n = a.n.capacity;
  const segment_sort_scratch<U, V, Shape> scratch(carver, n);
  a.pieces = scratch.pieces;
  a.subsegment_keys = scratch.subsegment_keys[0];
  a.subsegment_values = scratch.subsegment_values[0];
  a.gathered = scratch.gathered;
  simt::fill_bytes(stream, scratch.gathered.places, 0, scratch.zeroed_bytes);
  simt::launch(segment_sort_kernel<U, Offset, V, Shape>,
               simt::launch_config{dim3(tile_count(n, Shape::tile_items, function)), dim3(order::threads),
                                   sizeof(segment_sort_storage<U, order>), stream},
               a);
  if (n > Shape::tile_items) launch_segment_merges(stream, a, scratch);
  if (scratch.gathered.capacity != 0) launch_long_segment_sort(stream, a, scratch);
}

// The same in the shape for so many items; the carver has room for segmented_sort_bytes.
template <class U, class Offset, class V>
void launch_segment_sort(stream_t stream, scratch_carver& carver, const segment_sort_arguments<U, Offset, V>& a,
                         const char* function) {
  if (a.n.capacity <= small_segmented_items)
    launch_segment_sort_in_shape<small_segment_sort_shape<U>>(stream, carver, a, function);
  else launch_segment_sort_in_shape<large_segment_sort_shape<U>>(stream, carver, a, function);
}

}  // namespace ballot::detail
