// SPDX-License-Identifier: Apache-2.0
// The k smallest keys of a row of up to 8 keys a lane, of one warp or of four. Of so few keys each
// step waits for the one before, so there are few steps, and they have no branch.
//
//     keys 7 1 4 6 2 5, k = 3: base 1, bits 3 of the distances 6 0 3 5 1 4
//     counts of the digits   0  1  2  3  4  5  6  7
//                            1  1  0  1  1  1  1  0       the third key has digit 3
//
// The search is that of row_keys.cuh: 256 digits of the distance from the least key, up to a bound of
// the selected keys. A lane adds up 8 neighbouring counts. The lane that has the wanted key finds
// it among these, and gives digit and counts to all as one word. One warp takes what is left of few
// keys as the least ones, without a further digit.
//
// Barriers: of one warp none of the block. Of four one for the least key, one a digit, one for the
// ranks, one for the stored keys, and one at the end.
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/batched_top_k/row_keys.cuh>
#include <ballot/detail/batched_top_k/staged_row.cuh>
#include <ballot/detail/top_k/select_in_registers.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

template <class U, int Warps, int Items>
struct short_row_storage {
  using code_type = row_code_t<U>;
  static constexpr unsigned threads = static_cast<unsigned>(Warps) * simt::warp_size, keys = threads * Items;
  static constexpr unsigned digits = 256, of_lane = digits / simt::warp_size;
  static constexpr unsigned buffers = Warps == 1 ? 1 : 3;  // one is read, one counts, one is cleared
  struct alignas(16) four_counts {
    std::uint32_t count[4];
  };
  struct digit_counts {
    four_counts fours[digits / 4 + 1];  // the first word of the last one: of keys that are not counted
    __device__ __forceinline__ std::uint32_t* at(unsigned digit) { return &fours->count[0] + digit; }
  };
  struct alignas(sizeof(code_type) * Warps < 16 ? sizeof(code_type) * Warps : 16) of_warps {
    code_type of[Warps];
  };
  union {
    digit_counts counts[buffers];
    staged_row<U, keys, threads> staged;
  };
  of_warps least, last;
  std::uint32_t selected[Warps];
};

// The digit of the wanted-th counted key, how many of its digit are wanted, and the digit's count.
struct found_digit {
  unsigned digit;
  std::uint32_t wanted, counted;
};
template <class Storage>
__device__ __forceinline__ found_digit find_digit(const typename Storage::digit_counts& counts, std::uint32_t wanted) {
  constexpr unsigned each = Storage::of_lane;
  static_assert(each == 8 && Storage::keys < 1u << 12, "two counts and a digit fit into a word");
  const unsigned lane = simt::lane_id();
  const auto low = counts.fours[2 * lane], high = counts.fours[2 * lane + 1];
  std::uint32_t until[each];  // the sums of the lane's counts
#pragma unroll
  for (unsigned d = 0; d < each; ++d) {
    const std::uint32_t own = d < 4 ? low.count[d % 4] : high.count[d % 4];
    until[d] = d == 0 ? own : until[d - 1] + own;
  }
  std::uint32_t sum = until[each - 1];
#pragma unroll
  for (unsigned distance = 1; distance < simt::warp_size; distance *= 2) {
    const std::uint32_t of_lower = simt::shuffle_up(sum, distance);
    if (lane >= distance) sum += of_lower;
  }
  const std::uint32_t before = sum - until[each - 1];
  const std::uint32_t of_lane = wanted - before;  // wraps in lanes after the found one
  std::uint32_t lower = 0, upper = until[0];
  unsigned digit = lane * each;
#pragma unroll
  for (unsigned d = 0; d + 1 < each; ++d)
    if (until[d] < of_lane) digit = lane * each + d + 1, lower = until[d], upper = until[d + 1];
  const bool is_here = before < wanted && wanted <= sum;  // in one lane
  const unsigned own = (of_lane - lower) << 20 | (upper - lower) << 8 | digit;
  const unsigned found = simt::reduce_or(is_here ? own : 0u);
  return {found & 0xffu, found >> 20, found >> 8 & 0xfffu};
}

