// SPDX-License-Identifier: Apache-2.0
// One pass of the LSD radix sort: a stable partition of the keys by one digit of 8 bits, in one
// read and one write.
//
//     take a ticket -> load keys -> rank each key among those of its digit -> publish 256 counts
//     -> exchange keys in shared memory, so that they lie by digit
//     -> look back, one thread a digit -> scatter keys -> exchange values -> scatter values
//
// pass_tile.cuh has these stages. Each digit's keys of a tile are written as one contiguous run.
//
// Values are copied into shared memory asynchronously, while keys are loaded and ranked. So they
// need no registers.
//
// Keys are ranked within each half of a warp (rank.cuh). The counts are then added up over the
// halves in order, which makes the pass stable. The first pass of a sort of keys alone by all their
// bits need not be stable: keys that agree in all bits cannot be told apart.
//
// Look-back. It is as in device/look_back.cuh, but with 256 sums side by side: thread d looks back
// for digit d (digit_look_back.cuh). A state has 30 bits for its count, so a launch takes fewer
// than 2^30 keys (a portion). The offset of each digit in the output has 64 bits and is kept apart,
// so n is not limited. Relaxed order is enough, for the reason given there.
//
// The first pass encodes the keys to their ordered bits. The passes between move ordered bits, and
// the last pass decodes them. So the kernel is compiled once per width of the keys. Values are
// words of their width. Without values to read, the value is the position of the key (argsort). The
// histogram has decided the action of the launch (plan.hpp). It says whether the launch is a pass,
// a copy, or nothing, and which buffers it uses.
//
// Sources: Adinets and Merrill, Onesweep: A Faster Least Significant Digit Radix Sort for GPUs,
// 2022; Harris and Garland, GPU Computing Gems Jade Edition, chapter 3.4 (radix sort from one-bit
// splits, of which this is the eight-bit descendant).
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/launch_bounds.cuh>
#include <ballot/detail/radix_sort/pass_tile.cuh>
#include <ballot/device/look_back.cuh>

#include <type_traits>

namespace ballot::detail {

// A launch that only copies: the tile's keys, and its values or, as values, the positions.
template <class U, class V, class Shape>
__device__ __forceinline__ void copy_pass_tile(const radix_step_buffers<U, V>& buffers, std::uint64_t begin,
                                               unsigned valid) {
  if (buffers.wants_keys()) copy_tile<Shape>(buffers.keys_in() + begin, buffers.keys_out() + begin, valid);
  if constexpr (!std::is_same_v<V, no_value>) {
    const V* const values_in = buffers.values_in();
    V* const values_out = buffers.values_out() + begin;
    if (values_in != nullptr) {
      copy_tile<Shape>(values_in + begin, values_out, valid);
    } else if constexpr (std::is_integral_v<V>) {
      for (unsigned at = simt::thread_rank(); at < valid; at += Shape::threads)
        values_out[at] = static_cast<V>(begin + at);
    }
  }
}

// More blocks than are resident at once. Blocks that find nothing to do cost time, too.
inline constexpr unsigned max_radix_blocks = 512;

// One tile of a block; false if there was none. copied_tile: the tile that this block takes if the
// launch copies.
template <class U, class V, class Shape>
__device__ __forceinline__ bool process_radix_tile(const radix_pass_arguments<U, V>& a,
                                                   radix_pass_storage<U, V, Shape>& shared, std::uint32_t copied_tile) {
  // The ticket is fetched while the action is loaded, although some launches then need no ticket.
  unsigned round = 0;
  if constexpr (makes_rounds<Shape>) round = shared.round;
  const device::pending_ticket ticket(a.ticket + round);
  const launch_action action = a.action[round];
  if (action.bits == 0) return false;  // nothing to do in this launch: the whole grid leaves
  const std::uint64_t portion_end = smaller(a.n.get(), a.portion_begin + a.portion_items);
  const bool copies = action.has(launch_action::copy);
  // A copy needs no order of tiles, and has no barrier after which shared.tile could be written
  // again.
  const std::uint32_t tile = copies ? copied_tile : ticket.get(shared.tile);
  const std::uint64_t begin = radix_tile_begin<Shape>(a, tile);
  if (begin >= portion_end) return false;  // a surplus tile of a launch sized for the capacity: the whole block leaves

  const std::uint64_t left = portion_end - begin;
  const auto valid = static_cast<unsigned>(smaller(left, Shape::items));
  if (copies) copy_pass_tile<U, V, Shape>(radix_step_buffers<U, V>{a, action}, begin, valid);
  else radix_pass_tile<U, V, Shape>(a, action, shared, tile, valid, left <= Shape::items).process();
  if constexpr (makes_rounds<Shape>) {
    // Release: each thread's fence, then one acq_rel increment for the tile; pairs with
    // next_radix_round.
    simt::fence();
    simt::sync_block();
    if (simt::thread_rank() == 0) simt::atomic_add<simt::order::acq_rel>(a.finished_tiles + shared.round, 1u);
  }
  return true;
}

template <class U, class V, class Shape>
__global__ void __launch_bounds__(Shape::threads, radix_launch_blocks<Shape>)
    radix_pass_kernel(radix_pass_arguments<U, V> a) {
  auto& shared = simt::shared_storage<radix_pass_storage<U, V, Shape>>();
  simt::wait_for_previous_launch();  // which writes the action, keys and states
  std::uint32_t copied_tile = blockIdx.x;
  if constexpr (radix_blocks_loop<U>) {
    // After the ticket's barrier all threads have read shared memory, and the next tile may take
    // it.
#pragma unroll 1
    while (process_radix_tile(a, shared, copied_tile)) copied_tile += gridDim.x;
  } else {
    process_radix_tile(a, shared, copied_tile);
  }
}

}  // namespace ballot::detail
