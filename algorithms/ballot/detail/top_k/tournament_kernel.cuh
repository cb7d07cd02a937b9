// SPDX-License-Identifier: Apache-2.0
// The selection from a few million keys: each block selects from its tile, and blocks of the next launch from what
// these have left, until one block has all.
//
//     tiles of 6, k = 2, the smallest     5 3 9 4 7 6 | 2 8 1 3 9 5 | 6 4      3 4 | 2 1 | 6 4      2 1
//
// A tile leaves as many keys as are wanted, or all that it has, in order of position. So every launch knows where its
// keys are and how many: from the number of keys alone. The selected keys are the first ones in the order of keys and
// of positions, and no key is among them that is not among those of its tile.
//
// A block holds its keys in registers, and searches the cut digit by digit (cut.cuh). Of the keys that are equal to
// it, the first ones are told by their ranks, which the order of the lanes gives.
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

// So many keys do the tiles of n keys leave.
BALLOT_HOST_DEVICE std::uint64_t left_by_tiles(std::uint64_t n, std::uint64_t tile_items, std::uint64_t k) {
  return n / tile_items * k + smaller(n % tile_items, k);
}

// The rounds for so many keys, the same on every GPU.
struct tournament_plan {
  static constexpr unsigned most_rounds = 4;
  static constexpr std::uint32_t small_tile = 4 * select_threads;
  static constexpr std::uint64_t most_small_tiles = 256;  // mostly at once on a GPU
  static constexpr std::uint64_t most_items = std::uint64_t{1} << 24;
  static constexpr std::uint32_t large_tile(std::size_t key_bytes) {
    return select_threads * (key_bytes <= 4 ? 16 : key_bytes <= 8 ? 8 : 4);
  }

  unsigned rounds = 0;  // 0: no tournament
  std::uint64_t items[most_rounds]{};
  std::uint32_t tile[most_rounds]{};

  static tournament_plan of(std::uint64_t n, std::uint64_t k, std::size_t key_bytes) {
    const std::uint32_t large = large_tile(key_bytes);
    tournament_plan plan;
    if (n > most_items) return plan;
    for (std::uint64_t left = n; plan.rounds < most_rounds;) {
      const bool is_small = left <= small_tile || (left > large && left <= most_small_tiles * small_tile &&
                                                   4 * k <= small_tile && left_by_tiles(left, small_tile, k) <= large);
      const std::uint32_t of_tile = is_small ? small_tile : large;
      plan.items[plan.rounds] = left;
      plan.tile[plan.rounds] = of_tile;
      ++plan.rounds;
      if (left <= of_tile) return plan;
      if (4 * k > of_tile) break;  // too little is left out
      left = left_by_tiles(left, of_tile, k);
    }
    return {};
  }
  // What round r leaves for the next one.
  std::uint64_t left(unsigned r) const {
    // The third round's is in the first one's place, which has room for more.
    return r + 1 < rounds ? items[r + 1] : 0;
  }
};

// Up to three tiles' sizes were applied before.
struct tournament_round {
  std::uint32_t tile_items[3];  // 0: none
  bool is_last;

  __device__ __forceinline__ std::uint64_t items(std::uint64_t n, std::uint64_t k) const {
#pragma unroll
    for (const std::uint32_t of_tile : tile_items)
      if (of_tile != 0) n = left_by_tiles(n, of_tile, k);
    return n;
  }
};

struct tournament_storage {
  digit_search_storage<select_threads> search;
  std::uint32_t below[select_threads / simt::warp_size], equal[select_threads / simt::warp_size];
};

// Positions: null: those in `keys`.
template <class U, class Index, int Items>
__global__ void __launch_bounds__(select_threads)
    tournament_kernel(top_k_arguments<U> a, tournament_round round, const U* keys, const Index* positions, U* keys_out,
                      Index* positions_out) {
  constexpr unsigned tile_items = select_threads * Items, warps = select_threads / simt::warp_size;
  constexpr int code_bits = 8 * static_cast<int>(sizeof(U));
  auto& shared = simt::shared_storage<tournament_storage>();
  const unsigned thread = simt::thread_rank(), lane = simt::lane_id(), warp = thread / simt::warp_size;
  simt::let_next_launch_begin();
  const std::uint64_t all = a.n.get(), n = round.items(all, a.k);
  simt::wait_for_previous_launch();
  if (round.is_last && thread == 0) a.store_wanted();
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * tile_items;
  if (begin >= n) return;
  const auto valid = static_cast<unsigned>(smaller(n - begin, tile_items));
  const auto wanted = static_cast<std::uint32_t>(smaller(a.k, valid));
  const unsigned first = warp * simt::warp_size * Items + lane;  // and each 32nd on
  U code[Items]{};
#pragma unroll
  for (int j = 0; j < Items; ++j) {
    const unsigned at = first + static_cast<unsigned>(j) * simt::warp_size;
    if (at < valid) code[j] = keys[begin + at];
  }
#pragma unroll
  for (int j = 0; j < Items; ++j) code[j] = a.codec.encode(code[j]);
  const auto is_there = [&](int j) { return first + static_cast<unsigned>(j) * simt::warp_size < valid; };

  const select_plan plan{code_bits, 0};
  cut_search<U> search{U{0}, 0, wanted, 0};
  if (wanted == valid) search = {static_cast<U>(~U{0}), 0, valid, 1};
#pragma unroll 1
  for (int pass = 0; pass < plan.passes() && search.is_done == 0; ++pass) {
    for (unsigned d = thread; d < select_digits; d += select_threads) shared.search.counts[d] = 0;
    simt::sync_block();
#pragma unroll
    for (int j = 0; j < Items; ++j)
      add_row(shared.search.counts, is_there(j) && search.has_item(plan, pass, code[j], 0),
              search.digit(plan, pass, code[j], 0));
    simt::sync_block();
    take_digit<select_threads>(shared.search, shared.search.counts, plan, pass, 0, search);
  }
  const U last = search.code;
  // If the search ended early, all keys up to the last are selected; else so many of those that equal it.
  const auto of_equal = static_cast<std::uint32_t>(search.is_done != 0 ? tile_items : search.remaining);

  std::uint32_t below = 0, equal = 0;  // of the warp
#pragma unroll
  for (int j = 0; j < Items; ++j) {
    below += static_cast<std::uint32_t>(simt::popcount(simt::ballot(is_there(j) && code[j] < last)));
    equal += static_cast<std::uint32_t>(simt::popcount(simt::ballot(is_there(j) && code[j] == last)));
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
    const bool is_below = is_there(j) && code[j] < last, is_equal = is_there(j) && code[j] == last;
    const unsigned all_below = simt::ballot(is_below), all_equal = simt::ballot(is_equal);
    const unsigned before = (1u << lane) - 1u;
    const std::uint32_t equal_before = equal + static_cast<std::uint32_t>(simt::popcount(all_equal & before));
    if (is_below || (is_equal && equal_before < of_equal)) {
      const std::uint64_t at =
          to + below + static_cast<std::uint32_t>(simt::popcount(all_below & before)) + smaller(equal_before, of_equal);
      const std::uint64_t from = begin + first + static_cast<unsigned>(j) * simt::warp_size;
      keys_out[at] = keys[from];
      if (positions_out != nullptr)
        positions_out[at] = positions == nullptr ? static_cast<Index>(from) : positions[from];
    }
    below += static_cast<std::uint32_t>(simt::popcount(all_below));
    equal += static_cast<std::uint32_t>(simt::popcount(all_equal));
  }
}

}  // namespace ballot::detail
