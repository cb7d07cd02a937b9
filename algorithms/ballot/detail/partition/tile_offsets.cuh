// SPDX-License-Identifier: Apache-2.0
// Which tile a block takes, and how the tile finds its scatter offset: the number of selected items
// before it. A kernel gets one of four policies:
//
//     look_back_offsets       one launch: decoupled look-back over the tiles before
//                             (device/look_back.cuh)
//     precomputed_offsets     earlier launches have counted each tile and scanned the counts: no
//                             ticket, no look-back
//     aggregate_sum_offsets   one launch, few tiles: each sums the aggregates of all tiles before
//                             it (aggregate_sum.cuh)
//     row_offsets             many arrays in one launch: look-back within each row of tiles
//
// Tiles exchange aggregates (aggregate.cuh): the number of selected items, and perhaps the position
// of the last one.
// Source: Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016.
//
// In place. Selected items move towards the front, onto items that another block may not have read
// yet. Tile k writes to positions before its own end, so it can only overwrite items of the tiles
// up to k. These must have read their items before. A tile publishes its state after the barrier
// after its loads. The publication releases the loads, and the look-back acquires them:
//
//     tile i: load | barrier | fence, publish
//     -> tile j > i: look back, fence | (publish) | barrier | scatter
//
// If j stops at the inclusive prefix of a tile p, the reads of the tiles before p are ordered, too:
// p published its prefix after the fence of its own look-back. So every read of a tile up to j
// happens before every write of j. The relaxed words of the states alone would not order the items;
// the fences do.
#pragma once

#include <ballot/core/count.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/row_layout.cuh>
#include <ballot/detail/partition/aggregate.cuh>
#include <ballot/detail/partition/tile.cuh>
#include <ballot/device/look_back.cuh>
#include <ballot/warp/reduce.cuh>

namespace ballot::detail {

// All lanes of one warp, after a barrier that follows the block's loads. From now on other tiles
// may use the aggregate.
template <bool InPlace, class Aggregate>
__device__ __forceinline__ void publish_aggregate(typename Aggregate::state::word* states, std::uint32_t index,
                                                  const typename Aggregate::value_type& aggregate) {
  using back = device::look_back<typename Aggregate::state>;
  if (simt::lane_id() != 0) return;
  if constexpr (InPlace) simt::fence();  // releases the block's loads; pairs with the fence after a look-back
  if (index == 0) back::publish_prefix(states, 0, aggregate);
  else back::publish_aggregate(states, index, aggregate);
}
// All lanes of the same warp, after publish_aggregate: returns the exclusive prefix of tile `index`
// of an array whose states begin at `states`, and publishes the inclusive prefix.
template <bool InPlace, class Aggregate>
__device__ __forceinline__ typename Aggregate::value_type look_back_over(
    typename Aggregate::state::word* states, std::uint32_t index, const typename Aggregate::value_type& aggregate) {
  using back = device::look_back<typename Aggregate::state>;
  using combine = typename Aggregate::combine;
  if (index == 0) return {};
  const typename Aggregate::value_type before = back::exclusive_prefix(states, index, combine{});
  if constexpr (InPlace) {
    simt::fence();  // acquires what each lane's states released; pairs with the fences before publishing
    simt::sync_warp();
  }
  if (simt::lane_id() == 0) {
    if constexpr (InPlace) simt::fence();  // releases it all further, with the block's loads
    back::publish_prefix(states, index, combine{}(before, aggregate));
  }
  return before;
}

// `states` (one a tile) and `ticket` are zero at launch.
template <bool InPlace, class Aggregate>
struct look_back_offsets {
  using aggregate = Aggregate;
  using value_type = typename Aggregate::value_type;
  static constexpr bool in_place = InPlace;
  // Whether warp 0 looks for the exclusive prefix. If not, the warp that publishes does.
  static constexpr bool first_warp_finds_prefix = false;
  static constexpr int min_blocks = 0;  // resident on a multiprocessor: left to the compiler
  typename Aggregate::state::word* states;
  std::uint32_t* ticket;
  const std::uint64_t* selected_total;  // where rejected items follow the selected ones: counted by an earlier launch
  shifted_tiles tiles;

