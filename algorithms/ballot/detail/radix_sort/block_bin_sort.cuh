// SPDX-License-Identifier: Apache-2.0
// A block sorts words by bins (a bucket sort):
//
// 1. It counts them by their leading bits, in about as many bins as there are words.
// 2. It moves each word to its bin.
// 3. It exchanges neighbours until the words are in order.
//
//     word             3.7  0.2  3.1  5.0    (bin . rest)
//     count            bin 0: 1   bin 3: 2   bin 5: 1, four bins in a word of shared memory, a byte
//                                            each
//     rank in its bin   0    0    1    0     the value that an atomic addition found in that byte
//     offset            1    0    2    3     the bin's offset + rank
//     in bins          0.2  3.7  3.1  5.0
//     sweeps           0.2  3.1  3.7  5.0    (odd-even transposition sort)
//
// For the sweeps each warp loads a window of the words into registers: its own part, and `halo`
// words more on either side. So a bin that begins or ends outside the part still lies in the
// window, if it has no more than `halo` words. A sweep compares neighbours within a lane, first at
// even positions and then at odd ones, and then between lanes. 4 sweeps order any bin of 7 words,
// wherever it begins. 9 sweeps order any bin of 16 (10 if a lane has only 5 words). The test tries
// all orders of zeros and ones.
//
// A lane has an odd number of words, so that neighbouring lanes do not meet in a bank.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/packed_words.cuh>
#include <ballot/simt/simt.cuh>

#include <bit>
#include <cstdint>

namespace ballot::detail {

// LaneItems: consecutive words that a lane takes for the sweeps, an odd number. Bins: 2^BinBits. Wide: see
// local_sort_word. Sparse: many blocks have far fewer words than there is room for, and skip the rows that have none.
template <int Warps, int LaneItems, int BinBits, int BlocksPerMultiprocessor = 0, bool Wide = false,
          bool Sparse = false>
struct block_sort_shape {
  static constexpr bool wide = Wide, sparse = Sparse;
  static constexpr int warps = Warps;
  static constexpr int threads = Warps * static_cast<int>(simt::warp_size);
  static constexpr int blocks_per_multiprocessor = BlocksPerMultiprocessor;
  static constexpr int lane_items = LaneItems;
  static constexpr int halo = 16;
  static constexpr unsigned warp_items = simt::warp_size * LaneItems - 2 * halo;
  static constexpr unsigned items = Warps * warp_items;
  static constexpr int items_per_thread = static_cast<int>(warp_items / simt::warp_size);
  static constexpr int position_bits = std::bit_width(items - 1);
  static constexpr int bin_bits = BinBits;
  static constexpr unsigned bins = 1u << BinBits;
  // Sweeps that order bins of so many words.
  static constexpr unsigned few_in_bin = 7, max_in_bin = halo;
  static constexpr int few_sweeps = 4, sweeps = LaneItems < 7 ? 10 : 9;
  static_assert(LaneItems % 2 == 1 && LaneItems >= 5, "fewer take more sweeps");
  static_assert(warp_items % simt::warp_size == 0);

  // Whether row i of the threads' rows, or a warp's part, has any word. The same for all that ask.
  static __device__ __forceinline__ bool has_row(int i, unsigned valid) {
    return !Sparse || static_cast<unsigned>(i * threads) < valid;
  }
  static __device__ __forceinline__ bool has_warp_items(unsigned warp, unsigned valid) {
    return !Sparse || warp * warp_items < valid;
  }
};

template <int Warps, int LaneItems, int BinBits>
using sparse_block_sort_shape = block_sort_shape<Warps, LaneItems, BinBits, 0, false, true>;

// Bins as counts, four to a word, and then, when all counts have been read, as offsets. Missing words are counted in
// words of their own, one for each lane.
template <class Shape>
struct bin_counts {
  static constexpr unsigned words = Shape::bins / 4, all_words = words + simt::warp_size;
  struct alignas(8) four_offsets {
    std::uint16_t of[4];
  };
  union {
    std::uint32_t count[all_words];
    four_offsets offset[words];
  };

