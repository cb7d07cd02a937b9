// Ranking in a pass of the radix sort: for each key the number of keys with the same digit before it in its run.
//
// A run is what half a warp takes: 16 x K consecutive keys, a row of 16 at a time, in input order, which is what makes
// the sort stable. In each row the lanes with the same digit must find each other (their peers); the rank of a key is
// what its half has counted of that digit in the rows before, plus the peers in lower lanes. Count and peers are the
// two halves of one word of shared memory, so that one load brings both:
//
//     lane    0 1 2 3 4 ...             word of digit 7, in the order of events
//     digit   7 3 7 7 3 ...               count 5 | peers ................   before the row
//                                         count 5 | peers ............11.1   each lane sets its bit
//                                     lanes 0, 2, 3 read it: ranks 5, 6, 7
//                                         count 8 | peers ................   written by the highest peer, lane 3
//
// That is an atomic, a load and a store a key, where a vote for each bit of the digit would take three instructions a bit
// (warp/match.cuh); with 32 lanes a word could not hold both, and would take an atomic, a load and two stores.
//
// Where many lanes hold one digit, their atomics on its word queue up. So the commonest digit of the pass, if it is common
// at all, is known from the histogram, and its peers find each other by one vote instead. No digit of the others is then
// held by more than a few lanes of a row.
//
// Halves count apart, so no barrier is needed. Shared memory: 2 KiB a warp.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

inline constexpr unsigned half_warp_lanes = 16;

// What a warp ranks with.
struct warp_digit_counts {
  static constexpr unsigned count_shift = 16;
  struct alignas(8) halves {
    std::uint32_t of[2];
  };
  halves digit[radix_digits];
};

__device__ __forceinline__ void zero_counts(warp_digit_counts& counts) {
#pragma unroll
  for (unsigned d = simt::lane_id(); d < radix_digits; d += simt::warp_size) counts.digit[d] = {};
  simt::sync_warp();  // zeroed before any lane counts
}

// Behind the ranking and a barrier: the warp's keys of a digit.
__device__ __forceinline__ std::uint32_t digit_count(const warp_digit_counts& counts, unsigned digit) {
  const auto halves = counts.digit[digit];
  return (halves.of[0] >> warp_digit_counts::count_shift) + (halves.of[1] >> warp_digit_counts::count_shift);
}

// Turns the counts of a digit into places: the first half's keys begin at `place`, the second's behind them. Returns
// where the next warp's begin.
__device__ __forceinline__ std::uint32_t counts_to_offsets(warp_digit_counts& counts, unsigned digit,
                                                           std::uint32_t place) {
  const auto halves = counts.digit[digit];
  const std::uint32_t second = place + (halves.of[0] >> warp_digit_counts::count_shift);
  counts.digit[digit] = {{place, second}};
  return second + (halves.of[1] >> warp_digit_counts::count_shift);
}

// The word of a digit, for the half that this lane is in. The half is kept in a register: the compiler would ask the
// hardware for the lane again and again.
class half_warp_counters {
 public:
  __device__ __forceinline__ explicit half_warp_counters(warp_digit_counts& counts)
      : first_(&counts.digit[0].of[0]), half_(simt::opaque(simt::lane_id() / half_warp_lanes)) {}
  __device__ __forceinline__ std::uint32_t* operator()(unsigned digit) const { return first_ + (2 * digit + half_); }
  __device__ __forceinline__ unsigned half() const { return half_; }

 private:
  std::uint32_t* first_;
  unsigned half_;
};

// Calls give(i, rank) for each of the thread's keys; digit_of(i) is the digit of key i, less than radix_digits; `common`
// is a digit that many keys have, or radix_digits. All 32 lanes.
template <int Keys, class DigitOf, class Give>
__device__ __forceinline__ void rank_stably(const half_warp_counters& word_of, unsigned common, DigitOf digit_of,
                                            Give give) {
  const unsigned lane = simt::lane_id() % half_warp_lanes;
  const std::uint32_t own = 1u << lane, below = own - 1u, above = 0xffffu & ~(own | below);
#pragma unroll
  for (int i = 0; i < Keys; ++i) {
    const unsigned digit = digit_of(i);
    const bool is_frequent = digit == common;
    const std::uint32_t frequent_peers = simt::ballot(is_frequent) >> (half_warp_lanes * word_of.half());
    std::uint32_t* const word = word_of(digit);
    // Relaxed: the words are read behind the sync_warp that follows.
    if (!is_frequent) simt::atomic_or<simt::order::relaxed, simt::scope::block>(word, own);
    simt::sync_warp();  // all bits are set before a word is read
    const std::uint32_t counted = *word;
    const std::uint32_t peers = is_frequent ? frequent_peers : counted;
    const std::uint32_t rank =
        (counted >> warp_digit_counts::count_shift) + static_cast<std::uint32_t>(simt::popcount(peers & below));
    simt::sync_warp();  // all peers have read before the highest one writes
    if ((peers & above) == 0) *word = (rank + 1u) << warp_digit_counts::count_shift;
    simt::sync_warp();  // counted before the next row
    give(i, rank);
  }
}

// The same where keys of one digit may take any order among themselves: an atomic a key and nothing else.
template <int Keys, class DigitOf, class Give>
__device__ __forceinline__ void rank_unstably(const half_warp_counters& word_of, DigitOf digit_of, Give give) {
#pragma unroll
  for (int i = 0; i < Keys; ++i) {
    // Relaxed: the counts are read behind the next barrier.
    const std::uint32_t before = simt::atomic_add<simt::order::relaxed, simt::scope::block>(
        word_of(digit_of(i)), 1u << warp_digit_counts::count_shift);
    give(i, before >> warp_digit_counts::count_shift);
  }
}

}  // namespace ballot::detail
