// SPDX-License-Identifier: Apache-2.0
// A tile staged in shared memory: it needs no registers while it waits, and lanes exchange its
// items there.
//
//     registers (64 KiB x 4 a multiprocessor)    hold the reductions of a thread's items
//     shared memory (227 KiB on an H200)         holds the items, from the load to the store
//
// A tile that waits for others has no memory accesses in flight. The more tiles a multiprocessor
// holds, the more can wait at a time; registers alone have room for about half as many. Loads are
// asynchronous copies (simt::copy_async), which need no register while they are in flight.
//
// Each warp has a contiguous part of the tile. It moves the part 32 vectors at a time, a vector per
// lane, so that memory is accessed in wide coalesced pieces. In between, each lane takes `chunks`
// consecutive vectors of the part (blocked arrangement), so that one scan of the lanes' sums is
// enough. Only lanes of one warp exchange items: no block barrier.
//
//     part of a warp, chunks 3:    slot    0    1    2    3    4    5    6  ...
//     moved by lane                        0    1    2    3    4    5    6  ...
//     taken by lane                        0    0    0    1    1    1    2  ...
//
// Slots are in scan order. Backward, slot 0 is the last vector in memory, and a vector is reversed
// when it is taken. The missing items of a partial tile are its last ones in scan order. With
// MissingFirst they are its first ones backward, and the others keep the slots that they have in a
// full tile. With an odd number of vectors per thread, lanes that take vectors of 16 bytes together
// have no bank conflicts; with an even number they do.
//
// Shared memory: a tile.
#pragma once

#include <ballot/block/item_pieces.cuh>
#include <ballot/block/staged_slots.cuh>
#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstddef>
#include <cstdint>

namespace ballot::block {

// A tile of this shape, of items of type T. MissingFirst: which slots of a partial tile have no
// item.
template <class T, class Shape, bool MissingFirst = false>
class staged_tile : staged_slots<T, Shape, MissingFirst> {
  using slots = staged_slots<T, Shape, MissingFirst>;
  using slots::moved_slot, slots::taken_slot, slots::moved_item, slots::memory_offset, slots::memory_index;
  using slots::start_vector, slots::store_vector, slots::vector_at, slots::put_vector, slots::item_at;
  using slots::width, slots::access, slots::is_asynchronous, slots::item_bytes, slots::items_are_asynchronous;
  using typename slots::vector;

 public:
  using typename slots::storage;                                       ///< Shared memory of a tile.
  static constexpr unsigned items_per_thread = Shape::chunks * width;  // consecutive ones

