// SPDX-License-Identifier: Apache-2.0
// The k smallest of the keys that the blocks of one cluster hold in shared memory.
//
//     block 0   5 3 9 3        k = 3: the last selected key is 3, of which 2 are selected
//               . 0 . 1
//     block 1   3 1 3          block 0 has 2 keys equal to it, so these are all
//               . 2 .
//
// As in select_in_registers.cuh, the last selected key is searched digit by digit. For each digit
// every block counts its own keys, and the blocks meet. Then each adds up the counts of all, and
// all find the same digit. In the end the blocks exchange how many keys each selects, so each knows
// where its first one goes.
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/top_k/select_in_registers.cuh>
#include <ballot/simt/simt.cuh>

#include <cstddef>
#include <cstdint>

namespace ballot::detail {

// What is found by the counts of a digit: the digit of the last selected key, how many keys with it
// are selected, how many have it; and the bits that are set in some of the counted keys, and in all.
template <class U>
struct cluster_step {
  unsigned digit;
  std::uint32_t remaining, of_digit;
  U some, all;
};

// A block's part of the keys.
template <class U, int Threads, int Items>
struct cluster_select_storage : register_select_storage<U, Threads> {
  static_assert(Threads * Items < (1 << 16), "two counts are in one word");
  using codes = shared_codes<U, Items>;
  U key[Threads * Items];
  // Of all blocks. They read the counts and bits of the base.
  digit_counts total;
  U some_of_block[simt::most_cluster_blocks], all_of_block[simt::most_cluster_blocks];
  std::uint32_t selected_of_block[simt::most_cluster_blocks];  // other blocks write it: below, equal
  cluster_step<U> step;
  int first_bits;  // the first digit begins below so many bits