// The least key of the row, and a bound of the selected ones. Behind the row's barrier.
template <class U, int Warps, int Items>
__device__ __forceinline__ void bounds_of_short_row(short_row_storage<U, Warps, Items>& shared,
                                                    const row_keys<U, Warps, Items>& row, unsigned warp,
                                                    std::uint32_t wanted, row_code_t<U>& base, row_code_t<U>& last) {
  using code_type = row_code_t<U>;
  using storage = short_row_storage<U, Warps, Items>;
  code_type least = row.code[0];
#pragma unroll
  for (int j = 1; j < Items; ++j) least = lower_of(least, row.code[j]);
  // If each lane has a selected key, none is above the largest of their least keys.
  code_type most = least;
  if (wanted > storage::threads || !row.all_have(1)) {
    most = code_type{0};
#pragma unroll
    for (int j = 0; j < Items; ++j) most = higher_of(most, row.has(j) ? row.code[j] : code_type{0});
  }
  base = least_of_lanes(least);
  last = largest_of_lanes(most);
  if constexpr (Warps != 1) {
    if (simt::lane_id() == 0) shared.least.of[warp] = base, shared.last.of[warp] = last;
    simt::sync_block();
    const auto leasts = shared.least, lasts = shared.last;
#pragma unroll
    for (int w = 0; w < Warps; ++w) base = lower_of(base, leasts.of[w]), last = higher_of(last, lasts.of[w]);
  } else {
    simt::sync_warp();
  }
}

template <class U, int Warps, int Items>
__device__ __forceinline__ void clear_counts_of_row(typename short_row_storage<U, Warps, Items>::digit_counts& counts,
                                                    unsigned thread) {
  using storage = short_row_storage<U, Warps, Items>;
  constexpr unsigned fours = storage::digits / 4;
  if constexpr (storage::threads >= fours) {
    if (thread < fours) counts.fours[thread] = {};
  } else {
#pragma unroll
    for (unsigned first = 0; first < fours; first += storage::threads) counts.fours[first + thread] = {};
  }
}

// The wanted-th of a warp's keys from `base` on.
inline constexpr std::uint32_t few_left = 3;  // so many keys are found faster so than by another digit
template <class U, int Items>
__device__ __forceinline__ last_selected<row_code_t<U>> least_of_warp(const row_keys<U, 1, Items>& row,
                                                                      row_code_t<U> base, std::uint32_t wanted) {
  using code_type = row_code_t<U>;
#pragma unroll 1
  for (;;) {
    auto distance = static_cast<code_type>(~code_type{0});
#pragma unroll
    for (int j = 0; j < Items; ++j) distance = lower_of(distance, static_cast<code_type>(row.code[j] - base));
    base = static_cast<code_type>(base + least_of_lanes(distance));
    std::uint32_t equal = 0;
#pragma unroll
    for (int j = 0; j < Items; ++j) equal += simt::popcount(simt::ballot(row.code[j] == base));
    if (equal == wanted) return {base, last_selected<code_type>::all};
    if (equal > wanted) return {base, wanted};
    wanted -= equal;
    ++base;
  }
}

// By how many bits a distance is shifted, so that the distances up to `span` have 8 bits.
template <class C>
__device__ __forceinline__ int shift_of_digit(C span) {
  constexpr int most = 8 * static_cast<int>(sizeof(C)) - 8;
  const int zeros = static_cast<int>(simt::leading_zeros(span));
  return zeros < most ? most - zeros : 0;
}

// The last selected key of `wanted` keys: 0 < wanted < items. The same in all lanes. The first
// counts are cleared.
template <class U, int Warps, int Items>
__device__ __forceinline__ last_selected<row_code_t<U>> select_of_short_row(short_row_storage<U, Warps, Items>& shared,
                                                                            const row_keys<U, Warps, Items>& row,
                                                                            unsigned warp, std::uint32_t wanted) {
  using code_type = row_code_t<U>;
  using selected = last_selected<code_type>;
  using storage = short_row_storage<U, Warps, Items>;
  const unsigned thread = warp * simt::warp_size + simt::lane_id();
  code_type base, last;
  bounds_of_short_row(shared, row, warp, wanted, base, last);
  auto span = static_cast<code_type>(last - base);
  std::uint32_t remaining = wanted;
  unsigned buffer = 0;
#pragma unroll 1
  for (;;) {
    const int shift = shift_of_digit(span);
    auto& counts = shared.counts[buffer];
    if constexpr (Warps != 1) {
      buffer = buffer == 2 ? 0 : buffer + 1;
      clear_counts_of_row<U, Warps, Items>(shared.counts[buffer], thread);
    }
#pragma unroll
    for (int j = 0; j < Items; ++j) {
      // Keys above the span, and keys below `base`, whose distance wraps: as in row_keys.cuh.
      const auto distance = static_cast<code_type>(row.code[j] - base);
      // Relaxed: read after a barrier. The hardware adds up the additions of lanes with one digit.
      simt::atomic_add<simt::order::relaxed, simt::scope::block>(
          counts.at(
              static_cast<unsigned>(lower_of(static_cast<code_type>(distance >> shift), code_type{storage::digits}))),
          1u);
    }
    sync_row<Warps>();
    const found_digit found = find_digit<storage>(counts, remaining);
    remaining = found.wanted;
    base = static_cast<code_type>(base + (code_type{found.digit} << shift));
    span = static_cast<code_type>((code_type{1} << shift) - 1);
    if (found.counted == remaining) return {static_cast<code_type>(base + span), selected::all};
    if (span == 0) return {base, remaining};
    if constexpr (Warps == 1) {
      if (remaining <= few_left) return least_of_warp(row, base, remaining);
      simt::sync_warp();  // all have read the counts
      clear_counts_of_row<U, Warps, Items>(counts, thread);
      simt::sync_warp();
    }
  }
}

