// SPDX-License-Identifier: Apache-2.0
// The steps of a scan within a thread and its warp.
//
// A thread has `Chunks` vectors of consecutive items in shared memory (block/staged_tile.cuh).
// Before the look-back a tile needs only sums. Each lane sums its vectors, and one warp scan gives
// each lane its exclusive prefix. Only that prefix is kept. Once the tile's prefix is known, a scan
// along the vectors completes the work.
//
//                                lane 0: ab cd       lane 1:    ef gh       ...
//     sums                               abcd                   efgh
//     inclusive warp scan                abcd                   abcdefgh
//     kept: exclusive prefix             -                      abcd
//     after the look-back, along         a ab abc abcd          abcde abcdef ...       each with the tile's prefix
//
// Vectors are simt::vector, or packed_bytes for sums of bytes (device/detail/byte_sums.cuh).
//
// No shared memory of its own, no barriers. All 32 lanes call together where a comment says so.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/device/detail/byte_sums.cuh>
#include <ballot/device/detail/scan_kind.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/scan.cuh>

namespace ballot::device {

template <class T, int Width, class Op>
__device__ __forceinline__ T sum_of_vector(const simt::vector<T, Width>& v, Op op) {
  T sum = v[0];
#pragma unroll
  for (int j = 1; j < Width; ++j) sum = op(sum, v[j]);
  return sum;
}

// op of all of a thread's items. get(c): its vector c.
template <class T, int Chunks, class Get, class Op>
__device__ __forceinline__ T sum_of_vectors(Get get, Op op) {
  T sum = sum_of_vector(get(0), op);
#pragma unroll
  for (int c = 1; c < Chunks; ++c) sum = op(sum, sum_of_vector(get(c), op));
  return sum;
}

// op of a thread's first `count` items; unspecified if that is 0. Slow: for the threads of one tile.
template <class T, int Width, class Get, class Op>
__device__ __forceinline__ T sum_of_first(unsigned count, Get get, Op op) {
  T sum{};
#pragma unroll 1
  for (unsigned c = 0; c * Width < count; ++c) {
    const auto v = get(static_cast<int>(c));
#pragma unroll
    for (int j = 0; j < Width; ++j)
      if (c * Width + static_cast<unsigned>(j) < count) sum = c == 0 && j == 0 ? v[0] : op(sum, v[j]);
  }
  return sum;
}

// The exclusive prefix of a lane within its warp, by the sum of its items. Lane 0 has none: its `exclusive` is not
// used.
template <class T>
struct lane_prefix_sum {
  T exclusive;
  T warp_aggregate;  // op of the whole warp, in every lane

  static __device__ __forceinline__ bool has_exclusive() { return simt::lane_id() != 0; }
};

// All 32 lanes of the warp. sum: of the lane's items. extent: which lanes have items.
template <class T, class Op, class Extent = warp::all_items>
__device__ __forceinline__ lane_prefix_sum<T> scan_lane_sums(T sum, Op op, Extent extent = {}) {
  const T inclusive = warp::inclusive_scan(sum, op, extent);
  return {simt::shuffle_up(inclusive, 1),
          simt::shuffle(inclusive, warp::last_of<warp::forward>(extent.template lanes<1>()))};
}

// The inclusive sums of a vector, preceded by `prefix` if has_prefix.
template <class T, int Width, class Op>
__device__ __forceinline__ simt::vector<T, Width> inclusive_along(simt::vector<T, Width> v, bool has_prefix, T prefix,
                                                                  Op op) {
  if (has_prefix) v[0] = op(prefix, v[0]);
#pragma unroll
  for (int j = 1; j < Width; ++j) v[j] = op(v[j - 1], v[j]);
  return v;
}

// The exclusive sums of a vector: `prefix` first.
template <class T, int Width, class Op>
__device__ __forceinline__ simt::vector<T, Width> exclusive_along(const simt::vector<T, Width>& v, T prefix, Op op) {
  simt::vector<T, Width> sums;
  sums[0] = prefix;
#pragma unroll
  for (int j = 1; j < Width; ++j) sums[j] = op(sums[j - 1], v[j - 1]);
  return sums;
}

// The sums along a vector with `count` valid items; the operator is not applied to the others. `prefix` and
// `has_prefix` become those of the next vector.
template <scan_kind Kind, class T, int Width, class Op>
__device__ __forceinline__ simt::vector<T, Width> scan_along_first(unsigned count, simt::vector<T, Width> v,
                                                                   bool& has_prefix, T& prefix, Op op) {
#pragma unroll
  for (int j = 0; j < Width; ++j) {
    if (static_cast<unsigned>(j) >= count) continue;
    const T item_inclusive = has_prefix ? op(prefix, v[j]) : v[j];
    v[j] = is_exclusive(Kind) ? prefix : item_inclusive;
    prefix = item_inclusive;
    has_prefix = true;
  }
  return v;
}

}  // namespace ballot::device
