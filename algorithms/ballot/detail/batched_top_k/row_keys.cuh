// SPDX-License-Identifier: Apache-2.0
// The k smallest keys of a row that one warp, or a few warps, hold in registers.
//
//     lane        0   1   2   3
//     keys        5   9   8   7
//                 6   2   9   4       least of a lane   5 2 8 3
//                 9   7   8   3       k = 4: no selected key is above 8
//
// As many groups are made as keys are to be selected. The least keys of these groups bound the
// selected keys. So few keys are counted, and all digits of the counts lie where these keys are. A
// digit is one of the distance from the least key. The search ends with the digit whose keys are
// all selected. Keys past the end of the row come after all keys that equal them, and are never
// selected.
//
// Barriers are those of the warps that have the row: a digit takes one. Each warp finds the same.
// Shared memory: row_select_storage. Source of the search by digits: see top_k/cut.cuh.
//
// Loops over a lane's keys have no branch. A key that is not counted, or not stored, goes to a
// spare word instead. H200, 2026-11-27, 2^14 rows of 4096 u32 keys, the 64 largest: 196 us with
// branches, 112 without.
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/batched_top_k/staged_row.cuh>
#include <ballot/detail/top_k/select_in_registers.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

template <class U, int Warps>
struct row_select_storage {
  using code_type = row_code_t<U>;
  static constexpr int most_warps = Warps == several_warps ? 16 : Warps;
  static constexpr unsigned digits = 256, buffers = Warps == 1 ? 1 : 3;  // one is read, one counts, one is cleared
  union {
    std::uint32_t counts[buffers][digits + 1];  // the last one: of keys that are not counted
    staged_row<U, most_sorted_by_rank, most_warps * simt::warp_size> staged;
  };
  code_type least[most_warps], last[most_warps];
  std::uint32_t selected[most_warps];
};

template <class C>
__device__ __forceinline__ C lower_of(C a, C b) {
  return b < a ? b : a;
}
template <class C>
__device__ __forceinline__ C higher_of(C a, C b) {
  return a < b ? b : a;
}
// The keys of a row. Each warp has equally many consecutive keys, and neighbouring lanes have
// neighbouring keys. Keys come in groups, of which all keys or none may exist; of up to 8 keys a lane
// all do. Keys past the end are the last ones in the order.
template <class U, int Warps, int Items>
struct row_keys {
  using code_type = row_code_t<U>;
  static constexpr int group = Items % 8 == 0 && Items > 8 ? 8 : Items < 4 ? Items : 4;
  static_assert(Items % group == 0);
  static constexpr code_type past_end = static_cast<U>(~U{0});
  code_type code[Items];
  unsigned items, each, first;  // each: keys of a lane; first: where the lane's first one is
  int own;                      // how many keys the lane has

  __device__ __forceinline__ unsigned position(int j) const {
    return first + static_cast<unsigned>(j) * simt::warp_size;
  }
  __device__ __forceinline__ bool has(int j) const { return j < own; }
  static __device__ __forceinline__ unsigned threads() { return warps_of_row<Warps>() * simt::warp_size; }
  // Whether every lane has its first n keys.
  __device__ __forceinline__ bool all_have(unsigned n) const {
    return ((warps_of_row<Warps>() - 1) * each + n) * simt::warp_size <= items && n <= each;
  }
  // body(j), for all lanes of the warp at once.
  template <class Body>
  __device__ __forceinline__ void for_each(const Body& body) const {
#pragma unroll
    for (int begin = 0; begin < Items; begin += group) {
      if (Items > 8 && static_cast<unsigned>(begin) >= each) break;
#pragma unroll
      for (int j = begin; j < begin + group; ++j) body(j);
    }
  }
  __device__ __forceinline__ void load(const U* keys, unsigned n, unsigned warp, const key_codec<U>& codec) {
    items = n;
    // A shift, where a division would take 30 instructions.
    each = (n + threads() - 1) >> (simt::warp_size - 1 - static_cast<unsigned>(simt::leading_zeros(threads())));
    const unsigned begin = warp * each * simt::warp_size, end = lower_of(begin + each * simt::warp_size, n);
    first = begin + simt::lane_id();
    own = first < end ? static_cast<int>((end - first + simt::warp_size - 1) / simt::warp_size) : 0;
    const U* const of_lane = keys + first;
    const U pad = codec.decode(static_cast<U>(past_end));
    for_each([&](int j) { code[j] = has(j) ? of_lane[j * static_cast<int>(simt::warp_size)] : pad; });
    if (codec.is_of_floats()) for_each([&](int j) { code[j] = codec.encode(static_cast<U>(code[j])); });
    else for_each([&](int j) { code[j] = static_cast<U>(static_cast<U>(code[j]) ^ codec.flip); });
  }
};

