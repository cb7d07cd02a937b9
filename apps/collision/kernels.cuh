// SPDX-License-Identifier: Apache-2.0
// The kernels of the collision pipeline, between the library's calls (pipeline.cuh has the
// picture). A thread an object or a warp 32 candidates; there are no barriers of the block.
#pragma once

#include <ballot/core/namespace.hpp>

#include "collision/grid.hpp"
#include "collision/motion.hpp"

#include <ballot/simt/simt.cuh>

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

// keys[i]: the cell of object i. ids[i] = i, for a sort that wants the numbers as values; null: not
// written.
template <int = 0>
__global__ void __launch_bounds__(threads_a_block)
    number_cells_kernel(const sphere* spheres, std::uint32_t n, cell_grid grid, std::uint32_t* keys,
                        std::uint32_t* ids) {
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
  const std::uint64_t i = global_thread();
  if (i >= n) return;
  const std::uint32_t key = keys[i], before = i == 0 ? ~key : keys[i - 1];
  sorted[i] = spheres[ids[i]];
  if (before != key) starts[key] = static_cast<std::uint32_t>(i);
  if (i == 0) starts[cells] = n;
}

// counts[i]: how many candidates the object at place i has ahead of it. Ranges are apart, so a
// count is below n. Clears the words of test results, too, for the warps that will share some of
// them.
template <int = 0>
__global__ void __launch_bounds__(threads_a_block)
    count_candidates_kernel(const std::uint32_t* keys, const std::uint32_t* starts, std::uint32_t n, cell_grid grid,
                            std::uint32_t* counts, std::uint32_t* hits, std::uint64_t hit_words) {
  const std::uint64_t i = global_thread();
  if (i >= n) return;
  for (std::uint64_t w = i; w < hit_words; w += n) hits[w] = 0;
  std::uint32_t count = 0;
#pragma unroll
  for (unsigned r = 0; r < neighbour_ranges; ++r)
    count += indices_ahead(grid, starts, keys[i], static_cast<std::uint32_t>(i), r).size();
  counts[i] = count;
}

// The data of another lane's object that a lane needs to find a candidate. Padded, so that the
// objects of eight neighbouring candidates lie in different banks.
struct alignas(16) candidate_owner {
  sphere own;
  std::uint32_t begin[neighbour_ranges];  // of each range: its first place, less how many candidates come before it
  std::uint32_t end[neighbour_ranges];    // of each range: how many candidates it and those before it have
  std::uint32_t offset;                   // of the first candidate, modulo 2^32
  std::uint32_t place;
  std::uint32_t padding[4];
};
struct list_candidates_storage {
  candidate_owner owner[threads_a_block / simt::warp_size][simt::warp_size];
};

