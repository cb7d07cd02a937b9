// SPDX-License-Identifier: Apache-2.0
// How items of more than 16 bytes of an array pass through a selection. Each warp copies its part
// of the tile to shared memory in pieces (block/item_pieces.cuh). There the items are not moved.
// The warp lists the places of the items that it will write, the selected ones first:
//
//     warp's items    a . b . . c d .      selected: a to d
//     places          0 2 5 6 | 1 3 4 7    of the rejected ones only if they are written
//     written         a b c d              lane after lane, piece after piece
//
// So an item is read once from shared memory and never written there a second time, and no lane
// has an item in registers. Loads need no registers while they are in flight.
//
// If the selection does not need the items (loads_all is false), only the selected items are
// copied, one after the other.
//
// Only lanes of one warp exchange items: no barrier of the block.
#pragma once

#include <ballot/block/item_pieces.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/device_columns.cuh>
#include <ballot/detail/partition/tile.cuh>
#include <ballot/detail/partition/tuning.cuh>
#include <ballot/simt/simt.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// The sources whose items pass in this way.
template <class Source>
inline constexpr bool has_wide_items = false;
template <class T>
inline constexpr bool has_wide_items<array_source<T>> = sizeof(T) > 16;

// Shared memory for the places of a tile's items.
template <class Shape, bool Exist>
struct item_places {};
template <class Shape>
struct item_places<Shape, true> {
  static_assert(Shape::warp_items <= 1 << 16, "a place in the warp's part has 16 bits");
  staged_place places[Shape::items];
};

template <class T, class Shape>
class wide_items {
  static_assert(Shape::width == 1);
  static constexpr unsigned most = Shape::warp_items, item_bytes = sizeof(T);
  struct alignas(block::largest_piece_bytes<T>) aligned_item {
    T item;
  };
  unsigned char* items_;    // of the warp's part,
  staged_place* places_;    // and where they are
  unsigned valid_ = 0;      // how many there are
  bool is_listed_ = false;  // only selected items have been brought

 public:
  template <class Storage>
  static __device__ __forceinline__ wide_items in(Storage& shared) {
    static_assert(sizeof(T) <= Storage::item_bytes);
    const unsigned first = first_of_warp();
    return wide_items(shared.items + std::size_t{first} * Storage::item_bytes, shared.places + first);
  }

  // Begins to bring all items of the tile, or only those with a flag. `first`: index of the tile's
  // first item in the source.
  __device__ __forceinline__ void start(const array_source<T>& source, std::uint64_t first, unsigned valid) {
    valid_ = of_warp(valid);
    block::start_items<most>(items_, source.data + first + first_of_warp(), valid_);
  }
  __device__ __forceinline__ void start_flagged(const array_source<T>& source, std::uint64_t first, unsigned /*valid*/,
                                                const tile_flags<Shape>& flags) {
    is_listed_ = true;
    const unsigned selected = with_ranks(flags, [&](int c, unsigned flag, unsigned rank) {
      if (flag != 0) places_[rank] = place(c);
    });
    simt::sync_warp();
    const T* const of_warp = source.data + first + first_of_warp();
    const auto* const from = reinterpret_cast<const unsigned char*>(of_warp);
    block::with_pieces_at<T, block::largest_piece_bytes<T>>(
        of_warp, [&]<unsigned Bytes>(std::integral_constant<unsigned, Bytes>) {
          constexpr unsigned pieces = item_bytes / Bytes;
#pragma unroll 4
          for (unsigned at = simt::lane_id(); at < selected * pieces; at += simt::warp_size)
            block::start_piece<Bytes>(items_ + at * Bytes,
                                      from + (places_[at / pieces] * item_bytes + at % pieces * Bytes));
        });
  }
  // All lanes of the warp: waits for the loads.
  __device__ __forceinline__ void finish() {
    simt::wait_for_copies();
    simt::sync_warp();
  }
  // The thread's item of chunk c, if all have been brought. A missing item is a copy of another one
  // of the warp, or has no value if there is none.
  __device__ __forceinline__ simt::vector<T, 1> operator[](int c) const {
    simt::vector<T, 1> v;
    if (valid_ != 0) v[0] = item_at(smaller(place(c), valid_ - 1));
    return v;
  }
  // Whether it is the first one of the warp's part; if not, the item before it.
  static __device__ __forceinline__ bool is_first(int c) { return place(c) == 0; }
  __device__ __forceinline__ const T& before(int c) const { return item_at(place(c) - 1u); }

