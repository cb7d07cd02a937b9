// SPDX-License-Identifier: Apache-2.0
// Prefix sums of the segments of a warp where each lane holds several consecutive items, with a
// head flag for each.
//
//     lane          0         1         2
//     items         a b c     d e f     g h i
//     heads         . . .     . 1 .     . . .
//     starts        none      item 1    none       backward at the item before a head: item 0 of
//                                                  lane 1
//     own scan      a ab abc  d e ef    g gh ghi   restarts at each start
//     lanes' reach  0         0         1          over the lanes that have a start (segments.cuh)
//     prefix        -         abc       ef           applied up to a lane's first start
//
// A lane has a start or not: one vote, and the scan of the lanes' sums is segmented by
// scan_within_reach. Backward a second vote shows each lane whether the next one begins with a
// head.
//
// In place, in an array of registers; any associative operator, operands in the order of the items.
// T: trivially copyable, at most 16 bytes. Items: at most 32. `extent` (lanes.cuh) says how many
// items there are in the warp. All lanes of its mask call together. No shared memory. Memory
// accesses are not ordered.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/lanes.cuh>
#include <ballot/warp/scan.cuh>
#include <ballot/warp/segments.cuh>
#include <ballot/warp/thread_scan.cuh>

#include <type_traits>

namespace ballot::warp {

// The starts of sums, in the direction of the scan.
struct segment_starts {
  unsigned own;    // bit i: at this lane's item i
  unsigned lanes;  // bit l: at any item of lane l
  bool closes;     // the last sum ends with the warp: the next warp starts a new one
};

/// Where segments begin in a lane's items, and in the warp.
template <class Direction, int Items, class Extent>
__device__ __forceinline__ segment_starts find_starts(const bool (&heads)[Items], Extent extent) {
  static_assert(Items <= 32, "the head flags of a lane are the bits of a word");
  segment_starts starts{0, 0, false};
  // Heads of invalid items have no effect: no valid item follows them forward, or precedes them
  // backward.
#pragma unroll
  for (int i = 0; i < Items; ++i)
    if (heads[i]) starts.own |= 1u << i;
  if constexpr (std::is_same_v<Direction, backward>) {
    const unsigned begin_with_head = simt::ballot((starts.own & 1u) != 0, extent.mask);
    const unsigned next_does = begin_with_head >> simt::lane_id() >> 1 & 1u;
    starts.own = starts.own >> 1 | next_does << (Items - 1);
    starts.closes = (begin_with_head & 1u) != 0;
  }
  starts.lanes = simt::ballot(starts.own != 0, extent.mask);
  return starts;
}

// The scan of one thread's items, which restarts at its starts; returns the last sum in scan order.
template <class Direction, class T, int Items, class Op>
__device__ __forceinline__ T thread_segmented_scan(T (&items)[Items], unsigned starts, unsigned valid, Op op) {
  T sum = items[Direction::nth(0, Items)];
  bool any = static_cast<unsigned>(Direction::nth(0, Items)) < valid;
#pragma unroll
  for (int k = 1; k < Items; ++k) {
    const int i = Direction::nth(k, Items);
    if (static_cast<unsigned>(i) >= valid) continue;
    if (any && (starts >> i & 1u) == 0) items[i] = Direction::combine(op, sum, items[i]);
    sum = items[i];
    any = true;
  }
  return sum;
}

// The prefixes of a lane in the warp. open: no sum starts in the lanes that precede it, so the
// warp's prefix belongs to it too.
template <class T>
struct segmented_lane_prefix {
  scan_prefix<T> exclusive;
  T inclusive;
  bool open;
};

/// The scan of one sum a lane, within segments.
template <class Direction, int Items, class T, class Op, class Extent>
__device__ __forceinline__ segmented_lane_prefix<T> scan_lanes_segmented(T sum, const segment_starts& starts, Op op,
                                                                         Extent extent) {
  const unsigned all_before = Direction::reach(extent.template lanes<Items>(), extent);
  const unsigned reach = reach_within_segment<Direction>(starts.lanes, all_before);
  const T lane_inclusive = scan_within_reach<Direction>(sum, reach, op, extent);
  const unsigned before = std::is_same_v<Direction, forward> ? simt::lanemask_lt() : simt::lanemask_gt();
  return {{all_before != 0, Direction::from(lane_inclusive, 1, all_before, extent)},
          lane_inclusive,
          (starts.lanes & before) == 0};
}

// Applies the thread's prefix to its scanned items, up to the first start.
template <class Direction, class T, int Items, class Op>
__device__ __forceinline__ void apply_segmented_inclusive(T (&items)[Items], const scan_prefix<T>& prefix,
                                                          unsigned starts, unsigned valid, Op op) {
  bool open = prefix.has_value;
#pragma unroll
  for (int k = 0; k < Items; ++k) {
    const int i = Direction::nth(k, Items);
    if (static_cast<unsigned>(i) >= valid) continue;
    if ((starts >> i & 1u) != 0) open = false;
    if (open) items[i] = Direction::combine(op, prefix.value, items[i]);
  }
}

// The same for the exclusive scan: each item becomes its exclusive prefix, `initial` at a start.
template <class Direction, class T, int Items, class Op>
__device__ __forceinline__ void apply_segmented_exclusive(T (&items)[Items], const scan_prefix<T>& prefix,
                                                          const T& initial, unsigned starts, unsigned valid, Op op) {
  apply_segmented_inclusive<Direction>(items, prefix, starts, valid, op);
  scan_prefix<T> previous = prefix;
#pragma unroll
  for (int k = 0; k < Items; ++k) {
    const int i = Direction::nth(k, Items);
    if (static_cast<unsigned>(i) >= valid) continue;
    const T item_inclusive = items[i];
    const bool continues = previous.has_value && (starts >> i & 1u) == 0;
    items[i] = continues ? Direction::combine(op, initial, previous.value) : initial;
    previous = {true, item_inclusive};
  }
}

/// Inclusive scan of a lane's items, within segments.
template <class Direction, class T, int Items, class Op, class Extent>
__device__ __forceinline__ void segmented_inclusive_scan_items_on(T (&items)[Items], const bool (&heads)[Items], Op op,
                                                                  Extent extent) {
  const unsigned valid = extent.template of_lane<Items>();
  const segment_starts starts = find_starts<Direction>(heads, extent);
  const T sum = thread_segmented_scan<Direction>(items, starts.own, valid, op);
  const auto lane = scan_lanes_segmented<Direction, Items>(sum, starts, op, extent);
  apply_segmented_inclusive<Direction>(items, lane.exclusive, starts.own, valid, op);
}

/// Exclusive scan of a lane's items, within segments, each from `initial`.
template <class Direction, class T, int Items, class Op, class Extent>
__device__ __forceinline__ void segmented_exclusive_scan_items_on(T (&items)[Items], const bool (&heads)[Items],
                                                                  const T& initial, Op op, Extent extent) {
  const unsigned valid = extent.template of_lane<Items>();
  const segment_starts starts = find_starts<Direction>(heads, extent);
  const T sum = thread_segmented_scan<Direction>(items, starts.own, valid, op);
  const auto lane = scan_lanes_segmented<Direction, Items>(sum, starts, op, extent);
  apply_segmented_exclusive<Direction>(items, lane.exclusive, initial, starts.own, valid, op);
}

// Each item becomes op of the first of its segment to it.
template <class T, int Items, class Op = plus, class Extent = all_items>
__device__ __forceinline__ void segmented_inclusive_scan_items(T (&items)[Items], const bool (&heads)[Items],
                                                               Op op = {}, Extent extent = {}) {
  segmented_inclusive_scan_items_on<forward>(items, heads, op, extent);
}

// Each item becomes op of `initial` and those of its segment before it.
template <class T, int Items, class Op = plus, class Extent = all_items>
__device__ __forceinline__ void segmented_exclusive_scan_items(T (&items)[Items], const bool (&heads)[Items],
                                                               const T& initial, Op op = {}, Extent extent = {}) {
  segmented_exclusive_scan_items_on<forward>(items, heads, initial, op, extent);
}

// Each item becomes op of it to the last of its segment.
template <class T, int Items, class Op = plus, class Extent = all_items>
__device__ __forceinline__ void segmented_inclusive_scan_items_backward(T (&items)[Items], const bool (&heads)[Items],
                                                                        Op op = {}, Extent extent = {}) {
  segmented_inclusive_scan_items_on<backward>(items, heads, op, extent);
}

// Each item becomes op of those of its segment after it and `initial`, the last operand.
template <class T, int Items, class Op = plus, class Extent = all_items>
__device__ __forceinline__ void segmented_exclusive_scan_items_backward(T (&items)[Items], const bool (&heads)[Items],
                                                                        const T& initial, Op op = {},
                                                                        Extent extent = {}) {
  segmented_exclusive_scan_items_on<backward>(items, heads, initial, op, extent);
}

}  // namespace ballot::warp
