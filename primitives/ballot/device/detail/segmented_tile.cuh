// SPDX-License-Identifier: Apache-2.0
// Segmented scans within the registers of a block, for tiles independent of each other (block-wise scan). The steps
// across lanes and warps are those of the segmented scan too (segmented_items.cuh).
//
//     lane         0       1       2       3       ...     two items per lane here
//     items        a  b    c  d    e  f    g  h
//     heads        1  0    0  0    0  1    0  0            bits of each lane; votes of lanes with a head: 0b0101
//     inclusive    a  ab  abc abcd abcde f fg fgh
//
// Flags are not shuffled with the values. A vote tells every lane which lanes have a head. The
// leading zeros of the part at and below a lane give how far down its sum reaches (as in
// warp/segmented_binary_scan.cuh). So a warp's scan needs the shuffles of an ordinary one. Items
// with no head at or before them in their warp are *open*: the warp's prefix is applied to them
// once it is known. Across warps the method is the same, with a warp in place of a lane.
//
// T: trivially copyable, at most 16 bytes. Op: associative; operands keep their order. All threads call together.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/device/detail/scan_kind.hpp>
#include <ballot/device/flags.cuh>
#include <ballot/simt/simt.cuh>

namespace ballot::device {

// The valid items of a thread: bit c * width + j for item j of chunk c. An invalid item is a head, and the operator
// is not applied to it. For operators that may be applied to any value, all items count as valid.
struct valid_items {
  unsigned bits;
  __device__ __forceinline__ bool operator[](int i) const { return (bits >> i & 1u) != 0; }
};
inline constexpr valid_items all_items_valid{~0u};

// op of the items from the nearest head at or below this lane up to this lane. `heads` has a bit
// for each lane, and lane 0 counts as a head. For the first Lanes lanes; unspecified in the others.
template <unsigned Lanes = simt::warp_size, class T, class Op>
__device__ __forceinline__ T scan_lanes_from_heads(T item, unsigned heads, Op op) {
  unsigned reach = simt::lane_id() - (31u - simt::leading_zeros((heads | 1u) & simt::lanemask_le()));
  if constexpr (Lanes < simt::warp_size && !ballot::detail::accepts_any_operand<Op, T>)
    if (simt::lane_id() >= Lanes) reach = 0;
#pragma unroll
  for (unsigned distance = 1; distance < Lanes; distance *= 2) {
    const T below = simt::shuffle_up(item, distance);
    if (distance <= reach) item = op(below, item);
  }
  return item;
}

// The part of a warp's items that later warps need; the same in every lane.
template <class T>
struct warp_tail {
  T tail;  // op from the warp's last head, or from its first item if it has none, to its last item
  bool has_head;
};
template <class T>
struct warp_segments : warp_tail<T> {
  unsigned open;  // the number of open items of this lane: its first ones
};

// Scans the thread's chunks in place, within the warp's items. `heads` has bit c * width + j for
// item j of chunk c. Exclusive: each item becomes op of `initial` and the items before it in its
// segment. The sums, the tail too, contain `initial` from each head on. If the warp's first item is
// open, it is unspecified, and so are invalid items.
//
// No condition in the loop over chunks depends on the lane's number alone. nvcc 13 hoists such a
// condition out of the loop. Then lane 0 runs all chunks separately, votes and shuffles included.
// That is correct, at half the speed. So lane 0 differs by a bit of data, and by a mask that the
// compiler takes for variable.
template <scan_kind Kind, class T, class Shape, class Op>
__device__ __forceinline__ warp_segments<T> scan_segments_of_warp(typename block::tile<T, Shape>::items& item,
                                                                  unsigned heads, valid_items is_valid, T initial,
                                                                  Op op) {
  constexpr int width = Shape::width;
  constexpr bool exclusive = Kind == scan_kind::exclusive;
  heads |= ~is_valid.bits;
  // No item precedes the warp's first item in the warp, whether it is a head or not.
  const unsigned starts = heads | static_cast<unsigned>(simt::lane_id() == 0);
  warp_segments<T> warp{{T{}, false}, 0};
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    const unsigned head = heads >> (c * width) & low_bits(width), start = starts >> (c * width) & low_bits(width);
    const auto is_head = [&](int j) { return (head >> j & 1u) != 0; };
    const auto is_start = [&](int j) { return (start >> j & 1u) != 0; };
    const auto is_valid_at = [&](int j) { return is_valid[c * width + j]; };

    T tail = item[c][0];
    if (exclusive && is_head(0) && is_valid_at(0)) tail = op(initial, tail);
#pragma unroll
    for (int j = 1; j < width; ++j) {
      if constexpr (exclusive) tail = is_valid_at(j) ? op(is_head(j) ? initial : tail, item[c][j]) : item[c][j];
      else tail = is_head(j) ? item[c][j] : op(tail, item[c][j]);
    }
    const unsigned lanes_with_head = simt::ballot(head != 0);
    const bool head_below = (lanes_with_head & simt::lanemask_lt()) != 0;
    const T lane_inclusive = scan_lanes_from_heads(tail, lanes_with_head, op);
    T before = simt::shuffle_up(lane_inclusive, 1);
    if (c != 0) {
      const bool lane_0 = ((lanes_with_head | 1u) & simt::lanemask_lt()) == 0;
      if constexpr (ballot::detail::accepts_any_operand<Op, T>) {
        const T with_warp = op(warp.tail, before);  // not used in lane 0
        const T reaching = lane_0 ? warp.tail : with_warp;
        before = head_below ? before : reaching;
      } else {
        if (!head_below) before = lane_0 ? warp.tail : op(warp.tail, before);
      }
    }

#pragma unroll
    for (int j = 0; j < width; ++j) {
      const T own = item[c][j];
      if constexpr (exclusive) {
        const T left = is_head(j) ? initial : before;
        item[c][j] = left;
        before = (is_start(j) && !is_head(j)) || !is_valid_at(j) ? own : op(left, own);
      } else {
        before = is_start(j) ? own : op(before, own);
        item[c][j] = before;
      }
    }

    // The number of items below the lane's lowest head; all if it has no head.
    const unsigned leading = simt::popcount(((head & (0u - head)) - 1u) & low_bits(width));
    if (!warp.has_head && !head_below) warp.open = c * width + leading;
    const T chunk_tail = simt::shuffle(lane_inclusive, simt::warp_size - 1);
    warp.tail = c == 0 || lanes_with_head != 0 ? chunk_tail : op(warp.tail, chunk_tail);
    warp.has_head = warp.has_head || lanes_with_head != 0;
  }
  return warp;
}

