// SPDX-License-Identifier: Apache-2.0
// Ranking in a pass of the radix sort. The rank of a key is the number of keys before it with the
// same digit, within the part of the tile that half a warp takes.
//
// Such a part has 16 x K consecutive keys. The half warp takes one row of 16 at a time, in the
// order of the input, which makes the sort stable. In each row the lanes with the same digit
// (peers) must find each other. The rank of a key is the count of its digit in the rows before,
// plus its peers in lower lanes. Count and peers are the two halves of one word of shared memory,
// so that one load brings both:
//
//     lane    0 1 2 3 4 ...    word of digit 7, over time
//     digit   7 3 7 7 3 ...      count 5 | peers ................   before the row
//                                count 5 | peers ............11.1   each lane sets its bit
//                              lanes 0, 2, 3 read it: ranks 5, 6, 7
//                                count 8 | peers ................   the highest peer, lane 3,
//                                                                   writes it
//
// This takes an atomic, a load and a store for each key. A vote for each bit of the digit would
// take three instructions per bit (warp/match.cuh). With 32 lanes a word could not hold both
// halves, and there would be an atomic, a load and two stores.
//
// If many lanes hold one digit, their atomics on its word are serialised. So the peers of one
// digit, the candidate, find each other by one vote instead.
//
// - If the histogram found a frequent digit, the candidate is the most frequent digit of the pass.
//   Then few lanes of a row hold the same other digit.
// - Otherwise a pass may take, every few rows, the digit of the row's first key. After a pass, keys
//   that are equal or nearly so are next to each other, and whole rows hold one digit.
//
// The halves of a warp count apart, so no barrier is needed. Shared memory: 2 KiB a warp.
//
// The counters are not in the order of their digits. Digits of one row often differ in their upper
// bits alone: those of integers as floats, of multiples of 8. In order, their counters would lie in
// few banks of shared memory. So a digit's counters have a place of their own: the lower half of
// its number is that of the digit `xor` its upper half.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

inline constexpr unsigned half_warp_lanes = 16;

// [place_of(digit)]: the counts of both halves of a warp.
struct warp_digit_counts {
  static constexpr unsigned count_shift = 16;
  struct alignas(8) halves {
    std::uint32_t of[2];
  };
  halves digit[radix_digits];

  // Each digit has another place. The places of the digits below a power of two are below it, too.
  BALLOT_HOST_DEVICE static constexpr unsigned place_of(unsigned d) { return d ^ d >> (radix_bits / 2); }
};

__device__ __forceinline__ void zero_counts(warp_digit_counts& counts) {
#pragma unroll
  for (unsigned d = simt::lane_id(); d < radix_digits; d += simt::warp_size) counts.digit[d] = {};
  simt::sync_warp();  // zeroed before any lane counts
}
// Those of the digits below `digits`, a power of two.
__device__ __forceinline__ void zero_counts(warp_digit_counts& counts, unsigned digits) {
  for (unsigned place = simt::lane_id(); place < digits; place += simt::warp_size) counts.digit[place] = {};
  simt::sync_warp();  // as above
}

// After ranking and a barrier: the warp's keys of a digit.
__device__ __forceinline__ std::uint32_t digit_count(const warp_digit_counts& counts, unsigned digit) {
  const auto halves = counts.digit[warp_digit_counts::place_of(digit)];
  return (halves.of[0] >> warp_digit_counts::count_shift) + (halves.of[1] >> warp_digit_counts::count_shift);
}

// Replaces the counts of a digit by offsets: the first half's keys begin at `offset`, the second
// half's after them. Returns where the next warp's begin.
__device__ __forceinline__ std::uint32_t counts_to_offsets(warp_digit_counts& counts, unsigned digit,
                                                           std::uint32_t offset) {
  const auto halves = counts.digit[warp_digit_counts::place_of(digit)];
  const std::uint32_t second = offset + (halves.of[0] >> warp_digit_counts::count_shift);
  counts.digit[warp_digit_counts::place_of(digit)] = {{offset, second}};
  return second + (halves.of[1] >> warp_digit_counts::count_shift);
}

// The counter of each digit for this lane's half of the warp. The half is kept in a register:
// otherwise the compiler would query the lane again and again.
class half_warp_counters {
 public:
  __device__ __forceinline__ explicit half_warp_counters(warp_digit_counts& counts)
      : first_(&counts.digit[0].of[0]), half_(simt::opaque(simt::lane_id() / half_warp_lanes)) {}
  __device__ __forceinline__ std::uint32_t* operator()(unsigned digit) const {
    return first_ + (2 * warp_digit_counts::place_of(digit) + half_);
  }
  __device__ __forceinline__ unsigned half() const { return half_; }

 private:
  std::uint32_t* first_;
  unsigned half_;
};

// Calls give(i, rank) for each of the thread's keys. All 32 lanes. digit_of(i): the digit of key i,
// less than radix_digits. frequent_digit: a digit that many keys have, or radix_digits.
// CandidateRows: without a frequent digit, a digit of every so many rows is the candidate; 0: there
// is none.
template <int Keys, int CandidateRows = 0, class DigitOf, class Give>
__device__ __forceinline__ void rank_stably(const half_warp_counters& counter_of, unsigned frequent_digit,
                                            DigitOf digit_of, Give give) {
  const unsigned lane = simt::lane_id() % half_warp_lanes;
  const std::uint32_t own = 1u << lane, below = own - 1u, above = 0xffffu & ~(own | below);
  unsigned candidate = frequent_digit;
#pragma unroll
  for (int i = 0; i < Keys; ++i) {
    const unsigned digit = digit_of(i);
    if constexpr (CandidateRows != 0) {
      if (i % CandidateRows == 0) {
        const unsigned of_first = simt::shuffle(digit, half_warp_lanes * counter_of.half());
        if (frequent_digit == radix_digits) candidate = of_first;
      }
    }
    const bool is_candidate = digit == candidate;
    const std::uint32_t voted_peers = simt::ballot(is_candidate) >> (half_warp_lanes * counter_of.half());
    std::uint32_t* const word = counter_of(digit);
    // Relaxed: the words are read after the sync_warp that follows.
    if (!is_candidate) simt::atomic_or<simt::order::relaxed, simt::scope::block>(word, own);
    simt::sync_warp();  // all bits are set before a word is read
    const std::uint32_t counted = *word;
    const std::uint32_t peers = is_candidate ? voted_peers : counted;
    const std::uint32_t rank =
        (counted >> warp_digit_counts::count_shift) + static_cast<std::uint32_t>(simt::popcount(peers & below));
    simt::sync_warp();  // all peers have read before the highest one writes
    if ((peers & above) == 0) *word = (rank + 1u) << warp_digit_counts::count_shift;
    simt::sync_warp();  // counted before the next row
    give(i, rank);
  }
}

// The same without an order among keys of one digit: only one atomic for each key.
template <int Keys, class DigitOf, class Give>
__device__ __forceinline__ void rank_unstably(const half_warp_counters& counter_of, DigitOf digit_of, Give give) {
#pragma unroll
  for (int i = 0; i < Keys; ++i) {
    // Relaxed: the counts are read after the next barrier.
    const std::uint32_t before = simt::atomic_add<simt::order::relaxed, simt::scope::block>(
        counter_of(digit_of(i)), 1u << warp_digit_counts::count_shift);
    give(i, before >> warp_digit_counts::count_shift);
  }
}

}  // namespace ballot::detail
