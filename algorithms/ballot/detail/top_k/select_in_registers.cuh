// SPDX-License-Identifier: Apache-2.0
// The k smallest of a tile of keys that a block holds in registers.
//
//     tile   5 3 9 3 3 1 3      k = 3: the last selected key is 3, of which 2 are selected
//     rank   . 0 . 1 . 2 .      their order is that of positions
//
// The last selected key is searched digit by digit, from the first bit on in which keys differ. All warps look at the
// counts of a digit at the same time, so a digit takes one barrier. Of the keys that are equal to the last one, the
// first ones are told by their ranks, which the order of the lanes gives: no digit of a position is counted.
// Source of the search by digits: as cut.cuh.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

inline constexpr int register_digit_bits = 8;
inline constexpr unsigned register_digits = 1u << register_digit_bits;

// Where a thread's keys stand in the tile: neighbouring lanes have neighbouring ones, neighbouring warps follow each
// other, and all warps have about as many. `each` is the same in all threads.
template <int Threads, int Items>
struct tile_lanes {
  unsigned valid, each, first;

  __device__ __forceinline__ explicit tile_lanes(unsigned valid_items)
      : valid(valid_items),
        each((valid_items + Threads - 1) / Threads),
        first(simt::thread_rank() / simt::warp_size * simt::warp_size * each + simt::lane_id()) {}
  // For all lanes: whether there may be a key j at all.
  __device__ __forceinline__ bool has_row(int j) const { return static_cast<unsigned>(j) < each; }
  __device__ __forceinline__ unsigned at(int j) const { return first + static_cast<unsigned>(j) * simt::warp_size; }
  __device__ __forceinline__ bool has(int j) const { return has_row(j) && at(j) < valid; }
};

template <class U, int Threads>
struct register_select_storage {
  static constexpr unsigned warps = Threads / simt::warp_size;
  alignas(16) std::uint32_t counts[3][register_digits];  // one is read, one counts, one is cleared
  U set_in_some[warps], set_in_all[warps];
  std::uint32_t below[warps], equal[warps];
};

// The last selected key; so many of the keys that equal it are selected, the first ones.
template <class U>
struct last_selected {
  static constexpr std::uint32_t all = ~std::uint32_t{0};
  U code;
  std::uint32_t of_equal;

  static BALLOT_HOST_DEVICE last_selected every_key() { return {static_cast<U>(~U{0}), all}; }
};

// The bits of a code below `bit`.
template <class U>
__device__ __forceinline__ U bits_below(U code, int bit) {
  return bit == 8 * static_cast<int>(sizeof(U)) ? code : static_cast<U>(code & static_cast<U>((U{1} << bit) - 1));
}

// The bits that differ among the tile's keys. Also clears the counts of the first digit. One barrier.
template <int Threads, int Items, class U>
__device__ __forceinline__ U differing_bits(register_select_storage<U, Threads>& shared, const U (&code)[Items],
                                            const tile_lanes<Threads, Items>& lanes, U& in_all) {
  constexpr unsigned warps = Threads / simt::warp_size;
  const unsigned thread = simt::thread_rank(), lane = simt::lane_id();
  U some{0}, all = static_cast<U>(~U{0});
#pragma unroll
  for (int j = 0; j < Items; ++j)
    if (lanes.has(j)) some = static_cast<U>(some | code[j]), all = static_cast<U>(all & code[j]);
  const auto over_lanes = [&] {
#pragma unroll
    for (unsigned distance = simt::warp_size / 2; distance != 0; distance /= 2) {
      some = static_cast<U>(some | simt::shuffle_xor(some, distance));
      all = static_cast<U>(all & simt::shuffle_xor(all, distance));
    }
  };
  over_lanes();
  if (lane == 0) shared.set_in_some[thread / simt::warp_size] = some, shared.set_in_all[thread / simt::warp_size] = all;
  for (unsigned d = thread; d < register_digits; d += Threads) shared.counts[0][d] = 0;
  simt::sync_block();
  some = shared.set_in_some[lane < warps ? lane : 0];
  all = shared.set_in_all[lane < warps ? lane : 0];
  over_lanes();
  in_all = all;
  return static_cast<U>(some ^ all);
}

