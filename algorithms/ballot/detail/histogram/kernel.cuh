// SPDX-License-Identifier: Apache-2.0
// Counts items by bins. Each block counts in shared memory, as far as the bins fit there. At the
// end it adds its counts to those of the device.
//
//     columns   count[bin][column]: lane l adds to column l % columns, so that few lanes of a warp
//               share a word, however the items are spread. There are as many columns as fit.
//     halves    Two bins share a word of shared memory, 16 bits each. The thread whose addition
//               brings a half to 2^15 moves these 2^15 items to the device's count. A tile has at
//               most 2^15 items, and a barrier follows each tile, so no half overflows.
//     device    Adds to the device's counts: for more bins than fit, or for too few items to pay
//               for a block's own counts. Each block still counts 4096 bins itself, by a hash of
//               their number: the first ones that it meets. It soon meets the bins that have many
//               items.
//
// If the items of a warp share few bins, their atomics take turns on a word. So each warp looks at
// the first row of its tile, 32 items. If four of them share a bin, the warp votes in each row:
//
// - Which lanes have the bin of the first lane? One lane adds all of these at once.
// - Then the same for the first of the lanes that are left, as long as several lanes share its bin.
//
// With many columns the warp need not look.
//
// Shared memory: see the plan (launch.cuh). Barriers: two, and with halves one more for each tile.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/count.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/function_objects.cuh>

#include <cstdint>

namespace ballot::detail {

enum class histogram_mode { columns, halves, device };

inline constexpr std::uint32_t no_bin = ~0u;
inline constexpr std::uint32_t half_full = 1u << 15;
inline constexpr int skewed_peers = 4;  // of 32 items: then a warp looks for peers
inline constexpr int most_turns = 4;    // of votes for a row
inline constexpr int cached_bits = 12;  // bins that a block counts of those that do not fit
inline constexpr std::uint32_t cached_bins = 1u << cached_bits;

// Items in memory.
template <class T>
struct histogram_source {
  using item = T;
  const T* data;
  bool vector_aligned;

  template <class Shape>
  __device__ __forceinline__ void load(std::uint64_t begin, unsigned valid,
                                       typename block::tile<T, Shape>::items& items) const {
    block::tile<T, Shape>::load(data + begin, valid, vector_aligned, items);
  }
};

// Source: histogram_source, or a view_source.
template <class Source, class BinOf>
struct histogram_arguments {
  Source in;
  length n;
  BinOf bin_of;
  device_count counts;   // zero at launch
  device_count outside;  // zero at launch, or none
  std::uint32_t bins;
  int column_bits;  // columns: their number is a power of two
};

// Adds to counts[index] of the device. Relaxed: read by later launches.
__device__ __forceinline__ void add_to_count(const device_count& counts, std::uint64_t index, std::uint64_t items) {
  if (counts.type().is_wide) simt::atomic_add(static_cast<std::uint64_t*>(counts.address()) + index, items);
  else simt::atomic_add(static_cast<std::uint32_t*>(counts.address()) + index, static_cast<std::uint32_t>(items));
}

// One block's counts. All accesses to its words are relaxed: they are read after barriers.
template <histogram_mode Mode, class Source, class BinOf>
class block_histogram {
 public:
  __device__ __forceinline__ block_histogram(const histogram_arguments<Source, BinOf>& a, std::uint32_t* words)
      : a_(a), words_(words) {}

  // The number of words of shared memory. They are cleared before the first item, and added to the
  // device's counts after the last.
  __device__ __forceinline__ std::uint32_t words() const {
    if constexpr (Mode == histogram_mode::columns) return a_.bins << a_.column_bits;
    else if constexpr (Mode == histogram_mode::halves) return (a_.bins + 1) / 2;
    else return 2 * cached_bins;
  }

  // The value of a word before the first item.
  __device__ __forceinline__ std::uint32_t cleared(std::uint32_t word) const {
    return Mode == histogram_mode::device && word < cached_bins ? no_bin : 0;
  }

  __device__ __forceinline__ void add(std::uint32_t bin, std::uint32_t items) {
    if constexpr (Mode == histogram_mode::columns) {
      const std::uint32_t column = simt::lane_id() & ((1u << a_.column_bits) - 1u);
      simt::atomic_add<simt::order::relaxed, simt::scope::block>(words_ + ((bin << a_.column_bits) | column), items);
    } else if constexpr (Mode == histogram_mode::halves) {
      const unsigned shift = bin % 2 * 16;
      std::uint32_t* const word = words_ + bin / 2;
      const std::uint32_t before =
          simt::atomic_add<simt::order::relaxed, simt::scope::block>(word, items << shift) >> shift & 0xffffu;
      if (before < half_full && before + items >= half_full) {
        simt::atomic_add<simt::order::relaxed, simt::scope::block>(word, 0u - (half_full << shift));
        add_to_count(a_.counts, bin, half_full);
      }
    } else {
      const std::uint32_t slot = bin * 0x9e3779b1u >> (32 - cached_bits);  // Knuth's multiplicative hash
      std::uint32_t* const owner = words_ + slot;
      std::uint32_t of = simt::load_relaxed<simt::scope::block>(owner);
      if (of == no_bin) {
        of = simt::atomic_cas<simt::order::relaxed, simt::scope::block>(owner, no_bin, bin);
        if (of == no_bin) of = bin;
      }
      if (of == bin) simt::atomic_add<simt::order::relaxed, simt::scope::block>(words_ + cached_bins + slot, items);
      else add_to_count(a_.counts, bin, items);
    }
  }

