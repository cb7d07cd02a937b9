// How a tile lies over a block, and its loads and stores.
//
// Each warp owns a contiguous run of the tile and takes it in chunks of 32 vectors, one vector of `width` consecutive
// items a lane. So a chunk is one wide coalesced access of the warp, needs no exchange through shared memory, and is
// already in the order of a warp scan: lane 0 holds its first items, lane 31 its last.
//
//     warp w, chunk c:   | lane 0: i i i i | lane 1: i i i i | ... | lane 31: i i i i |       width 4
//     backward:          | lane 31 ...                   ... | lane 1: 3 2 1 0 | lane 0: 3 2 1 0 |
//
// Mirrored, the tile's last item in memory is its item 0: the same vectors move, to other lanes, and are turned round
// in registers. Vectors are loaded and stored whole where the address allows it and the tile is full (in pieces of 16
// bytes where they are longer); else item by item.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstddef>
#include <cstdint>

namespace ballot::block {

// Threads a block, vectors a thread, items a vector. A type, because nvcc takes no value of a class as a kernel's
// parameter.
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

// The most items a 16-byte access takes; 1 where the size does not divide it.
template <class T>
constexpr int vector_width(int at_most = 4) {
  int width = 1;
  for (int w = 2; w <= at_most; w *= 2)
    if (w * sizeof(T) <= 16 && 16 % sizeof(T) == 0) width = w;
  return width;
}

// The most items of a vector that move in one access; 0 where the hardware has no access for even one of them.
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

// Whether vectors of this width can be moved whole to and from `p`, a multiple of them apart.
template <class T, int Width>
inline bool is_vector_aligned(const T* p) {
  constexpr int access = items_of_access<T, Width>;
  return access != 0 && reinterpret_cast<std::uintptr_t>(p) % (access == 0 ? 1 : access * sizeof(T)) == 0;
}

template <class T, class Shape>
struct tile {
  static constexpr int width = Shape::width;
  using vector = simt::vector<T, width>;
  using items = vector[Shape::chunks];

  // Where in the tile this thread's vector of chunk c begins.
  static __device__ __forceinline__ unsigned first_item(int chunk) {
    return simt::warp_id() * Shape::warp_items + static_cast<unsigned>(chunk) * Shape::chunk_items +
           simt::lane_id() * width;
  }

  // A vector of the backward tile as it lies in memory, and back.
  static __device__ __forceinline__ vector reversed(const vector& v) {
    vector r;
#pragma unroll
    for (int j = 0; j < width; ++j) r[j] = v[width - 1 - j];
    return r;
  }

  // Loads the tile that begins at `in` and has `valid` items; the missing ones of a tile that is not full become copies
  // of the first in memory. valid >= 1. Mirrored: item 0 is in[valid - 1], the missing ones are the last all the same.
  static __device__ __forceinline__ void load(const T* in, unsigned valid, bool vector_aligned, items& item,
                                              bool backward = false) {
    load_each(in, valid, vector_aligned, backward, [&](int c, const vector& v) { item[c] = v; });
  }
  // The same, but calls put(chunk, vector) with each of the thread's vectors.
  template <class Put>
  static __device__ __forceinline__ void load_each(const T* in, unsigned valid, bool vector_aligned, bool backward,
                                                   Put put) {
    if constexpr (items_of_access<T, width> != 0) {
      if (valid == Shape::items && vector_aligned) {
        if (backward) {
#pragma unroll
          for (int c = 0; c < Shape::chunks; ++c)
            put(c, reversed(load_whole(in + (Shape::items - width - first_item(c)))));
        } else {
#pragma unroll
          for (int c = 0; c < Shape::chunks; ++c) put(c, load_whole(in + first_item(c)));
        }
        return;
      }
    }
    const T filler = in[0];
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) {
      const unsigned first = first_item(c);
      vector v;
#pragma unroll
      for (int j = 0; j < width; ++j)
        v[j] = first + j < valid ? in[backward ? valid - 1 - (first + j) : first + j] : filler;
      put(c, v);
    }
  }

  // Stores the `valid` items of a tile whose place in memory begins at `out`, as `load` takes them from there.
  static __device__ __forceinline__ void store(T* out, unsigned valid, bool vector_aligned, const items& item,
                                               bool backward = false) {
    store_each(out, valid, vector_aligned, backward, [&](int c) { return item[c]; });
  }
  // The same, but asks get(chunk) for each of the thread's vectors.
  template <class Get>
  static __device__ __forceinline__ void store_each(T* out, unsigned valid, bool vector_aligned, bool backward,
                                                    Get get) {
    if constexpr (items_of_access<T, width> != 0) {
      if (valid == Shape::items && vector_aligned) {
        if (backward) {
#pragma unroll
          for (int c = 0; c < Shape::chunks; ++c)
            store_whole(out + (Shape::items - width - first_item(c)), reversed(get(c)));
        } else {
#pragma unroll
          for (int c = 0; c < Shape::chunks; ++c) store_whole(out + first_item(c), get(c));
        }
        return;
      }
    }
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) {
      const unsigned first = first_item(c);
      const vector v = get(c);
#pragma unroll
      for (int j = 0; j < width; ++j)
        if (first + j < valid) out[backward ? valid - 1 - (first + j) : first + j] = v[j];
    }
  }

 private:
  static constexpr int access = items_of_access<T, width>;

  static __device__ __forceinline__ vector load_whole(const T* p) {
    if constexpr (is_one_access<T, width>) {
      return simt::load_vector<T, width>(p);
    } else {
      vector v;
#pragma unroll
      for (int a = 0; a < width; a += access) {
        const auto part = simt::load_vector<T, access>(p + a);
#pragma unroll
        for (int j = 0; j < access; ++j) v[a + j] = part[j];
      }
      return v;
    }
  }
  static __device__ __forceinline__ void store_whole(T* p, const vector& v) {
    if constexpr (is_one_access<T, width>) {
      simt::store_vector<T, width>(p, v);
    } else {
#pragma unroll
      for (int a = 0; a < width; a += access) {
        simt::vector<T, access> part;
#pragma unroll
        for (int j = 0; j < access; ++j) part[j] = v[a + j];
        simt::store_vector<T, access>(p + a, part);
      }
    }
  }
};

}  // namespace ballot::block
