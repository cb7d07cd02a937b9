// Ranking in a pass of the radix sort: for each key the number of keys with the same digit before it in its warp's run.
//
// A warp takes its keys a row of 32 at a time, in input order, which is what makes the sort stable. In each row the
// lanes with the same digit must find each other (their peers); the rank of a key is what the warp has counted of that
// digit so far plus the peers in lower lanes. Warps count apart, so no barrier is needed. Ways to find the peers:
//
//   votes           one vote a bit of the digit (warp/match.cuh). The cost does not depend on the digits.
//   votes_in_groups the same for four rows at once: the votes of the four, then their counting (each digit's highest
//                   lane adds all its peers in one atomic), then the shuffles that hand the counts round. The
//                   latencies of four rows overlap, for eight registers more.
//   shared_words    every lane sets its bit in its digit's word of shared memory and reads the word back:
//
//                     digits    7 3 7 7 3 ...
//                     words     [3] 01001...   [7] 10110...    lanes 0, 2 and 3 hold 7, lanes 1 and 4 hold 3
//
//                   Cheap where digits are well spread. Where many lanes hold one digit the atomics of a row queue up;
//                   the extreme, a row of one digit, is found by one vote and needs no words.
//
// The counts may begin with anything: ranks continue them. That gives the pass two orders of work. Counts zero at
// first: the ranks are those within the warp, and the counts afterwards the warp's. Or the warp counts first, by one
// atomic a key (count_in_warp), the block turns counts into places, and then the ranks are places in the ordered tile
// at once.
//
// Shared memory: 1 KiB a warp for the counts, and 1 KiB for the words.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_plan.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/match.cuh>

#include <cstdint>

namespace ballot::detail {

enum class radix_ranking { votes, votes_in_groups, shared_words };

// What a warp ranks with.
template <radix_ranking Ranking>
struct radix_warp_counts {
  std::uint32_t count[radix_digits];  // of each digit, in the rows so far
};
template <>
struct radix_warp_counts<radix_ranking::shared_words> {
  std::uint32_t count[radix_digits];
  std::uint32_t peers[radix_digits];  // of the row at hand: the lanes that hold the digit; zero between rows
};

template <radix_ranking Ranking>
__device__ __forceinline__ void zero_counts(radix_warp_counts<Ranking>& counts) {
#pragma unroll
  for (int i = 0; i < radix_digits / static_cast<int>(simt::warp_size); ++i) {
    const unsigned d = simt::lane_id() + static_cast<unsigned>(i) * simt::warp_size;
    counts.count[d] = 0;
    if constexpr (Ranking == radix_ranking::shared_words) counts.peers[d] = 0;
  }
  simt::sync_warp();  // zeroed before any lane counts
}

// Adds the warp's keys to its counts, in no order; digit_of(i) is the digit of key i, less than radix_digits.
template <int Keys, class Counts, class DigitOf>
__device__ __forceinline__ void count_in_warp(Counts& counts, DigitOf digit_of) {
  // Relaxed: the counts are read behind the next barrier.
#pragma unroll
  for (int i = 0; i < Keys; ++i)
    simt::atomic_add<simt::order::relaxed, simt::scope::block>(&counts.count[digit_of(i)], 1u);
}

// Calls give(i, rank) for each of the thread's keys, in any order. All 32 lanes.
template <int Keys, class DigitOf, class Give>
__device__ __forceinline__ void rank_in_warp(radix_warp_counts<radix_ranking::votes>& counts, DigitOf digit_of,
                                             Give give) {
#pragma unroll
  for (int i = 0; i < Keys; ++i) {
    const unsigned digit = digit_of(i);
    const unsigned peers = warp::match_digit<radix_bits>(digit);
    const unsigned below = simt::popcount(peers & simt::lanemask_lt());
    const std::uint32_t before = counts.count[digit];
    simt::sync_warp();  // all peers have read before the lowest one writes
    if (below == 0) counts.count[digit] = before + simt::popcount(peers);
    simt::sync_warp();  // written before the next row reads
    give(i, before + below);
  }
}

template <int Keys, class DigitOf, class Give>
__device__ __forceinline__ void rank_in_warp(radix_warp_counts<radix_ranking::votes_in_groups>& counts,
                                             DigitOf digit_of, Give give) {
  constexpr int group = 4;
#pragma unroll
  for (int first = 0; first < Keys; first += group) {
    const int rows = Keys - first < group ? Keys - first : group;  // a constant, once unrolled
    unsigned peers[group], before[group];
#pragma unroll
    for (int g = 0; g < rows; ++g) peers[g] = warp::match_digit<radix_bits>(digit_of(first + g));
#pragma unroll
    for (int g = 0; g < rows; ++g) {
      before[g] = 0;
      if (simt::lane_id() == 31u - simt::leading_zeros(peers[g]))
        before[g] = simt::atomic_add<simt::order::relaxed, simt::scope::block>(&counts.count[digit_of(first + g)],
                                                                               simt::popcount(peers[g]));
      simt::sync_warp();  // counted before the next row, whose highest peer may be another lane
    }
#pragma unroll
    for (int g = 0; g < rows; ++g)
      give(first + g, simt::shuffle(before[g], 31u - simt::leading_zeros(peers[g])) +
                          simt::popcount(peers[g] & simt::lanemask_lt()));
  }
}

template <int Keys, class DigitOf, class Give>
__device__ __forceinline__ void rank_in_warp(radix_warp_counts<radix_ranking::shared_words>& counts, DigitOf digit_of,
                                             Give give) {
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
    give(i, simt::shuffle(before, highest) + simt::popcount(peers & simt::lanemask_lt()));
  }
}

}  // namespace ballot::detail
