// SPDX-License-Identifier: Apache-2.0
// How items pass through a selection by way of registers. Each thread loads its vectors. Then the
// block stages the tile in shared memory, the selected items first and the rejected ones after
// them.
//
// This is for views of items of more than 16 bytes, for few items of such a size (kernel.cuh), and
// for the places where runs begin. Others: shared_items.cuh, wide_items.cuh, position_items.cuh.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/device_columns.cuh>
#include <ballot/detail/partition/tile.cuh>
#include <ballot/detail/partition/tuning.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

// From: a pointer, or an object that has items by index.
template <class Shape, class From, class T>
__device__ __forceinline__ void copy_to_output(const From from, unsigned items, const output<T>& to,
                                               const tile_location& location, std::uint64_t offset) {
  offset += location.out_base;
  const unsigned fits = items_that_fit(items, to, location, offset);
  for (unsigned i = simt::thread_rank(); i < fits; i += threads_of_block<Shape>()) to.data[offset + i] = from[i];
}
// This is a function of its own: if the loop over an array shared its source with the other one,
// nvcc would generate other code for it.
template <class Shape, class From, class V>
__device__ __forceinline__ void copy_to_output(const From from, unsigned items, const view_output<V>& out,
                                               const tile_location& location, std::uint64_t offset) {
  const auto to = located(out);
  offset += location.out_base;
  const unsigned fits = items_that_fit(items, to, location, offset);
  for (unsigned i = simt::thread_rank(); i < fits; i += threads_of_block<Shape>()) put(to, offset + i, from[i]);
}

// All threads: writes a staged column. Columns of runs have overloads (run_columns.cuh).
template <class Shape, rejects Rejects, class Source, class Selected, class Rejected>
__device__ __forceinline__ void scatter_column(const device_column<Source, Selected, Rejected>& column,
                                               const typename Source::item* staged, const partition_tile& tile) {
  copy_to_output<Shape>(staged, tile.selected, column.selected, tile.location, tile.selected_before);
  if constexpr (Rejects != rejects::dropped)
    copy_to_output<Shape>(staged + tile.selected, tile.valid - tile.selected, column.rejected, tile.location,
                          tile.rejected_begin + tile.begin - tile.selected_before);
}

template <class Source, class Shape>
class register_items {
  using T = typename Source::item;
  typename block::tile<T, Shape>::items item_;

 public:
  template <class Storage>
  static __device__ __forceinline__ register_items in(Storage&) {
    return {};
  }
  __device__ __forceinline__ void start(const Source& source, std::uint64_t first, unsigned valid) {
    source.template load<Shape>(first, valid, item_);
  }
  template <class Flags>
  __device__ __forceinline__ void start_flagged(const Source& source, std::uint64_t first, unsigned valid,
                                                const Flags& flags) {
    source.template load_flagged<Shape>(first, valid, flags, item_);
  }
  __device__ __forceinline__ void finish() {}
  __device__ __forceinline__ const simt::vector<T, Shape::width>& operator[](int c) const { return item_[c]; }

  // All threads: the selected items to the front of the staged tile, the rejected ones after them.
  // Needs a barrier before, if the shared memory was in use, and one after.
  template <rejects Rejects, class Storage>
  __device__ __forceinline__ void stage(const tile_flags<Shape>& flags_of_thread, const partition_tile& tile,
                                        unsigned /*warp_selected*/, Storage& shared) const {
    T* const staged = reinterpret_cast<T*>(shared.items);
    with_ranks(flags_of_thread, [&](int c, unsigned flags, unsigned rank) {
      if (Rejects == rejects::dropped && Shape::width >= 8 && flags == 0) return;
      const unsigned first = block::tile<T, Shape>::first_item(c);
      unsigned selected_before = tile.selected_before_warp + rank;  // this item, in the tile
#pragma unroll
      for (int j = 0; j < Shape::width; ++j) {
        if (flags >> j & 1u) {
          staged[selected_before++] = item_[c][j];
        } else if (Rejects != rejects::dropped && first + j < tile.valid) {
          staged[tile.selected + (first + j - selected_before)] = item_[c][j];
        }
      }
    });
  }

  // All threads, after a barrier that follows `stage`.
  template <rejects Rejects, class Column, class Storage>
  __device__ __forceinline__ void scatter(const Column& column, const partition_tile& tile, unsigned /*warp_selected*/,
                                          const Storage& shared) const {
    scatter_column<Shape, Rejects>(column, reinterpret_cast<const T*>(shared.items), tile);
  }
};

}  // namespace ballot::detail
