// The kernel of the batched scan: each item read once and written once, forward and backward.
//
//     stage rows -> each thread sums its run -> scan of the threads' totals -> scan the run again, from what lies before
//                                            -> the same backward -> stage out
//
// A row (or a segment of a long one) lies in shared memory from its load to its store, and every thread works on a run
// of consecutive items of it (batched_scan_shape.hpp). Long runs are what makes wide accumulators cheap: the scan across
// lanes, five steps with two shuffles and a wide addition each, comes once in tens of items and not once in four.
//
// Shared memory: 16 bytes a vector of the row, and the warps' totals. Barriers: two, and one a direction.
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
  // Long rows: a sum a segment. Read: what lies before the segment in the direction of this launch (`has_segment_prefixes`).
  // Written: the segment's total, of what this launch has made of it (`writes_segment_totals`).
  Sum* sums;
  bool has_segment_prefixes, writes_segment_totals;
};

// Short rows: a group of lanes a row. Warps do not know of each other.
template <class T, class Sum>
__global__ void __launch_bounds__(256) batched_scan_short_kernel(batched_scan_task<T, Sum> task) {
  const std::uint64_t warp = std::uint64_t{blockIdx.x} * (blockDim.x / simt::warp_size) + simt::warp_id();
  const std::uint64_t first_row = warp * task.shape.rows_a_warp();
  if (first_row >= task.rows) return;
  const auto rows = static_cast<unsigned>(smaller(task.rows - first_row, task.shape.rows_a_warp()));
  const auto length = static_cast<unsigned>(task.length);
  const unsigned lanes = task.shape.lanes, run = task.shape.run, stride = lanes * run;
  staged_vector<T>* const staged =
      &simt::shared_storage<staged_vector<T>>() + simt::warp_id() * (simt::warp_size * run);

  global_rows<const T> in = task.in;
  in.first += first_row * in.pitch;
  stage_in<warp_team>(in, staged, stride, rows, length);
  warp_team::sync();

  const unsigned lane = simt::lane_id(), first_item = (lane & (lanes - 1)) * run * items_a_vector<T>;
  const unsigned items = lane < rows * lanes ? items_of_run<T>(first_item, length, run) : 0;
  staged_vector<T>* const mine = staged + lane * run;
  Sum total = sum_run<Sum>(mine, items);
  if (task.forward) {
    const Sum before = scan_lanes<false>(total, lanes).before;
    if (task.backward) total = scan_run<false, true>(mine, items, before);
    else scan_run<false, false>(mine, items, before);
  }
  if (task.backward) scan_run<true, false>(mine, items, scan_lanes<true>(total, lanes).before);

  warp_team::sync();
  global_rows<T> out = task.out;
  out.first += first_row * out.pitch;
  stage_out<warp_team>(staged, stride, out, rows, length);
}

// Medium rows, and the segments of long ones: a block each.
template <class T, class Sum, class Tuning>
__global__ void __launch_bounds__(int(32 * Tuning::block_warps)) batched_scan_kernel(batched_scan_task<T, Sum> task) {
  static_assert(Tuning::segment_warps <= Tuning::block_warps, "segments are scanned by the kernel of medium rows");
  auto& totals = simt::shared_storage<warp_aggregates<Sum>>();
  auto* const staged = reinterpret_cast<staged_vector<T>*>(&totals + 1);
  const auto segments = static_cast<unsigned>(task.shape.segments);  // fewer than there are blocks
  const std::uint64_t row = blockIdx.x / segments, begin = blockIdx.x % segments * task.shape.segment_items;
  const auto length = static_cast<unsigned>(smaller(task.length - begin, task.shape.segment_items));
  const unsigned run = task.shape.run;

  global_rows<const T> in = task.in;
  in.first += row * in.pitch + begin;
  stage_in<block_team>(in, staged, 0, 1, length);
  block_team::sync();

  const unsigned items = items_of_run<T>(simt::thread_rank() * run * items_a_vector<T>, length, run);
  staged_vector<T>* const mine = staged + simt::thread_rank() * run;
  const auto with_segments_before = [&](Sum before) {
    return task.has_segment_prefixes ? plus{}(task.sums[blockIdx.x], before) : before;
  };
  Sum total = sum_run<Sum>(mine, items);
  if (task.forward) {
    const Sum before = with_segments_before(scan_threads<false>(totals, 0, total).before);
    if (task.backward || task.writes_segment_totals) total = scan_run<false, true>(mine, items, before);
    else scan_run<false, false>(mine, items, before);
  }
  if (task.writes_segment_totals) {
    const Sum of_segment = scan_threads<false>(totals, 1, total).total;
    // Every thread has read what lies before the segment ahead of the barrier in scan_threads.
    if (simt::thread_rank() == 0) task.sums[blockIdx.x] = of_segment;
  }
  if (task.backward)
    scan_run<true, false>(mine, items, with_segments_before(scan_threads<true>(totals, 1, total).before));
  if (!task.forward && !task.backward) return;  // the segment's total was all

  block_team::sync();
  global_rows<T> out = task.out;
  out.first += row * out.pitch + begin;
  stage_out<block_team>(staged, 0, out, 1, length);
}

// The totals of a row's segments become what lies before each of them: a block a row, a total a thread, step by step.
template <class Sum>
__global__ void __launch_bounds__(1024) batched_scan_segments_kernel(Sum* sums, std::uint64_t segments, bool backward) {
  auto& totals = simt::shared_storage<warp_aggregates<Sum>>();
  Sum* const row = sums + blockIdx.x * segments;
  Sum before_step = sum_identity<Sum>();
  unsigned turn = 0;
  for (std::uint64_t begin = 0; begin < segments; begin += blockDim.x, turn ^= 1) {
    const std::uint64_t place = begin + simt::thread_rank();
    const bool is_there = place < segments;
    const std::uint64_t segment = !is_there ? 0 : backward ? segments - 1 - place : place;
    const Sum mine = is_there ? row[segment] : sum_identity<Sum>();
    const prefix_and_total<Sum> step = scan_threads<false>(totals, turn, mine);
    if (is_there) row[segment] = plus{}(before_step, step.before);
    before_step = plus{}(before_step, step.total);
  }
}

}  // namespace ballot::detail