// Adds 1 to the count of each digit. All 32 lanes. With many lanes of one digit: the first lane adds for all of them.
__device__ __forceinline__ void add_digits(std::uint32_t* counts, bool has_item, unsigned digit, bool is_skewed) {
  unsigned left = simt::ballot(has_item);
#pragma unroll 1
  for (int turn = 0; is_skewed && turn < 3 && left != 0; ++turn) {
    const auto first = static_cast<unsigned>(simt::find_first(left));
    const unsigned of_first = simt::shuffle(digit, first);
    const unsigned peers = simt::ballot(has_item && digit == of_first);
    // Relaxed, as below: read behind a barrier.
    if (simt::lane_id() == first)
      simt::atomic_add<simt::order::relaxed, simt::scope::block>(counts + of_first,
                                                                 static_cast<std::uint32_t>(simt::popcount(peers)));
    left &= ~peers;
  }
  if ((left & simt::lanemask_eq()) != 0) simt::atomic_add<simt::order::relaxed, simt::scope::block>(counts + digit, 1u);
}

// The digit of the last selected key, by the counts of a digit; the same in all lanes. `remaining`: so many of the
// counted keys are selected; becomes: so many of those with the digit. Returns the digit; of_digit: its count.
__device__ __forceinline__ unsigned digit_of_last(const std::uint32_t* counts, std::uint32_t& remaining,
                                                  std::uint32_t& of_digit) {
  constexpr unsigned each = register_digits / simt::warp_size;
  const unsigned lane = simt::lane_id();
  std::uint32_t count[each], sum = 0;
#pragma unroll
  for (unsigned d = 0; d < each; ++d) sum += count[d] = counts[lane * each + d];
  std::uint32_t before = sum;  // with its own, first
#pragma unroll
  for (unsigned distance = 1; distance < simt::warp_size; distance *= 2) {
    const std::uint32_t of_lower = simt::shuffle_up(before, distance);
    if (lane >= distance) before += of_lower;
  }
  before -= sum;
  const auto owner =
      static_cast<unsigned>(simt::find_first(simt::ballot(before < remaining && remaining <= before + sum)));
  unsigned digit = 0;
  std::uint32_t before_digit = 0, in_digit = 0;
#pragma unroll
  for (unsigned d = 0; d < each; ++d) {
    if (before < remaining) digit = lane * each + d, in_digit = count[d], before_digit = before;
    before += count[d];
  }
  remaining -= simt::shuffle(before_digit, owner);
  of_digit = simt::shuffle(in_digit, owner);
  return simt::shuffle(digit, owner);
}

