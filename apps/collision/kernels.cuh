// The kernels of the collision pipeline, between the library's calls (pipeline.cuh has the picture). A thread an object
// or a warp 32 candidates; there are no barriers of the block and no shared memory.
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

// keys[i]: the cell of object i. ids[i] = i, to travel with the key.
template <int = 0>
__global__ void __launch_bounds__(threads_a_block)
    number_cells_kernel(const sphere* spheres, std::uint32_t n, cell_grid grid, std::uint32_t* keys,
                        std::uint32_t* ids) {
  const std::uint64_t i = global_thread();
  if (i >= n) return;
  keys[i] = grid.key_of(spheres[i]);
  ids[i] = static_cast<std::uint32_t>(i);
}

// The spheres in the order of their cells, and where a cell begins: at each head flag, a key that differs from the one
// before it. Cells without objects keep what the table was filled with, the largest number.
template <int = 0>
__global__ void __launch_bounds__(threads_a_block)
    begin_cells_kernel(const sphere* spheres, const std::uint32_t* keys, const std::uint32_t* ids, std::uint32_t n,
                       std::uint32_t cells, sphere* sorted, std::uint32_t* starts) {
  const std::uint64_t i = global_thread();
  if (i >= n) return;
  sorted[i] = spheres[ids[i]];
  const std::uint32_t key = keys[i];
  const bool is_head = i == 0 || keys[i - 1] != key;
  if (is_head) starts[key] = static_cast<std::uint32_t>(i);
  if (i == 0) starts[cells] = n;
}

// counts[i]: how many candidates the object at place i has ahead of it. Ranges are apart, so a count is below n.
template <int = 0>
__global__ void __launch_bounds__(threads_a_block)
    count_candidates_kernel(const std::uint32_t* keys, const std::uint32_t* starts, std::uint32_t n, cell_grid grid,
                            std::uint32_t* counts) {
  const std::uint64_t i = global_thread();
  if (i >= n) return;
  std::uint32_t count = 0;
#pragma unroll
  for (unsigned r = 0; r < neighbour_ranges; ++r)
    count += places_ahead(grid, starts, keys[i], static_cast<std::uint32_t>(i), r).size();
  counts[i] = count;
}

// Writes the candidates of 32 objects, one object a lane, as one run of the array: 32 neighbouring places at a time,
// whoever they belong to.
//
//     offsets      0     3  3     7          of lanes 0 to 3
//     places       0 1 2    3 4 5 6 ...      lane p writes place p, p + 32, ...: it finds the owner by bisection of the
//     owner        0 0 0    2 2 2 2          offsets in the registers of the warp, and in the owner's ranges the partner
//
// So stores are whole lines however uneven the counts are. Places from `capacity` on are not written.
template <int = 0>
__global__ void __launch_bounds__(threads_a_block)
    fill_candidates_kernel(const std::uint32_t* keys, const std::uint32_t* starts, const std::uint64_t* offsets,
                           std::uint32_t n, cell_grid grid, object_pair* candidates, std::uint64_t capacity) {
  const std::uint64_t i = global_thread();
  const std::uint64_t first = i - simt::lane_id();
  if (first >= n) return;  // the whole warp
  const std::uint64_t behind = first + simt::warp_size < n ? first + simt::warp_size : n;
  const std::uint64_t run_begin = offsets[first];
  const std::uint64_t run_end = offsets[behind] < capacity ? offsets[behind] : capacity;

  std::uint64_t offset = ~std::uint64_t{0};  // lanes without an object own nothing
  std::uint32_t begins[neighbour_ranges]{}, sizes[neighbour_ranges]{};
  if (i < n) {
    offset = offsets[i];
#pragma unroll
    for (unsigned r = 0; r < neighbour_ranges; ++r) {
      const place_range range = places_ahead(grid, starts, keys[i], static_cast<std::uint32_t>(i), r);
      begins[r] = range.begin;
      sizes[r] = range.size();
    }
  }
  for (std::uint64_t at = run_begin; at < run_end; at += simt::warp_size) {  // the same for all lanes
    const std::uint64_t place = at + simt::lane_id();
    // The last lane whose offset is not above the place: of several with the same offset the one that has candidates.
    unsigned owner = 0;
#pragma unroll
    for (unsigned step = simt::warp_size / 2; step != 0; step /= 2)
      if (simt::shuffle(offset, owner + step) <= place) owner += step;
    std::uint32_t rest = static_cast<std::uint32_t>(place - simt::shuffle(offset, owner));
    std::uint32_t partner = 0;
    bool found = false;
#pragma unroll
    for (unsigned r = 0; r < neighbour_ranges; ++r) {
      const std::uint32_t begin = simt::shuffle(begins[r], owner), size = simt::shuffle(sizes[r], owner);
      if (!found && rest < size) {
        partner = begin + rest;
        found = true;
      }
      rest -= found ? 0 : size;
    }
    if (place < run_end) candidates[place] = {static_cast<std::uint32_t>(first) + owner, partner};
  }
}

inline constexpr unsigned tests_a_thread = 4;
inline constexpr unsigned most_striding_blocks = 4096;

// The narrow phase. Each warp votes on 32 candidates, and the vote is the word of their test results: bit i % 32 of word
// i / 32 says whether candidate i is a collision. Words past the last candidate are not written.
template <int = 0>
__global__ void __launch_bounds__(threads_a_block)
    test_candidates_kernel(const sphere* sorted, const object_pair* candidates, const std::uint64_t* count,
                           std::uint64_t capacity, std::uint32_t* hits) {
  const std::uint64_t n = length_of(count, capacity);
  constexpr std::uint64_t warp_run = tests_a_thread * simt::warp_size;
  const std::uint64_t stride = static_cast<std::uint64_t>(gridDim.x) * threads_a_block * tests_a_thread;
  for (std::uint64_t begin = global_thread() / simt::warp_size * warp_run; begin < n; begin += stride) {
    object_pair pairs[tests_a_thread]{};
#pragma unroll
    for (unsigned t = 0; t < tests_a_thread; ++t) {
      const std::uint64_t i = begin + t * simt::warp_size + simt::lane_id();
      if (i < n) pairs[t] = candidates[i];
    }
    std::uint32_t word = 0;
#pragma unroll
    for (unsigned t = 0; t < tests_a_thread; ++t) {
      const std::uint64_t i = begin + t * simt::warp_size + simt::lane_id();
      const unsigned vote = simt::ballot(i < n && touch(sorted[pairs[t].a], sorted[pairs[t].b]));
      if (simt::lane_id() == t) word = vote;
    }
    const std::uint64_t first = begin + simt::lane_id() * simt::warp_size;
    if (simt::lane_id() < tests_a_thread && first < n) hits[first / simt::warp_size] = word;
  }
}

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

// Colliding pairs as keys whose order is that of (a, b): the smaller number of an object in the upper half.
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
