// SPDX-License-Identifier: Apache-2.0
// The kernel of all selections: it writes each selected item once, in order, for any number of
// columns.
//
//     take a tile -> load the items, select: flags from the first column's items or from memory
//                 -> rank: count the flags of warps and block -> publish the tile's aggregate
//                 -> stage the selected (and rejected) items in shared memory
//                 -> look back for the tile's offset -> scatter
//                 -> the other columns: load, stage, scatter
//
// Ranks within a warp come from its votes alone (warp/binary_scan.cuh). Warps exchange only a
// count. Tiles exchange only an aggregate: a count, and for run lengths a position (aggregate.cuh).
//
// The items of an array are loaded into shared memory, and each warp compacts its own items there
// (shared_items.cuh). Items of more than 16 bytes are not moved there: each warp lists the places
// of the selected ones (wide_items.cuh). Other columns pass through registers (register_items.cuh,
// position_items.cuh). Staging comes between publication and look-back, because the order of the
// items within a tile does not depend on other tiles. The selected items of a warp are then written
// from shared memory as one contiguous run. If rejected items are dropped, a vector without a set
// flag is not read, unless the predicate reads it.
//
// Sources: Harris and Garland, GPU Computing Gems Jade Edition, chapter 3.4 (stream compaction by
// binary scans); Merrill and Garland 2016.
//
// Shared memory: one tile of the largest items, and half a tile more where nothing is dropped.
// Barriers: three, and two for each other column.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/device_columns.cuh>
#include <ballot/detail/partition/aggregate.cuh>
#include <ballot/detail/partition/aggregate_sum.cuh>
#include <ballot/detail/partition/position_items.cuh>
#include <ballot/detail/partition/register_items.cuh>
#include <ballot/detail/partition/selectors.cuh>
#include <ballot/detail/partition/shared_items.cuh>
#include <ballot/detail/partition/tile.cuh>
#include <ballot/detail/partition/tile_offsets.cuh>
#include <ballot/detail/partition/tuning.cuh>
#include <ballot/detail/partition/wide_items.cuh>
#include <ballot/warp/reduce.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// The largest items of the columns that are loaded to shared memory; 0 if there are none.
template <class Columns>
inline constexpr std::size_t largest_shared_item = 0;
template <class First, class... Rest>
inline constexpr std::size_t largest_shared_item<device_columns<First, Rest...>> =
    largest_of(loads_to_shared<decltype(First::source)> ? sizeof(typename First::item) : 0,
               largest_shared_item<device_columns<Rest...>>);

// The bytes of an item in shared memory. A position takes fewer.
template <class Column>
inline constexpr std::size_t staged_item_bytes = sizeof(typename Column::item);
template <class Index, class Selected, class Rejected>
inline constexpr std::size_t staged_item_bytes<device_column<position_source<Index>, Selected, Rejected>> =
    sizeof(staged_place);
template <class Columns>
inline constexpr std::size_t largest_staged_item = 1;
template <class First, class... Rest>
inline constexpr std::size_t largest_staged_item<device_columns<First, Rest...>> =
    largest_of(staged_item_bytes<First>, largest_staged_item<device_columns<Rest...>>);

// For policies whose tiles may form one cluster (aggregate_sum.cuh): the most tiles.
template <class Offsets>
inline constexpr unsigned cluster_tiles = [] {
  if constexpr (requires { Offsets::cluster_tiles; }) return Offsets::cluster_tiles;
  else return 0u;
}();
template <class Offsets>
struct cluster_words {
  static constexpr bool exist = false;
};
template <class Offsets>
  requires(cluster_tiles<Offsets> != 0)
struct cluster_words<Offsets> {
  static constexpr bool exist = true;
  typename Offsets::word of_tiles[cluster_tiles<Offsets>];
};

template <class Columns, class Shape, rejects Rejects>
struct partition_storage {
  static constexpr std::size_t item_bytes = largest_staged_item<Columns>;
  static constexpr std::size_t side_item_bytes = Rejects == rejects::dropped ? 0 : largest_shared_item<Columns>;
  typename block::scan<unsigned, Shape::threads>::storage warps;
  std::uint32_t tile;
  std::uint64_t selected_before;  // the tile's exclusive prefix,
  std::uint64_t last_before;      // with the position of the last selected item before, if the aggregate has it,
  std::uint64_t selected_total;   // and the total, where rejected items follow the selected ones
  alignas(simt::copy_alignment) unsigned char items[Shape::items * item_bytes];
  alignas(16) unsigned char side_buffer[Shape::items / 2 * side_item_bytes + 1];  // of shared_items
};
template <class Columns>
inline constexpr bool any_wide_items = false;
template <class First, class... Rest>
inline constexpr bool any_wide_items<device_columns<First, Rest...>> =
    has_wide_items<decltype(First::source)> || any_wide_items<device_columns<Rest...>>;
