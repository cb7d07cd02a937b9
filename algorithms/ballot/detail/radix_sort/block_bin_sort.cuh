// Words of a block put in order by bins: counted by their leading bits into as many bins as there may be words, moved to
// their bins, and exchanged with their neighbours until they are in order.
//
//     word              3.7  0.2  3.1  5.0      (bin . rest)
//     count             bin 0: 1   bin 3: 2   bin 5: 1, four bins a word of shared memory, a byte each
//     arrival            0    0    1    0       what an atomic addition found in its byte
//     place              1    0    2    3       the bin's first place + arrival
//     in bins           0.2  3.7  3.1  5.0
//     sweeps            0.2  3.1  3.7  5.0
//
// For the sweeps each warp takes a window of the words into registers, its own ones and `halo` more on either side: a
// bin that begins or ends outside has its words inside, as long as it has no more than `halo`. Neighbours are compared
// within a lane, at even places and then at odd ones, and then between lanes. 4 such sweeps order any bin of 7 words, 9 any
// of 16 (10, if a lane has only 5), wherever it begins: the test tries all orders of zeros and ones.
//
// A lane's items are an odd number, so that lanes side by side do not meet in a bank.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/packed_words.cuh>
#include <ballot/simt/simt.cuh>

#include <bit>
#include <cstdint>

namespace ballot::detail {

// Warps, consecutive words a lane takes (odd), the logarithm of the number of bins; wide: see local_sort_word; sparse:
// many blocks have far fewer words than there is room for, and pass over what has none.
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

  // Whether any thread has a word in row i of the threads' rows, or a warp's part has one. The same in all that ask.
  static __device__ __forceinline__ bool has_row(int i, unsigned valid) {
    return !Sparse || static_cast<unsigned>(i * threads) < valid;
  }
  static __device__ __forceinline__ bool has_warp_items(unsigned warp, unsigned valid) {
    return !Sparse || warp * warp_items < valid;
  }
};

template <int Warps, int LaneItems, int BinBits>
using sparse_block_sort_shape = block_sort_shape<Warps, LaneItems, BinBits, 0, false, true>;

// Bins as counts, four to a word, and then, when all counts have been read, as places. Missing words have words of their
// own, a lane each, to count in.
template <class Shape>
struct bin_counts {
  static constexpr unsigned words = Shape::bins / 4, all_words = words + simt::warp_size;
  struct alignas(8) four_offsets {
    std::uint16_t of[4];
  };
  union {
    std::uint32_t count[all_words];
    four_offsets place[words];
  };

  __device__ __forceinline__ std::uint32_t place_of(unsigned bin) const { return (&place[0].of[0])[bin]; }
};

template <class Shape>
__device__ __forceinline__ void zero_bins(bin_counts<Shape>& bins) {
#pragma unroll
  for (unsigned at = simt::thread_rank(); at < bins.all_words; at += Shape::threads) bins.count[at] = 0;
}

// Exchanges neighbours that are out of order, once each.
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

