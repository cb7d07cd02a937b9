// SPDX-License-Identifier: Apache-2.0
// All passes of a sort in one launch of few blocks, one after the other. They follow a sort by
// leading digits if a bucket was too large for a block (plan.hpp). Nearly always there is nothing
// to do, and then this costs one launch instead of nine.
//
//     round r:   tiles by ticket, as in a launch of a pass  ->  all tiles done?  ->  round r + 1
//
// Blocks wait for tiles of other blocks. Those blocks are running, because each has its ticket. So
// the kernel works with any number of blocks. It is a kernel of its own, because in the kernel of
// the passes the rounds would cost registers.
//
// There is one block for each multiprocessor. So a block has twice the threads of a block of a
// pass, for the same number of keys. This is a little faster, and half of the code.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/pass_kernel.cuh>

namespace ballot::detail {

// For launches that make several passes, where Shape is that of a pass. A tile has as many keys.
template <class Shape>
inline constexpr bool can_double_threads = Shape::keys_per_thread % 2 == 0 && Shape::threads <= 512;
template <class Shape>
struct rounds_shape : radix_shape<Shape::threads*(can_double_threads<Shape> ? 2 : 1),
                                  Shape::keys_per_thread / (can_double_threads<Shape> ? 2 : 1), 1, Shape::window> {
  static constexpr bool in_rounds = true;
  static_assert(rounds_shape::items == Shape::items, "the states are for tiles of a pass");
};

// Goes on to the next round when all tiles of this one are done, also those of other blocks. Their
// blocks are running, since each has its ticket. Returns false if there is no next round.
template <class U, class V, class Storage>
__device__ __forceinline__ bool next_radix_round(const radix_pass_arguments<U, V>& a, Storage& shared, unsigned tiles) {
  simt::sync_block();  // all threads have read the round
  if (simt::thread_rank() == 0) {
    const unsigned round = shared.round;
    if (a.action[round].bits != 0) {
      // Pairs with the increments of process_radix_tile.
      while (simt::load_acquire(a.finished_tiles + round) != tiles) simt::spin_hint();
      simt::fence();
    }
    shared.round = round + 1;
  }
  simt::sync_block();
  return shared.round < static_cast<unsigned>(a.rounds);
}

template <class U, class V, class Shape>
__global__ void __launch_bounds__(rounds_shape<Shape>::threads, rounds_shape<Shape>::blocks_per_multiprocessor)
    radix_rounds_kernel(radix_pass_arguments<U, V> a) {
  auto& shared = simt::shared_storage<radix_pass_storage<U, V, rounds_shape<Shape>>>();
  simt::wait_for_previous_launch();  // which writes keys, and whether it has failed
  if (*a.failed == 0) return;
  if (simt::thread_rank() == 0) shared.round = 0;
  simt::sync_block();
  const auto tiles = static_cast<unsigned>(ceil_div(a.n.get(), std::uint64_t{Shape::items}));
  std::uint32_t copied_tile = blockIdx.x;
  do {
    // After the ticket's barrier all threads have read shared memory, and the next tile may take
    // it.
#pragma unroll 1
    while (process_radix_tile(a, shared, copied_tile)) copied_tile += gridDim.x;
  } while (next_radix_round(a, shared, tiles));
}

}  // namespace ballot::detail
