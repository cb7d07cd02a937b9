// SPDX-License-Identifier: Apache-2.0
// Reduces the parts of long segments, a block for each part. The block that finishes a segment's
// last part reduces the results of its parts.
//
// The launch before says which segments are long. Either it lists their parts, or there are few
// segments, and it stores for each how many parts there are. Then every block adds these up:
//
//     parts of segments    0 0 3 0 2
//     first part           0 0 0 3 3     part 3 is the first one of segment 4
//
// Shared memory: an item a warp, and the first parts of segments. Barriers: four for each part.
#pragma once

#include <ballot/block/scan.cuh>
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
  using scan = block::scan<std::uint32_t, segment_threads>;
  device::reduce_storage<T, segment_warps> warps;
  bool is_last;
  typename scan::storage scanned;
  std::uint32_t first_part[most_counted_segments];
};

// All threads: finds the first part of each segment by the segments' parts. Returns how many parts
// there are. Needs a barrier after.
template <class T>
__device__ __forceinline__ std::uint32_t find_first_parts(parts_storage<T>& shared, const std::uint32_t* parts,
                                                          unsigned segments) {
  constexpr unsigned each = most_counted_segments / segment_threads;
  const unsigned first = simt::thread_rank() * each;
  std::uint32_t of_segment[each], sum = 0, total;
#pragma unroll
  for (unsigned i = 0; i < each; ++i) {
    of_segment[i] = first + i < segments ? parts[first + i] : 0;
    sum += of_segment[i];
  }
  sum = parts_storage<T>::scan::exclusive(shared.scanned, sum, std::uint32_t{0}, total);
#pragma unroll
  for (unsigned i = 0; i < each; ++i) {
    shared.first_part[first + i] = sum;
    sum += of_segment[i];
  }
  return total;
}
// The segment that has a part: the last one whose first part is not behind it.
template <class T>
__device__ __forceinline__ unsigned segment_of_part(const parts_storage<T>& shared, unsigned segments,
                                                    std::uint32_t part) {
  unsigned first = 0, behind = segments;  // it is one of these
#pragma unroll 1
  while (behind - first > 1) {
    const unsigned middle = first + (behind - first) / 2;
    (shared.first_part[middle] <= part ? first : behind) = middle;
  }
  return first;
}

template <class Values, class In, class Segments, class Op, class Out = typename Values::value_type*>
__global__ void __launch_bounds__(segment_threads)
    reduce_parts_kernel(segmented_reduce_arguments<In, Segments, Op, typename Values::value_type, Out> a) {
  using T = typename Values::value_type;
  auto& shared = simt::shared_storage<parts_storage<T>>();
  simt::wait_for_previous_launch();  // which finds the long segments
  const std::uint64_t n = a.length.get();
  const unsigned thread = simt::thread_rank();
  // done: of the segment's parts. first: the index of the first one.
  const auto reduce_part = [&](std::uint64_t part, std::uint64_t segment, std::uint64_t first, std::uint32_t* done) {
    const segment_range whole = a.segments(segment, n);
    const std::uint64_t parts = ceil_div(whole.length, a.list.part_items), begin = (part - first) * a.list.part_items,
                        end = smaller(begin + a.list.part_items, whole.length);
    T sum = reduce_by_block<Values>(shared.warps, a.in, whole.begin + begin, whole.begin + end, a.aligned, a.op);
    if (thread == 0) {
      a.list.results[part] = sum;
      // Release: this part's result before its count. Acquire, with the counts of the other parts:
      // the last block sees their results, in this thread, and behind the barrier in all threads.
      shared.is_last = simt::atomic_add<simt::order::acq_rel>(done, 1u) + 1 == parts;
    }
    simt::sync_block();
    const bool is_last = shared.is_last;
    if (is_last) {
      sum = device::reduce_partials<segment_shape_of<item_of_source<In>>>(
          shared.warps, thread, sum, a.list.results + first, static_cast<unsigned>(parts), a.op);
      if (thread == 0) store_at(a.out, segment, static_cast<T>(a.op(a.initial, sum)));
    }
    simt::sync_block();
  };
  if (a.list.parts_of_segment == nullptr) {
    const std::uint64_t listed = smaller(*a.list.count, a.list.capacity);
    for (std::uint64_t part = blockIdx.x; part < listed; part += gridDim.x) {
      const segment_part mine = a.list.parts[part];
      if (mine.first_part != no_part) reduce_part(part, mine.segment, mine.first_part, a.list.done + mine.first_part);
    }
    return;
  }
  const auto segments = static_cast<unsigned>(smaller(a.segments.count(n), a.most_segments));
  const std::uint32_t parts = find_first_parts(shared, a.list.parts_of_segment, segments);
  simt::sync_block();
  if (parts <= a.list.capacity) {
    for (std::uint32_t part = blockIdx.x; part < parts; part += gridDim.x) {
      const unsigned segment = segment_of_part(shared, segments, part);
      reduce_part(part, segment, shared.first_part[segment], a.list.done + segment);
    }
    return;
  }
  // Offsets that do not ascend: there is no room for so many results.
  for (unsigned segment = blockIdx.x; segment < segments; segment += gridDim.x) {
    if (a.list.parts_of_segment[segment] == 0) continue;
    const segment_range whole = a.segments(segment, n);
    const T sum = reduce_by_block<Values>(shared.warps, a.in, whole.begin, whole.begin + whole.length, a.aligned, a.op);
    if (thread == 0) store_at(a.out, segment, static_cast<T>(a.op(a.initial, sum)));
  }
}

}  // namespace ballot::detail
