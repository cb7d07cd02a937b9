// SPDX-License-Identifier: Apache-2.0
// The host's side of selections: tile shapes, scratch, launches.
//
//     compact, split, unique, ...  the public header checks its arguments and makes columns and
//          |                       selector
//     launch_tuned_partition       here: chooses tile shape and offset method for so many items
//          |                       (tuning.cuh, small_tile_shape.cuh)
//     launch_partition             here: carves and clears scratch, launches
//          |
//     partition_kernel             kernel.cuh, with one policy each for
//          |- the flags            selectors.cuh: predicate, flags in memory, heads of runs
//          |- the scatter offset   tile_offsets.cuh, aggregate_sum.cuh; tiles exchange an aggregate
//          |                       (aggregate.cuh)
//          `- each column's items  shared_items.cuh, wide_items.cuh, register_items.cuh,
//                                  position_items.cuh; of runs run_columns.cuh
//
// precomputed_launch.cuh has the launches of counts and their scan, for a split into one output. It
// alone needs the device-wide scan.
//
// Beside the kernel:
//
// - count_kernel.cuh counts without moving items.
// - flag_bits_kernel.cuh stores flags as bits.
// - segment_offsets_kernel.cuh finds the offsets of segments after a compaction.
// - in_place.cuh and split_in_place_launch.cuh build selections within a range from these parts.
// - tile.cuh describes a tile.
//
// A tile needs its scatter offset: the number of selected items before it. `offset_method` names
// the ways to find it:
//
//     look_back       One pass with decoupled look-back. If the total is needed, a launch that
//                     counts all items comes first.
//     precomputed     Count each tile, scan the counts, then a pass without tickets and look-back.
//     aggregate_sum   Few tiles: one pass, in which each tile sums the aggregates of the others
//                     (aggregate_sum.cuh). Up to 16 tiles exchange them as one cluster of blocks,
//                     if the GPU has clusters.
//
// If rejected items follow the selected ones in one output, the offset of the first rejected item
// is the total. So the total must be known before any rejected item is written. A split of many
// items uses `precomputed`: it reads no more than a count followed by a pass with look-back, and
// its scatter pass needs no look-back. No method stores the flags between its passes: every item is
// read again anyway, and this is cheaper than to write and read n / 8 bytes.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/common/clear_counts.cuh>
#include <ballot/detail/partition/count_kernel.cuh>
#include <ballot/detail/partition/kernel.cuh>
#include <ballot/detail/partition/selectors.cuh>
#include <ballot/detail/partition/tuning.cuh>
#include <ballot/device/clear_words.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>

#include <cstdint>
#include <span>

namespace ballot::detail {

enum class offset_method { look_back, precomputed, aggregate_sum };

// For many items.
template <rejects Rejects>
inline constexpr offset_method default_offset_method =
    Rejects == rejects::after_selected ? offset_method::precomputed : offset_method::look_back;

template <class Aggregate = selected_count>
struct look_back_scratch {
  using word = typename Aggregate::state::word;
  struct head {
    std::uint64_t selected_total;
    std::uint32_t ticket;
  };
  head* first;
  word* states;

  look_back_scratch(scratch_carver& carver, std::uint64_t tiles)
      : first(carver.take<head>(1)), states(carver.take<word>(tiles)) {}
};

// In precomputed_launch.cuh, which a call that takes this method includes:
template <class Aggregate>
std::size_t precomputed_scratch_bytes(std::uint64_t tiles);
template <rejects Rejects, class Shape, class Columns, class Selector>
void launch_precomputed(stream_t stream, std::byte* scratch_base, std::uint32_t tiles, shifted_tiles shifted,
                        const length& n, const Columns& columns, const Selector& selector, const device_count& count);

template <class Aggregate = selected_count>
struct aggregate_sum_scratch {
  using word = typename Aggregate::sum_word;
  word* words;