// Of the tile's keys, the wanted-th in order; or a later one, with which up to `slack` more are selected. All threads;
// the same in all of them. 0 < wanted < valid.
template <int Threads, int Items, class U>
__device__ __forceinline__ last_selected<U> select_in_registers(register_select_storage<U, Threads>& shared,
                                                                const U (&code)[Items],
                                                                const tile_lanes<Threads, Items>& lanes,
                                                                std::uint32_t wanted, std::uint32_t slack) {
  const unsigned thread = simt::thread_rank();
  U in_all;
  const U differing = differing_bits<Threads, Items, U>(shared, code, lanes, in_all);
  int high = differing == 0 ? 0 : 64 - static_cast<int>(simt::leading_zeros(static_cast<std::uint64_t>(differing)));
  U known = static_cast<U>(in_all ^ bits_below(in_all, high));  // the bits from `high` on
  std::uint32_t remaining = wanted;
  unsigned buffer = 0;
#pragma unroll 1
  while (high > 0) {
    const int low = high > register_digit_bits ? high - register_digit_bits : 0;
    const unsigned mask = (1u << (high - low)) - 1u;
    std::uint32_t* const counts = shared.counts[buffer];
    buffer = buffer == 2 ? 0 : buffer + 1;
    for (unsigned d = thread; d < register_digits; d += Threads) shared.counts[buffer][d] = 0;
    bool is_skewed = false;
#pragma unroll
    for (int j = 0; j < Items; ++j) {
      if (!lanes.has_row(j)) continue;
      const U behind = static_cast<U>(code[j] ^ known);
      const bool has_item = lanes.has(j) && bits_below(behind, high) == behind;
      const unsigned digit = static_cast<unsigned>(code[j] >> low) & mask;
      if (j == 0) {
        const unsigned of_lane_0 = simt::shuffle(digit, 0u);
        is_skewed = high - low < 4 || simt::popcount(simt::ballot(has_item && digit == of_lane_0)) >= 8;
      }
      add_digits(counts, has_item, digit, is_skewed);
    }
    simt::sync_block();
    std::uint32_t of_digit;
    const unsigned digit = digit_of_last(counts, remaining, of_digit);
    known = static_cast<U>(known | static_cast<U>(digit) << low);
    high = low;
    if (of_digit - remaining <= slack)  // all keys with these digits
      return {static_cast<U>(known | bits_below(static_cast<U>(~U{0}), low)), last_selected<U>::all};
  }
  return {known, remaining};
}

// put(j, rank, of_equal) for the thread's selected keys: rank among all of the tile's selected keys, in order, and the
// number of keys before that equal the last one, if it does so itself. All threads. One barrier.
template <int Threads, int Items, class U, class Put>
__device__ __forceinline__ void rank_selected(register_select_storage<U, Threads>& shared, const U (&code)[Items],
                                              const tile_lanes<Threads, Items>& lanes, const last_selected<U>& last,
                                              const Put& put) {
  constexpr unsigned warps = Threads / simt::warp_size;
  const unsigned lane = simt::lane_id(), warp = simt::thread_rank() / simt::warp_size;
  std::uint32_t below = 0, equal = 0;  // of the warp
#pragma unroll
  for (int j = 0; j < Items; ++j) {
    if (!lanes.has_row(j)) continue;
    below += static_cast<std::uint32_t>(simt::popcount(simt::ballot(lanes.has(j) && code[j] < last.code)));
    equal += static_cast<std::uint32_t>(simt::popcount(simt::ballot(lanes.has(j) && code[j] == last.code)));
  }
  if (lane == 0) shared.below[warp] = below, shared.equal[warp] = equal;
  simt::sync_block();
  const bool is_before = lane < warp && lane < warps;
  below = simt::reduce_add(is_before ? shared.below[lane] : 0u);
  equal = simt::reduce_add(is_before ? shared.equal[lane] : 0u);
#pragma unroll
  for (int j = 0; j < Items; ++j) {
    if (!lanes.has_row(j)) continue;
    const bool is_below = lanes.has(j) && code[j] < last.code, is_equal = lanes.has(j) && code[j] == last.code;
    const unsigned all_below = simt::ballot(is_below), all_equal = simt::ballot(is_equal);
    const std::uint32_t of_equal = equal + static_cast<std::uint32_t>(simt::popcount(all_equal & simt::lanemask_lt()));
    const std::uint32_t smaller_ones =
        below + static_cast<std::uint32_t>(simt::popcount(all_below & simt::lanemask_lt()));
    if (is_below || (is_equal && of_equal < last.of_equal))
      put(j, smaller_ones + (of_equal < last.of_equal ? of_equal : last.of_equal), of_equal);
    below += static_cast<std::uint32_t>(simt::popcount(all_below));
    equal += static_cast<std::uint32_t>(simt::popcount(all_equal));
  }
}

}  // namespace ballot::detail