  __device__ __forceinline__ std::uint32_t offset_of(unsigned bin) const { return (&offset[0].of[0])[bin]; }
};

template <class Shape>
__device__ __forceinline__ void zero_bins(bin_counts<Shape>& bins) {
#pragma unroll
  for (unsigned at = simt::thread_rank(); at < bins.all_words; at += Shape::threads) bins.count[at] = 0;
}

// One sweep: exchanges neighbours that are out of order, once each.
template <int Items, class W>
__device__ __forceinline__ void odd_even_sweep(W (&word)[Items]) {
#pragma unroll
  for (int parity = 0; parity < 2; ++parity)
#pragma unroll
    for (int j = parity; j + 1 < Items; j += 2) {
      const W a = word[j], b = word[j + 1];
      word[j] = a < b ? a : b;
      word[j + 1] = a < b ? b : a;
    }
  const W next = simt::shuffle_down(word[0], 1), previous = simt::shuffle_up(word[Items - 1], 1);
  const unsigned lane = simt::lane_id();
  if (lane != simt::warp_size - 1 && next < word[Items - 1]) word[Items - 1] = next;
  if (lane != 0 && word[0] < previous) word[0] = previous;
}

// Counts the words in their bins. rank[i]: how many words the bin had when item[i] came. Returns the largest rank.
//
// Here and below missing words take part in everything but the counts, so that no branch separates a thread's words.
template <class Shape, class BinOf>
__device__ __forceinline__ std::uint32_t count_in_bins(bin_counts<Shape>& bins,
                                                       packed_words<Shape::items_per_thread, 8>& rank, unsigned valid,
                                                       const BinOf& bin_of) {
  constexpr int items = Shape::items_per_thread;
  constexpr int in_flight = Shape::sparse ? 2 : 6;  // of a thread's atomics: as many as there are registers for
  const unsigned thread = simt::thread_rank(), lane = simt::lane_id();
  const auto position = [&](int i) { return thread + static_cast<unsigned>(i) * Shape::threads; };
  std::uint32_t largest = 0;
#pragma unroll
  for (int first = 0; first < items; first += in_flight) {
    if (!Shape::has_row(first, valid)) break;
    std::uint32_t counts[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      if (first + k >= items) continue;
      const unsigned bin = bin_of(first + k);
      // Relaxed: the counts are read after the next barrier.
      counts[k] = simt::atomic_add<simt::order::relaxed, simt::scope::block>(
          &bins.count[position(first + k) < valid ? bin / 4 : bins.words + lane], 1u << bin % 4 * 8);
    }
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      if (first + k >= items) continue;
      const std::uint32_t count = counts[k] >> bin_of(first + k) % 4 * 8 & 0xffu;
      rank.set(first + k, count);
      const std::uint32_t counted = position(first + k) < valid ? count : 0;
      largest = counted > largest ? counted : largest;
    }
  }
  return largest;
}

// Replaces the counts by offsets: an exclusive scan. Each thread takes consecutive words of four bins.
template <class Shape, class Scan>
__device__ __forceinline__ void scan_bins(bin_counts<Shape>& bins, Scan& scan) {
  constexpr unsigned words = bin_counts<Shape>::words;
  constexpr int own = static_cast<int>((words + Shape::threads - 1) / Shape::threads);
  const unsigned thread = simt::thread_rank();
  std::uint32_t sum_up_to[own];  // byte k: bins 0 to k of the word
  std::uint32_t sum = 0;
#pragma unroll
  for (int j = 0; j < own; ++j) {
    const unsigned at = thread * own + static_cast<unsigned>(j);
    const std::uint32_t count = words % Shape::threads == 0 || at < words ? bins.count[at] : 0;
    sum_up_to[j] = count * 0x01010101u;  // no overflow: a word counts to 4 * 16 at most
    sum += sum_up_to[j] >> 24;
  }
  std::uint32_t total;
  std::uint32_t offset = block::scan<std::uint32_t, Shape::threads>::exclusive(scan, sum, 0u, total);
#pragma unroll
  for (int j = 0; j < own; ++j) {
    const unsigned at = thread * own + static_cast<unsigned>(j);
    typename bin_counts<Shape>::four_offsets four;
#pragma unroll
    for (int k = 0; k < 4; ++k)
      four.of[k] = static_cast<std::uint16_t>(offset + (k == 0 ? 0u : sum_up_to[j] >> (8 * (k - 1)) & 0xffu));
    if (words % Shape::threads == 0 || at < words) bins.offset[at] = four;
    offset += sum_up_to[j] >> 24;
  }
}

