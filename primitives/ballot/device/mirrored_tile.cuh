// A tile seen from its end, for scans that run backward: thread t takes the place of thread threads - 1 - t and turns
// its items round.
//
//     memory      thread 0: a b c d    thread 1: e f g h        8 items, two threads of a vector of 4
//     mirrored    thread 0: h g f e    thread 1: d c b a
//
// So the same vectors move, and turning is a matter of names of registers. Tiles keep their places in memory, which
// keeps vectors aligned: it is the first tile in the order of the scan, the last in memory, that may not be full, and
// its missing items come first.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/device/flags.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::device {

// Where in the tile, as it lies in memory, the items of this thread begin. Chunk c there is its chunk chunks - 1 - c.
template <class Shape>
__device__ __forceinline__ unsigned mirrored_first_item() {
  return Shape::items - Shape::warp_items + Shape::chunk_items - Shape::width -
         block::tile<std::uint8_t, Shape>::first_item(0);
}

template <class T, class Shape>
struct mirrored_tile {
  static constexpr int width = Shape::width, chunks = Shape::chunks;
  using items = typename block::tile<T, Shape>::items;

  // Loads the tile that begins at `in` and has `valid` items; the missing ones become copies of in[0]. valid >= 1.
  static __device__ __forceinline__ void load(const T* in, unsigned valid, bool whole_vectors, items& item) {
    const unsigned first = mirrored_first_item<Shape>();
    if constexpr (block::items_of_access<T, width> == width) {
      if (valid == Shape::items && whole_vectors) {
#pragma unroll
        for (int c = 0; c < chunks; ++c)
          item[chunks - 1 - c] = turned(simt::load_vector<T, width>(in + first + c * Shape::chunk_items));
        return;
      }
    }
    const T filler = in[0];
#pragma unroll
    for (int c = 0; c < chunks; ++c) {
#pragma unroll
      for (int j = 0; j < width; ++j) {
        const unsigned at = first + c * Shape::chunk_items + static_cast<unsigned>(j);
        item[chunks - 1 - c][width - 1 - j] = at < valid ? in[at] : filler;
      }
    }
  }

  static __device__ __forceinline__ void store(T* out, unsigned valid, bool whole_vectors, const items& item) {
    const unsigned first = mirrored_first_item<Shape>();
    if constexpr (block::items_of_access<T, width> == width) {
      if (valid == Shape::items && whole_vectors) {
#pragma unroll
        for (int c = 0; c < chunks; ++c)
          simt::store_vector<T, width>(out + first + c * Shape::chunk_items, turned(item[chunks - 1 - c]));
        return;
      }
    }
#pragma unroll
    for (int c = 0; c < chunks; ++c) {
#pragma unroll
      for (int j = 0; j < width; ++j) {
        const unsigned at = first + c * Shape::chunk_items + static_cast<unsigned>(j);
        if (at < valid) out[at] = item[chunks - 1 - c][width - 1 - j];
      }
    }
  }

 private:
  static __device__ __forceinline__ simt::vector<T, width> turned(const simt::vector<T, width>& v) {
    simt::vector<T, width> reversed;
#pragma unroll
    for (int j = 0; j < width; ++j) reversed[j] = v[width - 1 - j];
    return reversed;
  }
};

}  // namespace ballot::device