template <class C>
__device__ __forceinline__ C least_of_lanes(C own) {
  if constexpr (sizeof(C) == 4) {
    return simt::reduce_min(own);
  } else {
    const auto high = static_cast<std::uint32_t>(own >> 32), least = simt::reduce_min(high);
    return C{least} << 32 | simt::reduce_min(high == least ? static_cast<std::uint32_t>(own) : ~std::uint32_t{0});
  }
}
template <class C>
__device__ __forceinline__ C largest_of_lanes(C own) {
  return static_cast<C>(~least_of_lanes(static_cast<C>(~own)));
}

// The last selected key of `wanted` keys: 0 < wanted < items. The same in all lanes.
template <class U, int Warps, int Items>
__device__ __forceinline__ last_selected<row_code_t<U>> select_of_row_keys(row_select_storage<U, Warps>& shared,
                                                                           const row_keys<U, Warps, Items>& row,
                                                                           unsigned warp, std::uint32_t wanted) {
  using code_type = row_code_t<U>;
  using selected = last_selected<code_type>;
  using storage = row_select_storage<U, Warps>;
  const unsigned lane = simt::lane_id(), thread = warp * simt::warp_size + lane;
  constexpr unsigned groups = storage::digits / simt::warp_size;  // of 32 digits
  const unsigned lanes_of_row = row.threads();
  const auto clear = [&](unsigned buffer) {
    for (unsigned w = thread; w < storage::digits; w += lanes_of_row) shared.counts[buffer][w] = 0;
  };

  if (thread < storage::buffers) shared.counts[thread][storage::digits] = 0;
  // The smallest keys of each lane's keys j, j + 4, j + 8...
  code_type low[4] = {row.past_end, row.past_end, row.past_end, row.past_end};
  row.for_each([&](int j) { low[j % 4] = lower_of(low[j % 4], row.code[j]); });
  const code_type even = lower_of(low[0], low[2]), odd = lower_of(low[1], low[3]);
  code_type base = least_of_lanes(lower_of(even, odd)), last;
  if (wanted <= lanes_of_row && row.all_have(1)) {
    last = lower_of(even, odd);
  } else if (wanted <= 2 * lanes_of_row && row.all_have(2)) {
    last = higher_of(even, odd);
  } else if (wanted <= 4 * lanes_of_row && row.all_have(4)) {
    last = higher_of(higher_of(low[0], low[2]), higher_of(low[1], low[3]));
  } else {
    last = base;
    row.for_each([&](int j) {
      if (row.has(j)) last = higher_of(last, row.code[j]);
    });
  }
  last = largest_of_lanes(last);
  if constexpr (Warps != 1) {
    if (lane == 0) shared.least[warp] = base, shared.last[warp] = last;
    clear(0);
    simt::sync_block();
    const unsigned other = lane < warps_of_row<Warps>() ? lane : 0;
    base = least_of_lanes(shared.least[other]);
    last = largest_of_lanes(shared.last[other]);
  }
  auto span = static_cast<code_type>(last - base);

  std::uint32_t remaining = wanted;
  unsigned buffer = 0;
#pragma unroll 1
  for (;;) {
    const int bits = bits_from_first(span), shift = bits > 8 ? bits - 8 : 0;
    std::uint32_t* const counts = shared.counts[buffer];
    if constexpr (Warps == 1) {
      clear(0);
      simt::sync_warp();
    } else {
      buffer = buffer == 2 ? 0 : buffer + 1;
      clear(buffer);
    }
    row.for_each([&](int j) {
      // Keys above the span may be counted with its last digit, or with later ones. The wanted key
      // comes before them. Keys below `base` count as above the span, because their distance wraps.
      const auto distance = static_cast<code_type>(row.code[j] - base);
      // Relaxed: read after a barrier. The added number is a constant, and the old value is not
      // used. So the hardware adds up the additions of lanes with one digit.
      simt::atomic_add<simt::order::relaxed, simt::scope::block>(
          counts + lower_of(static_cast<code_type>(distance >> shift), code_type{storage::digits}), 1u);
    });
    sync_row<Warps>();
    std::uint32_t count[groups], sum = 0, before = 0;
#pragma unroll
    for (unsigned g = 0; g < groups; ++g) count[g] = counts[g * simt::warp_size + lane];
    if constexpr (Warps == 1) simt::sync_warp();  // the memory is used again
    unsigned group = 0;
    std::uint32_t of_group = count[0];
#pragma unroll
    for (unsigned g = 0; g + 1 < groups; ++g) {
      sum += simt::reduce_add(count[g]);
      if (sum < remaining) group = g + 1, before = sum, of_group = count[g + 1];
    }
    remaining -= before;
    const found_lane found = find_lane<simt::warp_size>(of_group, remaining);
    remaining -= found.before;
    const std::uint32_t digit = group * simt::warp_size + found.lane, of_digit = found.own;

    const auto begin = static_cast<code_type>(code_type{digit} << shift),
               within = static_cast<code_type>((code_type{1} << shift) - 1);
    base = static_cast<code_type>(base + begin);
    // The digit may reach beyond `last`. Keys there were counted with it, so they belong to it.
    span = within;
    if (of_digit == remaining) return {static_cast<code_type>(base + span), selected::all};
    if (span == 0) return {base, remaining};
  }
}