  // All lanes of the warp: lists the places of its `warp_selected` selected items, and of its
  // rejected items if they are written too, followed by those of missing items. Needs a barrier
  // after.
  template <rejects Rejects, class Storage>
  __device__ __forceinline__ void stage(const tile_flags<Shape>& flags_of_thread, const partition_tile&,
                                        unsigned warp_selected, Storage&) {
    if (is_listed_) return;
    with_ranks(flags_of_thread, [&](int c, unsigned flag, unsigned rank) {
      const staged_place at = place(c);
      if (flag != 0) places_[rank] = at;
      else if (Rejects != rejects::dropped) places_[warp_selected + (at - rank)] = at;
    });
  }

  // All lanes of the warp, after `stage`: writes both groups to their offsets.
  template <rejects Rejects, class Column, class Storage>
  __device__ __forceinline__ void scatter(const Column& column, const partition_tile& tile, unsigned warp_selected,
                                          const Storage&) const {
    const std::uint64_t before = tile.selected_before + tile.selected_before_warp;
    copy(0, warp_selected, column.selected, tile.location, before);
    if constexpr (Rejects != rejects::dropped)
      copy(warp_selected, of_warp(tile.valid) - warp_selected, column.rejected, tile.location,
           tile.rejected_begin + (tile.begin + first_of_warp()) - before);
  }

 private:
  __device__ __forceinline__ wide_items(unsigned char* items, staged_place* places) : items_(items), places_(places) {}

  static __device__ __forceinline__ unsigned first_of_warp() { return simt::warp_id() * Shape::warp_items; }
  // How many of the tile's items belong to the warp.
  static __device__ __forceinline__ unsigned of_warp(unsigned valid) {
    return valid <= first_of_warp() ? 0u : static_cast<unsigned>(smaller(valid - first_of_warp(), most));
  }
  // Of the thread's item of chunk c, in the warp's part.
  static __device__ __forceinline__ staged_place place(int c) {
    return static_cast<staged_place>(static_cast<unsigned>(c) * Shape::chunk_items + simt::lane_id());
  }
  __device__ __forceinline__ const T& item_at(unsigned place) const {
    return reinterpret_cast<const aligned_item*>(items_)[place].item;
  }
  // Where the item is that is `at` in the list.
  __device__ __forceinline__ unsigned place_of(unsigned at) const { return is_listed_ ? at : unsigned{places_[at]}; }

  // The items that are `first` and the next ones in the list.
  __device__ __forceinline__ void copy(unsigned first, unsigned items, const output<T>& out,
                                       const tile_location& location, std::uint64_t offset) const {
    offset += location.out_base;
    const unsigned fits = items_that_fit(items, out, location, offset);
    auto* const to = reinterpret_cast<unsigned char*>(out.data + offset);
    block::with_pieces_at<T, block::largest_piece_bytes<T>>(
        to, [&]<unsigned Bytes>(std::integral_constant<unsigned, Bytes>) {
          constexpr unsigned pieces = item_bytes / Bytes;
#pragma unroll 2
          for (unsigned at = simt::lane_id(); at < fits * pieces; at += simt::warp_size)
            block::store_piece<Bytes>(to + at * Bytes,
                                      items_ + (place_of(first + at / pieces) * item_bytes + at % pieces * Bytes));
        });
  }
  template <class V>
  __device__ __forceinline__ void copy(unsigned first, unsigned items, const view_output<V>& out,
                                       const tile_location& location, std::uint64_t offset) const {
    const auto to = located(out);
    offset += location.out_base;
    const unsigned fits = items_that_fit(items, to, location, offset);
    for (unsigned i = simt::lane_id(); i < fits; i += simt::warp_size)
      put(to, offset + i, item_at(place_of(first + i)));
  }
};

}  // namespace ballot::detail