  __device__ __forceinline__ tile_location take_tile(std::uint32_t& slot, const length& length) const {
    return {device::take_ticket(ticket, slot), length.get(), 0, 0, ~std::uint64_t{0}, 0, tiles};
  }
  // All lanes of one warp call publish, then exclusive_prefix.
  __device__ __forceinline__ void publish(const tile_location& tile, const value_type& aggregate) const {
    publish_aggregate<InPlace, Aggregate>(states, tile.index, aggregate);
  }
  template <class Recompute>
  __device__ __forceinline__ value_type exclusive_prefix(const tile_location& tile, const value_type& aggregate,
                                                         const Recompute&) const {
    return look_back_over<InPlace, Aggregate>(states, tile.index, aggregate);
  }
  // The selected items of the array, where rejected items follow them. After exclusive_prefix.
  __device__ __forceinline__ std::uint64_t total(const tile_location&) const { return *selected_total; }
};

// tile_offsets[t]: selected items before tile t; *selected_total: of all tiles.
struct precomputed_offsets {
  using aggregate = selected_count;
  static constexpr bool in_place = false;
  static constexpr bool first_warp_finds_prefix = false;
  static constexpr int min_blocks = 0;  // resident on a multiprocessor: left to the compiler
  const std::uint64_t* tile_offsets;
  const std::uint64_t* selected_total;
  shifted_tiles tiles;

  __device__ __forceinline__ tile_location take_tile(std::uint32_t&, const length& length) const {
    return {blockIdx.x, length.get(), 0, 0, ~std::uint64_t{0}, 0, tiles};
  }
  __device__ __forceinline__ void publish(const tile_location&, std::uint64_t) const {}
  // After the scan of the counts, which this launch overlaps while it loads and stages its items.
  template <class Recompute>
  __device__ __forceinline__ std::uint64_t exclusive_prefix(const tile_location& tile, std::uint64_t,
                                                            const Recompute&) const {
    simt::wait_for_previous_launch();
    return tile_offsets[tile.index];
  }
  __device__ __forceinline__ std::uint64_t total(const tile_location&) const { return *selected_total; }
};

// Rows of `width` items, `pitch` apart, each with its own tiles. lengths: of each row, or null.
struct row_offsets {
  using aggregate = selected_count;
  static constexpr bool in_place = false;
  static constexpr bool first_warp_finds_prefix = false;
  static constexpr int min_blocks = 0;  // resident on a multiprocessor: left to the compiler
  std::uint64_t width;
  std::uint64_t pitch;
  row_lengths lengths;
  std::uint32_t tiles_per_row;
  device::count_state::word* states;
  std::uint32_t* ticket;

  __device__ __forceinline__ tile_location take_tile(std::uint32_t& slot, const length&) const {
    const std::uint32_t tile = device::take_ticket(ticket, slot), row = tile / tiles_per_row;
    const std::uint64_t n = lengths.address == nullptr ? width : lengths[row], base = row * pitch;
    return {tile % tiles_per_row, n < width ? n : width, base, base, width, row};
  }
  __device__ __forceinline__ void publish(const tile_location& tile, std::uint64_t aggregate) const {
    publish_aggregate<false, selected_count>(states + tile.row * tiles_per_row, tile.index, aggregate);
  }
  template <class Recompute>
  __device__ __forceinline__ std::uint64_t exclusive_prefix(const tile_location& tile, std::uint64_t aggregate,
                                                            const Recompute&) const {
    return look_back_over<false, selected_count>(states + tile.row * tiles_per_row, tile.index, aggregate);
  }
};

}  // namespace ballot::detail
