// SPDX-License-Identifier: Apache-2.0
// What the kernels of segmented reductions take, and the list of the parts of long segments among
// short ones. Blocks append to the list, and a later launch reduces its parts. (Where a segment has a
// block, parts are found without a list, by windows.cuh.)
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
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

// A part of a long segment.
inline constexpr std::uint64_t no_part = ~std::uint64_t{0};
struct segment_part {
  std::uint64_t segment, first_part;  // the index of the segment's first part in the list
};

// The parts of long segments, and their results. Parts beyond the capacity are left to the block
// that found them.
template <class T>
struct part_list {
  std::uint64_t capacity;  // 0: blocks reduce all segments
  std::uint64_t part_items;
  std::uint64_t long_items;  // longer segments are divided into parts
  std::uint64_t* count;      // zero at launch
  segment_part* parts;
  std::uint32_t* done;  // of a segment's parts, at the index of the first
  T* results;
};

// The segments that have parts in a window (windows.cuh).
inline constexpr std::uint64_t no_segment = ~std::uint64_t{0};
struct segments_of_window {
  std::uint64_t first, further;  // of which it has the first part; a further part
};
template <class T>
struct segment_windows {
  std::uint64_t count;       // 0: there are no parts
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
  bool aligned;                // to the item's size; of a view: items can be read as vectors of one
  part_list<T> list;           // where segments are short
  segment_windows<T> windows;  // where a segment has a block
};

// All threads of the block: appends the parts of a long segment to the list. The list may be full,
// which ascending offsets never make it. Then this marks the rest of it as no part, and returns
// false. Two barriers.
template <class T>
__device__ __forceinline__ bool append_parts(std::uint64_t& shared_first, const part_list<T>& list,
                                             std::uint64_t segment, std::uint64_t parts) {
  // Relaxed: the list is read by the next launch.
  if (simt::thread_rank() == 0) shared_first = simt::atomic_add(list.count, parts);
  simt::sync_block();
  const std::uint64_t first = shared_first;
  simt::sync_block();
  const bool fits = first <= list.capacity && parts <= list.capacity - first;
  const std::uint64_t end = fits ? first + parts : list.capacity;
  if (fits && simt::thread_rank() == 0) list.done[first] = 0;
  for (std::uint64_t i = first + simt::thread_rank(); i < end; i += blockDim.x)
    list.parts[i] = {segment, fits ? first : no_part};
  return fits;
}

}  // namespace ballot::detail
