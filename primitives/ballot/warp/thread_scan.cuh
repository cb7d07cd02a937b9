// SPDX-License-Identifier: Apache-2.0
// The part of a warp's or block's scan within a thread, on its consecutive items ("blocked
// arrangement").
//
//     thread     0         1         2          items of a thread: a b c
//     own scan   a ab abc  d de def  g gh ghi   thread_inclusive_scan; the last is the thread's sum
//     prefix         -        abc     abcdef    from the warp or the block
//     applied    a ab abc  abcd ...             apply_inclusive, apply_exclusive
//
// The thread's own scan comes first. After the exchange, the prefix is applied to each item
// separately, so there is no chain of dependent operations after the exchange. `valid` is the
// number of valid items; a constant if all are (lanes.cuh: of_lane), so that the tests vanish.
// Items stay in registers: all indices are constants once the loops are unrolled.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/function_objects.cuh>
#include <ballot/warp/lanes.cuh>

namespace ballot::warp {

// The exclusive prefix of a thread or of a warp, in the direction of the scan.
template <class T>
struct scan_prefix {
  bool has_value;  // false where no item precedes
  T value;         // op of all items that precede
};

// op of the thread's items; unspecified if valid is 0.
template <class T, int Items, class Op>
__device__ __forceinline__ T thread_reduce(const T (&items)[Items], unsigned valid, Op op) {
  T sum = items[0];
#pragma unroll
  for (int i = 1; i < Items; ++i)
    if (static_cast<unsigned>(i) < valid) sum = ballot::detail::combine(op, sum, items[i]);
  return sum;
}

// Scans the thread's items inclusively, in place; returns their sum, unspecified if valid is 0.
template <class Direction, class T, int Items, class Op>
__device__ __forceinline__ T thread_inclusive_scan(T (&items)[Items], unsigned valid, Op op) {
  T sum = items[Direction::nth(0, Items)];
  bool any = static_cast<unsigned>(Direction::nth(0, Items)) < valid;
#pragma unroll
  for (int k = 1; k < Items; ++k) {
    const int i = Direction::nth(k, Items);
    if (static_cast<unsigned>(i) >= valid) continue;
    if (any) items[i] = Direction::combine(op, sum, items[i]);
    sum = items[i];
    any = true;
  }
  return sum;
}

// Applies the thread's prefix to its scanned items.
template <class Direction, class T, int Items, class Op>
__device__ __forceinline__ void apply_inclusive(T (&items)[Items], const scan_prefix<T>& prefix, unsigned valid,
                                                Op op) {
  if (!prefix.has_value) return;
#pragma unroll
  for (int i = 0; i < Items; ++i)
    if (static_cast<unsigned>(i) < valid) items[i] = Direction::combine(op, prefix.value, items[i]);
}

// The same for the exclusive scan: each item becomes its exclusive prefix, which begins with
// `initial`.
template <class Direction, class T, int Items, class Op>
__device__ __forceinline__ void apply_exclusive(T (&items)[Items], const scan_prefix<T>& prefix, const T& initial,
                                                unsigned valid, Op op) {
  const T before = prefix.has_value ? Direction::combine(op, initial, prefix.value) : initial;
  T previous = before;
#pragma unroll
  for (int k = 0; k < Items; ++k) {
    const int i = Direction::nth(k, Items);
    if (static_cast<unsigned>(i) >= valid) continue;
    const T item_inclusive = Direction::combine(op, before, items[i]);
    items[i] = previous;
    previous = item_inclusive;
  }
}

}  // namespace ballot::warp