  // Loads the thread's keys: load(j), once for each. Behind the last key there are keys that are
  // selected last. Only the last block with keys has such, so their order is that of positions.
  template <class Load>
  __device__ __forceinline__ codes load_codes(const key_codec<U>& codec, const tile_lanes<Threads, Items>& lanes,
                                              const Load& load) {
    codes own;
    own.first = key + lanes.first;
    constexpr int at_once = 8;
    const auto load_rows = [&](int base) {
      U loaded[at_once]{};
#pragma unroll
      for (int j = 0; j < at_once; ++j)
        if (lanes.has(base + j)) loaded[j] = load(base + j);
#pragma unroll
      for (int j = 0; j < at_once; ++j)
        if (lanes.has_row(base + j))
          own[base + j] = lanes.has(base + j) ? codec.encode(loaded[j]) : static_cast<U>(~U{0});
    };
    load_rows(0);  // before the loop, which would wait for loads that are under way
#pragma unroll 1
    for (int base = at_once; base < static_cast<int>(lanes.each); base += at_once) load_rows(base);
    return own;
  }
};

// Finds the digit of the remaining-th key by the counts of all blocks, after all have left theirs,
// and their bits. All threads of all blocks; the same in all of them.
template <int Threads, int Items, class U>
__device__ __forceinline__ cluster_step<U> step_of_blocks(cluster_select_storage<U, Threads, Items>& shared,
                                                          unsigned buffer, unsigned slot, std::uint32_t remaining) {
  constexpr unsigned warps = Threads / simt::warp_size, adding = register_digits / simt::warp_size;
  static_assert(adding < warps);  // some warps add up counts; the others look at the bits
  const unsigned thread = simt::thread_rank(), lane = simt::lane_id(), warp = simt::warp_id(), blocks = gridDim.x;
  simt::cluster_arrive();
  simt::cluster_wait();
  if (warp < adding) {
    std::uint32_t sum = 0;
#pragma unroll
    for (unsigned b = 0; b < simt::most_cluster_blocks; ++b)
      if (b < blocks) sum += simt::shared_of_block(shared.counts[buffer], b).word[thread];
    shared.total.word[digit_counts::at(thread)] = sum;
  } else {
    for (unsigned b = warp - adding; b < blocks; b += warps - adding) {
      const auto& there = simt::shared_of_block(static_cast<register_select_storage<U, Threads>&>(shared), b);
      U some, all;
      read_bits(there, slot, some, all);
      if (lane == 0) shared.some_of_block[b] = some, shared.all_of_block[b] = all;
    }
  }
  simt::sync_block();
  // One warp alone: votes and shuffles of all warps would take longer than the second barrier.
  if (warp == 0) {
    cluster_step<U> step;
    step.some = shared.some_of_block[lane < blocks ? lane : 0],
    step.all = shared.all_of_block[lane < blocks ? lane : 0];
    over_lanes(step.some, step.all);
    step.remaining = remaining;
    step.digit = digit_of_last(shared.total, step.remaining, step.of_digit);
    if (lane == 0) shared.step = step;
  }
  simt::sync_block();
  const cluster_step<U>& found = shared.step;
  return {found.digit, found.remaining, found.of_digit, found.some, found.all};
}

// Guesses in which bit keys differ first, by a key of each lane of the first warp, which are the
// same in all blocks. The first warp; read after a barrier.
template <int Threads, int Items, class U>
__device__ __forceinline__ void guess_first_digit(cluster_select_storage<U, Threads, Items>& shared, U sampled) {
  U some = sampled, all = sampled;
  over_lanes(some, all);
  const int bits = bits_from_first(static_cast<U>(some ^ all));
  if (simt::lane_id() == 0) shared.first_bits = bits < register_digit_bits ? register_digit_bits : bits;
}

// Finds the wanted-th of all blocks' keys in order. All threads of all blocks; the same in all of
// them. 0 < wanted. Of as many keys or fewer, every key is selected. The blocks meet at least once.
template <int Threads, int Items, class U, class Codes>
__device__ __forceinline__ last_selected<U> select_in_cluster(cluster_select_storage<U, Threads, Items>& shared,
                                                              const Codes& code,
                                                              const tile_lanes<Threads, Items>& lanes,
                                                              std::uint32_t keys, std::uint32_t wanted) {
  const unsigned thread = simt::thread_rank();
  if (wanted >= keys) {
    simt::cluster_arrive<simt::order::relaxed>();  // the shared memory is there
    simt::cluster_wait();
    return last_selected<U>::every_key();
  }
  if (thread < register_digits) shared.counts[0].word[thread] = 0;
  simt::sync_block();
  // The keys that may be the last one have the bits of `known` from `high` on. At first that is not
  // sure, and every key is counted.
  U known{0};
  int high = shared.first_bits;
  bool is_first = true;
  std::uint32_t remaining = wanted;
  unsigned buffer = 0, slot = 0;
#pragma unroll 1
  while (high > 0) {
    const int low = high > register_digit_bits ? high - register_digit_bits : 0;
    const int same = is_first ? 8 * static_cast<int>(sizeof(U)) : high;
    const unsigned mask = (1u << (high - low)) - 1u, counted = buffer;
    std::uint32_t* const counts = shared.counts[counted].word;
    // Other blocks have read the counts that are cleared: they read them two digits before.
    buffer = buffer == 2 ? 0 : buffer + 1;
    slot ^= 1;
    if (thread < register_digits) shared.counts[buffer].word[thread] = 0;
    U some{0}, all = static_cast<U>(~U{0});
    for_each_row<Codes, 4>(lanes, [&](int j) {
      const U own = code[j], behind = static_cast<U>(own ^ known);
      if (bits_below(behind, same) != behind) return;
      if (lanes.has(j)) some = static_cast<U>(some | own), all = static_cast<U>(all & own);
      // Relaxed: read after a barrier.
      simt::atomic_add<simt::order::relaxed, simt::scope::block>(counts + (static_cast<unsigned>(own >> low) & mask),
                                                                 1u);
    });
    leave_bits(shared, slot, some, all);
    const cluster_step<U> step = step_of_blocks(shared, counted, slot, remaining);
    const U differing = static_cast<U>(step.some ^ step.all);
    if (differing == 0) return {step.all, remaining};
    if (is_first) {
      is_first = false;
      const int bits = bits_from_first(differing);
      const bool is_wrong = bits > high;  // keys differ before the digit
      if (is_wrong) high = bits;
      known = static_cast<U>(step.all ^ bits_below(step.all, high));
      if (is_wrong) continue;
    }
    remaining = step.remaining;
    known = static_cast<U>(known | static_cast<U>(step.digit) << low);
    if (step.of_digit == remaining)  // all keys with these digits
      return {static_cast<U>(known | bits_below(static_cast<U>(~U{0}), low)), last_selected<U>::all};
    // Below the digit: where all counted keys agree, those with this digit do, too.
    high = bits_from_first(bits_below(differing, low));
    known = static_cast<U>(known | (bits_below(step.all, low) ^ bits_below(step.all, high)));
  }
  return {known, remaining};
}

// Calls put(j, rank, of_equal) for the thread's selected keys, as rank_selected does, with ranks
// among those of all blocks. All threads of all blocks. Other blocks no longer reach this block's
// shared memory afterwards.
template <int Threads, int Items, class U, class Codes, class Put>
__device__ __forceinline__ void rank_in_cluster(cluster_select_storage<U, Threads, Items>& shared, const Codes& code,
                                                const tile_lanes<Threads, Items>& lanes, const last_selected<U>& last,
                                                const Put& put) {
  const unsigned lane = simt::lane_id(), block = blockIdx.x;
  const std::uint32_t of_warp = count_selected(code, lanes, last);
  const std::uint32_t before = selected_before(shared, of_warp);
  if (simt::warp_id() == 0) {
    const std::uint32_t of_block = simt::reduce_add(lane < Threads / simt::warp_size ? shared.selected[lane] : 0u);
    if (lane < gridDim.x) simt::shared_of_block(shared.selected_of_block, lane)[block] = of_block;
  }
  simt::cluster_arrive();
  simt::cluster_wait();
  if (of_warp == 0) return;
  const std::uint32_t of_blocks = lane < block ? shared.selected_of_block[lane] : 0u;
  put_selected(code, lanes, last, simt::reduce_add(of_blocks & 0xffffu) + (before & 0xffffu),
               simt::reduce_add(of_blocks >> 16) + (before >> 16), put);
}

}  // namespace ballot::detail
