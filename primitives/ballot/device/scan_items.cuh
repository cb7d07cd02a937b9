// The steps of a scan that take place in a thread's registers: what a tile's items are to their warp and their tile.
//
// A thread holds `chunks` vectors of consecutive items (block/tile.cuh), so a warp scans a chunk by a scan in each lane
// and one warp scan of the lanes' sums; chunks are independent but for a running sum:
//
//     lane 0: a b c d   lane 1: e f g h ...     in each lane    a ab abc abcd      e ef efg efgh
//     warp scan of the last ones                                      abcd              abcd..h
//     what lies below joins each item                           a ab abc abcd      abcde ... abcd..h
//
// No shared memory, no barriers; all 32 lanes call together. Indices into registers are known to the compiler, so that
// nothing goes to local memory.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/scan.cuh>

namespace ballot::device {

// Scans the thread's chunks in place, inclusively, within the warp's run of the tile; returns the warp's total in every
// lane.
template <class T, class Shape, class Op>
__device__ __forceinline__ T scan_warp_items(typename block::tile<T, Shape>::items& item, Op op) {
  T running{};
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
#pragma unroll
    for (int j = 1; j < Shape::width; ++j) item[c][j] = op(item[c][j - 1], item[c][j]);
    const T up_to_lane = warp::inclusive_scan(item[c][Shape::width - 1], op);
    const T below = simt::shuffle_up(up_to_lane, 1);
    const bool has_below = simt::lane_id() != 0;
    if (c == 0) {
      if (has_below) {
#pragma unroll
        for (int j = 0; j < Shape::width; ++j) item[c][j] = op(below, item[c][j]);
      }
    } else {
      const T before_lane = has_below ? op(running, below) : running;
#pragma unroll
      for (int j = 0; j < Shape::width; ++j) item[c][j] = op(before_lane, item[c][j]);
    }
    const T chunk_total = simt::shuffle(up_to_lane, simt::warp_size - 1);
    running = c == 0 ? chunk_total : op(running, chunk_total);
  }
  return running;
}

// Puts `before` before each of the thread's items.
template <class T, class Shape, class Op>
__device__ __forceinline__ void put_before_items(typename block::tile<T, Shape>::items& item, T before, Op op) {
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c)
#pragma unroll
    for (int j = 0; j < Shape::width; ++j) item[c][j] = op(before, item[c][j]);
}

// Makes the warp's inclusive sums exclusive: each item becomes its predecessor's sum, from within the vector, from the
// lane below, from the chunk before; the first item of the warp becomes `before`.
template <class T, class Shape>
__device__ __forceinline__ void shift_items(typename block::tile<T, Shape>::items& item, T before) {
  T last_of_chunk = before;
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    const T last = item[c][Shape::width - 1];
    const T below = simt::shuffle_up(last, 1);
#pragma unroll
    for (int j = Shape::width - 1; j > 0; --j) item[c][j] = item[c][j - 1];
    item[c][0] = simt::lane_id() == 0 ? last_of_chunk : below;
    last_of_chunk = simt::shuffle(last, simt::warp_size - 1);
  }
}

// Calls use(item) in the one thread that holds item `place` of the tile.
template <class T, class Shape, class Use>
__device__ __forceinline__ void with_item(const typename block::tile<T, Shape>::items& item, unsigned place, Use use) {
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c)
#pragma unroll
    for (int j = 0; j < Shape::width; ++j)
      if (block::tile<T, Shape>::first_item(c) + j == place) use(item[c][j]);
}

}  // namespace ballot::device
