// A tile of keys as the histograms of a radix sort read it: loaded by vectors, encoded, and asked whether it is in order.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

// An exchange between lanes, in words of 64 bits: a key of 16 bytes does not go through memory for it.
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

// The tile's keys as in block::tile; those of 16 bytes by plain loads, which are as wide.
template <class U, class Shape>
__device__ __forceinline__ void load_keys(const U* keys, unsigned valid, bool whole_vectors,
                                          simt::vector<U, Shape::width> (&key)[Shape::chunks]) {
  using tile = block::tile<U, Shape>;
  if constexpr (sizeof(U) <= 8) {
    tile::load(keys, valid, whole_vectors, key);
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

// Keys become their ordered bits; most are already.
template <class U, int Chunks, int Width>
__device__ __forceinline__ void encode_keys(const key_codec<U>& codec, simt::vector<U, Width> (&key)[Chunks]) {
  if (codec.is_identity()) return;
#pragma unroll
  for (int c = 0; c < Chunks; ++c)
#pragma unroll
    for (int j = 0; j < Width; ++j) key[c][j] = codec.encode(key[c][j]);
}

// Whether the warp's keys of a tile are in order, and the last of them before the key that follows. asked[c][j] as in
// block::tile; `following` is the key behind the warp's last, in its last lane, where there is one.
template <class U, class Shape>
__device__ __forceinline__ bool in_order_in_warp(const simt::vector<U, Shape::width> (&asked)[Shape::chunks],
                                                 unsigned first_item, unsigned valid, U following, bool follows) {
  bool ordered = true;
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    const unsigned first = first_item + static_cast<unsigned>(c) * Shape::chunk_items;
#pragma unroll
    for (int j = 0; j + 1 < Shape::width; ++j) ordered &= first + j + 1 >= valid || asked[c][j] <= asked[c][j + 1];
    // The key behind a lane's last is the next lane's first; behind the last lane's, the next chunk's first.
    U next = exchange_key(asked[c][0], [](auto word) { return simt::shuffle_down(word, 1); });
    bool is_next = first + Shape::width < valid;
    const U of_next_chunk =
        c + 1 < Shape::chunks ? key_of_first_lane(asked[c + 1 < Shape::chunks ? c + 1 : c][0]) : following;
    if (simt::lane_id() == simt::warp_size - 1) {
      next = of_next_chunk;
      if (c + 1 == Shape::chunks) is_next = follows;
    }
    ordered &= !is_next || asked[c][Shape::width - 1] <= next;
  }
  return simt::all(ordered);
}

}  // namespace ballot::detail
