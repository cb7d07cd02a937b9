// SPDX-License-Identifier: Apache-2.0
// How the items of an array pass through a selection. Each warp loads its part of the tile into
// shared memory and compacts it there, in place.
//
//     warp's items     a . b .  . c d .  e . . f         selected: a to f; 3 chunks of 4 items here
//     chunk 0          a b . .  . c d .  e . . f         writes lie below the end of the reads
//     chunk 1          a b c d  . c d .  e . . f
//     chunk 2          a b c d  e f d .  e . . f
//
// So shared memory holds a tile once, and registers hold one vector at a time. A multiprocessor
// holds as many tiles as fit into its shared memory, so that tiles in look-back do not keep it from
// loading (block/staged_tile.cuh). If rejected items are written too, both groups together could
// overwrite items that have not been read. Therefore the smaller group goes to a side buffer of
// half the size.
//
// Only lanes of one warp exchange items: no barrier of the block.
#pragma once

#include <ballot/block/item_pieces.cuh>
#include <ballot/block/staged_tile.cuh>
#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/device_columns.cuh>
#include <ballot/detail/partition/tile.cuh>
#include <ballot/detail/partition/tuning.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/binary_scan.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot::detail {

template <class T, class Shape>
class shared_items {
 protected:
  using loaded = block::staged_tile<T, Shape>;
  typename loaded::storage& storage_;

 private:
  T* selected_ = nullptr;
  T* rejected_ = nullptr;

 public:
  // The memory has Storage::item_bytes for each item of the tile. Whatever T is, each warp uses
  // only its own part of it.
  template <class Storage>
  static __device__ __forceinline__ shared_items in(Storage& shared) {
    static_assert(sizeof(T) <= Storage::item_bytes);
    return shared_items(reinterpret_cast<typename loaded::storage&>(
        shared.items[simt::warp_id() * (Shape::warp_items * (Storage::item_bytes - sizeof(T)))]));
  }

  // Begins to load the whole tile, or only the vectors with a flag. `first`: index of the tile's
  // first item in the source.
  __device__ __forceinline__ void start(const array_source<T>& source, std::uint64_t first, unsigned valid) {
    loaded::start(storage_, source.data + first, valid, source.vectors.template begin_at<Shape::width>(first), false);
  }
  template <class Flags>
  __device__ __forceinline__ void start_flagged(const array_source<T>& source, std::uint64_t first, unsigned valid,
                                                const Flags& flags) {
    loaded::start_where(storage_, source.data + first, valid, source.vectors.template begin_at<Shape::width>(first),
                        [&](int c) { return flags[c] != 0; });
  }
  // The same for a view: by vectors if it has them, else neighbouring lanes read neighbouring
  // items.
  template <class V>
  __device__ __forceinline__ void start(const view_source<V>& source, std::uint64_t first, unsigned valid) {
    if constexpr (device::has_vectors<V, Shape::width>) {
      if (valid == Shape::items && source.vectors.template begin_at<Shape::width>(first)) {
        loaded::template start_vectors<device::loaded_bytes<V>>(
            storage_, false, [&](unsigned at) { return device::vector_of<Shape::width>(source.view, first + at); });
        return;
      }
    }
    loaded::template start_each<device::loaded_bytes<V>>(
        storage_, valid, false, [&](unsigned at) { return source.at(first + (at < valid ? at : 0)); });
  }
  template <class V, class Flags>
  __device__ __forceinline__ void start_flagged(const view_source<V>& source, std::uint64_t first, unsigned valid,
                                                const Flags& flags) {
    loaded::template start_vectors_where<device::loaded_bytes<V>>(
        storage_, [&](int c) { return flags[c] != 0; },
        [&](unsigned at) { return source.template vector<Shape::width>(first + at, valid - at); });
  }
  // All lanes of the warp: waits for the loads.
  __device__ __forceinline__ void finish() { loaded::finish(); }
  // Vector c of the thread, in the layout of block/tile.cuh.
  __device__ __forceinline__ simt::vector<T, Shape::width> operator[](int c) const {
    return loaded::get_moved(storage_, c);
  }

  // All lanes of the warp: makes the warp's `warp_selected` selected items contiguous, and its
  // rejected items if they are written too.
  template <rejects Rejects, class Storage>
  __device__ __forceinline__ void stage(const tile_flags<Shape>& flags_of_thread, const partition_tile& tile,
                                        unsigned warp_selected, Storage& shared) {
    constexpr bool stages_rejected = Rejects != rejects::dropped;
    selected_ = items_of_warp();
    if constexpr (stages_rejected) {
      T* const side = reinterpret_cast<T*>(shared.side_buffer + std::size_t{simt::warp_id()} *
                                                                    (Shape::warp_items / 2 * Storage::side_item_bytes));
      rejected_ = side;
      if (warp_selected < Shape::warp_items / 2) {
        rejected_ = selected_;
        selected_ = side;
      }
    }
    // A vector without a selected item may not have been loaded.
    const auto is_loaded = [&](int c) { return stages_rejected || flags_of_thread[c] != 0; };
    simt::vector<T, Shape::width> ahead;
    if (is_loaded(0)) ahead = (*this)[0];
    with_ranks(flags_of_thread, [&](int c, unsigned flags, unsigned rank) {
      const simt::vector<T, Shape::width> item = ahead;
      if (c + 1 < Shape::chunks && is_loaded(c + 1 < Shape::chunks ? c + 1 : c)) ahead = (*this)[c + 1];
      simt::sync_warp();  // all lanes have read this chunk and the next one
      const unsigned in_warp = static_cast<unsigned>(c) * Shape::chunk_items + simt::lane_id() * Shape::width;
      const unsigned in_tile = simt::warp_id() * Shape::warp_items + in_warp;
#pragma unroll
      for (int j = 0; j < Shape::width; ++j) {
        if (flags >> j & 1u) selected_[rank++] = item[j];
        else if (stages_rejected && in_tile + j < tile.valid) rejected_[in_warp + j - rank] = item[j];
      }
    });
    simt::sync_warp();
  }