// Calls put(j, rank, is_selected) for the lane's keys, with the ranks of the selected ones in order
// of position. Keys past the end of a warp's part, which come before those of the next warp, are
// not selected. Plain: the keys up to the last one are selected, and those past the end are above
// it.
template <bool Plain, class Storage, class U, int Warps, int Items, class Put>
__device__ __forceinline__ void rank_of_row_keys(Storage& shared, const row_keys<U, Warps, Items>& row, unsigned warp,
                                                 const last_selected<row_code_t<U>>& last, const Put& put) {
  const auto rank_below = [](unsigned lanes) {
    return static_cast<std::uint32_t>(simt::popcount(lanes & simt::lanemask_lt()));
  };
  const unsigned lane = simt::lane_id();
  std::uint32_t before = 0, equal_before = 0;
  if constexpr (Warps != 1) {
    // The number of selected keys below the last one. The upper half of the word has the number of
    // those equal to it. Plain: the number of selected keys.
    std::uint32_t own = 0;
    row.for_each([&](int j) {
      if constexpr (Plain) own += row.code[j] <= last.code ? 1u : 0u;
      else if (row.has(j)) own += (row.code[j] < last.code ? 1u : 0u) + (row.code[j] == last.code ? 1u << 16 : 0u);
    });
    own = simt::reduce_add(own);
    if (lane == 0) shared.selected[warp] = own;
    simt::sync_block();
    const std::uint32_t of_others = simt::reduce_add(lane < warp ? shared.selected[lane] : 0u);
    equal_before = of_others >> 16;
    before = (of_others & 0xffffu) + (equal_before < last.of_equal ? equal_before : last.of_equal);
    if (own == 0) return;
  }
  row.for_each([&](int j) {
    bool is_selected = row.code[j] <= last.code;
    if constexpr (!Plain) {
      const bool is_equal = row.has(j) && row.code[j] == last.code;
      const unsigned equal = simt::ballot(is_equal);
      is_selected =
          (row.has(j) && row.code[j] < last.code) || (is_equal && equal_before + rank_below(equal) < last.of_equal);
      equal_before += static_cast<std::uint32_t>(simt::popcount(equal));
    }
    const unsigned lanes = simt::ballot(is_selected);
    put(j, before + rank_below(lanes), is_selected);
    before += static_cast<std::uint32_t>(simt::popcount(lanes));
  });
}

