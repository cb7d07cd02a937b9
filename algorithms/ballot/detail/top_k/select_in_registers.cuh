// SPDX-License-Identifier: Apache-2.0
// The k smallest of a tile of keys that a block holds in registers.
//
//     tile   5 3 9 3 3 1 3      k = 3: the last selected key is 3, of which 2 are selected
//     rank   . 0 . 1 . 2 .      their order is that of positions
//
// The last selected key is searched digit by digit, from the first bit in which keys differ. All
// warps look at the counts of a digit at the same time, so a digit takes one barrier. Of the keys
// that are equal to the last one, ranks tell which are the first. The order of the lanes gives
// these ranks, so no digit of a position is counted. Source of the search by digits: see cut.cuh.
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/simt/simt.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot::detail {

inline constexpr int register_digit_bits = 8;
inline constexpr unsigned register_digits = 1u << register_digit_bits;

// Where a thread's keys are in the tile. Neighbouring lanes have neighbouring keys, neighbouring
// warps follow each other, and all warps have about equally many keys. `each` is the same in all
// threads.
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

// The counts of a digit. Lane l reads those of 8 digits from 8 l on. All lanes read in different
// banks. The same holds for 8 lanes that read the counts of one lane.
struct digit_counts {
  static constexpr unsigned of_lane = register_digits / simt::warp_size, pitch = simt::warp_size + 1;
  static constexpr unsigned words = of_lane * pitch;
  std::uint32_t word[words];

  static __device__ __forceinline__ unsigned at(unsigned digit) { return digit % of_lane * pitch + digit / of_lane; }
};

template <class U, int Threads>
struct register_select_storage {
  static constexpr unsigned warps = Threads / simt::warp_size;
  alignas(16) digit_counts counts[3];  // one is read, one counts, one is cleared
  U set_in_some[2][warps], set_in_all[2][warps];
  std::uint32_t selected[warps];
};

// A thread's keys. In registers each loop over them is unrolled. In shared memory the loops are
// rolled, and their code is a tenth as large. Only the thread itself reads them.
template <class U, int Items>
struct register_codes {
  static constexpr bool is_rolled = false;
  U code[Items];
  __device__ __forceinline__ U& operator[](int j) { return code[j]; }
  __device__ __forceinline__ U operator[](int j) const { return code[j]; }
};
template <class U, int Items>
struct shared_codes {
  static constexpr bool is_rolled = true;
  U* first;
  __device__ __forceinline__ U& operator[](int j) const { return first[j * simt::warp_size]; }
};

// Up to Most bytes of keys are in shared memory.
template <class U, int Threads, int Items, std::size_t Most = 48 * 1024>
struct tile_select_storage : register_select_storage<U, Threads> {
  static constexpr bool has_keys = sizeof(U) * Threads * Items <= Most;
  using codes = std::conditional_t<has_keys, shared_codes<U, Items>, register_codes<U, Items>>;
  U key[has_keys ? Threads * Items : 1];

  // Loads the thread's keys: load(j), once for each.
  template <class Load>
  __device__ __forceinline__ codes load_codes(const key_codec<U>& codec, const tile_lanes<Threads, Items>& lanes,
                                              const Load& load) {
    codes own;
    if constexpr (has_keys) {
      own.first = key + lanes.first;
      constexpr int at_once = Items % 6 == 0 ? 6 : Items % 4 == 0 ? 4 : 1;
#pragma unroll 1
      for (int base = 0; base < static_cast<int>(lanes.each); base += at_once) {
        U loaded[at_once]{};
#pragma unroll
        for (int j = 0; j < at_once; ++j)
          if (lanes.has(base + j)) loaded[j] = load(base + j);
#pragma unroll
        for (int j = 0; j < at_once; ++j)
          if (lanes.has_row(base + j)) own[base + j] = codec.encode(loaded[j]);
      }
    } else {
#pragma unroll
      for (int j = 0; j < Items; ++j) own.code[j] = lanes.has(j) ? load(j) : U{0};
#pragma unroll
      for (int j = 0; j < Items; ++j) own.code[j] = codec.encode(own.code[j]);
    }
    return own;
  }
};

// The last selected key. Of the keys that equal it, the first so many are selected.
template <class U>
struct last_selected {
  static constexpr std::uint32_t all = ~std::uint32_t{0};
  U code;
  std::uint32_t of_equal;

  static BALLOT_HOST_DEVICE last_selected every_key() { return {static_cast<U>(~U{0}), all}; }
};

// Calls body(j) for each row of the tile. All threads do so for the same rows.
template <class Codes, int Unrolled = 2, int Threads, int Items, class Body>
__device__ __forceinline__ void for_each_row(const tile_lanes<Threads, Items>& lanes, const Body& body) {
  if constexpr (Codes::is_rolled) {
    const int rows = static_cast<int>(lanes.each);
#pragma unroll Unrolled
    for (int j = 0; j < rows; ++j) body(j);
  } else {
#pragma unroll
    for (int j = 0; j < Items; ++j)
      if (lanes.has_row(j)) body(j);
  }
}

// The bits of a code below `bit`.
template <class U>
__device__ __forceinline__ U bits_below(U code, int bit) {
  return bit == 8 * static_cast<int>(sizeof(U)) ? code : static_cast<U>(code & static_cast<U>((U{1} << bit) - 1));
}

// How many bits there are from the first set one on.
template <class U>
__device__ __forceinline__ int bits_from_first(U code) {
  return code == 0 ? 0 : 64 - static_cast<int>(simt::leading_zeros(static_cast<std::uint64_t>(code)));
}

// The bits that are set in some lane's value and in all of them.
template <class U>
__device__ __forceinline__ void over_lanes(U& some, U& all) {
  if constexpr (sizeof(U) <= 4) {
    some = static_cast<U>(simt::reduce_or(static_cast<std::uint32_t>(some)));
    all = static_cast<U>(simt::reduce_and(static_cast<std::uint32_t>(all)));
  } else {
    const std::uint64_t low_some = simt::reduce_or(static_cast<std::uint32_t>(some)),
                        low_all = simt::reduce_and(static_cast<std::uint32_t>(all));
    some = static_cast<std::uint64_t>(simt::reduce_or(static_cast<std::uint32_t>(some >> 32))) << 32 | low_some;
    all = static_cast<std::uint64_t>(simt::reduce_and(static_cast<std::uint32_t>(all >> 32))) << 32 | low_all;
  }
}

// The bits that are set in some of the tile's keys, and those that are set in all of them. Each
// warp stores its own before a barrier, and reads those of all warps after it. slot: 0 or 1 in
// turn.
template <int Threads, class U>
__device__ __forceinline__ void leave_bits(register_select_storage<U, Threads>& shared, unsigned slot, U some, U all) {
  over_lanes(some, all);
  const unsigned warp = simt::thread_rank() / simt::warp_size;
  if (simt::lane_id() == 0) shared.set_in_some[slot][warp] = some, shared.set_in_all[slot][warp] = all;
}
template <int Threads, class U>
__device__ __forceinline__ void read_bits(const register_select_storage<U, Threads>& shared, unsigned slot, U& some,
                                          U& all) {
  const unsigned warp = simt::lane_id() < register_select_storage<U, Threads>::warps ? simt::lane_id() : 0;
  some = shared.set_in_some[slot][warp], all = shared.set_in_all[slot][warp];
  over_lanes(some, all);
}

// The first lane whose inclusive sum is at least as large as wanted; the sum of the lanes before
// it, and its own.
struct found_lane {
  unsigned lane;
  std::uint32_t before, own;
};
template <unsigned Lanes>
__device__ __forceinline__ found_lane find_lane(std::uint32_t own, std::uint32_t wanted) {
  const unsigned lane = simt::lane_id();
  std::uint32_t sum = own;
#pragma unroll
  for (unsigned distance = 1; distance < Lanes; distance *= 2) {
    const std::uint32_t of_lower = simt::shuffle_up(sum, distance);
    if (lane >= distance) sum += of_lower;
  }
  const auto found = static_cast<unsigned>(simt::find_first(simt::ballot(sum >= wanted)));
  const std::uint32_t of_found = simt::shuffle(own, found);
  return {found, simt::shuffle(sum, found) - of_found, of_found};
}

// The digit of the last selected key, by the counts of a digit; the same in all lanes. `remaining`:
// so many of the counted keys are selected. It becomes the number of selected keys with the digit.
// of_digit: the count of the digit.
__device__ __forceinline__ unsigned digit_of_last(const digit_counts& counts, std::uint32_t& remaining,
                                                  std::uint32_t& of_digit) {
  constexpr unsigned of_lane = digit_counts::of_lane;
  const unsigned lane = simt::lane_id();
  std::uint32_t sum = 0;
#pragma unroll
  for (unsigned d = 0; d < of_lane; ++d) sum += counts.word[d * digit_counts::pitch + lane];
  const found_lane group = find_lane<simt::warp_size>(sum, remaining);
  remaining -= group.before;
  const std::uint32_t own = lane < of_lane ? counts.word[lane * digit_counts::pitch + group.lane] : 0;
  const found_lane digit = find_lane<of_lane>(own, remaining);
  remaining -= digit.before;
  of_digit = digit.own;
  return group.lane * of_lane + digit.lane;
}

// Finds the wanted-th of the tile's keys in order, or a later one, with which up to `slack` more
// are selected. All threads; the same in all of them. 0 < wanted < valid.
template <int Threads, int Items, class U, class Codes>
__device__ __forceinline__ last_selected<U> select_in_registers(register_select_storage<U, Threads>& shared,
                                                                const Codes& code,
                                                                const tile_lanes<Threads, Items>& lanes,
                                                                std::uint32_t wanted, std::uint32_t slack) {
  const unsigned thread = simt::thread_rank();
  U some{0}, all = static_cast<U>(~U{0});
  for_each_row<Codes>(lanes, [&](int j) {
    if (lanes.has(j)) some = static_cast<U>(some | code[j]), all = static_cast<U>(all & code[j]);
  });
  leave_bits(shared, 0, some, all);
  for (unsigned w = thread; w < digit_counts::words; w += Threads) shared.counts[0].word[w] = 0;
  simt::sync_block();
  read_bits(shared, 0, some, all);
  // The keys that may be the last one have the bits of `known` from `high` on.
  U differing = static_cast<U>(some ^ all);
  int high = bits_from_first(differing);
  U known = static_cast<U>(all ^ bits_below(all, high));
  std::uint32_t remaining = wanted;
  unsigned buffer = 0, slot = 0;
#pragma unroll 1
  while (high > 0) {
    const int low = high > register_digit_bits ? high - register_digit_bits : 0;
    const unsigned mask = (1u << (high - low)) - 1u;
    digit_counts& counts = shared.counts[buffer];
    buffer = buffer == 2 ? 0 : buffer + 1;
    slot ^= 1;
    for (unsigned w = thread; w < digit_counts::words; w += Threads) shared.counts[buffer].word[w] = 0;
    some = U{0}, all = static_cast<U>(~U{0});
    for_each_row<Codes>(lanes, [&](int j) {
      const U own = code[j], behind = static_cast<U>(own ^ known);
      const bool has_item = lanes.has(j) && bits_below(behind, high) == behind;
      const unsigned digit = static_cast<unsigned>(own >> low) & mask;
      if (has_item) some = static_cast<U>(some | own), all = static_cast<U>(all & own);
      // Relaxed: read after a barrier. The added number is a constant, and the old value is not
      // used. So the hardware adds up the additions of lanes with one digit.
      if (has_item) simt::atomic_add<simt::order::relaxed, simt::scope::block>(counts.word + counts.at(digit), 1u);
    });
    leave_bits(shared, slot, some, all);
    simt::sync_block();
    read_bits(shared, slot, some, all);
    differing = static_cast<U>(some ^ all);
    if (differing == 0) return {all, remaining};
    std::uint32_t of_digit;
    const unsigned digit = digit_of_last(counts, remaining, of_digit);
    known = static_cast<U>(known | static_cast<U>(digit) << low);
    if (of_digit - remaining <= slack)  // all keys with these digits
      return {static_cast<U>(known | bits_below(static_cast<U>(~U{0}), low)), last_selected<U>::all};
    // Below the digit: where all counted keys agree, those with this digit do, too.
    high = bits_from_first(bits_below(differing, low));
    known = static_cast<U>(known | (bits_below(all, low) ^ bits_below(all, high)));
  }
  return {known, remaining};
}

// How many of the warp's keys are selected: those below the last one, and in the upper half of the
// word those equal to it.
template <int Threads, int Items, class U, class Codes>
__device__ __forceinline__ std::uint32_t count_selected(const Codes& code, const tile_lanes<Threads, Items>& lanes,
                                                        const last_selected<U>& last) {
  std::uint32_t selected = 0;
  for_each_row<Codes>(lanes, [&](int j) {
    if (!lanes.has(j)) return;
    const U own = code[j];
    if (own < last.code) ++selected;
    if (own == last.code) selected += 1u << 16;
  });
  return simt::reduce_add(selected);
}

// The sum over the warps before. One barrier.
template <int Threads, class U>
__device__ __forceinline__ std::uint32_t selected_before(register_select_storage<U, Threads>& shared,
                                                         std::uint32_t of_warp) {
  constexpr unsigned warps = Threads / simt::warp_size;
  const unsigned lane = simt::lane_id(), warp = simt::thread_rank() / simt::warp_size;
  if (lane == 0) shared.selected[warp] = of_warp;
  simt::sync_block();
  return simt::reduce_add(lane < warp && lane < warps ? shared.selected[lane] : 0u);
}

// Calls put(j, rank, of_equal) for the thread's selected keys. below, equal: how many keys before
// the warp's are below the last one, and equal to it.
template <int Threads, int Items, class U, class Codes, class Put>
__device__ __forceinline__ void put_selected(const Codes& code, const tile_lanes<Threads, Items>& lanes,
                                             const last_selected<U>& last, std::uint32_t below, std::uint32_t equal,
                                             const Put& put) {
  for_each_row<Codes>(lanes, [&](int j) {
    const U own = lanes.has(j) ? code[j] : U{0};
    const bool is_below = lanes.has(j) && own < last.code, is_equal = lanes.has(j) && own == last.code;
    const unsigned all_below = simt::ballot(is_below), all_equal = simt::ballot(is_equal);
    if ((all_below | all_equal) == 0) return;
    const std::uint32_t of_equal = equal + static_cast<std::uint32_t>(simt::popcount(all_equal & simt::lanemask_lt()));
    const std::uint32_t smaller_ones =
        below + static_cast<std::uint32_t>(simt::popcount(all_below & simt::lanemask_lt()));
    if (is_below || (is_equal && of_equal < last.of_equal))
      put(j, smaller_ones + (of_equal < last.of_equal ? of_equal : last.of_equal), of_equal);
    below += static_cast<std::uint32_t>(simt::popcount(all_below));
    equal += static_cast<std::uint32_t>(simt::popcount(all_equal));
  });
}

// Calls put(j, rank, of_equal) for the thread's selected keys. rank: among all of the tile's
// selected keys, in order. of_equal: if the key equals the last one, the number of keys before it
// that do so, too. All threads. One barrier.
template <int Threads, int Items, class U, class Codes, class Put>
__device__ __forceinline__ void rank_selected(register_select_storage<U, Threads>& shared, const Codes& code,
                                              const tile_lanes<Threads, Items>& lanes, const last_selected<U>& last,
                                              const Put& put) {
  const std::uint32_t of_warp = count_selected(code, lanes, last);
  const std::uint32_t before = selected_before(shared, of_warp);
  if (of_warp == 0) return;
  put_selected(code, lanes, last, before & 0xffffu, before >> 16, put);
}

}  // namespace ballot::detail