// Lists the candidates of 32 objects, one object a lane, as one run of the array. Tests them (the
// narrow phase) while they are at hand: 32 neighbouring places at a time, whatever object they
// belong to.
//
//     owners       A     B       C D         the objects that have candidates, in shared memory
//     places       0 1 2 3 4 5 6 7 8         lane p takes place p, p + 32, ...
//     head flags   1 0 0 1 0 0 0 1 1         where the candidates of an owner begin; a word of all 32
//     owner        A A A B B B B C D         by counting flags up to the place: the flags are a segmented array
//     touch        0 1 0 0 0 1 0 0 1         the vote of the warp: a word of test results
//
// So stores are whole lines however uneven the counts are, and the candidates are not read again to
// be tested. Bit i % 32 of word i / 32 says whether candidate i is a collision. A word where the
// runs of two warps meet is put together by atomics; it must be zero before. Places from `capacity`
// on are neither written nor tested. hits null: nothing is tested.
template <int = 0>
__global__ void __launch_bounds__(threads_a_block)
    list_candidates_kernel(const sphere* sorted, const std::uint32_t* keys, const std::uint32_t* starts,
                           const std::uint64_t* offsets, std::uint32_t n, cell_grid grid, object_pair* candidates,
                           std::uint64_t capacity, std::uint32_t* hits) {
  const std::uint64_t i = global_thread();
  const std::uint64_t first = i - simt::lane_id();
  if (first >= n) return;  // the whole warp
  auto& owners = simt::shared_storage<list_candidates_storage>().owner[threadIdx.x / simt::warp_size];
  const std::uint64_t behind = first + simt::warp_size < n ? first + simt::warp_size : n;
  const std::uint64_t run_begin = offsets[first];
  const std::uint64_t run_end = offsets[behind] < capacity ? offsets[behind] : capacity;
  if (run_begin >= run_end) return;  // no candidates, or no room for them: the whole warp

  const std::uint64_t offset = i < n ? offsets[i] : 0;
  const bool has_candidates = i < n && offsets[i + 1] != offset;
  const unsigned with_candidates = simt::ballot(has_candidates);
  if (has_candidates) {
    candidate_owner owner{sorted[i], {}, {}, static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(i), {}};
    std::uint32_t count = 0;
#pragma unroll
    for (unsigned r = 0; r < neighbour_ranges; ++r) {
      const index_range range = indices_ahead(grid, starts, keys[i], static_cast<std::uint32_t>(i), r);
      owner.begin[r] = range.begin - count;
      owner.end[r] = count += range.size();
    }
    owners[simt::popcount(with_candidates & simt::lanemask_lt())] = owner;
  }
  simt::sync_warp();  // written before any lane reads them

  unsigned heads_before = 0;  // of the owners: those whose candidates begin before the word
  for (std::uint64_t word = run_begin / simt::warp_size; word * simt::warp_size < run_end; ++word) {  // for all lanes
    const std::uint64_t word_begin = word * simt::warp_size, place = word_begin + simt::lane_id();
    const bool is_of_run = place >= run_begin && place < run_end;
    const bool begins_here = has_candidates && offset - word_begin < simt::warp_size;
    const unsigned heads = simt::reduce_or(begins_here ? 1u << (offset - word_begin) : 0u);
    // Counted from 1. Places before the run have none, and are not used.
    const unsigned heads_up_to = heads_before + static_cast<unsigned>(simt::popcount(heads & simt::lanemask_le()));
    heads_before += static_cast<unsigned>(simt::popcount(heads));
    const candidate_owner& owner = owners[heads_up_to == 0 ? 0 : heads_up_to - 1];
    const std::uint32_t rank = static_cast<std::uint32_t>(place) - owner.offset;
    std::uint32_t begin = owner.begin[neighbour_ranges - 1];
#pragma unroll
    for (unsigned r = neighbour_ranges - 1; r-- > 0;)
      if (rank < owner.end[r]) begin = owner.begin[r];
    const std::uint32_t partner = begin + rank;
    if (is_of_run) candidates[place] = {owner.place, partner};
    if (hits == nullptr) continue;
    const unsigned vote = simt::ballot(is_of_run && touch(owner.own, sorted[partner]));
    if (simt::lane_id() != 0) continue;
    // Relaxed: the words are read by a later launch.
    if (word_begin >= run_begin && word_begin + simt::warp_size <= run_end) hits[word] = vote;
    else simt::atomic_or(&hits[word], vote);
  }
}

inline constexpr unsigned most_striding_blocks = 4096;

// One thread: what this step found.
template <int = 0>
__global__ void enter_step_kernel(const std::uint64_t* candidates, const std::uint64_t* pairs, pair_counts room,
                                  step_account* account) {
  enter_step(*account, {*candidates, *pairs}, room);
}

// Adds what each colliding pair does to its two objects.
template <int = 0>
__global__ void __launch_bounds__(threads_a_block)
    push_kernel(const object_pair* pairs, const std::uint64_t* count, std::uint64_t capacity, const std::uint32_t* ids,
                const sphere* spheres, const velocity* velocities, motion how, push* pushes) {
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
  const std::uint64_t n = length_of(count, capacity);
  const std::uint64_t stride = static_cast<std::uint64_t>(gridDim.x) * threads_a_block;
  for (std::uint64_t i = global_thread(); i < n; i += stride) {
    const std::uint32_t first = ids[pairs[i].a], second = ids[pairs[i].b];
    const std::uint64_t a = first < second ? first : second, b = first < second ? second : first;
    names[i] = a << 32 | b;
  }
}

}  // namespace ballot::app::collision