// Stores the first `wanted` keys of a row, in order of position, or sorted. Up to
// most_sorted_by_rank keys can be sorted. positions may be null. All lanes of the row's warps; ends
// with their barrier.
template <class U, int Warps, int Items, class Index>
__device__ __forceinline__ void select_row_of_keys(row_select_storage<U, Warps>& shared, unsigned warp, const U* keys,
                                                   unsigned n, std::uint32_t wanted, bool sorted,
                                                   const key_codec<U>& codec, U* keys_out, Index* positions_out) {
  using code_type = row_code_t<U>;
  row_keys<U, Warps, Items> row;
  row.load(keys, n, warp, codec);
  last_selected<code_type> last{row.past_end, last_selected<code_type>::all};  // every key
  if (wanted < n) last = select_of_row_keys<U, Warps, Items>(shared, row, warp, wanted);
  auto& staged = shared.staged;  // in place of the counts: all have read these before the last barrier
  const bool is_staged = wanted <= most_sorted_by_rank, has_positions = positions_out != nullptr;
  if (is_staged && last.of_equal == last.all && last.code != row.past_end) {
    const unsigned spare = staged.spare + warp * simt::warp_size + simt::lane_id();
    rank_of_row_keys<true>(shared, row, warp, last, [&](int j, std::uint32_t rank, bool is_selected) {
      const unsigned to = is_selected ? rank : spare;
      staged.code[to] = row.code[j];
      if (has_positions) staged.position[to] = static_cast<std::uint16_t>(row.position(j));
    });
  } else {
    rank_of_row_keys<false>(shared, row, warp, last, [&](int j, std::uint32_t rank, bool is_selected) {
      if (!is_selected) return;
      if (is_staged) {
        staged.code[rank] = row.code[j];
        staged.position[rank] = static_cast<std::uint16_t>(row.position(j));
      } else {
        keys_out[rank] = codec.decode(static_cast<U>(row.code[j]));
        if (has_positions) positions_out[rank] = static_cast<Index>(row.position(j));
      }
    });
  }
  if constexpr (Warps == 1) {
    // Not as store_staged: with that, the kernel for 32 keys a lane spilled 12 to 24 bytes more.
    sync_row<Warps>();
#pragma unroll 1
    for (unsigned begin = is_staged ? warp * simt::warp_size : wanted; begin < wanted; begin += row.threads()) {
      const unsigned i = begin + simt::lane_id();
      const code_type own = i < wanted ? staged.code[i] : static_cast<code_type>(~code_type{0});
      unsigned to = i;
      if (sorted) {
        // Equal ones stay in order.
        to = static_cast<unsigned>(simt::popcount(simt::match_any(own) & simt::lanemask_lt()));
        unsigned other = 0;
#pragma unroll 4
        for (; other < begin; ++other) to += staged.code[other] <= own ? 1u : 0u;
#pragma unroll 4
        for (; other < wanted; ++other) to += staged.code[other] < own ? 1u : 0u;
      }
      if (i >= wanted) continue;
      keys_out[to] = codec.decode(static_cast<U>(own));
      if (has_positions) positions_out[to] = static_cast<Index>(staged.position[i]);
    }
  } else {
    if (is_staged) pad_staged(staged, warp * simt::warp_size + simt::lane_id(), wanted);
    sync_row<Warps>();
    if (is_staged) store_staged<U, Warps>(staged, warp, wanted, sorted, codec, keys_out, positions_out);
  }
  sync_row<Warps>();  // the memory is used again
}

}  // namespace ballot::detail
