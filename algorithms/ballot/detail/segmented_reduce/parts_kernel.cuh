// SPDX-License-Identifier: Apache-2.0
// Reduces the parts of long segments, a block for each part. The block that finishes a segment's
// last part reduces the results of its parts.
//
// The launch before lists the parts.
//
// Shared memory: an item a warp. Barriers: four for each part.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/stored_output.cuh>
#include <ballot/detail/segmented_reduce/kernel.cuh>
#include <ballot/detail/segmented_reduce/part_list.cuh>
#include <ballot/detail/segmented_reduce/segments.cuh>
#include <ballot/device/detail/reduce_kernel.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

template <class T>
struct parts_storage {
  device::reduce_storage<T, segment_warps> warps;
  bool is_last;
};

template <class Values, class In, class Segments, class Op, class Out = typename Values::value_type*>
__global__ void __launch_bounds__(segment_threads)
    reduce_parts_kernel(segmented_reduce_arguments<In, Segments, Op, typename Values::value_type, Out> a) {
  using T = typename Values::value_type;
  auto& shared = simt::shared_storage<parts_storage<T>>();
  simt::wait_for_previous_launch();  // which finds the long segments
  const std::uint64_t n = a.length.get();
  const unsigned thread = simt::thread_rank();
  // done: of the segment's parts. first: the index of the first one.
  const std::uint64_t listed = smaller(*a.list.count, a.list.capacity);
  for (std::uint64_t part = blockIdx.x; part < listed; part += gridDim.x) {
    const auto [segment, first] = a.list.parts[part];
    if (first == no_part) continue;
    const segment_range whole = a.segments(segment, n);
    const std::uint64_t parts = ceil_div(whole.length, a.list.part_items), begin = (part - first) * a.list.part_items,
                        end = smaller(begin + a.list.part_items, whole.length);
    T sum = reduce_by_block<Values>(shared.warps, a.in, whole.begin + begin, whole.begin + end, a.aligned, a.op);
    if (thread == 0) {
      a.list.results[part] = sum;
      // Release: this part's result before its count. Acquire, with the counts of the other parts:
      // the last block sees their results, in this thread, and after the barrier in all threads.
      shared.is_last = simt::atomic_add<simt::order::acq_rel>(a.list.done + first, 1u) + 1 == parts;
    }
    simt::sync_block();
    const bool is_last = shared.is_last;
    if (is_last) {
      sum = device::reduce_partials<segment_shape_of<item_of_source<In>>>(
          shared.warps, thread, sum, a.list.results + first, static_cast<unsigned>(parts), a.op);
      if (thread == 0) store_at(a.out, segment, static_cast<T>(a.op(a.initial, sum)));
    }
    simt::sync_block();
  }
}

}  // namespace ballot::detail