template <class Columns, class Shape, rejects Rejects, class Offsets>
struct partition_block_storage : partition_storage<Columns, Shape, Rejects>,
                                 item_places<Shape, any_wide_items<Columns>>,
                                 cluster_words<Offsets> {};

// The items of a column while they pass through the block.
template <class Source, class Shape>
struct items_of_source {
  using type = std::conditional_t<loads_to_shared<Source>, shared_items<typename Source::item, Shape>,
                                  register_items<Source, Shape>>;
};
template <class Source, class Shape>
  requires(has_wide_items<Source>)
struct items_of_source<Source, Shape> {
  using type = wide_items<typename Source::item, Shape>;
};
template <class V, class Shape>
  requires(device::transforms_in_place<V> && loads_to_shared<view_source<V>>)
struct items_of_source<view_source<V>, Shape> {
  using type = transformed_items<V, Shape>;
};
template <class Column, class Shape>
struct items_of_column_of : items_of_source<decltype(Column::source), Shape> {};
template <class Index, class Selected, class Rejected, class Shape>
struct items_of_column_of<device_column<position_source<Index>, Selected, Rejected>, Shape> {
  using type = position_items<Index, Shape>;
};
// ByItems: the selector needs the items. If it does not, few wide items pass through registers:
// each lane loads its item as soon as it has the flag, without a list of places. H200, 2026-11-30,
// by byte flags, us in a graph: 1500 items of 32 bytes 3.3 (by wide_items 3.5), 20,011 of 24 bytes
// in a zip 4.4 (4.7).
template <class Column, class Shape, bool ByItems>
using items_of_column =
    std::conditional_t<has_wide_items<decltype(Column::source)> && may_have_fewer_threads<Shape> && !ByItems,
                       register_items<decltype(Column::source), Shape>,
                       typename items_of_column_of<Column, Shape>::type>;

// Whether all items are loaded before the selection; else only vectors with a selected item, after
// it.
template <class Selector, rejects Rejects>
inline constexpr bool loads_all = Selector::needs_items || Rejects != rejects::dropped;

// Load and select: the flags of the thread's items of the tile at index `at` of the source, a word
// for each vector.
template <class Shape, rejects Rejects, class Source, class Selector, class Items>
__device__ __forceinline__ void load_and_select(const Source& source, const Selector& selector, std::uint64_t at,
                                                unsigned valid, Items& items, unsigned (&flags)[Shape::chunks]) {
  if constexpr (loads_all<Selector, Rejects>) items.start(source, at, valid);
  if constexpr (Selector::needs_items) items.finish();
  select_of_tile<Shape>(selector, items, at, valid, flags);
}
// Load the items that the selection did not need.
template <class Shape, rejects Rejects, class Selector, class Source, class Items>
__device__ __forceinline__ void load_selected(const Source& source, std::uint64_t at, unsigned valid,
                                              const tile_flags<Shape>& flags, Items& items) {
  if constexpr (!loads_all<Selector, Rejects>) items.start_flagged(source, at, valid, flags);
  if constexpr (!Selector::needs_items) items.finish();
}

// Rank the warps: counts the selected items of the tile and of the warps before this one. One
// barrier.
template <class Shape, class Storage>
__device__ __forceinline__ void rank_warps(unsigned warp_selected, Storage& shared, partition_tile& tile) {
  using scan = block::scan<unsigned, Shape::threads>;
  const block::warp_prefix<unsigned> in_block = [&] {
    if constexpr (may_have_fewer_threads<Shape>)
      return scan::across_warps(shared.warps, warp_selected, plus{}, block::first_items{threads_of_block<Shape>()});
    else return scan::across_warps(shared.warps, warp_selected);
  }();
  tile.selected = in_block.total;
  tile.selected_before_warp = in_block.has_value ? in_block.value : 0u;
}

// The other columns, one after the other: load, stage, scatter.
template <class Shape, rejects Rejects, class Storage>
__device__ __forceinline__ void partition_other_columns(const device_columns<>&, Storage&, const tile_flags<Shape>&,
                                                        unsigned, const partition_tile&) {}
template <class Shape, rejects Rejects, class First, class... Rest, class Storage>
__device__ __forceinline__ void partition_other_columns(const device_columns<First, Rest...>& columns, Storage& shared,
                                                        const tile_flags<Shape>& flags, unsigned warp_selected,
                                                        const partition_tile& tile) {
  auto items = items_of_column<First, Shape, false>::in(shared);
  const std::uint64_t at = tile.location.in_base + tile.begin;
  simt::sync_block();  // the column before has been written out
  if constexpr (Rejects == rejects::dropped) items.start_flagged(columns.first.source, at, tile.extent, flags);
  else items.start(columns.first.source, at, tile.extent);
  items.finish();
  items.template stage<Rejects>(flags, tile, warp_selected, shared);
  simt::sync_block();
  items.template scatter<Rejects>(columns.first, tile, warp_selected, shared);
  partition_other_columns<Shape, Rejects>(columns.rest, shared, flags, warp_selected, tile);
}

