// SPDX-License-Identifier: Apache-2.0
// How a row is laid out over threads. Only the length and the item size decide it, never the GPU,
// the number of rows or the addresses. The order of the additions follows from it, so it is the
// same on every machine and in every run.
//
// A thread has consecutive items: an odd number of 16-byte vectors. So in shared memory the items
// of one thread follow those of the thread before. The 8 threads whose 16-byte accesses are served
// together still reach all 32 banks. A scan of the threads' totals joins them.
//
//     row of 10,000 floats = 2,500 vectors:   | 11 vectors | 11 vectors | ... | 3 vectors    |
//                                              thread 0     thread 1           thread 227 of 256
//
//     short    up to 288 vectors    A group of 1 to 32 lanes per row, several rows per warp.
//                                   No barrier of the block.
//     medium   up to 3,840 vectors  A block per row, of as many warps as the row needs, at most 8.
//     long     above                Segments of 2,304 vectors. They are in one block if the GPU has
//                                   the shared memory. Else each has a block, with a scan of their
//                                   totals in between. The additions are the same either way.
//
// A medium row takes as much shared memory as it has vectors. Only lanes without items are wasted.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

#include <cstddef>
#include <cstdint>

namespace ballot::detail {

inline constexpr unsigned batched_vector_bytes = 16;

// H200, 2026-11-20, rows of 10,000 floats, forward and backward: 0.97 of the copy speed. Other
// lengths, other values, and architectures other than sm_90 have not been compared. 60 KiB a row
// fit every GPU from sm_75 on (64 KiB a block).
struct batched_scan_tuning {
  static constexpr unsigned most_group_vectors = 9;  // of a thread, in short rows
  static constexpr unsigned least_block_vectors =
      5;                                           // of a thread; with fewer, the scans between threads cost too much
  static constexpr unsigned block_warps = 8;       // at most, a medium row
  static constexpr unsigned block_vectors = 3840;  // at most, a medium row
  static constexpr unsigned segment_thread_vectors = 9, segment_warps = 8;
  static constexpr unsigned sums_warps = 32;  // at most; for the totals of a row's segments
  // Long rows in one block: the most teams of segment_warps, the most segments per team, and the
  // most shared memory.
  static constexpr unsigned row_teams = 4, row_rounds = 2;
  static constexpr std::size_t single_block_row_bytes = 227 * 1024;
  static constexpr unsigned group_warps = 8;  // warps per block of short rows; they are independent
};

struct batched_scan_shape {
  unsigned thread_vectors;  // vectors per thread: odd
  unsigned lanes;           // a row's lanes in a warp: 32, or a smaller power of two where several rows share the warp
  unsigned warps;           // a row's warps
  std::uint64_t segment_items;
  std::uint64_t segments;

  BALLOT_HOST_DEVICE constexpr bool is_short() const { return warps == 0; }
  BALLOT_HOST_DEVICE constexpr unsigned rows_per_warp() const { return 32 / lanes; }
};

// The most vectors per thread that keep at least 3/4 of the lanes' vectors filled, else those that
// keep most filled.
template <class Tuning>
constexpr batched_scan_shape short_row_shape(unsigned vectors, std::uint64_t length) {
  batched_scan_shape best{0, 0, 0, length, 1};
  for (unsigned each = 1; each <= Tuning::most_group_vectors; each += 2) {
    unsigned lanes = 1;
    while (lanes < 32 && lanes * each < vectors) lanes *= 2;
    if (lanes * each < vectors) continue;
    const bool full_enough = 4 * vectors >= 3 * lanes * each;
    if (best.thread_vectors == 0 || full_enough || lanes * each < best.lanes * best.thread_vectors)
      best = {each, lanes, 0, length, 1};
  }
  return best;
}

// length >= 1.
template <class Tuning = batched_scan_tuning>
constexpr batched_scan_shape find_batched_scan_shape(std::uint64_t length, std::size_t item_bytes) {
  const std::uint64_t vectors = ceil_div(length, batched_vector_bytes / item_bytes);
  if (vectors <= 32 * Tuning::most_group_vectors)
    return short_row_shape<Tuning>(static_cast<unsigned>(vectors), length);
  if (vectors <= Tuning::block_vectors) {
    for (unsigned each = Tuning::least_block_vectors;; each += 2) {
      const std::uint64_t warps = ceil_div(ceil_div(vectors, each), 32);
      if (warps <= Tuning::block_warps) return {each, 32, static_cast<unsigned>(warps), length, 1};
    }
  }
  const std::uint64_t segment_items =
      32 * Tuning::segment_thread_vectors * Tuning::segment_warps * (batched_vector_bytes / item_bytes);
  return {Tuning::segment_thread_vectors, 32, Tuning::segment_warps, segment_items, ceil_div(length, segment_items)};
}

}  // namespace ballot::detail
