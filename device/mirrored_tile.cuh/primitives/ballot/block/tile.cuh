// How a tile lies over a block, and its loads and stores.
//
// Each warp owns a contiguous run of the tile and takes it in chunks of 32 vectors, one vector of `width` consecutive
// items a lane. So a chunk is one wide coalesced access of the warp, needs no exchange through shared memory, and is
// already in the order of a warp scan: lane 0 holds its first items, lane 31 its last.
//
//     warp w, chunk c:   | lane 0: i i i i | lane 1: i i i i | ... | lane 31: i i i i |       width 4
//
// Vectors are loaded and stored whole where the address allows it and the tile is full; else item by item.
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

// Whether the hardware has an access for a vector of this size.
template <class T, int Width>
inline constexpr bool is_one_access = Width * sizeof(T) == 1 || Width * sizeof(T) == 2 || Width * sizeof(T) == 4 ||
                                      Width * sizeof(T) == 8 || Width * sizeof(T) == 16;

// Whether vectors of this width can be moved whole to and from `p`, a multiple of them apart.
template <class T, int Width>
inline bool whole_vectors_at(const T* p) {
  return is_one_access<T, Width> && reinterpret_cast<std::uintptr_t>(p) % (Width * sizeof(T)) == 0;
}

template <class T, class Shape>
struct tile {
  static constexpr int width = Shape::width;
  using items = simt::vector<T, width>[Shape::chunks];

  // Where in the tile this thread's vector of chunk c begins.
  static __device__ __forceinline__ unsigned first_item(int chunk) {
    return simt::warp_id() * Shape::warp_items + static_cast<unsigned>(chunk) * Shape::chunk_items +
           simt::lane_id() * width;
  }

  // Loads the tile that begins at `in` and has `valid` items; the missing ones of a last tile become copies of its
  // first item. valid >= 1.
  static __device__ __forceinline__ void load(const T* in, unsigned valid, bool whole_vectors, items& item) {
    if constexpr (is_one_access<T, width>) {
      if (valid == Shape::items && whole_vectors) {
#pragma unroll
        for (int c = 0; c < Shape::chunks; ++c) item[c] = simt::load_vector<T, width>(in + first_item(c));
        return;
      }
    }
    const T filler = in[0];
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) {
      const unsigned first = first_item(c);
#pragma unroll
      for (int j = 0; j < width; ++j) item[c][j] = first + j < valid ? in[first + j] : filler;
    }
  }

  static __device__ __forceinline__ void store(T* out, unsigned valid, bool whole_vectors, const items& item) {
    if constexpr (is_one_access<T, width>) {
      if (valid == Shape::items && whole_vectors) {
#pragma unroll
        for (int c = 0; c < Shape::chunks; ++c) simt::store_vector<T, width>(out + first_item(c), item[c]);
        return;
      }
    }
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) {
      const unsigned first = first_item(c);
#pragma unroll
      for (int j = 0; j < width; ++j)
        if (first + j < valid) out[first + j] = item[c][j];
    }
  }
};

}  // namespace ballot::block