// One tile a block. `count` gets the number of selected items of each array.
template <class Columns, class Shape, rejects Rejects, class Selector, class Offsets>
__global__ void __launch_bounds__(Shape::threads, Offsets::min_blocks)
    partition_kernel(length length, Columns columns, Selector selector, Offsets offsets, device_count count) {
  using aggregate = typename Offsets::aggregate;
  auto& shared = simt::shared_storage<partition_block_storage<Columns, Shape, Rejects, Offsets>>();
  constexpr bool has_cluster = cluster_words<Offsets>::exist;

  partition_tile tile;
  tile.location = offsets.take_tile(shared.tile, length);
  const unsigned tile_items = items_of_tile<Shape>();
  tile.begin = tile.location.tiles.begin(tile.location.index, tile_items);
  if (tile.begin >= tile.location.n) {  // a surplus tile of a launch sized for the capacity
    simt::wait_for_previous_launch();
    if (tile.begin == 0 && simt::thread_rank() == 0) count.store(0, tile.location.row);
    return;
  }
  tile.valid =
      static_cast<unsigned>(tile.location.tiles.end(tile.location.index, tile_items, tile.location.n) - tile.begin);
  tile.extent = tile.valid == tile_items ? unsigned{Shape::items} : tile.valid;

  if constexpr (has_cluster) offsets.begin_cluster();

  // Load, select, rank.
  auto items = items_of_column<decltype(Columns::first), Shape, Selector::needs_items>::in(shared);
  const std::uint64_t at = tile.location.in_base + tile.begin;
  unsigned vector_flags[Shape::chunks];
  load_and_select<Shape, Rejects>(columns.first.source, selector, at, tile.extent, items, vector_flags);
  const tile_flags<Shape> flags(vector_flags);
  load_selected<Shape, Rejects, Selector>(columns.first.source, at, tile.extent, flags, items);
  const unsigned warp_selected = warp::reduce(flags.count());
  const unsigned warp_last = aggregate::last_of_warp(flags);
  rank_warps<Shape>(warp_selected, shared, tile);

  // Publish before staging: until this tile looks back, the tiles before it have time to publish
  // theirs.
  const bool publishes = aggregate::publishes(tile, warp_selected);
  const auto tile_aggregate = aggregate::of_tile(tile, warp_last);
  if (publishes) offsets.publish(tile.location, tile_aggregate);
  if constexpr (has_cluster) offsets.meet_in_cluster(tile.location, publishes, tile_aggregate, shared.of_tiles);
  items.template stage<Rejects>(flags, tile, warp_selected, shared);

  // Look back: one warp finds the tile's offset.
  if (Offsets::first_warp_finds_prefix ? simt::warp_id() == 0 : publishes) {
    const auto recompute = [&](std::uint32_t index) {
      return recompute_aggregate<aggregate, Shape>(columns.first.source, selector,
                                                   tile.location.tiles.begin(index, tile_items),
                                                   tile.location.tiles.end(index, tile_items, tile.location.n));
    };
    const auto before = [&] {
      if constexpr (has_cluster)
        if (offsets.in_cluster) return offsets.exclusive_prefix_in_cluster(tile.location, shared.of_tiles);
      return offsets.exclusive_prefix(tile.location, tile_aggregate, recompute);
    }();
    if (simt::lane_id() == 0) {
      shared.selected_before = aggregate::count(before);
      if constexpr (aggregate::has_last) shared.last_before = aggregate::last(before);
      if constexpr (Rejects == rejects::after_selected) shared.selected_total = offsets.total(tile.location);
    }
  }
  simt::sync_block();
  tile.selected_before = shared.selected_before;
  if constexpr (aggregate::has_last) tile.last_before = &shared.last_before;
  tile.rejected_begin = Rejects == rejects::after_selected ? shared.selected_total : 0;
  if (tile.begin + tile.valid == tile.location.n && simt::thread_rank() == 0)
    count.store(tile.selected_before + tile.selected, tile.location.row);

  // Scatter. In place, items that do not move need no write. A later tile's head flag may still
  // read the last one.
  if (Offsets::in_place && tile.selected_before + tile.selected == tile.begin + tile.valid) return;
  items.template scatter<Rejects>(columns.first, tile, warp_selected, shared);
  partition_other_columns<Shape, Rejects>(columns.rest, shared, flags, warp_selected, tile);
}

}  // namespace ballot::detail
