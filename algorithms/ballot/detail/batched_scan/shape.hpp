// How a row lies over threads: decided by its length and item size alone, never by the GPU, the number of rows or
// addresses. The order of the additions follows from it, so it is the same on every machine and in every run.
//
// A thread sums a run of consecutive items by itself; threads are joined by a scan of their totals. A run is an odd
// number of 16-byte vectors: so runs lie one behind the other in shared memory, and the 8 threads whose 16-byte
// accesses go together still meet all 32 banks.
//
//     row of 10,000 floats = 2,500 vectors:   | run 0: 11 vectors | run 1: 11 vectors | ... | run 227: 3 vectors |
//                                            thread 0            thread 1                  thread 227 of 256
//
//     short    up to 288 vectors    a group of 1 to 32 lanes a row, several rows a warp; no barrier of the block
//     medium   up to 3,840 vectors  a block a row: as many warps as the row needs, at most 8
//     long     above                segments of 2,304 vectors; by one block where the GPU has the shared memory, else a
//                                   block each, with a scan of their totals in between: the same additions either way
//
// Beyond lanes that are without a run nothing is wasted: a medium row takes as much shared memory as it has vectors.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

#include <cstddef>
#include <cstdint>

namespace ballot::detail {

inline constexpr unsigned batched_vector_bytes = 16;

// H200, 2026-11-20, rows of 10,000 floats, forward and backward: 0.97 of the copy speed; other lengths and other values
// have not been compared. 60 KiB a row fit every GPU from sm_75 on (64 KiB a block).
struct batched_scan_tuning {
  static constexpr unsigned longest_group_run = 9;   // vectors; short rows: at most 32 runs of this
  static constexpr unsigned shortest_block_run = 5;  // vectors; fewer, and the scans between threads weigh too much
  static constexpr unsigned block_warps = 8;         // at most, a medium row
  static constexpr unsigned block_vectors = 3840;    // at most, a medium row
  static constexpr unsigned segment_run = 9, segment_warps = 8;
  static constexpr unsigned sums_warps = 32;  // at most, for the totals of a row's segments
  // Rows of several segments in one block: teams of segment_warps, each with up to so many segments; the most bytes of
  // shared memory, if the GPU has them.
  static constexpr unsigned row_teams = 4, row_rounds = 2;
  static constexpr std::size_t single_block_row_bytes = 227 * 1024;
  static constexpr unsigned group_warps = 8;  // warps a block of short rows; they do not know of each other
};

struct batched_scan_shape {
  unsigned run;    // vectors a thread: odd
  unsigned lanes;  // a row's lanes in a warp: 32, or a smaller power of two where several rows share the warp
  unsigned warps;  // a row's warps
  std::uint64_t segment_items;
  std::uint64_t segments;

  BALLOT_HOST_DEVICE constexpr bool is_short() const { return warps == 0; }
  BALLOT_HOST_DEVICE constexpr unsigned rows_a_warp() const { return 32 / lanes; }
};

// The longest run that keeps at least 3/4 of the lanes' vectors filled, else the one that keeps most.
template <class Tuning>
constexpr batched_scan_shape short_row_shape(unsigned vectors, std::uint64_t length) {
  batched_scan_shape best{0, 0, 0, length, 1};
  for (unsigned run = 1; run <= Tuning::longest_group_run; run += 2) {
    unsigned lanes = 1;
    while (lanes < 32 && lanes * run < vectors) lanes *= 2;
    if (lanes * run < vectors) continue;
    const bool full_enough = 4 * vectors >= 3 * lanes * run;
    if (best.run == 0 || full_enough || lanes * run < best.lanes * best.run) best = {run, lanes, 0, length, 1};
  }
  return best;
}

// length >= 1.
template <class Tuning = batched_scan_tuning>
constexpr batched_scan_shape find_batched_scan_shape(std::uint64_t length, std::size_t item_bytes) {
  const std::uint64_t vectors = ceil_div(length, batched_vector_bytes / item_bytes);
  if (vectors <= 32 * Tuning::longest_group_run) return short_row_shape<Tuning>(static_cast<unsigned>(vectors), length);
  if (vectors <= Tuning::block_vectors) {
    for (unsigned run = Tuning::shortest_block_run;; run += 2) {
      const std::uint64_t warps = ceil_div(ceil_div(vectors, run), 32);
      if (warps <= Tuning::block_warps) return {run, 32, static_cast<unsigned>(warps), length, 1};
    }
  }
  const std::uint64_t segment_items =
      32 * Tuning::segment_run * Tuning::segment_warps * (batched_vector_bytes / item_bytes);
  return {Tuning::segment_run, 32, Tuning::segment_warps, segment_items, ceil_div(length, segment_items)};
}

}  // namespace ballot::detail