  // Adds the items of a warp, at most one for each lane. Items of one bin are added at once. All 32
  // lanes.
  __device__ __forceinline__ void add_row(std::uint32_t bin) {
    unsigned left = simt::ballot(bin != no_bin);
#pragma unroll 1
    for (int turn = 0; turn < most_turns && left != 0; ++turn) {
      const auto first = static_cast<unsigned>(simt::find_first(left));
      const std::uint32_t of_first = simt::shuffle(bin, first);
      const unsigned peers = simt::ballot(bin == of_first);
      if (simt::lane_id() == first) add(bin, static_cast<std::uint32_t>(simt::popcount(peers)));
      left &= ~peers;
      if (simt::popcount(peers) < 2) break;
    }
    if ((left & simt::lanemask_eq()) != 0) add(bin, 1u);
  }

  // All threads, after a barrier that follows the last item.
  __device__ __forceinline__ void add_to_device() {
    const unsigned thread = simt::thread_rank(), threads = blockDim.x;
    if constexpr (Mode == histogram_mode::columns) {
      const std::uint32_t columns = 1u << a_.column_bits;
      for (std::uint32_t bin = thread; bin < a_.bins; bin += threads) {
        std::uint64_t count = 0;
        for (std::uint32_t c = 0; c < columns; ++c)
          count += words_[(bin << a_.column_bits) | ((thread + c) & (columns - 1u))];
        if (count != 0) add_to_count(a_.counts, bin, count);
      }
    } else if constexpr (Mode == histogram_mode::halves) {
      for (std::uint32_t w = thread; w < words(); w += threads) {
        const std::uint32_t word = words_[w];
        if ((word & 0xffffu) != 0) add_to_count(a_.counts, 2 * w, word & 0xffffu);
        if (word >> 16 != 0) add_to_count(a_.counts, 2 * w + 1, word >> 16);
      }
    } else {
      for (std::uint32_t slot = thread; slot < cached_bins; slot += threads)
        if (const std::uint32_t bin = words_[slot]; bin != no_bin)
          add_to_count(a_.counts, bin, words_[cached_bins + slot]);
    }
  }

 private:
  const histogram_arguments<Source, BinOf>& a_;
  std::uint32_t* words_;
};

// The block's words begin here.
struct histogram_storage {
  std::uint32_t word[4];
};

template <histogram_mode Mode, class Source, class Shape, class BinOf>
__global__ void __launch_bounds__(Shape::threads) histogram_kernel(const histogram_arguments<Source, BinOf> a) {
  using tile = block::tile<typename Source::item, Shape>;
  static_assert(Shape::items <= half_full, "a tile's items fit into a half that is not full");
  block_histogram<Mode, Source, BinOf> counts(a, simt::shared_storage<histogram_storage>().word);
  std::uint32_t* const words = simt::shared_storage<histogram_storage>().word;
  for (std::uint32_t w = simt::thread_rank(); w < counts.words(); w += Shape::threads) words[w] = counts.cleared(w);
  simt::sync_block();

  // With 8 columns no more than four lanes meet in a word.
  const bool may_be_skewed = Mode != histogram_mode::columns || a.column_bits < 3;
  std::uint32_t outside = 0;
  const std::uint64_t n = a.n.get(), step = std::uint64_t{gridDim.x} * Shape::items;
  for (std::uint64_t begin = std::uint64_t{blockIdx.x} * Shape::items; begin < n; begin += step) {
    const auto valid = static_cast<unsigned>(smaller(n - begin, Shape::items));
    typename tile::items item;
    a.in.template load<Shape>(begin, valid, item);
    bool is_skewed = false;
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) {
      std::uint32_t bin[Shape::width];
#pragma unroll
      for (int j = 0; j < Shape::width; ++j) {
        const bool is_item = tile::first_item(c) + static_cast<unsigned>(j) < valid;
        std::uint64_t b = no_bin;
        if (is_item) b = static_cast<std::uint64_t>(call(a.bin_of, item[c][j]));  // below 0: a large number
        bin[j] = b < a.bins ? static_cast<std::uint32_t>(b) : no_bin;
        if (is_item && bin[j] == no_bin) ++outside;
      }
      if (c == 0 && may_be_skewed)
        is_skewed = simt::any(simt::popcount(simt::match_any(bin[0])) >= skewed_peers && bin[0] != no_bin);
      if (is_skewed) {
#pragma unroll
        for (int j = 0; j < Shape::width; ++j) counts.add_row(bin[j]);
      } else {
#pragma unroll
        for (int j = 0; j < Shape::width; ++j)
          if (bin[j] != no_bin) counts.add(bin[j], 1u);
      }
    }
    if constexpr (Mode == histogram_mode::halves) simt::sync_block();  // no half is full when the next tile begins
    if (outside >= 1u << 26) {  // so that the sum of 32 lanes has room in 32 bits
      if (a.outside.address() != nullptr) add_to_count(a.outside, 0, outside);
      outside = 0;
    }
  }
  if (a.outside.address() != nullptr) {
    const std::uint32_t of_warp = simt::reduce_add(outside);
    if (simt::lane_id() == 0 && of_warp != 0) add_to_count(a.outside, 0, of_warp);
  }
  simt::sync_block();
  counts.add_to_device();
}

}  // namespace ballot::detail
