// SPDX-License-Identifier: Apache-2.0
// A long row in the shared memory of one block, if the GPU has enough of it. Each item is read once
// and written once.
//
//     segments    | 0 | 1 | 2 | 3 | 4 | 5 |      a team of warps takes every teams-th segment,
//     teams         0   1   2   3   0   1        team 0 here segments 0 and 4
//
// The additions and their order are those of the launches that take a row by segments (launch.cuh).
// Threads are added within a warp, warps within a segment, segments within the row. So both ways
// give the same bits.
//
// Shared memory: 16 bytes per vector of the row, and totals. Barriers: two, and two per direction.
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

// The segments of a warp's team.
template <class Tuning>
struct team_segments {
  unsigned segments, teams, team, warp;  // warp: in its team

  __device__ __forceinline__ explicit team_segments(std::uint64_t row_segments)
      : segments(static_cast<unsigned>(row_segments)),
        teams(blockDim.x / (simt::warp_size * Tuning::segment_warps)),
        team(simt::warp_id() / Tuning::segment_warps),
        warp(simt::warp_id() % Tuning::segment_warps) {}
  __device__ __forceinline__ unsigned segment(unsigned round) const { return team + round * teams; }
};

// The exclusive prefix in the row of this thread's items in each round; `total`: of these items.
// Two barriers.
template <bool Backward, class Sum, class Tuning>
__device__ __forceinline__ void scan_threads_of_row(single_block_aggregates<Sum, Tuning>& shared,
                                                    const team_segments<Tuning>& team,
                                                    const Sum (&total)[Tuning::row_rounds],
                                                    Sum (&prefix)[Tuning::row_rounds]) {
  const unsigned lane = simt::lane_id();
#pragma unroll
  for (unsigned round = 0; round < Tuning::row_rounds; ++round) {
    prefix[round] = sum_identity<Sum>();
    const unsigned segment = team.segment(round);
    if (segment >= team.segments) continue;  // the whole team
    const prefix_and_total<Sum> in_warp = scan_lanes<Backward>(total[round], simt::warp_size);
    prefix[round] = in_warp.prefix;
    if (lane == 0) shared.of_warp[segment][team.warp] = in_warp.total;
  }
  simt::sync_block();
#pragma unroll
  for (unsigned round = 0; round < Tuning::row_rounds; ++round) {
    const unsigned segment = team.segment(round);
    if (segment >= team.segments) continue;
    const prefix_and_total<Sum> in_segment =
        scan_warp_aggregates<Backward>(shared.of_warp[segment], Tuning::segment_warps, team.warp, prefix[round]);
    prefix[round] = in_segment.prefix;
    if (team.warp == 0 && lane == 0) shared.of_segment[segment] = in_segment.total;
  }
  simt::sync_block();
  // Lane l takes the l-th segment in this direction, as batched_scan_segments_kernel does.
  const unsigned last = team.segments - 1;
  const Sum of_lane = lane <= last ? shared.of_segment[Backward ? last - lane : lane] : sum_identity<Sum>();
  const Sum segment_prefix = scan_lanes<false>(of_lane, simt::warp_size).prefix;
#pragma unroll
  for (unsigned round = 0; round < Tuning::row_rounds; ++round) {
    const unsigned segment = team.segment(round);
    if (segment >= team.segments) continue;
    prefix[round] = plus{}(simt::shuffle(segment_prefix, Backward ? last - segment : segment), prefix[round]);
  }
}

template <class T, class Sum, class Tuning>
__global__ void __launch_bounds__(int(32 * Tuning::segment_warps * Tuning::row_teams))
    batched_scan_single_block_kernel(batched_scan_task<T, Sum> task) {
  constexpr unsigned rounds = Tuning::row_rounds, team_threads = simt::warp_size * Tuning::segment_warps;
  auto& totals = simt::shared_storage<single_block_aggregates<Sum, Tuning>>();
  auto* const staged = reinterpret_cast<staged_vector<T>*>(&totals + 1);
  const auto length = static_cast<unsigned>(task.length);
  const unsigned vectors = task.shape.thread_vectors;

  load_rows<block_team>(task.in.from(blockIdx.x), staged, 0, 1, length);
  simt::sync_block();

  const team_segments<Tuning> team(task.shape.segments);
  const auto thread_of_row = [&](unsigned round) {
    return team.segment(round) * team_threads + simt::thread_rank() % team_threads;
  };
  const auto items = [&](unsigned round) {
    return items_of_thread<T>(thread_of_row(round) * vectors * items_per_vector<T>, length, vectors);
  };
  Sum total[rounds], prefix[rounds];
#pragma unroll
  for (unsigned r = 0; r < rounds; ++r) total[r] = thread_reduce<Sum>(staged + thread_of_row(r) * vectors, items(r));
  if (task.forward) {
    scan_threads_of_row<false>(totals, team, total, prefix);
#pragma unroll
    for (unsigned r = 0; r < rounds; ++r)
      total[r] = thread_scan<false, true>(staged + thread_of_row(r) * vectors, items(r), prefix[r]);
  }
  if (task.backward) {
    scan_threads_of_row<true>(totals, team, total, prefix);
#pragma unroll
    for (unsigned r = 0; r < rounds; ++r)
      thread_scan<true, false>(staged + thread_of_row(r) * vectors, items(r), prefix[r]);
  }

  simt::sync_block();
  store_rows<block_team>(staged, 0, task.out.from(blockIdx.x), 1, length);
}

}  // namespace ballot::detail
