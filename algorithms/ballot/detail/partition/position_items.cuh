// SPDX-License-Identifier: Apache-2.0
// How positions pass through a selection: nothing is loaded. Shared memory holds their places in
// the tile, 2 bytes each, the selected ones first and the rejected ones after them. The position
// of the tile's first item is added when they are written.
//
// So a tile takes as much shared memory for positions of 64 bits as for positions of 32, and a
// multiprocessor holds more tiles.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/device_columns.cuh>
#include <ballot/detail/partition/register_items.cuh>
#include <ballot/detail/partition/tile.cuh>
#include <ballot/detail/partition/tuning.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

template <class Index, class Shape>
class position_items {
  using layout = block::tile<Index, Shape>;
  std::uint64_t first_ = 0;  // the position of the tile's first item

  // The positions as an array.
  struct staged_positions {
    const staged_place* places;
    std::uint64_t first;
    __device__ __forceinline__ Index operator[](unsigned i) const { return static_cast<Index>(first + places[i]); }
  };

 public:
  using staged_item = staged_place;
  static_assert(Shape::items <= 1 << 16, "a place in the tile has 16 bits");

  template <class Storage>
  static __device__ __forceinline__ position_items in(Storage&) {
    return {};
  }
  __device__ __forceinline__ void start(const position_source<Index>&, std::uint64_t first, unsigned) {
    first_ = first;
  }
  template <class Flags>
  __device__ __forceinline__ void start_flagged(const position_source<Index>&, std::uint64_t first, unsigned,
                                                const Flags&) {
    first_ = first;
  }
  __device__ __forceinline__ void finish() {}
  __device__ __forceinline__ simt::vector<Index, Shape::width> operator[](int c) const {
    return position_source<Index>{}.template vector<Shape::width>(first_ + layout::first_item(c), Shape::width);
  }

  // As in register_items.
  template <rejects Rejects, class Storage>
  __device__ __forceinline__ void stage(const tile_flags<Shape>& flags_of_thread, const partition_tile& tile,
                                        unsigned /*warp_selected*/, Storage& shared) const {
    auto* const staged = reinterpret_cast<staged_item*>(shared.items);
    with_ranks(flags_of_thread, [&](int c, unsigned flags, unsigned rank) {
      const unsigned first = layout::first_item(c);
      unsigned selected_before = tile.selected_before_warp + rank;  // this item, in the tile
#pragma unroll
      for (int j = 0; j < Shape::width; ++j) {
        if (flags >> j & 1u) {
          staged[selected_before++] = static_cast<staged_item>(first + j);
        } else if (Rejects != rejects::dropped && first + j < tile.valid) {
          staged[tile.selected + (first + j - selected_before)] = static_cast<staged_item>(first + j);
        }
      }
    });
  }

  // All threads, after a barrier that follows `stage`.
  template <rejects Rejects, class Column, class Storage>
  __device__ __forceinline__ void scatter(const Column& column, const partition_tile& tile, unsigned /*warp_selected*/,
                                          const Storage& shared) const {
    const auto* const staged = reinterpret_cast<const staged_item*>(shared.items);
    copy_to_output<Shape>(staged_positions{staged, first_}, tile.selected, column.selected, tile.location,
                          tile.selected_before);
    if constexpr (Rejects != rejects::dropped)
      copy_to_output<Shape>(staged_positions{staged + tile.selected, first_}, tile.valid - tile.selected,
                            column.rejected, tile.location, tile.rejected_begin + tile.begin - tile.selected_before);
  }
};

}  // namespace ballot::detail
