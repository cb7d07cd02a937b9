// SPDX-License-Identifier: Apache-2.0
// The kernels of the collision pipeline, between the library's calls (pipeline.cuh has the
// picture). A thread an object or a warp 32 candidates; there are no barriers of the block.
#pragma once

#include <ballot/core/namespace.hpp>

#include "collision/grid.hpp"
#include "collision/motion.hpp"

#include <ballot/simt/simt.cuh>
#include <ballot/warp/reduce.cuh>
#include <ballot/warp/scan.cuh>

namespace ballot::app::collision {

inline constexpr unsigned threads_a_block = 256;

// The place of this thread among all; the grid covers `n`, which fits 32 bits.
__device__ __forceinline__ std::uint64_t global_thread() {
  return static_cast<std::uint64_t>(blockIdx.x) * threads_a_block + threadIdx.x;
}

// A length on the device, of an array with this much room.
__device__ __forceinline__ std::uint64_t length_of(const std::uint64_t* count, std::uint64_t capacity) {
  return *count < capacity ? *count : capacity;
}

// Each launch may begin before the one before has ended, and lets the next one begin. So the time that
// a launch takes to begin is hidden. All threads, before anything is read or written.
__device__ __forceinline__ void wait_for_launches_before() {
  simt::let_next_launch_begin();
  simt::wait_for_previous_launch();
}

// keys[i]: the cell of object i. ids[i] = i, for a sort that wants the numbers as values; null: not
// written.
template <int = 0>
__global__ void __launch_bounds__(threads_a_block)
    number_cells_kernel(const sphere* spheres, std::uint32_t n, cell_grid grid, std::uint32_t* keys,
                        std::uint32_t* ids) {
  wait_for_launches_before();
  const std::uint64_t i = global_thread();
  if (i >= n) return;
  keys[i] = grid.key_of(spheres[i]);
  if (ids != nullptr) ids[i] = static_cast<std::uint32_t>(i);
}

// The spheres in the order of their cells, and where a cell begins. It begins at each head flag,
// where a key differs from the key before it. Cells without objects keep what the table was filled
// with, the largest number.
template <int = 0>
__global__ void __launch_bounds__(threads_a_block)
    begin_cells_kernel(const sphere* spheres, const std::uint32_t* keys, const std::uint32_t* ids, std::uint32_t n,
                       std::uint32_t cells, sphere* sorted, std::uint32_t* starts) {
  wait_for_launches_before();
  const std::uint64_t i = global_thread();
  if (i >= n) return;
  const std::uint32_t key = keys[i], before = i == 0 ? ~key : keys[i - 1];
  sorted[i] = spheres[ids[i]];
  if (before != key) starts[key] = static_cast<std::uint32_t>(i);
  if (i == 0) starts[cells] = n;
}

// How many warps have objects.
BALLOT_HOST_DEVICE std::uint64_t warps_of(std::uint64_t objects) {
  return (objects + simt::warp_size - 1) / simt::warp_size;
}

// counts[w]: how many candidates the objects of warp w have ahead of them.
template <int = 0>
__global__ void __launch_bounds__(threads_a_block)
    count_candidates_kernel(const std::uint32_t* keys, const std::uint32_t* starts, std::uint32_t n, cell_grid grid,
                            std::uint64_t* counts) {
  wait_for_launches_before();
  const std::uint64_t i = global_thread(), first = i - simt::lane_id();
  if (first >= n) return;  // the whole warp
  std::uint64_t count = 0;
  if (i < n) {
#pragma unroll
    for (unsigned r = 0; r < neighbour_ranges; ++r)
      count += indices_ahead(grid, starts, keys[i], static_cast<std::uint32_t>(i), r).size();
  }
  count = warp::reduce(count, plus{});
  if (simt::lane_id() == 0) counts[first / simt::warp_size] = count;
}

// The data of another lane's object that a lane needs to find a candidate. Padded, so that the
// objects of eight neighbouring candidates lie in different banks.
struct alignas(16) candidate_owner {
  sphere own;
  std::uint32_t begin[neighbour_ranges];  // of each range: its first place, less how many candidates come before it
  std::uint32_t end[neighbour_ranges];    // of each range: how many candidates it and those before it have
  std::uint32_t offset;                   // of the first candidate in the warp's run, modulo 2^32
  std::uint32_t place;
  std::uint32_t padding[4];
};
struct visit_candidates_storage {
  candidate_owner owner[threads_a_block / simt::warp_size][simt::warp_size];
};

// Goes over the candidates of 32 objects, one object a lane: 32 neighbouring places at a time,
// whatever object they belong to. The candidates of a warp are one run of all.
//
//     owners       A     B       C D         the objects that have candidates, in shared memory
//     places       0 1 2 3 4 5 6 7 8         in the run; lane p takes place p, p + 32, ...
//     head flags   1 0 0 1 0 0 0 1 1         where the candidates of an owner begin; a word of all 32
//     owner        A A A B B B B C D         by counting flags up to the place: the flags are a segmented array
//
// Either lists them all: pairs[p] is candidate p. Or tests them (the narrow phase), and keeps those
// that touch:
//
//     touch        0 1 0 0 0 1 0 0 1         the vote of the warp
//     rank         - 0 - - - 1 - - 2         votes before: where the pair goes, from the begin of the run on
//
// Then touching[w] is how many candidates of warp w touch. So stores are whole lines however uneven
// the counts are, and candidates that do not touch are never stored. offsets: of the warps' runs,
// and their end. Candidates from `capacity` on are neither written nor tested.
template <bool Tests>
__global__ void __launch_bounds__(threads_a_block)
    visit_candidates_kernel(const sphere* sorted, const std::uint32_t* keys, const std::uint32_t* starts,
                            const std::uint64_t* offsets, std::uint32_t n, cell_grid grid, object_pair* pairs,
                            std::uint64_t capacity, std::uint32_t* touching) {
  wait_for_launches_before();
  const std::uint64_t i = global_thread(), first = i - simt::lane_id();
  if (first >= n) return;  // the whole warp
  auto& owners = simt::shared_storage<visit_candidates_storage>().owner[threadIdx.x / simt::warp_size];
  const std::uint64_t warp = first / simt::warp_size, run_begin = offsets[warp];
  const std::uint64_t run_end = offsets[warp + 1] < capacity ? offsets[warp + 1] : capacity;

  candidate_owner owner{};
  std::uint64_t own = 0;  // candidates of this lane's object
  if (i < n) {
    owner.own = sorted[i];
    owner.place = static_cast<std::uint32_t>(i);
#pragma unroll
    for (unsigned r = 0; r < neighbour_ranges; ++r) {
      const index_range range = indices_ahead(grid, starts, keys[i], owner.place, r);
      owner.begin[r] = range.begin - static_cast<std::uint32_t>(own);
      own += range.size();
      owner.end[r] = static_cast<std::uint32_t>(own);
    }
  }
  const std::uint64_t offset = warp::inclusive_scan(own) - own;  // in the run
  owner.offset = static_cast<std::uint32_t>(offset);
  const unsigned with_candidates = simt::ballot(own != 0);
  if (own != 0) owners[simt::popcount(with_candidates & simt::lanemask_lt())] = owner;
  simt::sync_warp();  // written before any lane reads them

  unsigned found = 0;         // candidates that touch
  unsigned heads_before = 0;  // of the owners: those whose candidates begin before these places
  object_pair* const run = pairs + run_begin;
  for (std::uint64_t begin = 0; run_begin + begin < run_end; begin += simt::warp_size) {  // for all lanes
    const std::uint64_t place = begin + simt::lane_id();
    const bool is_of_run = run_begin + place < run_end;
    const bool begins_here = own != 0 && offset - begin < simt::warp_size;
    const unsigned heads = simt::reduce_or(begins_here ? 1u << (offset - begin) : 0u);
    // Counted from 1: the first place has a head.
    const unsigned heads_up_to = heads_before + static_cast<unsigned>(simt::popcount(heads & simt::lanemask_le()));
    heads_before += static_cast<unsigned>(simt::popcount(heads));
    const candidate_owner& of = owners[heads_up_to - 1];
    const std::uint32_t rank = static_cast<std::uint32_t>(place) - of.offset;
    std::uint32_t range_begin = of.begin[neighbour_ranges - 1];
#pragma unroll
    for (unsigned r = neighbour_ranges - 1; r-- > 0;)
      if (rank < of.end[r]) range_begin = of.begin[r];
    const object_pair candidate{of.place, range_begin + rank};
    if constexpr (Tests) {
      const bool touches = is_of_run && touch(of.own, sorted[candidate.b]);
      const unsigned vote = simt::ballot(touches);
      if (touches) run[found + static_cast<unsigned>(simt::popcount(vote & simt::lanemask_lt()))] = candidate;
      found += static_cast<unsigned>(simt::popcount(vote));
    } else if (is_of_run) {
      run[place] = candidate;
    }
  }
  if (Tests && simt::lane_id() == 0) touching[warp] = found;
}

// Moves the pairs that the warps have found to one array. run_offsets: of the warps' candidates;
// offsets: of the pairs, and their end.
template <int = 0>
__global__ void __launch_bounds__(threads_a_block)
    gather_pairs_kernel(const object_pair* found, const std::uint64_t* run_offsets, std::uint32_t n,
                        const std::uint64_t* offsets, object_pair* pairs, std::uint64_t capacity) {
  wait_for_launches_before();
  const std::uint64_t first = global_thread() - simt::lane_id();
  if (first >= n) return;  // the whole warp
  const std::uint64_t warp = first / simt::warp_size, begin = offsets[warp];
  const std::uint64_t end = offsets[warp + 1] < capacity ? offsets[warp + 1] : capacity;
  const object_pair* const run = found + run_offsets[warp];
  for (std::uint64_t at = begin + simt::lane_id(); at < end; at += 2 * simt::warp_size) {  // two in flight
    const bool has_second = at + simt::warp_size < end;
    const object_pair one = run[at - begin], second = has_second ? run[at - begin + simt::warp_size] : one;
    pairs[at] = one;
    if (has_second) pairs[at + simt::warp_size] = second;
  }
}

inline constexpr unsigned most_striding_blocks = 4096;

// One thread: what this step found.
template <int = 0>
__global__ void enter_step_kernel(const std::uint64_t* candidates, const std::uint64_t* pairs, pair_counts room,
                                  step_account* account) {
  wait_for_launches_before();
  enter_step(*account, {*candidates, *pairs}, room);
}

// Adds what each colliding pair does to its two objects.
template <int = 0>
__global__ void __launch_bounds__(threads_a_block)
    push_kernel(const object_pair* pairs, const std::uint64_t* count, std::uint64_t capacity, const std::uint32_t* ids,
                const sphere* spheres, const velocity* velocities, motion how, push* pushes) {
  wait_for_launches_before();
  const std::uint64_t n = length_of(count, capacity);
  const std::uint64_t stride = static_cast<std::uint64_t>(gridDim.x) * threads_a_block;
  for (std::uint64_t i = global_thread(); i < n; i += stride) {
    const std::uint32_t first = ids[pairs[i].a], second = ids[pairs[i].b];
    const std::uint32_t a = first < second ? first : second, b = first < second ? second : first;
    const push to_b = push_of(how, spheres[a], velocities[a], spheres[b], velocities[b]);
#pragma unroll
    for (unsigned c = 0; c < push_components; ++c) {
      if (to_b.sum[c] == 0) continue;
      simt::atomic_add(&pushes[b].sum[c], to_b.sum[c]);
      simt::atomic_add(&pushes[a].sum[c], std::uint64_t{0} - to_b.sum[c]);
    }
  }
}

// Moves each object, and clears its pushes for the next step.
template <int = 0>
__global__ void __launch_bounds__(threads_a_block)
    move_kernel(motion how, std::uint32_t n, sphere* spheres, velocity* velocities, push* pushes) {
  wait_for_launches_before();
  const std::uint64_t i = global_thread();
  if (i >= n) return;
  sphere s = spheres[i];
  velocity v = velocities[i];
  move(how, pushes[i], s, v);
  spheres[i] = s;
  velocities[i] = v;
  pushes[i] = {};
}

// Colliding pairs as keys whose order is that of (a, b): the smaller number of an object in the
// upper half.
template <int = 0>
__global__ void __launch_bounds__(threads_a_block)
    name_pairs_kernel(const object_pair* pairs, const std::uint64_t* count, std::uint64_t capacity,
                      const std::uint32_t* ids, std::uint64_t* names) {
  wait_for_launches_before();
  const std::uint64_t n = length_of(count, capacity);
  const std::uint64_t stride = static_cast<std::uint64_t>(gridDim.x) * threads_a_block;
  for (std::uint64_t i = global_thread(); i < n; i += stride) {
    const std::uint32_t first = ids[pairs[i].a], second = ids[pairs[i].b];
    const std::uint64_t a = first < second ? first : second, b = first < second ? second : first;
    names[i] = a << 32 | b;
  }
}

}  // namespace ballot::app::collision