// Orders the block's words item[i], of place thread + i * threads where that is less than `valid`, into
// words[0, valid); the others are ~0. Each warp may read what lies in its own part, [warp * warp_items, + warp_items), and
// the others behind a barrier. False, and nothing is ordered: a bin had too many. The counts are zero, and a barrier lies
// behind that. One barrier where it fails, five where it succeeds; behind the first every thread knows which.
// bin_of(i): the bin of item[i], less than Shape::bins, the larger the larger the word.
//
// Missing words take part in everything but the counts, so that no branch keeps the ways of a thread's words apart.
template <class Shape, class W, class Scan, class BinOf>
__device__ __forceinline__ bool sort_by_bins(bin_counts<Shape>& bins, Scan& scan, W* words,
                                             const W (&item)[Shape::items_per_thread], unsigned valid,
                                             const BinOf& bin_of) {
  constexpr int items = Shape::items_per_thread;
  const unsigned thread = simt::thread_rank(), warp = simt::warp_id(), lane = simt::lane_id();
  const auto place_of = [&](int i) { return thread + static_cast<unsigned>(i) * Shape::threads; };

  // So many of a thread's words are on their way together: as many as there are registers for.
  constexpr int together = Shape::sparse ? 2 : 6;
  packed_words<items, 8> before;  // in the bin when the word came
  std::uint32_t most = 0;
#pragma unroll
  for (int first = 0; first < items; first += together) {
    if (!Shape::has_row(first, valid)) break;
    std::uint32_t counts[together];
#pragma unroll
    for (int k = 0; k < together; ++k) {
      if (first + k >= items) continue;
      const unsigned bin = bin_of(first + k);
      // Relaxed: the counts are read behind the next barrier.
      counts[k] = simt::atomic_add<simt::order::relaxed, simt::scope::block>(
          &bins.count[place_of(first + k) < valid ? bin / 4 : bins.words + lane], 1u << bin % 4 * 8);
    }
#pragma unroll
    for (int k = 0; k < together; ++k) {
      if (first + k >= items) continue;
      const std::uint32_t count = counts[k] >> bin_of(first + k) % 4 * 8 & 0xffu;
      before.set(first + k, count);
      const std::uint32_t counted = place_of(first + k) < valid ? count : 0;
      most = counted > most ? counted : most;
    }
  }
  if (simt::sync_block_any(most >= Shape::max_in_bin)) return false;

  // Each thread takes consecutive words of four bins.
  constexpr int own = static_cast<int>((bins.words + Shape::threads - 1) / Shape::threads);
  std::uint32_t sum_up_to[own];  // byte k: bins 0 to k of the word
  std::uint32_t sum = 0;
#pragma unroll
  for (int j = 0; j < own; ++j) {
    const unsigned at = thread * own + static_cast<unsigned>(j);
    const std::uint32_t count = bins.words % Shape::threads == 0 || at < bins.words ? bins.count[at] : 0;
    sum_up_to[j] = count * 0x01010101u;  // a word has no more than 4 * 16
    sum += sum_up_to[j] >> 24;
  }
  std::uint32_t total;
  std::uint32_t place = block::scan<std::uint32_t, Shape::threads>::exclusive(scan, sum, 0u, total);
#pragma unroll
  for (int j = 0; j < own; ++j) {
    const unsigned at = thread * own + static_cast<unsigned>(j);
    typename bin_counts<Shape>::four_offsets four;
#pragma unroll
    for (int k = 0; k < 4; ++k)
      four.of[k] = static_cast<std::uint16_t>(place + (k == 0 ? 0u : sum_up_to[j] >> (8 * (k - 1)) & 0xffu));
    if (bins.words % Shape::threads == 0 || at < bins.words) bins.place[at] = four;
    place += sum_up_to[j] >> 24;
  }
  const bool many_sweeps = simt::sync_block_any(most >= Shape::few_in_bin);

#pragma unroll
  for (int i = 0; i < items; ++i) {
    if (!Shape::has_row(i, valid)) break;
    const unsigned in_bins = bins.place_of(bin_of(i)) + before.get(i);
    words[Shape::halo + (place_of(i) < valid ? in_bins : place_of(i))] = item[i];
  }
  // Before the first word and behind the last one nothing is exchanged.
  if (thread < Shape::halo) words[thread] = 0;
  else if (thread < 2 * Shape::halo) words[Shape::items + thread] = static_cast<W>(~W{0});
  simt::wait_for_copies();  // of values, which wait for the same barriers
  simt::sync_block();

  constexpr int lane_items = Shape::lane_items;
  const bool has_warp_items = Shape::has_warp_items(warp, valid);
  const unsigned part = warp * Shape::warp_items + lane * lane_items;
  W window[lane_items];
  if (has_warp_items) {
#pragma unroll
    for (int j = 0; j < lane_items; ++j) {
      const unsigned at = part + static_cast<unsigned>(j);
      // Of rows that were passed over nothing has been written.
      window[j] = !Shape::sparse || at < Shape::halo + valid ? words[at] : static_cast<W>(~W{0});
    }
  }
  simt::sync_block();  // all windows are read; from here on each warp has a part for itself
  if (has_warp_items) {
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
  return true;
}

}  // namespace ballot::detail
