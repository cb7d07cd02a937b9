// SPDX-License-Identifier: Apache-2.0
// A staged tile (staged_tile.cuh) of an array that does not begin with a whole vector. It is loaded
// by whole vectors nevertheless: by those that contain its items. So the first item is somewhere
// within the first slot, and the consecutive items of a lane lie in one more slot:
//
//     memory, vectors of 4    | . . a b | c d e f | g h i j | k l m n | o p . . |
//     slots                       0         1         2         3       after
//     lane 0, 2 vectors           a b     c d e f   g h
//     lane 1, 2 vectors                             i j     k l m n     o p
//
// So each tile and each lane have the same items at every address. Sums of floats need this: the
// grouping of their operands must not depend on the address. (If a tile is also stored by vectors,
// it is better to shift whole tiles: device/tiles.hpp, shifted_tiles.)
//
// The last lane of a warp takes its last items from a vector after the warp's part, which the next
// warp loads, too. So no warp waits for another.
//
// The first and the last tile of an array are loaded item by item, because their vectors would
// reach beyond the array.
//
// The code of each shift costs registers, so arrays that begin with a whole vector have kernels
// without it (MayShift).
//
// Shared memory: a tile, and with MayShift a vector a warp.
#pragma once

#include <ballot/block/staged_slots.cuh>
#include <ballot/block/staged_tile.cuh>
#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot::block {

// Whether such arrays can be loaded by vectors: of two or four items that one copy moves.
template <class T, class Shape>
inline constexpr bool may_shift_tiles =
    staged_slots<T, Shape, false>::is_asynchronous && staged_slots<T, Shape, false>::pieces == 1 &&
    (Shape::width == 2 || Shape::width == 4);

// The items before the first one of each inner tile in its vector; 0 if it begins with a vector, or
// if there are no vectors. vectors: those of the array.
template <class T, class Shape>
BALLOT_HOST_DEVICE unsigned shift_of_tiles(const aligned_vectors& vectors) {
  return may_shift_tiles<T, Shape> && vectors.first < vectors.anywhere ? (0u - vectors.first) % Shape::width : 0;
}

// A tile of this shape, of items of type T, in memory order.
template <class T, class Shape, bool MayShift>
class shifted_tile : staged_slots<T, Shape, false> {
  using slots = staged_slots<T, Shape, false>;
  using staged = staged_tile<T, Shape>;
  using typename slots::vector;
  static constexpr unsigned width = Shape::width;
  static constexpr bool may_shift = MayShift && may_shift_tiles<T, Shape>;
  struct plain_storage {
    typename staged::storage items;
  };
  struct shifted_storage {
    typename staged::storage items;
    alignas(simt::copy_alignment) unsigned char vector_after[Shape::warps][sizeof(vector)];  // each warp's part
  };

 public:
  static constexpr unsigned items_per_thread = staged::items_per_thread;
  using storage = std::conditional_t<may_shift, shifted_storage, plain_storage>;

  // Starts staging the tile of `valid` items that begins at item `begin` of the n items at `in`.
  // vectors: those of `in`. Missing items become copies of the tile's first one.
  __device__ __forceinline__ void start(storage& to, const T* in, std::uint64_t begin, unsigned valid, std::uint64_t n,
                                        const aligned_vectors& vectors) {
    if constexpr (may_shift) {
      const bool is_inner = begin != 0 && n - begin >= Shape::items + width;
      if (is_inner) shift_ = shift_of_tiles<T, Shape>(vectors);
      if (shift_ != 0) {
        const T* const from = in + begin - shift_;
#pragma unroll
        for (int c = 0; c < Shape::chunks; ++c)
          slots::start_vector(to.items, slots::moved_slot(c), from + slots::memory_offset(slots::moved_slot(c), false));
        if (simt::lane_id() == 0)
          simt::copy_async<static_cast<int>(sizeof(vector))>(vector_after(to),
                                                             from + (simt::warp_id() + 1) * Shape::warp_items);
        return;
      }
    }
    staged::start(to.items, in + begin, valid, vectors.template begin_at<Shape::width>(0), false);
  }
  // The same of computed items: staged_tile::start_each.
  template <std::size_t LoadedBytes, class Get>
  __device__ __forceinline__ void start_each(storage& to, unsigned valid, Get get) {
    staged::template start_each<LoadedBytes>(to.items, valid, false, get);
  }
  // All lanes of the warp: waits until its part is staged.
  static __device__ __forceinline__ void finish() { staged::finish(); }

  // Reads this thread's consecutive items, after `finish`.
  __device__ __forceinline__ void get(storage& from, T (&item)[items_per_thread]) const {
    if constexpr (may_shift) {
      // Each shift has its own code, so that no item is selected at run time.
      if (shift_ == 1) return get_shifted<1>(from, item);
      if constexpr (width > 2) {
        if (shift_ == 2) return get_shifted<2>(from, item);
        if (shift_ == 3) return get_shifted<3>(from, item);
      }
    }
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) {
      const vector v = slots::vector_at(from.items, slots::taken_slot(c));
#pragma unroll
      for (unsigned j = 0; j < width; ++j) item[static_cast<unsigned>(c) * width + j] = v[j];
    }
  }
  // An item of this warp's part of the tile, as it was loaded.
  __device__ __forceinline__ const T& item_at(storage& from, unsigned item) const {
    if constexpr (may_shift) {
      const unsigned at = item + shift_, end = (simt::warp_id() + 1) * Shape::warp_items;
      return at < end ? staged::item_at(from.items, at) : vector_after(from)[at - end];
    } else {
      return staged::item_at(from.items, item);
    }
  }

 private:
  static __device__ __forceinline__ T* vector_after(storage& s) {
    return reinterpret_cast<T*>(s.vector_after[simt::warp_id()]);
  }
  template <unsigned Shift>
  static __device__ __forceinline__ void get_shifted(storage& from, T (&item)[items_per_thread]) {
    vector v = slots::vector_at(from.items, slots::taken_slot(0));
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) {
      vector next;
      if (c + 1 < Shape::chunks || simt::lane_id() != simt::warp_size - 1) {
        next = slots::vector_at(from.items, slots::taken_slot(c + 1));
      } else {
#pragma unroll
        for (unsigned j = 0; j < width; ++j) next[j] = vector_after(from)[j];
      }
#pragma unroll
      for (unsigned j = 0; j < width; ++j)
        item[static_cast<unsigned>(c) * width + j] =
            j + Shift < width ? v[(j + Shift) % width] : next[(j + Shift) % width];
      v = next;
    }
  }

  unsigned shift_ = 0;  // items before the tile's first one in its vector
};

}  // namespace ballot::block