  // All lanes of the warp, after `stage`: writes both groups to their offsets.
  template <rejects Rejects, class Column, class Storage>
  __device__ __forceinline__ void scatter(const Column& column, const partition_tile& tile, unsigned warp_selected,
                                          const Storage&) const {
    const std::uint64_t before = tile.selected_before + tile.selected_before_warp;
    copy(selected_, warp_selected, column.selected, tile.location, before);
    if constexpr (Rejects != rejects::dropped) {
      const unsigned first = simt::warp_id() * Shape::warp_items;
      const unsigned warp_valid =
          first < tile.valid ? static_cast<unsigned>(smaller(tile.valid - first, Shape::warp_items)) : 0u;
      copy(rejected_, warp_valid - warp_selected, column.rejected, tile.location,
           tile.rejected_begin + (tile.begin + first) - before);
    }
  }

 protected:
  explicit __device__ __forceinline__ shared_items(typename loaded::storage& storage) : storage_(storage) {}

 private:
  static __device__ __forceinline__ void copy(const T* from, unsigned items, const output<T>& to,
                                              const tile_location& location, std::uint64_t offset) {
    offset += location.out_base;
    const unsigned fits = items_that_fit(items, to, location, offset);
    if constexpr (block::items_of_access<T, 1> == 0 && block::has_asynchronous_pieces<T>) {
      block::store_items<Shape::warp_items>(to.data + offset, reinterpret_cast<const unsigned char*>(from), fits);
    } else {
      for (unsigned i = simt::lane_id(); i < fits; i += simt::warp_size) to.data[offset + i] = from[i];
    }
  }
  template <class V>
  static __device__ __forceinline__ void copy(const T* from, unsigned items, const view_output<V>& out,
                                              const tile_location& location, std::uint64_t offset) {
    const auto to = located(out);
    offset += location.out_base;
    const unsigned fits = items_that_fit(items, to, location, offset);
    for (unsigned i = simt::lane_id(); i < fits; i += simt::warp_size) put(to, offset + i, from[i]);
  }
  __device__ __forceinline__ T* items_of_warp() const {
    return reinterpret_cast<T*>(storage_.bytes) + simt::warp_id() * Shape::warp_items;
  }
};

// Items of a transformed array whose items have the same size. The array's items are loaded like
// those of an array, and each lane transforms its vectors in shared memory. So loads need no
// registers while they are in flight.
template <class V, class Shape>
class transformed_items : public shared_items<typename V::value_type, Shape> {
  using T = typename V::value_type;
  using U = typename V::array_item;
  using base = shared_items<T, Shape>;
  using raw = block::staged_tile<U, Shape>;
  static_assert(sizeof(typename raw::storage) == sizeof(typename base::loaded::storage));
  const V* view_ = nullptr;
  unsigned wanted_ = ~0u;  // vectors, by bits

 public:
  template <class Storage>
  static __device__ __forceinline__ transformed_items in(Storage& shared) {
    return transformed_items(base::in(shared));
  }
  __device__ __forceinline__ void start(const view_source<V>& source, std::uint64_t first, unsigned valid) {
    view_ = &source.view;
    wanted_ = ~0u;
    raw::start(raw_storage(), source.view.array_data() + first, valid,
               source.vectors.template begin_at<Shape::width>(first), false);
  }
  template <class Flags>
  __device__ __forceinline__ void start_flagged(const view_source<V>& source, std::uint64_t first, unsigned valid,
                                                const Flags& flags) {
    static_assert(Shape::chunks <= 32);
    view_ = &source.view;
    wanted_ = 0;
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) wanted_ |= static_cast<unsigned>(flags[c] != 0) << c;
    raw::start_where(raw_storage(), source.view.array_data() + first, valid,
                     source.vectors.template begin_at<Shape::width>(first), [&](int c) { return flags[c] != 0; });
  }
  // All lanes of the warp. A lane reads and writes only its own vectors.
  __device__ __forceinline__ void finish() {
    raw::finish();
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c)
      if ((wanted_ >> c & 1u) != 0)
        base::loaded::put_moved(this->storage_, c, view_->of_array(raw::get_moved(raw_storage(), c)));
  }

 private:
  explicit __device__ __forceinline__ transformed_items(const base& items) : base(items) {}
  __device__ __forceinline__ typename raw::storage& raw_storage() const {
    return reinterpret_cast<typename raw::storage&>(this->storage_);
  }
};

// The sources whose items pass in this way: arrays and views of items of up to 16 bytes.
template <class Source>
inline constexpr bool loads_to_shared = false;
template <class T>
inline constexpr bool loads_to_shared<array_source<T>> = sizeof(T) <= 16;
template <class V>
inline constexpr bool loads_to_shared<view_source<V>> = sizeof(typename V::value_type) <= 16;

}  // namespace ballot::detail