  aggregate_sum_scratch(scratch_carver& carver, std::uint64_t tiles) : words(carver.take<word>(tiles)) {}
};

template <offset_method Method, class Aggregate = selected_count>
std::size_t offset_scratch_bytes(std::uint64_t tiles) {
  if (tiles == 0) return 0;
  scratch_carver measure;
  if constexpr (Method == offset_method::look_back) look_back_scratch<Aggregate>(measure, tiles);
  else if constexpr (Method == offset_method::precomputed) return precomputed_scratch_bytes<Aggregate>(tiles);
  else aggregate_sum_scratch<Aggregate>(measure, tiles);
  return measure.bytes();
}

// The scratch of launch_tuned_partition for up to n items. Monotonic in n.
template <offset_method Method, class Shapes, class Aggregate = selected_count>
std::size_t tuned_scratch_bytes(std::uint64_t n) {
  const std::uint64_t small_tiles = smaller(most_tiles_for<typename Shapes::small>(n), Shapes::most_small),
                      large_tiles = smaller(most_tiles_for<typename Shapes::large>(n), Shapes::most_large);
  return larger(offset_scratch_bytes<offset_method::aggregate_sum, Aggregate>(larger(small_tiles, large_tiles)),
                offset_scratch_bytes<Method, Aggregate>(most_tiles_for<typename Shapes::many>(n)));
}

// The scratch of a selection of columns of items T..., by a predicate or by flags.
template <rejects Rejects, class... T>
std::size_t partition_scratch_bytes(std::uint64_t n) {
  constexpr offset_method method = default_offset_method<Rejects>;
  return larger(tuned_scratch_bytes<method, partition_shapes<Rejects, false, T...>>(n),
                tuned_scratch_bytes<method, partition_shapes<Rejects, true, T...>>(n));
}

// What sets a count to zero before blocks add to it.
enum class count_is_cleared { by_work_before, by_launch_before };

// *count += the number of selected items of n. If the launch before clears the count, this one
// overlaps it.
template <class Shape, class Source, class Selector>
void launch_count(stream_t stream, const Source& source, const length& n, const Selector& selector,
                  const device_count& count, count_is_cleared cleared = count_is_cleared::by_work_before) {
  if (n.capacity == 0) return;
  with_shape_of_gpu<Shape>([&]<class Own>(std::type_identity<Own>) {
    const auto blocks = static_cast<unsigned>(smaller(ceil_div(n.capacity, Own::items), count_blocks));
    simt::launch_config config{dim3(blocks), dim3(Own::threads), sizeof(count_storage), stream};
    config.overlaps_previous_launch = cleared == count_is_cleared::by_launch_before;
    simt::launch(count_kernel<Source, Own, Selector>, config, source, n, selector, grid_count(count), false);
  });
}

// *count = the number of selected items of n. A single tile is one launch. H200, u32 by a predicate,
// us in a graph, a fill and a launch that adds / this way / CUB 3.5.0: 1500 items 4.8 / 3.3 / 2.6,
// 131,071 4.8 / 4.0 / 4.7, 3,000,017 6.8 / 6.1 / 6.2. Up to 32 tiles in a cluster took longer than
// two launches: 131,071 5.2.
template <class Shape, class Source, class Selector>
void launch_count_all(stream_t stream, const Source& source, const length& n, const Selector& selector,
                      const device_count& count) {
  if (n.capacity == 0) return clear_counts(stream, count);
  bool is_one_tile = false;
  with_shape_of_gpu<Shape>([&]<class Own>(std::type_identity<Own>) {
    is_one_tile = n.capacity <= Own::items;
    if (is_one_tile)
      simt::launch(count_kernel<Source, Own, Selector>,
                   simt::launch_config{dim3(1), dim3(Own::threads), sizeof(count_storage), stream}, source, n, selector,
                   grid_count(count), true);
  });
  if (is_one_tile) return;
  launch_clear_count(stream, count);
  launch_count<Shape>(stream, source, n, selector, count, count_is_cleared::by_launch_before);
}

// The shift of tiles that aligns the vectors of the first column, or else those of the selector's
// input. If the selector reads words of flags, tiles are not shifted. Few tiles are not shifted,
// either: they run at the same time, so they take as long as the first tile, which would not be
// aligned.
template <class Shape, class Columns, class Selector>
shifted_tiles shift_tiles(std::uint64_t n, const Columns& columns, const Selector& selector) {
  static_assert(Shape::width <= shifted_tiles::most + 1);
  shifted_tiles shifted{0};
  if (may_have_fewer_threads<Shape> || reads_words_of_flags<Selector> || n <= Shape::items) return shifted;
  block::aligned_vectors vectors;
  if constexpr (requires { columns.first.source.vectors; }) vectors = columns.first.source.vectors;
  if constexpr (requires { selector.vectors(); })
    if (vectors.first == vectors.none) vectors = selector.vectors();
  if (vectors.first != vectors.none) shifted.shift = (0u - vectors.first) % Shape::width;
  return shifted;
}

template <rejects Rejects, class Shape, class Columns, class Offsets>
simt::launch_config block_per_tile(stream_t stream, std::uint32_t tiles, unsigned threads = Shape::threads) {
  return {dim3(tiles), dim3(threads), sizeof(partition_block_storage<Columns, Shape, Rejects, Offsets>), stream};
}

// Launches one selection of n items in tiles of Shape, for the current GPU. The caller has checked
// all arguments except the scratch. Aggregate: the type of the tiles' aggregates.
template <rejects Rejects, class Shape, bool InPlace = false, offset_method Method = default_offset_method<Rejects>,
          class Aggregate = selected_count, class Columns, class Selector>
void launch_partition(const exec& where, const length& n, const Columns& columns, const Selector& selector,
                      const device_count& count, const char* function) {
  if constexpr (!is_for_every_gpu<Shape>) {
    with_shape_of_gpu<Shape>([&]<class Own>(std::type_identity<Own>) {
      launch_partition<Rejects, Own, InPlace, Method, Aggregate>(where, n, columns, selector, count, function);
    });
  } else {
    static_assert(Columns::largest_item <= 128, "items of more than 128 bytes: select their positions, then gather");
    static_assert(!InPlace || std::is_same_v<decltype(Columns::rest), device_columns<>>,
                  "in place, all that a tile reads must be read before it publishes its state: one column");
    const stream_t stream = where.stream();
    constexpr bool is_by_sums = Method == offset_method::aggregate_sum;
    const unsigned threads = is_by_sums ? threads_for<Shape>(n.capacity) : unsigned{Shape::threads};
    const shifted_tiles shifted = shift_tiles<Shape>(n.capacity, columns, selector);
    const std::uint32_t tiles =
        tile_count(n.capacity + shifted.shift, Shape::items / Shape::threads * threads, function);
    if (tiles == 0) return clear_counts(stream, count);
    const std::size_t bytes = offset_scratch_bytes<Method, Aggregate>(tiles);
    const scratch_lease lease(where, bytes, function);
    scratch_carver carver(lease.base());

    if constexpr (is_by_sums) {
      const aggregate_sum_scratch<Aggregate> scratch(carver, tiles);
      using offsets = aggregate_sum_offsets<Shape, Rejects, Aggregate>;
      constexpr auto kernel = partition_kernel<Columns, Shape, Rejects, Selector, offsets>;
      simt::launch_config config = block_per_tile<Rejects, Shape, Columns, offsets>(stream, tiles, threads);
      const bool is_alone = tiles == 1;  // one tile reads no other's word: no words, and so no fill
      // largest_cluster caches its first answer for a kernel, so it is asked for the largest block.
      config.is_cluster =
          !is_alone && tiles <= cluster_tiles<offsets> &&
          tiles <= simt::largest_cluster(kernel, block_per_tile<Rejects, Shape, Columns, offsets>(stream, tiles));
      const bool has_words = !is_alone && !config.is_cluster;
      if (has_words) launch_clear(stream, lease.base(), bytes);
      config.overlaps_previous_launch = has_words;
      simt::launch(kernel, config, n, columns, selector,
                   offsets{has_words ? scratch.words : nullptr, config.is_cluster, shifted}, count);
    } else if constexpr (Method == offset_method::precomputed) {
      launch_precomputed<Rejects, Shape>(stream, lease.base(), tiles, shifted, n, columns, selector, count);
    } else {
      const look_back_scratch<Aggregate> scratch(carver, tiles);
      using offsets = look_back_offsets<InPlace, Aggregate>;
      simt::launch_config config = block_per_tile<Rejects, Shape, Columns, offsets>(stream, tiles);
      std::uint64_t* const total = &scratch.first->selected_total;
      if constexpr (Rejects == rejects::after_selected) {
        simt::fill_bytes(stream, lease.base(), 0, bytes);
        launch_count<Shape>(stream, columns.first.source, n, selector, total);
      } else {
        launch_clear(stream, lease.base(), bytes);
        config.overlaps_previous_launch = true;
      }
      simt::launch(partition_kernel<Columns, Shape, Rejects, Selector, offsets>, config, n, columns, selector,
                   offsets{scratch.states, &scratch.first->ticket, total, shifted}, count);
    }
  }
}

// Whether n items in tiles of this shape are few enough for aggregate sums. If each tile needs the
// aggregates of all others, all tiles should be resident at once.
template <rejects Rejects, class Shape, class Aggregate, class Columns, class Selector>
bool is_few_for_aggregate_sum(std::uint64_t n, std::uint64_t most_tiles) {
  if constexpr (!is_for_every_gpu<Shape>) {
    bool is_few = false;
    with_shape_of_gpu<Shape>([&]<class Own>(std::type_identity<Own>) {
      is_few = is_few_for_aggregate_sum<Rejects, Own, Aggregate, Columns, Selector>(n, most_tiles);
    });
    return is_few;
  } else {
    const std::uint64_t tiles = may_have_fewer_threads<Shape> ? tiles_for<Shape>(n) : most_tiles_for<Shape>(n);
    if (tiles > most_tiles) return false;
    if constexpr (Rejects != rejects::after_selected) return true;
    using offsets = aggregate_sum_offsets<Shape, Rejects, Aggregate>;
    return tiles <= 1 || tiles <= simt::resident_blocks(partition_kernel<Columns, Shape, Rejects, Selector, offsets>,
                                                        block_per_tile<Rejects, Shape, Columns, offsets>(
                                                            nullptr, 1, threads_for<Shape>(n)));
  }
}

// Launches one selection of n items in the tuned shape and by the tuned method. scratch_bytes: what
// the public *_scratch_bytes returns. Less scratch is an error, even if the shape needs less.
template <rejects Rejects, class Shapes, class Aggregate = selected_count, class Columns, class Selector>
void launch_tuned_partition(const exec& where, std::size_t scratch_bytes, const length& n, const Columns& columns,
                            const Selector& selector, const device_count& count, const char* function) {
  using small = typename Shapes::small;
  using large = typename Shapes::large;
  constexpr offset_method few = offset_method::aggregate_sum, many = default_offset_method<Rejects>;
  const scratch_lease lease(where, scratch_bytes, function);
  const exec leased(where.stream(), std::span(lease.base(), scratch_bytes));
  if (is_few_for_aggregate_sum<Rejects, small, Aggregate, Columns, Selector>(n.capacity, Shapes::most_small))
    launch_partition<Rejects, small, false, few, Aggregate>(leased, n, columns, selector, count, function);
  else if (is_few_for_aggregate_sum<Rejects, large, Aggregate, Columns, Selector>(n.capacity, Shapes::most_large))
    launch_partition<Rejects, large, false, few, Aggregate>(leased, n, columns, selector, count, function);
  else
    launch_partition<Rejects, typename Shapes::many, false, many, Aggregate>(leased, n, columns, selector, count,
                                                                             function);
}

// A selection of `inputs` in tiles of a given shape, for tests and measurements. Nothing is
// checked.
template <rejects Rejects, class Shape, offset_method Method = default_offset_method<Rejects>, class Inputs,
          class Select, class Selected, class Rejected>
void select_in_shape(const exec& where, const Inputs& inputs, const Select& select, const Selected& selected,
                     const Rejected& rejected, const device_count& count, const char* function) {
  launch_partition<Rejects, Shape, false, Method>(where, length_of(inputs),
                                                  make_device_columns<Shape::width>(inputs, selected, rejected),
                                                  make_selector<Shape::width, true>(select, inputs), count, function);
}

}  // namespace ballot::detail
