// A long row in the shared memory of one block, where the GPU has enough of it: each item read once and written once.
//
//     segments    | 0 | 1 | 2 | 3 | 4 | 5 |         a team of warps takes every teams-th segment, here 0 and 4
//     teams         0   1   2   3   0   1
//
// The additions, and their order, are those of the launches that take a row segment by segment (batched_scan_launch.cuh):
// threads within a warp, warps within a segment, segments within the row. So which of the two ways a GPU takes does not
// show in the result.
//
// Shared memory: 16 bytes a vector of the row, and totals. Barriers: two, and two a direction.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/batched_scan/kernel.cuh>

namespace ballot::detail {

template <class Sum, class Tuning>
struct single_block_aggregates {
  static constexpr unsigned most_segments = Tuning::row_teams * Tuning::row_rounds;
  static_assert(most_segments <= simt::warp_size, "the totals of a row's segments are scanned by one warp");
  alignas(16) Sum of_warp[most_segments][Tuning::segment_warps];
  Sum of_segment[most_segments];
};

// Which of the row's segments a warp works on.
template <class Tuning>
struct segment_assignment {
  unsigned segments, teams, team, warp;  // warp: in its team

  __device__ __forceinline__ explicit segment_assignment(std::uint64_t row_segments)
      : segments(static_cast<unsigned>(row_segments)),
        teams(blockDim.x / (simt::warp_size * Tuning::segment_warps)),
        team(simt::warp_id() / Tuning::segment_warps),
        warp(simt::warp_id() % Tuning::segment_warps) {}
  __device__ __forceinline__ unsigned segment(unsigned round) const { return team + round * teams; }
};

// What lies before each of the thread's runs in the row; `total`: theirs. Two barriers.
template <bool Backward, class Sum, class Tuning>
__device__ __forceinline__ void scan_threads_of_row(single_block_aggregates<Sum, Tuning>& shared,
                                                    const segment_assignment<Tuning>& place,
                                                    const Sum (&total)[Tuning::row_rounds],
                                                    Sum (&before)[Tuning::row_rounds]) {
  const unsigned lane = simt::lane_id();
#pragma unroll
  for (unsigned round = 0; round < Tuning::row_rounds; ++round) {
    before[round] = sum_identity<Sum>();
    const unsigned segment = place.segment(round);
    if (segment >= place.segments) continue;  // the whole team
    const prefix_and_total<Sum> in_warp = scan_lanes<Backward>(total[round], simt::warp_size);
    before[round] = in_warp.before;
    if (lane == 0) shared.of_warp[segment][place.warp] = in_warp.total;
  }
  simt::sync_block();
#pragma unroll
  for (unsigned round = 0; round < Tuning::row_rounds; ++round) {
    const unsigned segment = place.segment(round);
    if (segment >= place.segments) continue;
    const prefix_and_total<Sum> in_segment =
        scan_warp_aggregates<Backward>(shared.of_warp[segment], Tuning::segment_warps, place.warp, before[round]);
    before[round] = in_segment.before;
    if (place.warp == 0 && lane == 0) shared.of_segment[segment] = in_segment.total;
  }
  simt::sync_block();
  // Lane l takes the segment that is the l-th in this direction, as the kernel that scans segment totals does.
  const unsigned last = place.segments - 1;
  const Sum of_lane = lane <= last ? shared.of_segment[Backward ? last - lane : lane] : sum_identity<Sum>();
  const Sum lane_exclusive = scan_lanes<false>(of_lane, simt::warp_size).before;
#pragma unroll
  for (unsigned round = 0; round < Tuning::row_rounds; ++round) {
    const unsigned segment = place.segment(round);
    if (segment >= place.segments) continue;
    before[round] = plus{}(simt::shuffle(lane_exclusive, Backward ? last - segment : segment), before[round]);
  }
}

template <class T, class Sum, class Tuning>
__global__ void __launch_bounds__(int(32 * Tuning::segment_warps * Tuning::row_teams))
    batched_scan_single_block_kernel(batched_scan_task<T, Sum> task) {
  constexpr unsigned rounds = Tuning::row_rounds, team_threads = simt::warp_size * Tuning::segment_warps;
  auto& totals = simt::shared_storage<single_block_aggregates<Sum, Tuning>>();
  auto* const staged = reinterpret_cast<staged_vector<T>*>(&totals + 1);
  const auto length = static_cast<unsigned>(task.length);
  const unsigned run = task.shape.run;

  global_rows<const T> in = task.in;
  in.first += blockIdx.x * in.pitch;
  stage_in<block_team>(in, staged, 0, 1, length);
  simt::sync_block();

  const segment_assignment<Tuning> place(task.shape.segments);
  const auto run_of_row = [&](unsigned round) {
    return place.segment(round) * team_threads + simt::thread_rank() % team_threads;
  };
  const auto items = [&](unsigned round) {
    return items_of_run<T>(run_of_row(round) * run * items_a_vector<T>, length, run);
  };
  Sum total[rounds], before[rounds];
#pragma unroll
  for (unsigned r = 0; r < rounds; ++r) total[r] = sum_run<Sum>(staged + run_of_row(r) * run, items(r));
  if (task.forward) {
    scan_threads_of_row<false>(totals, place, total, before);
#pragma unroll
    for (unsigned r = 0; r < rounds; ++r)
      total[r] = scan_run<false, true>(staged + run_of_row(r) * run, items(r), before[r]);
  }
  if (task.backward) {
    scan_threads_of_row<true>(totals, place, total, before);
#pragma unroll
    for (unsigned r = 0; r < rounds; ++r) scan_run<true, false>(staged + run_of_row(r) * run, items(r), before[r]);
  }

  simt::sync_block();
  global_rows<T> out = task.out;
  out.first += blockIdx.x * out.pitch;
  stage_out<block_team>(staged, 0, out, 1, length);
}

}  // namespace ballot::detail
