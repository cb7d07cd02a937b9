// Ranking in a pass of the radix sort: for each key the number of keys with the same digit before it in its warp's run.
//
// A warp takes its keys a row of 32 at a time, in input order, which is what makes the sort stable. In each row the
// lanes with the same digit must find each other (their peers); the rank of a key is what the warp has counted of that
// digit so far plus the peers in lower lanes. Warps count apart, so no barrier is needed. Two ways to find the peers:
//
//   votes         one vote a bit of the digit (warp/match.cuh). The cost does not depend on the digits.
//   shared words  every lane sets its bit in its digit's word of shared memory and reads the word back:
//
//                     digits    7 3 7 7 3 ...
//                     words     [3] 01001...   [7] 10110...    lanes 0, 2 and 3 hold 7, lanes 1 and 4 hold 3
//
//                 Cheap where digits are well spread. Where many lanes hold one digit the atomics of a row queue up;
//                 the extreme, a row of one digit, is found by one vote and needs no words.
//
// Shared memory: 1 KiB a warp for the counts, and 1 KiB for the words.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/match.cuh>

#include <cstdint>

namespace ballot::detail {

inline constexpr int radix_bits = 8;
inline constexpr int radix_digits = 1 << radix_bits;

enum class radix_ranking { votes, shared_words };

// What a warp ranks with; zero at the start.
template <radix_ranking Ranking>
struct radix_warp_counts;

template <>
struct radix_warp_counts<radix_ranking::votes> {
  std::uint32_t count[radix_digits];  // of each digit, in the rows so far

  static constexpr unsigned words = radix_digits;
};

template <>
struct radix_warp_counts<radix_ranking::shared_words> {
  std::uint32_t count[radix_digits];
  std::uint32_t peers[radix_digits];  // of the row at hand: the lanes that hold the digit

  static constexpr unsigned words = 2 * radix_digits;
};

template <class Counts>
__device__ __forceinline__ void zero_counts(Counts& counts) {
  for (unsigned d = simt::lane_id(); d < radix_digits; d += simt::warp_size) {
    counts.count[d] = 0;
    if constexpr (Counts::words > radix_digits) counts.peers[d] = 0;
  }
  simt::sync_warp();  // zeroed before any lane counts
}

// rank[i] for each of the thread's keys; digit_of(i) is the digit of key i, less than radix_digits. All 32 lanes.
template <int Keys, class DigitOf>
__device__ __forceinline__ void rank_in_warp(radix_warp_counts<radix_ranking::votes>& counts,
                                             std::uint32_t (&rank)[Keys], DigitOf digit_of) {
#pragma unroll
  for (int i = 0; i < Keys; ++i) {
    const unsigned digit = digit_of(i);
    const unsigned peers = warp::match_digit<radix_bits>(digit);
    const unsigned below = simt::popcount(peers & simt::lanemask_lt());
    const std::uint32_t before = counts.count[digit];
    simt::sync_warp();  // all peers have read before the lowest one writes
    if (below == 0) counts.count[digit] = before + simt::popcount(peers);
    simt::sync_warp();  // written before the next row reads
    rank[i] = before + below;
  }
}

template <int Keys, class DigitOf>
__device__ __forceinline__ void rank_in_warp(radix_warp_counts<radix_ranking::shared_words>& counts,
                                             std::uint32_t (&rank)[Keys], DigitOf digit_of) {
#pragma unroll
  for (int i = 0; i < Keys; ++i) {
    const unsigned digit = digit_of(i);
    unsigned peers = simt::full_mask;
    if (!simt::all(digit == simt::shuffle(digit, 0))) {
      // Relaxed: the words are read behind the sync_warp that follows.
      simt::atomic_or<simt::order::relaxed, simt::scope::block>(&counts.peers[digit], simt::lanemask_eq());
      simt::sync_warp();  // all bits are set before a word is read
      peers = counts.peers[digit];
    }
    simt::sync_warp();  // all peers have read before the highest one clears the word
    const unsigned highest = 31u - simt::leading_zeros(peers);
    std::uint32_t before = 0;
    if (simt::lane_id() == highest) {
      before = counts.count[digit];
      counts.count[digit] = before + simt::popcount(peers);
      counts.peers[digit] = 0;
    }
    simt::sync_warp();  // cleared and counted before the next row
    rank[i] = simt::shuffle(before, static_cast<int>(highest)) + simt::popcount(peers & simt::lanemask_lt());
  }
}

}  // namespace ballot::detail