// Applies the warp's exclusive prefix to its open items.
template <scan_kind Kind, class T, class Shape, class Op>
__device__ __forceinline__ void complete_open_items(typename block::tile<T, Shape>::items& item, unsigned open,
                                                    T before, Op op) {
  const bool first_is_unspecified = Kind == scan_kind::exclusive && simt::lane_id() == 0;
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    constexpr auto width = static_cast<unsigned>(Shape::width);
#pragma unroll
    for (unsigned j = 0; j < width; ++j) {
      if (!ballot::detail::accepts_any_operand<Op, T> && c == 0 && j == 0 && first_is_unspecified) continue;
      if (open > c * width + j) item[c][j] = op(before, item[c][j]);
    }
  }
  if (first_is_unspecified && open != 0) item[0][0] = before;
}

// The segmented exclusive prefix of a warp within its tile, and the tail of the tile.
template <class T>
struct block_segments {
  T exclusive;        // op from the nearest head in the preceding warps, or from the tile's first item; not in warp 0
  bool reaches_tile;  // no preceding warp has a head: `exclusive`, if there is one, begins with the tile
  T tail;             // op from the tile's last head, or from its first item if it has none, to its last
  bool has_head;      // of the tile
};

template <class T, int Threads>
class segments_across_warps {
  static constexpr unsigned warps = Threads / simt::warp_size;

 public:
  struct storage {
    T tail[warps];
    unsigned has_head[warps];
  };

  // One barrier; the storage may be used again after the next.
  template <class Op>
  static __device__ __forceinline__ block_segments<T> scan(storage& shared, const warp_tail<T>& mine, Op op) {
    const unsigned warp = simt::warp_id(), lane = simt::lane_id();
    if (lane == 0) {
      shared.tail[warp] = mine.tail;
      shared.has_head[warp] = mine.has_head;
    }
    simt::sync_block();
    // Lanes past the last warp repeat the last tail, a valid item, without its head; nothing depends on them.
    const unsigned warp_of_lane = lane < warps ? lane : warps - 1u;
    const unsigned heads = simt::ballot(lane < warps && shared.has_head[warp_of_lane] != 0);
    const T lane_inclusive = scan_lanes_from_heads<warps>(shared.tail[warp_of_lane], heads, op);
    return {simt::shuffle(lane_inclusive, warp == 0 ? 0u : warp - 1u), (heads & low_bits(warp)) == 0,
            simt::shuffle(lane_inclusive, warps - 1u), heads != 0};
  }
};

}  // namespace ballot::device