  // Starts staging the tile that begins at `in` and has `valid` items; missing items become copies
  // of in[0].
  static __device__ __forceinline__ void start(storage& to, const T* in, unsigned valid, bool vector_aligned,
                                               bool backward) {
    if (access != 0 && vector_aligned && valid == Shape::items) {
#pragma unroll
      for (int c = 0; c < Shape::chunks; ++c)
        start_vector(to, moved_slot(c), in + memory_offset(moved_slot(c), backward));
      return;
    }
    if constexpr (in_pieces) {
      if (!backward) {
        const unsigned first = simt::warp_id() * Shape::warp_items, items = items_of_warp(valid);
        start_items<Shape::warp_items>(to.bytes + std::size_t{first} * sizeof(T), in + first, items);
        if (items == Shape::warp_items) return;
        const T filler = in[0];
        for (unsigned i = items + simt::lane_id(); i < Shape::warp_items; i += simt::warp_size)
          item_at(to, first + i, false) = filler;
        return;
      }
    }
    if constexpr (items_are_asynchronous) {
      if (valid == Shape::items) {
        // These loads are coalesced, and in flight without registers, as whole vectors are.
#pragma unroll
        for (int c = 0; c < Shape::chunks; ++c) {
#pragma unroll
          for (int j = 0; j < width; ++j) {
            const unsigned item = moved_item(c, j);
            simt::copy_async<item_bytes>(&item_at(to, item, backward), in + memory_index(item, valid, backward));
          }
        }
        return;
      }
    }
    const T filler = in[0];
    if (access != 0 && vector_aligned && !backward) {
      const unsigned whole = valid / width;  // vectors
#pragma unroll
      for (int c = 0; c < Shape::chunks; ++c) {
        const unsigned slot = moved_slot(c);
        if (slot < whole) start_vector(to, slot, in + slot * width);
      }
#pragma unroll 1
      for (int c = 0; c < Shape::chunks; ++c) {
        const unsigned slot = moved_slot(c);
        if (slot < whole) continue;
        vector v;
#pragma unroll
        for (unsigned j = 0; j < width; ++j) v[j] = slot == whole && j < valid % width ? in[slot * width + j] : filler;
        put_vector(to, slot, v);
      }
      return;
    }
    if constexpr (items_are_asynchronous) {
#pragma unroll 1
      for (int c = 0; c < Shape::chunks; ++c) {
#pragma unroll
        for (int j = 0; j < width; ++j) {
          const unsigned item = moved_item(c, j), at = memory_index(item, valid, backward);
          T& place = item_at(to, item, backward);
          if (at < valid) simt::copy_async<item_bytes>(&place, in + at);
          else place = filler;
        }
      }
    } else {
      start_each<sizeof(T)>(to, valid, backward, [&](unsigned at) { return at < valid ? in[at] : filler; });
    }
  }
  // Stages get(index) for each item of the tile. The index is that in memory; it is past the end
  // for a missing item. For items converted from others of LoadedBytes bytes.
  template <std::size_t LoadedBytes, class Get>
  static __device__ __forceinline__ void start_each(storage& to, unsigned valid, bool backward, Get get) {
    constexpr int at_once = chunks_at_once<LoadedBytes>;
#pragma unroll 1
    for (int first = 0; first < Shape::chunks; first += at_once) {
      vector v[at_once];  // all loads before the first store, since the compiler must assume that they alias
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
#pragma unroll
        for (int j = 0; j < width; ++j) {
          if (first + i >= Shape::chunks) continue;
          v[i][j] = get(memory_index(moved_item(first + i, j), valid, backward));
        }
      }
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
#pragma unroll
        for (int j = 0; j < width; ++j)
          if (first + i < Shape::chunks) item_at(to, moved_item(first + i, j), backward) = v[i][j];
      }
    }
  }
  // Stages get(index) for each vector of a full tile: the vector, in memory order, that begins at
  // this index in memory. For items computed from others of LoadedBytes bytes.
  template <std::size_t LoadedBytes, class Get>
  static __device__ __forceinline__ void start_vectors(storage& to, bool backward, Get get) {
    constexpr int at_once = vectors_at_once<LoadedBytes>;
#pragma unroll
    for (int first = 0; first < Shape::chunks; first += at_once) {
      vector v[at_once];  // as in start_each
#pragma unroll
      for (int i = 0; i < at_once; ++i)
        if (first + i < Shape::chunks) v[i] = get(memory_offset(moved_slot(first + i), backward));
#pragma unroll
      for (int i = 0; i < at_once; ++i)
        if (first + i < Shape::chunks) put_vector(to, moved_slot(first + i), v[i]);
    }
  }
  // The same for the vectors moved by this lane for which wanted(chunk) is true, in memory order,
  // of any tile.
  template <std::size_t LoadedBytes, class Wanted, class Get>
  static __device__ __forceinline__ void start_vectors_where(storage& to, Wanted wanted, Get get) {
    constexpr int at_once = vectors_at_once<LoadedBytes>;
#pragma unroll
    for (int first = 0; first < Shape::chunks; first += at_once) {
      vector v[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i)
        if (first + i < Shape::chunks && wanted(first + i)) v[i] = get(moved_slot(first + i) * width);
#pragma unroll
      for (int i = 0; i < at_once; ++i)
        if (first + i < Shape::chunks && wanted(first + i)) put_vector(to, moved_slot(first + i), v[i]);
    }
  }
  // Starts staging, in memory order, the vectors moved by this lane for which wanted(chunk) is
  // true. Each of them has a valid item. The other vectors must not be read.
  template <class Wanted>
  static __device__ __forceinline__ void start_where(storage& to, const T* in, unsigned valid, bool vector_aligned,
                                                     Wanted wanted) {
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) {
      if (!wanted(c)) continue;
      const unsigned slot = moved_slot(c), first = slot * width;
      if (access != 0 && vector_aligned && first + width <= valid) {
        start_vector(to, slot, in + first);
      } else if constexpr (items_are_asynchronous) {
#pragma unroll
        for (unsigned j = 0; j < width; ++j)
          simt::copy_async<item_bytes>(&item_at(to, first + j, false), in + first + (first + j < valid ? j : 0u));
      } else if constexpr (in_pieces) {
        constexpr unsigned bytes = sure_piece_bytes<T>;
#pragma unroll
        for (unsigned j = 0; j < width; ++j) {
          auto* const item = reinterpret_cast<unsigned char*>(&item_at(to, first + j, false));
          const auto* const from = reinterpret_cast<const unsigned char*>(in + first + (first + j < valid ? j : 0u));
#pragma unroll
          for (unsigned at = 0; at < sizeof(T); at += bytes) start_piece<bytes>(item + at, from + at);
        }
      } else {
        vector v;
#pragma unroll
        for (unsigned j = 0; j < width; ++j) v[j] = in[first + (first + j < valid ? j : 0u)];
#pragma unroll
        for (unsigned j = 0; j < width; ++j) item_at(to, first + j, false) = v[j];
      }
    }
  }
  // All lanes of the warp: waits until its part is staged.
  static __device__ __forceinline__ void finish() {
    if constexpr (is_asynchronous || in_pieces) simt::wait_for_copies();
    simt::sync_warp();
  }

  // Reads vector c of this thread's items, after `finish`; replaces it.
  static __device__ __forceinline__ vector get(storage& from, int c, bool backward) {
    const vector v = vector_at(from, taken_slot(c));
    return backward ? tile<T, Shape>::reversed(v) : v;
  }
  static __device__ __forceinline__ void put(storage& to, int c, bool backward, const vector& v) {
    put_vector(to, taken_slot(c), backward ? tile<T, Shape>::reversed(v) : v);
  }

  // An item of the tile, in memory order.
  static __device__ __forceinline__ T& item_at(storage& s, unsigned item) { return item_at(s, item, false); }

  // The vector of chunk c that this lane moves (block/tile.cuh), in memory order.
  static __device__ __forceinline__ vector get_moved(storage& from, int c) { return vector_at(from, moved_slot(c)); }
  static __device__ __forceinline__ void put_moved(storage& to, int c, const vector& v) {
    put_vector(to, moved_slot(c), v);
  }
  // As `get` and `put`, in memory order, as another type of a vector's size and alignment.
  template <class Bits>
  static __device__ __forceinline__ Bits get_as(storage& from, int c) {
    return slots::template bits_at<Bits>(from, c);
  }
  template <class Bits>
  static __device__ __forceinline__ void put_as(storage& to, int c, const Bits& bits) {
    slots::template bits_at<Bits>(to, c) = bits;
  }

  // All lanes of the warp, after they have put their vectors. Calls give(at, item) for each of the
  // `valid` items; `at` is where it lies in the tile. Neighbouring lanes have neighbouring items.
  template <class Give>
  static __device__ __forceinline__ void store_each(storage& from, unsigned valid, bool backward, Give give) {
    simt::sync_warp();
#pragma unroll(chunks_at_once<sizeof(T)>)
    for (int c = 0; c < Shape::chunks; ++c) {
#pragma unroll
      for (int j = 0; j < width; ++j) {
        const unsigned item = moved_item(c, j), at = memory_index(item, valid, backward);
        if (at < valid) give(at, item_at(from, item, backward));
      }
    }
  }

  // All lanes of the warp, after they have put their vectors: stores the `valid` items of the tile
  // that begins at `out`.
  static __device__ __forceinline__ void store(storage& from, T* out, unsigned valid, bool vector_aligned,
                                               bool backward) {
    simt::sync_warp();
    if (access != 0 && vector_aligned && valid == Shape::items) {
#pragma unroll
      for (int c = 0; c < Shape::chunks; ++c)
        store_vector(from, moved_slot(c), out + memory_offset(moved_slot(c), backward));
      return;
    }
    if (access != 0 && vector_aligned && !backward) {
#pragma unroll 1
      for (int c = 0; c < Shape::chunks; ++c) {  // the tile ends within one vector
        const unsigned slot = moved_slot(c), first = slot * width;
        if (first + width <= valid) {
          store_vector(from, slot, out + first);
        } else {
#pragma unroll
          for (unsigned j = 0; j < width; ++j)
            if (first + j < valid) out[first + j] = item_at(from, first + j, false);
        }
      }
      return;
    }
    if constexpr (in_pieces) {
      if (!backward) {
        const unsigned first = simt::warp_id() * Shape::warp_items;
        store_items<Shape::warp_items>(out + first, from.bytes + std::size_t{first} * sizeof(T), items_of_warp(valid));
        return;
      }
    }
    if (!backward && sizeof(T) >= 4) {
      // Rows of 32 items that begin at a multiple of their size in memory; the first and the last
      // one are partial.
      const unsigned first = simt::warp_id() * Shape::warp_items;
      const unsigned end = valid <= first ? 0 : valid - first < Shape::warp_items ? valid - first : Shape::warp_items;
      const unsigned skipped =
          static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(out + first) / sizeof(T)) % simt::warp_size;
      // Unrolled, a million unaligned sums of 4 bytes take 6.1 us and not 6.6, but those of 8 bytes
      // no less, and 50 million 217 us and not 207 (H200, 2026-11-29).
      if (sizeof(T) == 4 && end == Shape::warp_items) {
        T* const to = out + first + simt::lane_id() - skipped;
        const unsigned from_item = first + simt::lane_id() - skipped;  // may wrap round in the first row
        if (simt::lane_id() >= skipped) to[0] = item_at(from, from_item, false);
#pragma unroll
        for (unsigned row = 1; row < Shape::warp_items / simt::warp_size; ++row)
          to[row * simt::warp_size] = item_at(from, from_item + row * simt::warp_size, false);
        if (simt::lane_id() < skipped) to[Shape::warp_items] = item_at(from, from_item + Shape::warp_items, false);
        return;
      }
#pragma unroll 4
      for (unsigned row = 0; row <= Shape::warp_items / simt::warp_size; ++row) {
        const unsigned item = row * simt::warp_size + simt::lane_id() - skipped;  // wraps round before the first one
        if (item < end) out[first + item] = item_at(from, first + item, false);
      }
      return;
    }
