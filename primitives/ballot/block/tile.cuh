// SPDX-License-Identifier: Apache-2.0
// The layout of a tile over a block, and its loads and stores.
//
// Each warp has a contiguous part of the tile and takes it in chunks of 32 vectors, one vector of
// `width` consecutive items per lane. So a chunk is one wide coalesced access of the warp, and
// needs no exchange through shared memory. It is already in the order of a warp scan: lane 0 has
// its first items, lane 31 its last.
//
//     warp w, chunk c:   | lane 0: i i i i | lane 1: i i i i | ... | lane 31: i i i i |   width 4
//     backward:          | lane 31 ...                   ... | lane 1: 3 2 1 0 | lane 0: 3 2 1 0 |
//
// Vectors are moved whole if the address is aligned and the tile is full (in pieces of 16 bytes if
// they are longer). Otherwise items are moved one by one. In a backward tile, item 0 is the last
// item in memory: the same vectors are moved, by other lanes, and reversed in registers
// (staged_tile.cuh).
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstddef>
#include <cstdint>

namespace ballot::block {

// Threads per block, vectors per thread, items per vector. This is a type, because nvcc takes no
// value of a class as a template argument of a kernel.
template <int Threads, int Chunks, int Width>
struct tile_shape {
  static constexpr int threads = Threads;
  static constexpr int chunks = Chunks;
  static constexpr int width = Width;
  static constexpr int warps = Threads / static_cast<int>(simt::warp_size);
  static constexpr unsigned chunk_items = simt::warp_size * Width;
  static constexpr unsigned warp_items = chunk_items * Chunks;
  static constexpr unsigned items = Threads * Chunks * Width;
};

// The most items of a 16-byte access; 1 if the item size does not divide 16.
template <class T>
constexpr int vector_width(int at_most = 4) {
  int width = 1;
  for (int w = 2; w <= at_most; w *= 2)
    if (w * sizeof(T) <= 16 && 16 % sizeof(T) == 0) width = w;
  return width;
}

// The most items of a vector that one access moves; 0 if the hardware has no access of one item's
// size.
template <class T, int Width>
inline constexpr int items_of_access = [] {
  int items = 0;
  for (int w = 1; w <= Width; w *= 2) {
    const std::size_t bytes = w * sizeof(T);
    if (Width % w == 0 && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16)) items = w;
  }
  return items;
}();

// Whether the hardware has an access for a vector of this size.
template <class T, int Width>
inline constexpr bool is_one_access = items_of_access<T, Width> == Width;

// Whether vectors of this width can be moved whole to and from `p` and addresses a multiple of them
// away.
template <class T, int Width>
inline bool is_vector_aligned(const T* p) {
  constexpr int access = items_of_access<T, Width>;
  return access != 0 && reinterpret_cast<std::uintptr_t>(p) % (access == 0 ? 1 : access * sizeof(T)) == 0;
}

// The items of an array at which aligned vectors begin: one of the first, and each a vector further
// on.
struct aligned_vectors {
  static constexpr unsigned none = ~0u, anywhere = ~1u;
  unsigned first = none;

  // Whether an aligned vector begins at this item. Width: that of the vectors, or a part of it.
  template <int Width>
  BALLOT_HOST_DEVICE bool begin_at(std::uint64_t item) const {
    return (static_cast<unsigned>(item) - first) % Width == 0 && first < anywhere;
  }
  // Where vectors of both arrays are aligned.
  aligned_vectors and_of(const aligned_vectors& other) const {
    return first == other.first || other.first == anywhere ? *this : first == anywhere ? other : aligned_vectors{};
  }
};
// Those of the array at `p`. None if the hardware has no access of an item's size.
template <class T, int Width>
aligned_vectors aligned_vectors_of(const T* p) {
  constexpr unsigned access = items_of_access<T, Width>;
  if constexpr (access != 0) {
    const auto address = reinterpret_cast<std::uintptr_t>(p);
    if (address % sizeof(T) == 0) return {static_cast<unsigned>((access - address / sizeof(T) % access) % access)};
  }
  return {};
}

template <class T, class Shape>
struct tile {
  static constexpr int width = Shape::width;
  using vector = simt::vector<T, width>;
  using items = vector[Shape::chunks];

  // The tile's item at which this thread's vector of a chunk begins.
  static __device__ __forceinline__ unsigned first_item(int chunk) {
    return simt::warp_id() * Shape::warp_items + static_cast<unsigned>(chunk) * Shape::chunk_items +
           simt::lane_id() * width;
  }

  // A vector of a backward tile as it lies in memory, and the other way round.
  static __device__ __forceinline__ vector reversed(const vector& v) {
    vector r;
#pragma unroll
    for (int j = 0; j < width; ++j) r[j] = v[width - 1 - j];
    return r;
  }

  // Loads the tile that begins at `in` and has `valid` >= 1 items; the missing items of a partial
  // tile become copies of in[0].
  static __device__ __forceinline__ void load(const T* in, unsigned valid, bool vector_aligned, items& item) {
    if constexpr (access != 0) {
      if (valid == Shape::items && vector_aligned) {
#pragma unroll
        for (int c = 0; c < Shape::chunks; ++c) item[c] = load_whole(in + first_item(c));
        return;
      }
    }
    const T filler = in[0];
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c)
#pragma unroll
      for (int j = 0; j < width; ++j) {
        const unsigned at = first_item(c) + static_cast<unsigned>(j);
        item[c][j] = at < valid ? in[at] : filler;
      }
  }

  // Stores the `valid` items of a tile that begins at `out`.
  static __device__ __forceinline__ void store(T* out, unsigned valid, bool vector_aligned, const items& item) {
    if constexpr (access != 0) {
      if (valid == Shape::items && vector_aligned) {
#pragma unroll
        for (int c = 0; c < Shape::chunks; ++c) store_whole(out + first_item(c), item[c]);
        return;
      }
    }
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c)
#pragma unroll
      for (int j = 0; j < width; ++j) {
        const unsigned at = first_item(c) + static_cast<unsigned>(j);
        if (at < valid) out[at] = item[c][j];
      }
  }

 private:
  static constexpr int access = items_of_access<T, width>;

  static __device__ __forceinline__ vector load_whole(const T* p) {
    vector v;
#pragma unroll
    for (int a = 0; a < width; a += access) {
      const auto part = simt::load_vector<T, access>(p + a);
#pragma unroll
      for (int j = 0; j < access; ++j) v[a + j] = part[j];
    }
    return v;
  }
  static __device__ __forceinline__ void store_whole(T* p, const vector& v) {
#pragma unroll
    for (int a = 0; a < width; a += access) {
      simt::vector<T, access> part;
#pragma unroll
      for (int j = 0; j < access; ++j) part[j] = v[a + j];
      simt::store_vector<T, access>(p + a, part);
    }
  }
};

}  // namespace ballot::block
