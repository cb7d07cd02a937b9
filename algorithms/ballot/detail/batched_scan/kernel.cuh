// SPDX-License-Identifier: Apache-2.0
// The kernels of the batched scan: each item is read once and written once, forward and backward.
//
//     load rows -> thread reduce -> scan of the threads' totals
//               -> thread scan from the thread's prefix -> the same backward -> store rows
//
// A row, or a segment of a long one, stays in shared memory from its load to its store. Every
// thread works on consecutive items of it (shape.hpp). Many items per thread make wide accumulators
// cheap. The scan across lanes takes five steps, with two shuffles and a wide addition each. It
// comes once in tens of items instead of once in four.
//
// Shared memory: 16 bytes per vector of the row, and the warps' aggregates. Barriers: two, and one
// per direction.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/batched_scan/accumulator.hpp>
#include <ballot/detail/batched_scan/block_scan.cuh>
#include <ballot/detail/batched_scan/shape.hpp>
#include <ballot/detail/batched_scan/staging.cuh>
#include <ballot/detail/batched_scan/thread_scan.cuh>

namespace ballot::detail {

template <class T, class Sum>
struct batched_scan_task {
  global_rows<const T> in;
  global_rows<T> out;
  std::uint64_t rows, length;
  batched_scan_shape shape;
  bool forward, backward;
  // Long rows: a sum per segment. Input: the segment's exclusive prefix in the direction of this launch. Output: the
  // total of the segment's items as this launch has left them.
  Sum* sums;
  bool has_segment_prefixes, writes_segment_totals;
};

// Short rows: a group of lanes per row. Warps are independent.
template <class T, class Sum>
__global__ void __launch_bounds__(256) batched_scan_short_kernel(batched_scan_task<T, Sum> task) {
  const std::uint64_t warp = std::uint64_t{blockIdx.x} * (blockDim.x / simt::warp_size) + simt::warp_id();
  const std::uint64_t first_row = warp * task.shape.rows_per_warp();
  if (first_row >= task.rows) return;
  const auto rows = static_cast<unsigned>(smaller(task.rows - first_row, task.shape.rows_per_warp()));
  const auto length = static_cast<unsigned>(task.length);
  const unsigned lanes = task.shape.lanes, vectors = task.shape.thread_vectors, stride = lanes * vectors;
  staged_vector<T>* const staged =
      &simt::shared_storage<staged_vector<T>>() + simt::warp_id() * (simt::warp_size * vectors);

  load_rows<warp_team>(task.in.from(first_row), staged, stride, rows, length);
  warp_team::sync();

  const unsigned lane = simt::lane_id(), first_item = (lane & (lanes - 1)) * vectors * items_per_vector<T>;
  const unsigned items = lane < rows * lanes ? items_of_thread<T>(first_item, length, vectors) : 0;
  staged_vector<T>* const thread_items = staged + lane * vectors;
  Sum total = thread_reduce<Sum>(thread_items, items);
  if (task.forward) {
    const Sum prefix = scan_lanes<false>(total, lanes).prefix;
    if (task.backward) total = thread_scan<false, true>(thread_items, items, prefix);
    else thread_scan<false, false>(thread_items, items, prefix);
  }
  if (task.backward) thread_scan<true, false>(thread_items, items, scan_lanes<true>(total, lanes).prefix);

  warp_team::sync();
  store_rows<warp_team>(staged, stride, task.out.from(first_row), rows, length);
}

// Medium rows, and the segments of long rows: a block each.
template <class T, class Sum, class Tuning>
__global__ void __launch_bounds__(int(32 * Tuning::block_warps)) batched_scan_kernel(batched_scan_task<T, Sum> task) {
  static_assert(Tuning::segment_warps <= Tuning::block_warps, "segments are scanned by the kernel of medium rows");
  auto& totals = simt::shared_storage<warp_aggregates<Sum>>();
  auto* const staged = reinterpret_cast<staged_vector<T>*>(&totals + 1);
  const auto segments = static_cast<unsigned>(task.shape.segments);  // fewer than there are blocks
  const std::uint64_t row = blockIdx.x / segments, begin = blockIdx.x % segments * task.shape.segment_items;
  const auto length = static_cast<unsigned>(smaller(task.length - begin, task.shape.segment_items));
  const unsigned vectors = task.shape.thread_vectors;

  load_rows<block_team>(task.in.from(row, begin), staged, 0, 1, length);
  block_team::sync();

  const unsigned items = items_of_thread<T>(simt::thread_rank() * vectors * items_per_vector<T>, length, vectors);
  staged_vector<T>* const thread_items = staged + simt::thread_rank() * vectors;
  const auto with_segment_prefix = [&](Sum prefix) {
    return task.has_segment_prefixes ? plus{}(task.sums[blockIdx.x], prefix) : prefix;
  };
  Sum total = thread_reduce<Sum>(thread_items, items);
  if (task.forward) {
    const Sum prefix = with_segment_prefix(scan_threads<false>(totals, 0, total).prefix);
    if (task.backward || task.writes_segment_totals) total = thread_scan<false, true>(thread_items, items, prefix);
    else thread_scan<false, false>(thread_items, items, prefix);
  }
  if (task.writes_segment_totals) {
    const Sum of_segment = scan_threads<false>(totals, 1, total).total;
    // Every thread has read the segment's prefix before the barrier in scan_threads.
    if (simt::thread_rank() == 0) task.sums[blockIdx.x] = of_segment;
  }
  if (task.backward)
    thread_scan<true, false>(thread_items, items, with_segment_prefix(scan_threads<true>(totals, 1, total).prefix));
  if (!task.forward && !task.backward) return;  // only the segment's total was wanted

  block_team::sync();
  store_rows<block_team>(staged, 0, task.out.from(row, begin), 1, length);
}

// Replaces the totals of a row's segments by their exclusive prefixes: a block per row, a total per thread in each
// step.
template <class Sum>
__global__ void __launch_bounds__(1024) batched_scan_segments_kernel(Sum* sums, std::uint64_t segments, bool backward) {
  auto& totals = simt::shared_storage<warp_aggregates<Sum>>();
  Sum* const row = sums + blockIdx.x * segments;
  Sum step_prefix = sum_identity<Sum>();
  unsigned turn = 0;
  for (std::uint64_t begin = 0; begin < segments; begin += blockDim.x, turn ^= 1) {
    const std::uint64_t position = begin + simt::thread_rank();
    const bool is_valid = position < segments;
    const std::uint64_t segment = !is_valid ? 0 : backward ? segments - 1 - position : position;
    const Sum total = is_valid ? row[segment] : sum_identity<Sum>();
    const prefix_and_total<Sum> step = scan_threads<false>(totals, turn, total);
    if (is_valid) row[segment] = plus{}(step_prefix, step.prefix);
    step_prefix = plus{}(step_prefix, step.total);
  }
}

}  // namespace ballot::detail