#pragma unroll(chunks_at_once<sizeof(T)>)
    for (int c = 0; c < Shape::chunks; ++c) {
#pragma unroll
      for (int j = 0; j < width; ++j) {
        const unsigned item = moved_item(c, j), at = memory_index(item, valid, backward);
        if (at < valid) out[at] = item_at(from, item, backward);
      }
    }
  }

  // The same, each item converted to U. vector_aligned: of the vectors of U.
  template <class U>
  static __device__ __forceinline__ void store_as(storage& from, U* out, unsigned valid, bool vector_aligned,
                                                  bool backward) {
    if constexpr (items_of_access<U, width> == width) {
      if (vector_aligned && valid == Shape::items) {
        simt::sync_warp();
#pragma unroll
        for (int c = 0; c < Shape::chunks; ++c) {
          const vector v = vector_at(from, moved_slot(c));
          simt::vector<U, width> converted;
#pragma unroll
          for (int j = 0; j < width; ++j) converted[j] = static_cast<U>(v[j]);
          simt::store_vector<U, width>(out + memory_offset(moved_slot(c), backward), converted);
        }
        return;
      }
    }
    store_each(from, valid, backward, [&](unsigned at, const T& item) { out[at] = static_cast<U>(item); });
  }

 private:
  // Items that no access moves.
  static constexpr bool in_pieces = access == 0 && has_asynchronous_pieces<T>;
  // How many of the tile's items belong to this warp.
  static __device__ __forceinline__ unsigned items_of_warp(unsigned valid) {
    const unsigned first = simt::warp_id() * Shape::warp_items;
    return valid <= first ? 0u : valid - first < Shape::warp_items ? valid - first : Shape::warp_items;
  }

  // If items are moved one by one: as many loads at once as fill 16 registers. More would slow the
  // aligned path down.
  template <std::size_t Bytes>
  static constexpr int items_at_once = Bytes > 64 ? 1 : 16 / static_cast<int>((Bytes + 3) / 4);
  template <std::size_t Bytes>
  static constexpr int chunks_at_once =
      items_at_once<Bytes> > width&& items_at_once<Bytes> / width < Shape::chunks ? items_at_once<Bytes> / width : 1;

  // Vectors computed from items of Bytes bytes: as many at once as fill 24 registers.
  template <std::size_t Bytes>
  static constexpr int vectors_at_once = [] {
    constexpr int fit = Bytes * width > 96 ? 1 : static_cast<int>(96 / (Bytes * width));
    return fit < Shape::chunks ? fit : Shape::chunks;
  }();
};

}  // namespace ballot::block
