// Ranking in a pass of the radix sort: for each key the number of keys with the same digit before it in its warp's run.
//
// A warp takes its keys a row of 32 at a time, in input order, which is what makes the sort stable. In each row the lanes with
// the same digit must find each other:
//
//     digits    7 3 7 7 3 ...
//     words     [3] 10010...   [7] 01101...      every lane sets its bit in its digit's word of shared memory
//     peers     each lane reads its digit's word back: lanes 0, 2, 3 hold 7, lanes 1 and 4 hold 3
//
// The rank is what the warp has counted of that digit so far, plus the peers in lower lanes; the highest peer adds the row's
// peers to the count and clears the word for the next row. On well spread digits this is 1.7 times as fast as finding the peers
// by eight votes (warp/match.cuh), whose rate is low on recent chips. Where many lanes hold one digit the atomics of a row
// queue up; the extreme of it, a row of one digit, is found by one vote and needs no words at all.
//
// Warps count apart, so nothing here crosses warps and no barrier is needed. Words and counts are zero at the start; words are
// zero again at the end. Shared memory: 2 KiB a warp.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

inline constexpr int radix_bits = 8;
inline constexpr int radix_digits = 1 << radix_bits;

struct radix_warp_counts {
  std::uint32_t peers[radix_digits];  // of the row at hand: the lanes that hold the digit
  std::uint32_t count[radix_digits];  // of the rows so far
};

// rank[i] for each of the thread's keys; digit_of(i) is the digit of key i, less than radix_digits.
template <int Keys, class DigitOf>
__device__ __forceinline__ void rank_in_warp(radix_warp_counts& shared, std::uint32_t (&rank)[Keys], DigitOf digit_of) {
  const unsigned lane = simt::lane_id();
#pragma unroll
  for (int i = 0; i < Keys; ++i) {
    const unsigned digit = digit_of(i);
    unsigned peers;
    if (simt::all(digit == simt::shuffle(digit, 0))) {
      peers = simt::full_mask;
    } else {
      simt::atomic_or<simt::order::relaxed, simt::scope::block>(&shared.peers[digit], simt::lanemask_eq());
      simt::sync_warp();  // all bits are set before a word is read
      peers = shared.peers[digit];
    }
    const unsigned highest = 31u - simt::leading_zeros(peers);
    simt::sync_warp();  // all peers have read before the highest clears the word
    std::uint32_t before = 0;
    if (lane == highest) {
      before = shared.count[digit];
      shared.count[digit] = before + simt::popcount(peers);
      shared.peers[digit] = 0;
    }
    simt::sync_warp();  // cleared and counted before the next row
    rank[i] = simt::shuffle(before, static_cast<int>(highest)) + simt::popcount(peers & simt::lanemask_lt());
  }
}

}  // namespace ballot::detail
