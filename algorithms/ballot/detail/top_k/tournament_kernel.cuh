// SPDX-License-Identifier: Apache-2.0
// The selection from up to a million keys: each block selects from its tile, and blocks of the next launch from what
// these have left, until one block has all.
//
//     tiles of 6, k = 2, the smallest     5 3 9 4 7 6 | 2 8 1 3 9 5 | 6 4      3 4 | 2 1 | 6 4      2 1
//
// A tile leaves as many keys as are wanted, or all that it has, in order of position. So every launch knows where its
// keys are and how many: from the number of keys alone. The selected keys are the first ones in the order of keys and
// of positions, and no key is among them that is not among those of its tile.
//
// A block holds its keys in registers, and searches the last selected key digit by digit, from the first bit on in
// which they differ. All warps look at the counts of a digit at the same time, so that a digit takes one barrier. Of
// the keys that are equal to the last one, the first ones are told by their ranks, which the order of the lanes gives.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/top_k/cut.cuh>
#include <ballot/detail/top_k/kernels.cuh>
#include <ballot/simt/simt.cuh>

#include <cstddef>
#include <cstdint>

namespace ballot::detail {

inline constexpr int round_threads = 512, round_items = 8;
inline constexpr std::uint64_t round_tile = round_threads * round_items;

// So many keys do the tiles of n keys leave.
BALLOT_HOST_DEVICE std::uint64_t left_by_tiles(std::uint64_t n, std::uint64_t k) {
  return n / round_tile * k + smaller(n % round_tile, k);
}

// The rounds for so many keys, the same on every GPU.
struct tournament_plan {
  static constexpr unsigned most_rounds = 2;
  static constexpr std::uint64_t least_items = 2 * round_tile;   // fewer are left to one block
  static constexpr std::uint64_t most_items = 256 * round_tile;  // mostly at once on a GPU

  unsigned rounds = 0;  // 0: no tournament
  std::uint64_t items[most_rounds]{};

  static tournament_plan of(std::uint64_t n, std::uint64_t k) {
    tournament_plan plan;
    if (n <= least_items || n > most_items) return plan;
    for (std::uint64_t left = n; plan.rounds < most_rounds; left = left_by_tiles(left, smaller(k, left))) {
      plan.items[plan.rounds++] = left;
      if (left <= round_tile) return plan;
    }
    return {};
  }
  // What round r leaves for the next one.
  std::uint64_t left(unsigned r) const { return r + 1 < rounds ? items[r + 1] : 0; }
};

struct tournament_round {
  unsigned before;  // so many rounds
  bool is_last;

