// SPDX-License-Identifier: Apache-2.0
// Segmented scans in threads with consecutive items: the counterpart of scan_items.cuh.
//
//     lane         0            1            2                 four items per lane here
//     items        a b c d      e f g h      i j k l
//     heads        1 0 0 0      0 0 1 0      0 0 0 0           a bit for each item, in its thread's word
//     tails        abcd         gh           ijkl              from the last head, or from the first item
//     inclusive    abcd         gh           ghijkl            one segmented warp scan; a vote finds lanes with heads
//     along        a ab abc ..  abcde .. gh  ghi ghij ...      from the lane's exclusive prefix, restarting at heads
//
// Items with no head at or before them in their warp are open: the warp's prefix is applied to them once it is known
// (segments_across_warps, look_back).
//
// T: trivially copyable, at most 16 bytes. Op: associative; operands keep their order. No shared memory, no barriers.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/device/detail/scan_kind.hpp>
#include <ballot/device/detail/segmented_tile.cuh>
#include <ballot/simt/simt.cuh>

namespace ballot::device {

// op of the thread's items from its last head on, or of all if it has no head. `heads`: bit i for its item i. Of a kind
// with an initial value: preceded by `initial` if there is a head. get(c): its vector c. Invalid items are heads.
template <scan_kind Kind, class T, class Shape, class Get, class Op>
__device__ __forceinline__ T thread_tail(Get get, unsigned heads, valid_items is_valid, T initial, Op op) {
  T tail{};
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    const simt::vector<T, Shape::width> v = get(c);
#pragma unroll
    for (int j = 0; j < Shape::width; ++j) {
      const bool is_head = (heads >> (c * Shape::width + j) & 1u) != 0, is_first = c == 0 && j == 0;
      if constexpr (has_initial(Kind)) {
        if (!is_valid[c * Shape::width + j]) tail = v[j];
        else if (is_first) tail = is_head ? op(initial, v[j]) : v[j];
        else tail = op(is_head ? initial : tail, v[j]);
      } else {
        tail = is_first || is_head ? v[j] : op(tail, v[j]);
      }
    }
  }
  return tail;
}

// The segmented exclusive prefix of a lane within its warp's items, and the tail of the warp.
template <class T>
struct lane_segments {
  T exclusive;          // op from the nearest head in the lanes below, or from the warp's first item; not in lane 0
  bool has_head_below;  // `exclusive` begins with a head
  warp_tail<T> warp;
  bool warp_is_open;  // the warp's first item is not a head; the same in every lane
};

// All 32 lanes of the warp.
template <class T, class Op>
__device__ __forceinline__ lane_segments<T> scan_lane_segments(T tail, unsigned heads, Op op) {
  const unsigned lanes_with_head = simt::ballot(heads != 0);
  const bool first_is_head = (simt::ballot((heads & 1u) != 0) & 1u) != 0;
  const T inclusive = scan_lanes_from_heads(tail, lanes_with_head, op);
  return {simt::shuffle_up(inclusive, 1),
          (lanes_with_head & simt::lanemask_lt()) != 0,
          {simt::shuffle(inclusive, simt::warp_size - 1), lanes_with_head != 0},
          !first_is_head};
}

// The sums along a vector. heads, is_valid: a low bit for each item. prefix: the exclusive prefix
// of the vector. It becomes that of the next vector.
template <scan_kind Kind, class T, int Width, class Op>
__device__ __forceinline__ simt::vector<T, Width> scan_along(simt::vector<T, Width> v, unsigned heads,
                                                             valid_items is_valid, T& prefix, T initial, Op op) {
#pragma unroll
  for (int j = 0; j < Width; ++j) {
    const bool is_head = (heads >> j & 1u) != 0;
    if constexpr (has_initial(Kind)) {
      const T left = is_head ? initial : prefix;
      if (is_valid[j]) prefix = op(left, v[j]);
      v[j] = is_exclusive(Kind) ? left : prefix;
    } else {
      prefix = is_head ? v[j] : op(prefix, v[j]);
      v[j] = prefix;
    }
  }
  return v;
}

}  // namespace ballot::device
