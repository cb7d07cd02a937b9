// SPDX-License-Identifier: Apache-2.0
// What the kernels of segmented reductions take, and how long segments are divided into parts. A
// window is as many items as a part may have. A part belongs to the window in which it begins:
//
//     windows      |         |         |         |         |
//     segments     a b c d d d d d d d d d d d d e e e e e e f       d and e are long
//     parts              d d d d d|d d d d d|d d e e e e e|e
//                        first     further   further
//                                              first     further
//
// So a window has at most two parts: a further part of a segment that begins in a window before,
// and the first part of a segment that begins here. A launch with a block for each window finds and
// reduces them (parts_kernel.cuh). The next launch reduces the short segments meanwhile, and waits
// for the parts of a segment only where it meets a long one.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/segmented_reduce/segments.cuh>
#include <ballot/device/detail/reduce_kernel.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

// What items are read from: a pointer, or a view (core/view.hpp), which computes them as they are
// read.
template <class In>
using item_of_source = typename device::reduce_input<In>::item;

// A warp tile of reduce_range. Items are read one by one, since a segment may begin anywhere.
template <class Item, unsigned Threads = 256>
using segment_shape_of = device::reduce_shape<Threads,
                                              sizeof(Item) <= 4   ? 16
                                              : sizeof(Item) <= 8 ? 8
                                                                  : 4,
                                              1, 1, 1>;
inline constexpr unsigned segment_threads = 256, segment_warps = segment_threads / simt::warp_size;
inline constexpr unsigned group_loads = 8;          // of a lane, in flight
inline constexpr unsigned most_items_of_lane = 64;  // in a group
inline constexpr unsigned most_items_of_warp = 4096;

// The segments that have parts in a window.
inline constexpr std::uint64_t no_segment = ~std::uint64_t{0};
struct segments_of_window {
  std::uint64_t first, further;  // of which it has the first part; a further part
};

template <class T>
struct segment_parts {
  std::uint64_t windows;     // 0: there are no parts
  unsigned bits;             // a window has 2^bits items
  std::uint64_t long_items;  // longer segments are divided; at least the items of a window
  segments_of_window* found;
  T *first, *further;  // the results, at the index of the window
};

// Out: T*, or a view_output.
template <class In, class Segments, class Op, class T, class Out = T*>
struct segmented_reduce_arguments {
  In in;
  ballot::detail::length length;
  Segments segments;
  std::uint64_t most_segments;  // results that there is room for
  Op op;
  T initial;
  Out out;
  bool aligned;  // to the item's size; of a view: items can be read as vectors of one
  segment_parts<T> parts;
};

// All threads of a block of Shape: op of a long segment's items from the results of its parts, in
// thread 0. Returns false if the launch before has not found the segment in each of its windows.
// This is so only if offsets do not ascend. It depends on the offsets alone, not on timing.
template <class Shape, class Arguments, class T>
__device__ __forceinline__ bool reduce_results_of_parts(device::reduce_storage<T, Shape::warps>& shared,
                                                        const Arguments& a, std::uint64_t segment,
                                                        const segment_range& range, T& sum) {
  const unsigned thread = simt::thread_rank();
  const std::uint64_t window = range.begin >> a.parts.bits;
  const auto further = static_cast<unsigned>((range.length - 1) >> a.parts.bits);  // parts, at least one
  simt::wait_for_previous_launch();                                                // which reduces the parts
  bool is_found = true;
  for (unsigned i = thread; i <= further; i += Shape::threads)
    is_found = is_found && (i == 0 ? a.parts.found[window].first : a.parts.found[window + i].further) == segment;
  if (!simt::sync_block_all(is_found)) return false;
  sum = device::reduce_partials<Shape>(shared, thread, sum, a.parts.further + window + 1, further, a.op);
  if (thread == 0) sum = a.op(a.parts.first[window], sum);
  return true;
}

// All threads, at the end of a kernel: a launch must not end before the one that it overlaps. One
// block sees to it. If all waited, they would take the places of those that have not begun.
template <class T>
__device__ __forceinline__ void wait_for_parts(const segment_parts<T>& parts) {
  if (parts.windows != 0 && blockIdx.x == 0) simt::wait_for_previous_launch();
}

}  // namespace ballot::detail
