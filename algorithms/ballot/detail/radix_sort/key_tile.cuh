// SPDX-License-Identifier: Apache-2.0
// A tile of keys as the histograms read it: loaded by vectors, encoded, and checked for order.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

// An exchange between lanes, in words of 64 bits, so that keys of 16 bytes need not go through
// memory.
template <class U, class Exchange>
__device__ __forceinline__ U exchange_key(U key, Exchange exchange) {
  if constexpr (sizeof(U) <= 8) {
    return exchange(key);
  } else {
    const std::uint64_t low = exchange(static_cast<std::uint64_t>(key));
    return static_cast<U>(exchange(static_cast<std::uint64_t>(key >> 64))) << 64 | low;
  }
}
template <class U>
__device__ __forceinline__ U key_of_first_lane(U key) {
  return exchange_key(key, [](auto word) { return simt::shuffle(word, 0); });
}

// The tile's keys, as in block::tile. Keys of 16 bytes take plain loads, which are as wide as
// vectors.
template <class U, class Shape>
__device__ __forceinline__ void load_keys(const U* keys, unsigned valid, bool vector_aligned,
                                          simt::vector<U, Shape::width> (&key)[Shape::chunks]) {
  using tile = block::tile<U, Shape>;
  if constexpr (sizeof(U) <= 8) {
    tile::load(keys, valid, vector_aligned, key);
  } else {
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c)
#pragma unroll
      for (int j = 0; j < Shape::width; ++j) {
        const unsigned at = tile::first_item(c) + static_cast<unsigned>(j);
        key[c][j] = at < valid ? keys[at] : U{};
      }
  }
}

// Replaces keys by their ordered bits; most keys equal those.
template <class U, int Chunks, int Width>
__device__ __forceinline__ void encode_keys(const key_codec<U>& codec, simt::vector<U, Width> (&key)[Chunks]) {
  if (codec.is_identity()) return;
#pragma unroll
  for (int c = 0; c < Chunks; ++c)
#pragma unroll
    for (int j = 0; j < Width; ++j) key[c][j] = codec.encode(key[c][j]);
}

// Whether the warp's keys of a tile are in order, and its last key is not greater than the key that
// follows. compared[c][j]: as in block::tile. follows: whether there is a key after the warp's
// last one. following: that key, in the last lane.
template <class U, class Shape>
__device__ __forceinline__ bool in_order_in_warp(const simt::vector<U, Shape::width> (&compared)[Shape::chunks],
                                                 unsigned first_item, unsigned valid, U following, bool follows) {
  bool ordered = true;
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    const unsigned first = first_item + static_cast<unsigned>(c) * Shape::chunk_items;
#pragma unroll
    for (int j = 0; j + 1 < Shape::width; ++j)
      ordered &= first + j + 1 >= valid || compared[c][j] <= compared[c][j + 1];
    // A lane's last key is followed by the next lane's first; in the last lane by the next chunk's
    // first.
    U next = exchange_key(compared[c][0], [](auto word) { return simt::shuffle_down(word, 1); });
    bool is_next = first + Shape::width < valid;
    const U of_next_chunk =
        c + 1 < Shape::chunks ? key_of_first_lane(compared[c + 1 < Shape::chunks ? c + 1 : c][0]) : following;
    if (simt::lane_id() == simt::warp_size - 1) {
      next = of_next_chunk;
      if (c + 1 == Shape::chunks) is_next = follows;
    }
    ordered &= !is_next || compared[c][Shape::width - 1] <= next;
  }
  return simt::all(ordered);
}

}  // namespace ballot::detail
