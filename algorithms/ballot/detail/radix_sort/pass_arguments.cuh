// SPDX-License-Identifier: Apache-2.0
// The arguments of a pass of the radix sort: tile shape, arguments of the kernel, and the buffers
// that a launch works on.
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/radix_sort/digit_look_back.cuh>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

// BlocksPerMultiprocessor: the registers leave room for so many; 0: the compiler decides. Window:
// the number of older tiles that a thread polls at once in the look-back.
template <int Threads, int KeysPerThread, int BlocksPerMultiprocessor = 0, int Window = 1>
struct radix_shape {
  static constexpr int threads = Threads;
  static constexpr int keys_per_thread = KeysPerThread;
  static constexpr int blocks_per_multiprocessor = BlocksPerMultiprocessor;
  static constexpr int window = Window;
  static constexpr int warps = Threads / static_cast<int>(simt::warp_size);
  static constexpr unsigned items = Threads * KeysPerThread;
  static_assert(Threads >= radix_digits, "one thread a digit");
  static_assert(items <= 65536, "ranks in a tile have 16 bits");
};

template <class U, class V>
struct radix_pass_arguments {
  const U* keys_in;  // the caller's
  U* keys_output;    // where the last step leaves them
  U* keys_spare;
  bool keys_wanted;    // false: the last pass moves values alone (argsort)
  const V* values_in;  // null: each value is the position of its key
  V* values_output;
  V* values_spare;
  const launch_action* action;
  length n;
  std::uint64_t portion_begin;  // this launch takes keys [portion_begin, portion_begin + portion_items) of them
  std::uint64_t portion_items;
  key_codec<U> codec;
  int shift;  // of the launch's digit
  unsigned digit_mask;
  int leading_shift;  // the same for a pass by leading bits
  unsigned leading_mask;
  const std::uint64_t* digit_offsets;  // [digit]: the output position of the digit's first key of this portion
  std::uint64_t* next_digit_offsets;   // the same for the next portion, written by the last tile; null: there is none
  digit_state::word* states;           // [tile][digit], zero at launch
  // Null: the host clears the states. Otherwise even passes use `states` and clear these for the
  // next pass; odd passes do the reverse.
  digit_state::word* other_states;
  std::uint32_t* ticket;  // zero at launch
  // For a launch that makes passes in rounds (plan.hpp): how many rounds, and how many tiles of
  // each are done, zero at launch. Action, ticket and finished tiles are then [round]. Nothing is
  // done unless `failed` is not 0.
  int rounds;
  radix_digit_plan digits;
  std::uint32_t* finished_tiles;
  const std::uint32_t* failed;
};

// Whether a block takes several tiles, one after the other. Then fewer blocks are started just to
// find that a launch has nothing to do. This pays for keys of 8 bytes, which have eight such
// launches. Kernels for shorter keys have no registers left for the loop.
template <class U>
inline constexpr bool radix_blocks_loop = sizeof(U) >= 8;
// Whether a launch of this shape makes passes in rounds (rounds_kernel.cuh).
template <class Shape>
inline constexpr bool makes_rounds = requires { requires Shape::in_rounds; };
// Whether there are such launches.
template <class U>
inline constexpr bool radix_passes_in_rounds = sizeof(U) == 8 && !has_equal_zeros<U>;

// The buffers that the action of this launch selects. Each is selected where it is used, because a
// pointer that is kept costs two registers.
template <class U, class V>
struct radix_step_buffers {
  const radix_pass_arguments<U, V>& a;
  launch_action action;

  __device__ __forceinline__ bool to_output() const { return action.has(launch_action::to_output); }
  __device__ __forceinline__ bool is_first() const { return action.has(launch_action::first_step); }
  __device__ __forceinline__ const U* keys_in() const {
    return is_first() ? a.keys_in : to_output() ? a.keys_spare : a.keys_output;
  }
  __device__ __forceinline__ U* keys_out() const { return to_output() ? a.keys_output : a.keys_spare; }
  __device__ __forceinline__ bool wants_keys() const { return a.keys_wanted || !action.has(launch_action::last_step); }
  __device__ __forceinline__ const V* values_in() const {
    return is_first() ? a.values_in : to_output() ? a.values_spare : a.values_output;
  }
  __device__ __forceinline__ V* values_out() const { return to_output() ? a.values_output : a.values_spare; }
};

template <class Shape, class U, class V>
__device__ __forceinline__ std::uint64_t radix_tile_begin(const radix_pass_arguments<U, V>& a, std::uint32_t tile) {
  return a.portion_begin + static_cast<std::uint64_t>(tile) * Shape::items;
}

}  // namespace ballot::detail
