// SPDX-License-Identifier: Apache-2.0
// The tile of a reduction of runs (kernel.cuh): its shared memory, the items of a thread, and their
// segmented scan across the block.
#pragma once

#include <ballot/block/shifted_tile.cuh>
#include <ballot/block/staged_tile.cuh>
#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/device/detail/segmented_items.cuh>
#include <ballot/device/detail/segmented_tile.cuh>
#include <ballot/device/flags.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

template <class T, class Shape, class Heads, bool MayShift>
struct reduce_runs_storage {
  typename block::shifted_tile<T, Shape, MayShift>::storage values;
  typename Heads::template tile<Shape, MayShift>::storage keys;
  typename device::segments_across_warps<T, Shape::threads>::storage warps;
  unsigned heads_of_warp[Shape::warps];
  std::uint32_t tile;
  std::uint64_t runs_before;
  alignas(16) alignas(T) T prefix;
};

template <class Shape, class T, class Op, bool MayShift>
struct reduce_runs_tile {
  using staged = block::staged_tile<T, Shape>;
  using loaded = block::shifted_tile<T, Shape, MayShift>;
  static constexpr unsigned run = Shape::chunks * Shape::width;
  loaded own;
  T item[run];

  // vectors: those of the values, if they are a range of this type.
  template <class Values>
  __device__ __forceinline__ void start(typename loaded::storage& shared, const Values& values, std::uint64_t begin,
                                        unsigned valid, std::uint64_t n, const block::aligned_vectors& vectors) {
    if constexpr (Values::is_direct) {
      own.start(shared, values.data, begin, valid, n, vectors);
    } else {
      own.template start_each<Values::loaded_bytes>(
          shared, valid, [&](unsigned at) { return values[begin + (at < valid ? at : 0u)]; });
    }
  }
  __device__ __forceinline__ void get(typename loaded::storage& shared) { own.get(shared, item); }
  // op of the items from the thread's last head on, or of all its items if it has no head.
  __device__ __forceinline__ T tail(unsigned heads, Op op) const {
    T sum = item[0];
#pragma unroll
    for (unsigned i = 1; i < run; ++i) sum = (heads >> i & 1u) != 0 ? item[i] : op(sum, item[i]);
    return sum;
  }
  // Stages in place of each item what the items before it in its run give; only vectors with a head
  // need it. all_heads: heads, and items that do not exist. before: what the items before the
  // thread's give.
  __device__ __forceinline__ void stage(typename staged::storage& shared, unsigned heads, unsigned all_heads, T before,
                                        Op op) const {
    const bool is_first_thread = simt::thread_rank() == 0;
    if (is_first_thread) before = item[0];  // nothing comes before it: any value
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) {
      simt::vector<T, Shape::width> v;
#pragma unroll
      for (int j = 0; j < Shape::width; ++j) {
        const unsigned i = c * Shape::width + j;
        v[j] = before;
        if ((heads >> i & 1u) != 0) before = item[i];
        else if (accepts_any_operand<Op, T> || (all_heads >> i & 1u) == 0)
          before = i == 0 && is_first_thread ? item[i] : op(before, item[i]);
      }
      if ((all_heads >> (c * Shape::width) & device::low_bits_of_word(Shape::width)) != 0)
        staged::put(shared, c, false, v);
    }
  }
};

// The block's tile, and the thread in it. The thread's numbers are read once: to read them again in
// each step costs few tiles 2 to 3 %.
struct tile_of_block {
  unsigned thread, warp, lane;
  std::uint32_t index;
  std::uint64_t n, tiles, begin;
  unsigned valid;
};

// The facts about the tile that a thread knows when the block has been scanned.
template <class T>
struct scanned_runs {
  T before;            // op of the items of the tile before the thread's, from the last head on
  unsigned warp_rank;  // heads of the tile before the warp's items
  unsigned tile_heads;
  T tail;  // of the tile
};

// By all threads. all_heads: those of the thread's items, with missing items as heads. warp_heads:
// how many heads the warp has.
template <class T, class Shape, class Storage, class Tile, class Op>
__device__ __forceinline__ scanned_runs<T> scan_runs(Storage& shared, const tile_of_block& at, const Tile& tile,
                                                     unsigned all_heads, unsigned warp_heads, const Op& op) {
  const unsigned warp = at.warp, lane = at.lane;
  const device::lane_segments<T> lanes = device::scan_lane_segments(tile.tail(all_heads, op), all_heads, op);
  if (lane == simt::warp_size - 1) shared.heads_of_warp[warp] = warp_heads;
  const device::block_segments<T> block =
      device::segments_across_warps<T, Shape::threads>::scan(shared.warps, lanes.warp, op);
  scanned_runs<T> all{lanes.exclusive, 0, 0, block.tail};
#pragma unroll
  for (unsigned w = 0; w < static_cast<unsigned>(Shape::warps); ++w) {
    if (w < warp) all.warp_rank += shared.heads_of_warp[w];
    all.tile_heads += shared.heads_of_warp[w];
  }
  if (warp != 0) {
    if (lane == 0) all.before = block.exclusive;
    else if (!lanes.has_head_below) all.before = op(block.exclusive, lanes.exclusive);
  }
  return all;
}

}  // namespace ballot::detail
