// SPDX-License-Identifier: Apache-2.0
// The slots of a staged tile (staged_tile.cuh): where its vectors and items lie in shared memory
// and in memory, and how one vector gets from the one to the other.
//
// A vector is moved in pieces: what one access or one asynchronous copy takes.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::block {

// Static functions alone; staged_tile has the meaning of its template arguments.
template <class T, class Shape, bool MissingFirst>
struct staged_slots {
  static constexpr int width = Shape::width;
  static constexpr int access = items_of_access<T, width>;  // items of an asynchronous copy
  static constexpr int access_bytes = access * static_cast<int>(sizeof(T));
  static constexpr bool is_asynchronous = access_bytes == 4 || access_bytes == 8 || access_bytes == 16;
  // Whether an asynchronous copy can move one item, at any address that an item may have.
  static constexpr int item_bytes = static_cast<int>(sizeof(T));
  static constexpr bool items_are_asynchronous =
      is_asynchronous && alignof(T) == sizeof(T) && (item_bytes == 4 || item_bytes == 8);
  static constexpr int pieces = access != 0 ? width / access : 1;  // accesses of a vector
  static constexpr int piece_items = width / pieces;
  static constexpr int piece_bytes = piece_items * static_cast<int>(sizeof(T));
  // Items are copied as items: from bytes the compiler would rebuild each item.
  struct alignas(access != 0 ? piece_bytes : static_cast<int>(alignof(T))) piece {
    T item[piece_items];
  };
  // The same memory as words.
  struct [[gnu::may_alias]] alignas(piece_bytes % 4 == 0 ? alignof(piece) : 4) words_of_piece {
    std::uint32_t word[piece_bytes % 4 == 0 ? piece_bytes / 4 : 1];
  };
  using vector = simt::vector<T, width>;

  // Shared memory of a tile.
  struct storage {
    alignas(simt::copy_alignment) unsigned char bytes[Shape::items * sizeof(T)];  // slot after slot
  };

  // The slot of chunk c that this lane moves, and the one that it takes.
  static __device__ __forceinline__ unsigned moved_slot(int c) {
    return simt::warp_id() * (Shape::warp_items / width) + static_cast<unsigned>(c) * simt::warp_size + simt::lane_id();
  }
  static __device__ __forceinline__ unsigned taken_slot(int c) {
    return simt::thread_rank() * Shape::chunks + static_cast<unsigned>(c);
  }
  // The offset of a slot's vector in a full tile in memory.
  static __device__ __forceinline__ unsigned memory_offset(unsigned slot, bool backward) {
    return backward ? Shape::items - width - slot * width : slot * width;
  }
  // The index in memory of an item of a partial tile; past the end, if need be by wrap-around, for
  // a missing item.
  static __device__ __forceinline__ unsigned memory_index(unsigned item, unsigned valid, bool backward) {
    return backward ? (MissingFirst ? Shape::items : valid) - 1 - item : item;
  }
  // If items are moved one by one: the item of the warp's part in scan order, and its location
  // among the slots.
  static __device__ __forceinline__ unsigned moved_item(int c, int j) {
    return simt::warp_id() * Shape::warp_items + static_cast<unsigned>(c * width + j) * simt::warp_size +
           simt::lane_id();
  }
  static __device__ __forceinline__ T& item_at(storage& s, unsigned item, bool backward) {
    return reinterpret_cast<T*>(s.bytes)[backward ? item / width * width + (width - 1 - item % width) : item];
  }

  // Begins to bring a slot's vector from memory, or brings it if it cannot be copied
  // asynchronously.
  static __device__ __forceinline__ void start_vector(storage& to, unsigned slot, const T* from) {
    if constexpr (access != 0) {
#pragma unroll
      for (int i = 0; i < pieces; ++i) {
        piece& piece_of_slot = piece_at(to, slot, i);
        if constexpr (is_asynchronous) {
          simt::copy_async<piece_bytes>(&piece_of_slot, from + i * access);
        } else {
          const auto loaded = simt::load_vector<T, access>(from + i * access);
#pragma unroll
          for (int j = 0; j < access; ++j) piece_of_slot.item[j] = loaded[j];
        }
      }
    }
  }
  // Stores a slot's vector in memory.
  static __device__ __forceinline__ void store_vector(storage& from, unsigned slot, T* to) {
    if constexpr (access != 0) {
#pragma unroll
      for (int i = 0; i < pieces; ++i) {
        const piece& piece_of_slot = piece_at(from, slot, i);
        if constexpr (piece_bytes % 4 == 0) {  // as words, without unpacking
          simt::vector<std::uint32_t, piece_bytes / 4> words;
          const auto& in_place = reinterpret_cast<const words_of_piece&>(piece_of_slot);
#pragma unroll
          for (int w = 0; w < piece_bytes / 4; ++w) words[w] = in_place.word[w];
          simt::store_vector<std::uint32_t, piece_bytes / 4>(reinterpret_cast<std::uint32_t*>(to + i * access), words);
        } else {
          simt::vector<T, access> v;
#pragma unroll
          for (int j = 0; j < access; ++j) v[j] = piece_of_slot.item[j];
          simt::store_vector<T, access>(to + i * access, v);
        }
      }
    }
  }
  // A piece of a slot's vector.
  static __device__ __forceinline__ piece& piece_at(storage& s, unsigned slot, int i) {
    return reinterpret_cast<piece*>(s.bytes)[slot * pieces + static_cast<unsigned>(i)];
  }
  // Writes a slot's vector from registers.
  static __device__ __forceinline__ void put_vector(storage& to, unsigned slot, const vector& v) {
#pragma unroll
    for (int i = 0; i < pieces; ++i) {
      piece part;
#pragma unroll
      for (int j = 0; j < piece_items; ++j) part.item[j] = v[i * piece_items + j];
      piece_at(to, slot, i) = part;
    }
  }
  // Reads a slot's vector to registers.
  static __device__ __forceinline__ vector vector_at(storage& from, unsigned slot) {
    vector v;
#pragma unroll
    for (int i = 0; i < pieces; ++i) {
      const piece part = piece_at(from, slot, i);
#pragma unroll
      for (int j = 0; j < piece_items; ++j) v[i * piece_items + j] = part.item[j];
    }
    return v;
  }
  // The vector of chunk c that this lane takes, as another type of its size.
  template <class Bits>
  static __device__ __forceinline__ Bits& bits_at(storage& s, int c) {
    static_assert(sizeof(Bits) == sizeof(vector) && alignof(Bits) <= 16 && sizeof(vector) % alignof(Bits) == 0);
    return reinterpret_cast<Bits*>(s.bytes)[taken_slot(c)];
  }
};

}  // namespace ballot::block