// Moves each word to its bin, and writes the halo around them: before the first word and after the last one nothing is
// exchanged.
template <class Shape, class W, class BinOf>
__device__ __forceinline__ void move_to_bins(const bin_counts<Shape>& bins, W* words,
                                             const W (&item)[Shape::items_per_thread],
                                             const packed_words<Shape::items_per_thread, 8>& rank, unsigned valid,
                                             const BinOf& bin_of) {
  const unsigned thread = simt::thread_rank();
  const auto position = [&](int i) { return thread + static_cast<unsigned>(i) * Shape::threads; };
#pragma unroll
  for (int i = 0; i < Shape::items_per_thread; ++i) {
    if (!Shape::has_row(i, valid)) break;
    const unsigned in_bins = bins.offset_of(bin_of(i)) + rank.get(i);
    words[Shape::halo + (position(i) < valid ? in_bins : position(i))] = item[i];
  }
  if (thread < Shape::halo) words[thread] = 0;
  else if (thread < 2 * Shape::halo) words[Shape::items + thread] = static_cast<W>(~W{0});
}

// Sorts within the bins, and moves the words from [halo, halo + valid) to [0, valid). One barrier.
template <class Shape, class W>
__device__ __forceinline__ void sweep_windows(W* words, unsigned valid, bool many_sweeps) {
  constexpr int lane_items = Shape::lane_items;
  const unsigned warp = simt::warp_id(), lane = simt::lane_id();
  const bool has_items = Shape::has_warp_items(warp, valid);
  const unsigned first = warp * Shape::warp_items + lane * lane_items;
  W window[lane_items];
  if (has_items) {
#pragma unroll
    for (int j = 0; j < lane_items; ++j) {
      const unsigned at = first + static_cast<unsigned>(j);
      // Rows that were skipped have not been written.
      window[j] = !Shape::sparse || at < Shape::halo + valid ? words[at] : static_cast<W>(~W{0});
    }
  }
  simt::sync_block();  // all windows are read; from here on no warp uses another's part
  if (has_items) {
    if constexpr (!Shape::sparse) {
#pragma unroll
      for (int s = 0; s < Shape::few_sweeps; ++s) odd_even_sweep(window);
    }
    const int sweeps = many_sweeps ? Shape::sweeps : Shape::few_sweeps;
#pragma unroll 1
    for (int s = Shape::sparse ? 0 : Shape::few_sweeps; s < sweeps; ++s) odd_even_sweep(window);
#pragma unroll
    for (int j = 0; j < lane_items; ++j) {
      const int at = static_cast<int>(lane) * lane_items + j - Shape::halo;
      if (at >= 0 && at < static_cast<int>(Shape::warp_items))
        words[warp * Shape::warp_items + static_cast<unsigned>(at)] = window[j];
    }
  }
  simt::sync_warp();
}

// Sorts the block's words item[i], at position thread + i * threads if that is less than `valid`, into words[0, valid);
// the other items are ~0. All threads. The counts are zero, and a barrier has been passed since. Waits for the thread's
// asynchronous copies.
//
// bin_of(i): the bin of item[i], less than Shape::bins, monotone in the word. Afterwards each warp may read its own
// part, [warp * warp_items, + warp_items), and after a barrier all words. False, in all threads: a bin overflowed, and
// nothing was sorted. One barrier if it fails, five if it succeeds.
template <class Shape, class W, class Scan, class BinOf>
__device__ __forceinline__ bool sort_by_bins(bin_counts<Shape>& bins, Scan& scan, W* words,
                                             const W (&item)[Shape::items_per_thread], unsigned valid,
                                             const BinOf& bin_of) {
  packed_words<Shape::items_per_thread, 8> rank;
  const std::uint32_t largest = count_in_bins<Shape>(bins, rank, valid, bin_of);
  if (simt::sync_block_any(largest >= Shape::max_in_bin)) return false;
  scan_bins(bins, scan);
  const bool many_sweeps = simt::sync_block_any(largest >= Shape::few_in_bin);
  move_to_bins<Shape>(bins, words, item, rank, valid, bin_of);
  simt::wait_for_copies();  // of values, which are ready after the same barriers
  simt::sync_block();
  sweep_windows<Shape>(words, valid, many_sweeps);
  return true;
}

}  // namespace ballot::detail