  __device__ __forceinline__ std::uint64_t items(std::uint64_t n, std::uint64_t k) const {
    for (unsigned r = 0; r < before; ++r) n = left_by_tiles(n, k);
    return n;
  }
};

inline constexpr int round_digit_bits = 8;
inline constexpr unsigned round_digits = 1u << round_digit_bits;

template <class U, int Threads>
struct tournament_storage {
  static constexpr unsigned warps = Threads / simt::warp_size;
  alignas(16) std::uint32_t counts[3][round_digits];  // of a pass; one is read, one counts, one is cleared
  U differing[warps];
  std::uint32_t below[warps], equal[warps];
};

// The last selected key; so many of the keys that equal it are selected.
template <class U>
struct last_selected {
  U code;
  std::uint32_t of_equal;
};

// The bits of a code below `bit`.
template <class U>
__device__ __forceinline__ U bits_below(U code, int bit) {
  return bit == 8 * static_cast<int>(sizeof(U)) ? code : static_cast<U>(code & static_cast<U>((U{1} << bit) - 1));
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

// Of the block's keys, the wanted-th in order. some: one of them. has(j): whether the thread has a key j. All threads;
// the same in all of them. 0 < wanted.
template <int Threads, int Items, class U, class Has>
__device__ __forceinline__ last_selected<U> select_in_registers(tournament_storage<U, Threads>& shared,
                                                                const U (&code)[Items], const Has& has, U some,
                                                                std::uint32_t wanted) {
  constexpr unsigned warps = Threads / simt::warp_size;
  const unsigned thread = simt::thread_rank(), lane = simt::lane_id();
  U differing{0};
#pragma unroll
  for (int j = 0; j < Items; ++j)
    if (has(j)) differing = static_cast<U>(differing | (code[j] ^ some));
#pragma unroll
  for (unsigned distance = simt::warp_size / 2; distance != 0; distance /= 2)
    differing = static_cast<U>(differing | simt::shuffle_xor(differing, distance));
  if (lane == 0) shared.differing[thread / simt::warp_size] = differing;
  for (unsigned d = thread; d < round_digits; d += Threads) shared.counts[0][d] = 0;
  simt::sync_block();
  differing = shared.differing[lane < warps ? lane : 0];
#pragma unroll
  for (unsigned distance = simt::warp_size / 2; distance != 0; distance /= 2)
    differing = static_cast<U>(differing | simt::shuffle_xor(differing, distance));

  int high = differing == 0 ? 0 : bits_of(differing);
  // Bits from `high` on are known.
  U known = static_cast<U>(some ^ bits_below(some, high));
  std::uint32_t remaining = wanted;
  unsigned buffer = 0;
#pragma unroll 1
  while (high > 0) {
    const int low = high > round_digit_bits ? high - round_digit_bits : 0;
    const unsigned mask = (1u << (high - low)) - 1u;
    std::uint32_t* const counts = shared.counts[buffer];
    buffer = buffer == 2 ? 0 : buffer + 1;
    for (unsigned d = thread; d < round_digits; d += Threads) shared.counts[buffer][d] = 0;
    bool is_skewed = false;
#pragma unroll
    for (int j = 0; j < Items; ++j) {
      const bool has_item = has(j) && bits_below(static_cast<U>(code[j] ^ known), high) == (code[j] ^ known);
      const unsigned digit = static_cast<unsigned>(code[j] >> low) & mask;
      if (j == 0) {
        const unsigned of_lane_0 = simt::shuffle(digit, 0u);
        is_skewed = high - low < 4 || simt::popcount(simt::ballot(has_item && digit == of_lane_0)) >= 8;
      }
      add_digits(counts, has_item, digit, is_skewed);
    }
    simt::sync_block();
    constexpr unsigned each = round_digits / simt::warp_size;
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
    std::uint32_t of_digit = 0, before_digit = 0;
#pragma unroll
    for (unsigned d = 0; d < each; ++d) {
      if (before < remaining) digit = lane * each + d, of_digit = count[d], before_digit = before;
      before += count[d];
    }
    digit = simt::shuffle(digit, owner);
    of_digit = simt::shuffle(of_digit, owner);
    remaining -= simt::shuffle(before_digit, owner);
    known = static_cast<U>(known | static_cast<U>(digit) << low);
    high = low;
    if (of_digit == remaining) {  // all keys with these digits
      known = static_cast<U>(known | bits_below(static_cast<U>(~U{0}), low));
      return {known, Threads * Items};
    }
  }
  return {known, remaining};
}

// Positions: null: those in `keys`.
template <class U, class Index, int Threads, int Items>
__global__ void __launch_bounds__(Threads)
    tournament_kernel(top_k_arguments<U> a, tournament_round round, const U* keys, const Index* positions, U* keys_out,
                      Index* positions_out) {
  constexpr unsigned tile_items = Threads * Items, warps = Threads / simt::warp_size;
  auto& shared = simt::shared_storage<tournament_storage<U, Threads>>();
  const unsigned thread = simt::thread_rank(), lane = simt::lane_id(), warp = thread / simt::warp_size;
  simt::let_next_launch_begin();
  const std::uint64_t n = round.items(a.n.get(), a.k);
  simt::wait_for_previous_launch();
  if (round.is_last && blockIdx.x == 0 && thread == 0) a.store_wanted();
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * tile_items;
  if (begin >= n) return;
  const auto valid = static_cast<unsigned>(smaller(n - begin, tile_items));
  const auto wanted = static_cast<std::uint32_t>(smaller(a.k, valid));
  const unsigned first = warp * simt::warp_size * Items + lane;  // and each 32nd on
  const auto has = [&](int j) { return first + static_cast<unsigned>(j) * simt::warp_size < valid; };
  U code[Items]{};
#pragma unroll
  for (int j = 0; j < Items; ++j)
    if (has(j)) code[j] = keys[begin + first + static_cast<unsigned>(j) * simt::warp_size];
  const U some = a.codec.encode(keys[begin]);
#pragma unroll
  for (int j = 0; j < Items; ++j) code[j] = a.codec.encode(code[j]);
  last_selected<U> last{static_cast<U>(~U{0}), tile_items};
  if (wanted < valid) last = select_in_registers<Threads, Items, U>(shared, code, has, some, wanted);

  std::uint32_t below = 0, equal = 0;  // of the warp
#pragma unroll
  for (int j = 0; j < Items; ++j) {
    below += static_cast<std::uint32_t>(simt::popcount(simt::ballot(has(j) && code[j] < last.code)));
    equal += static_cast<std::uint32_t>(simt::popcount(simt::ballot(has(j) && code[j] == last.code)));
  }
  if (lane == 0) shared.below[warp] = below, shared.equal[warp] = equal;
  simt::sync_block();
  below = equal = 0;  // in warps before
#pragma unroll
  for (unsigned w = 0; w < warps; ++w)
    if (w < warp) below += shared.below[w], equal += shared.equal[w];
  const std::uint64_t to = std::uint64_t{blockIdx.x} * a.k;
#pragma unroll
  for (int j = 0; j < Items; ++j) {
    const bool is_below = has(j) && code[j] < last.code, is_equal = has(j) && code[j] == last.code;
    const unsigned all_below = simt::ballot(is_below), all_equal = simt::ballot(is_equal);
    const unsigned before = (1u << lane) - 1u;
    const std::uint32_t equal_before = equal + static_cast<std::uint32_t>(simt::popcount(all_equal & before));
    if (is_below || (is_equal && equal_before < last.of_equal)) {
      const std::uint64_t at = to + below + static_cast<std::uint32_t>(simt::popcount(all_below & before)) +
                               smaller(equal_before, last.of_equal);
      const std::uint64_t from = begin + first + static_cast<unsigned>(j) * simt::warp_size;
      keys_out[at] = a.codec.decode(code[j]);
      if (positions_out != nullptr)
        positions_out[at] = positions == nullptr ? static_cast<Index>(from) : positions[from];
    }
    below += static_cast<std::uint32_t>(simt::popcount(all_below));
    equal += static_cast<std::uint32_t>(simt::popcount(all_equal));
  }
}

}  // namespace ballot::detail
