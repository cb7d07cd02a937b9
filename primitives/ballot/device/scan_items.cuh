// The steps of a scan that take place in a thread's registers: what a tile's items are to their warp and their tile.
//
// A thread has `chunks` vectors of consecutive items (block/tile.cuh), staged in shared memory (block/staged_tile.cuh).
// Before the look-back a tile needs only sums: each lane sums its vectors, and a warp scan a chunk says what lies before
// each of them. That is all that is kept; once the tile's prefix is known, a scan along each vector does the rest.
//
//                                lane 0: a b c d     lane 1:    e f g h     ...
//     sums                               abcd                   efgh
//     warp scan of them                  abcd                   abcdefgh
//     kept: before the vector            -                      abcd
//     after the look-back, along         a ab abc abcd          abcde abcdef ...       each with the tile's prefix
//
// No shared memory, no barriers; all 32 lanes call together. Indices into registers are known to the compiler, so that
// nothing goes to local memory.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/scan.cuh>

#include <cstdint>

namespace ballot::device {

// What lies before each of a thread's vectors in its warp's run of the tile. Nothing does before the first one of lane
// 0, whose entry is not used.
template <class T, class Shape>
struct sums_before_vectors {
  T before[Shape::chunks];
  T warp_total;  // op of the whole run, in every lane

  static __device__ __forceinline__ bool has_before(int c) { return c != 0 || simt::lane_id() != 0; }
};

// vector_of(c): the thread's vector of chunk c.
template <class T, class Shape, class VectorOf, class Op>
__device__ __forceinline__ sums_before_vectors<T, Shape> sum_vectors(VectorOf vector_of, Op op) {
  sums_before_vectors<T, Shape> sums{};
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    const simt::vector<T, Shape::width> v = vector_of(c);
    T sum = v[0];
#pragma unroll
    for (int j = 1; j < Shape::width; ++j) sum = op(sum, v[j]);
    const T up_to_lane = warp::inclusive_scan(sum, op);
    const T below = simt::shuffle_up(up_to_lane, 1);
    const bool has_below = simt::lane_id() != 0;
    if (c == 0) sums.before[c] = below;
    else sums.before[c] = has_below ? op(sums.warp_total, below) : sums.warp_total;
    const T chunk_total = simt::shuffle(up_to_lane, simt::warp_size - 1);
    sums.warp_total = c == 0 ? chunk_total : op(sums.warp_total, chunk_total);
  }
  return sums;
}

// The inclusive sums of a vector, with `before`, where there is any, before all.
template <class T, int Width, class Op>
__device__ __forceinline__ simt::vector<T, Width> inclusive_along(simt::vector<T, Width> v, bool has_before, T before,
                                                                  Op op) {
  if (has_before) v[0] = op(before, v[0]);
#pragma unroll
  for (int j = 1; j < Width; ++j) v[j] = op(v[j - 1], v[j]);
  return v;
}

// The exclusive ones: `before` first.
template <class T, int Width, class Op>
__device__ __forceinline__ simt::vector<T, Width> exclusive_along(const simt::vector<T, Width>& v, T before, Op op) {
  simt::vector<T, Width> sums;
  sums[0] = before;
#pragma unroll
  for (int j = 1; j < Width; ++j) sums[j] = op(sums[j - 1], v[j - 1]);
  return sums;
}

// Calls use(j) in the one thread that has item `place` of the tile, if it is in chunk c: it is item j of the vector.
template <class T, class Shape, class Use>
__device__ __forceinline__ void with_item(int c, unsigned place, Use use) {
#pragma unroll
  for (int j = 0; j < Shape::width; ++j)
    if (block::tile<T, Shape>::first_item(c) + static_cast<unsigned>(j) == place) use(j);
}

}  // namespace ballot::device