// Stores the first `wanted` keys of a row, in order of position, or sorted. As select_row_of_keys,
// but all selected keys are staged.
template <class U, int Warps, int Items, class Index>
__device__ __forceinline__ void select_short_row(short_row_storage<U, Warps, Items>& shared, unsigned warp,
                                                 const U* keys, unsigned n, std::uint32_t wanted, bool sorted,
                                                 const key_codec<U>& codec, U* keys_out, Index* positions_out) {
  using code_type = row_code_t<U>;
  const unsigned lane = simt::lane_id(), thread = warp * simt::warp_size + lane;
  if (thread < shared.buffers) *shared.counts[thread].at(shared.digits) = 0;
  clear_counts_of_row<U, Warps, Items>(shared.counts[0], thread);
  row_keys<U, Warps, Items> row;
  row.load(keys, n, warp, codec);
  last_selected<code_type> last{row.past_end, last_selected<code_type>::all};  // every key
  if (wanted < n) last = select_of_short_row(shared, row, warp, wanted);
  auto& staged = shared.staged;
  const bool has_positions = positions_out != nullptr;
  if constexpr (Warps == 1) simt::sync_warp();  // all have read the counts; other rows: after the barrier of the ranks
  if (last.of_equal == last.all && last.code != row.past_end) {
    unsigned lanes[Items];
    std::uint32_t before = 0;
#pragma unroll
    for (int j = 0; j < Items; ++j) {
      lanes[j] = simt::ballot(row.code[j] <= last.code);
      before += simt::popcount(lanes[j]);
    }
    if constexpr (Warps == 1) {
      before = 0;
    } else {
      if (lane == 0) shared.selected[warp] = before;
      simt::sync_block();
      before = 0;
#pragma unroll
      for (unsigned w = 0; w + 1 < Warps; ++w) before += w < warp ? shared.selected[w] : 0u;
    }
    if (!sorted) {
      // Key and place are opaque, because the compiler would compute them in a branch of each key.
#pragma unroll
      for (int j = 0; j < Items; ++j) {
        const unsigned to = simt::opaque(before + simt::popcount(lanes[j] & simt::lanemask_lt()));
        const U key = simt::opaque(codec.decode(static_cast<U>(row.code[j])));
        if (row.code[j] <= last.code) keys_out[to] = key;
        if (row.code[j] <= last.code && has_positions) positions_out[to] = static_cast<Index>(row.position(j));
        before += simt::popcount(lanes[j]);
      }
      sync_row<Warps>();  // the memory is used again
      return;
    }
    const unsigned spare = staged.spare + thread;
#pragma unroll
    for (int j = 0; j < Items; ++j) {
      const unsigned rank = before + simt::popcount(lanes[j] & simt::lanemask_lt());
      const unsigned to = row.code[j] <= last.code ? rank : spare;
      staged.code[to] = row.code[j];
      if (has_positions) staged.position[to] = static_cast<std::uint16_t>(row.position(j));
      before += simt::popcount(lanes[j]);
    }
  } else {
    rank_of_row_keys<false>(shared, row, warp, last, [&](int j, std::uint32_t rank, bool is_selected) {
      if (!is_selected) return;
      staged.code[rank] = row.code[j];
      if (has_positions) staged.position[rank] = static_cast<std::uint16_t>(row.position(j));
    });
  }
  pad_staged(staged, thread, wanted);
  sync_row<Warps>();
  store_staged<U, Warps>(staged, warp, wanted, sorted, codec, keys_out, positions_out);
  sync_row<Warps>();  // the memory is used again
}

}  // namespace ballot::detail
