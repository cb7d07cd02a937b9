// SPDX-License-Identifier: Apache-2.0
// How long segments are divided into parts where a segment has a block. A window is as many items as a
// part may have. A part belongs to the window in which it begins:
//
//     windows      |         |         |         |         |
//     segments     a b c d d d d d d d d d d d d e e e e e e f       d and e are long
//     parts              d d d d d|d d d d d|d d e e e e e|e
//                        first     further   further
//                                              first     further
//
// So a window has at most two parts: a further part of a segment that begins in a window before,
// and the first part of a segment that begins here. A launch with a block for each window finds and
// reduces them (windows_kernel.cuh). The next launch reduces the other segments meanwhile, and waits
// for the results of parts only where it meets a long segment. So there is no list, and nothing is
// cleared or counted.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/segmented_reduce/part_list.cuh>
#include <ballot/detail/segmented_reduce/segments.cuh>
#include <ballot/device/detail/reduce_kernel.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

// All threads of a block of Shape: op of a long segment's items from the results of its parts, in
// thread 0. Returns false if the launch before has not found the segment in each of its windows.
// This is so only if offsets do not ascend. It depends on the offsets alone, not on timing.
template <class Shape, class Arguments, class T>
__device__ __forceinline__ bool reduce_results_of_parts(device::reduce_storage<T, Shape::warps>& shared,
                                                        const Arguments& a, std::uint64_t segment,
                                                        const segment_range& range, T& sum) {
  const unsigned thread = simt::thread_rank();
  const std::uint64_t window = range.begin >> a.windows.bits;
  const auto further = static_cast<unsigned>((range.length - 1) >> a.windows.bits);  // parts, at least one
  simt::wait_for_previous_launch();                                                  // which reduces the parts
  bool is_found = true;
  for (unsigned i = thread; i <= further; i += Shape::threads)
    is_found = is_found && (i == 0 ? a.windows.found[window].first : a.windows.found[window + i].further) == segment;
  if (!simt::sync_block_all(is_found)) return false;
  sum = device::reduce_partials<Shape>(shared, thread, sum, a.windows.further + window + 1, further, a.op);
  if (thread == 0) sum = a.op(a.windows.first[window], sum);
  return true;
}

// All threads, at the end of a kernel: a launch must not end before the one that it overlaps. One
// block sees to it. If all waited, they would take the places of those that have not begun.
template <class T>
__device__ __forceinline__ void wait_for_parts(const segment_windows<T>& windows) {
  if (windows.count != 0 && blockIdx.x == 0) simt::wait_for_previous_launch();
}

}  // namespace ballot::detail
