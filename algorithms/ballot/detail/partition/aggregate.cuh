// SPDX-License-Identifier: Apache-2.0
// The aggregate of a tile of a selection: the number of its selected items, and for run lengths
// also the position of the last one (run_columns.cuh). Look-back combines the aggregates of the
// tiles before.
//
// One warp publishes for its tile. After the scan over warps every warp has the tile's count, so
// warp 0 can publish it. Only the warp with the tile's last selected item has that item's position.
// So that warp publishes the pair, and the block needs no further exchange.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/detail/partition/tile.cuh>
#include <ballot/device/tile_state.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/reduce.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

struct selected_count {
  using state = device::count_state;
  using value_type = std::uint64_t;
  using combine = plus;  // of the tiles before and the tiles that follow them
  static constexpr bool has_last = false;

  // Whether this warp publishes the tile's aggregate.
  static __device__ __forceinline__ bool publishes(const partition_tile&, unsigned /*warp_selected*/) {
    return simt::warp_id() == 0;
  }
  // All lanes of the warp.
  template <class Shape>
  static __device__ __forceinline__ unsigned last_of_warp(const tile_flags<Shape>&) {
    return 0;
  }
  // In the warp that publishes.
  static __device__ __forceinline__ value_type of_tile(const partition_tile& tile, unsigned /*warp_last*/) {
    return tile.selected;
  }
  static __device__ __forceinline__ std::uint64_t count(value_type aggregate) { return aggregate; }

  // The word of a tile whose aggregate the other tiles sum up (aggregate_sum.cuh), for fewer than 2^32 - 1 items. Zero
  // means: not published.
  using sum_word = std::uint32_t;
  static __device__ __forceinline__ sum_word pack(value_type aggregate) { return static_cast<sum_word>(aggregate) + 1; }
  static __device__ __forceinline__ std::uint32_t unpack(sum_word word) { return word - 1; }
  // The aggregate of one lane's items; from the lane's flags; and of all lanes.
  using lane_aggregate = std::uint32_t;
  template <class Shape>
  static __device__ __forceinline__ lane_aggregate of_lane(const tile_flags<Shape>& flags, std::uint64_t /*begin*/) {
    return flags.count();
  }
  static __device__ __forceinline__ value_type of_warp(lane_aggregate aggregate) { return warp::reduce(aggregate); }
};

// Index: u32 for fewer than 2^31 items, else u64.
template <class Index>
struct selected_count_and_last {
  using value_type = device::count_and_last<Index>;
  using state = std::conditional_t<sizeof(Index) == 4, device::count_and_last_state, device::tile_state<value_type>>;
  static constexpr bool has_last = true;

  // Positions ascend. Without a selected item the last position is 0, the neutral element of the maximum.
  struct combine {
    __device__ __forceinline__ value_type operator()(const value_type& a, const value_type& b) const {
      return {a.count + b.count, maximum{}(a.last, b.last)};
    }
  };

  // The warp with the tile's last selected item; warp 0 if the tile has none.
  static __device__ __forceinline__ bool publishes(const partition_tile& tile, unsigned warp_selected) {
    if (tile.selected == 0) return simt::warp_id() == 0;
    return warp_selected != 0 && tile.selected_before_warp + warp_selected == tile.selected;
  }
  // All lanes of the warp: the position in the tile of the warp's last selected item, if it has one.
  template <class Shape>
  static __device__ __forceinline__ unsigned last_of_warp(const tile_flags<Shape>& flags) {
    return warp::reduce(flags.count() != 0 ? flags.last() : 0u, maximum{});
  }
  // In the warp that publishes.
  static __device__ __forceinline__ value_type of_tile(const partition_tile& tile, unsigned warp_last) {
    return {tile.selected, tile.selected == 0 ? 0 : static_cast<Index>(tile.begin + warp_last)};
  }
  static __device__ __forceinline__ std::uint64_t count(const value_type& aggregate) { return aggregate.count; }
  static __device__ __forceinline__ std::uint64_t last(const value_type& aggregate) { return aggregate.last; }

  // As above, for fewer than 2^31 items.
  using sum_word = typename device::count_and_last_state::word;
  static __device__ __forceinline__ sum_word pack(const value_type& aggregate) {
    return device::count_and_last_state::pack(device::tile_status::aggregate, aggregate);
  }
  static __device__ __forceinline__ value_type unpack(sum_word word) {
    return device::count_and_last_state::value(word);
  }
  using lane_aggregate = value_type;
  template <class Shape>
  static __device__ __forceinline__ lane_aggregate of_lane(const tile_flags<Shape>& flags, std::uint64_t begin) {
    const unsigned selected = flags.count();
    return {selected, selected == 0 ? 0 : static_cast<Index>(begin + flags.last())};
  }
  static __device__ __forceinline__ value_type of_warp(const lane_aggregate& aggregate) {
    return {warp::reduce(aggregate.count), warp::reduce(aggregate.last, maximum{})};
  }
};

}  // namespace ballot::detail
