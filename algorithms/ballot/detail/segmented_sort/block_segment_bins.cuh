// SPDX-License-Identifier: Apache-2.0
// A block sorts one segment by bins: as block_bin_sort.cuh does, but for some ten thousand keys that
// need not be spread evenly, and stably.
//
// 1. It counts keys in equally wide bins between the least key and the greatest.
// 2. If a bin has too many keys, its range is divided once more, into as many bins as it has keys.
// 3. It moves keys and positions to their bins. A flag marks the first item of each bin.
// 4. Each item counts those of its bin that go before it: by their keys, then by their positions.
//
//     keys        7 0 9 2 8 8       range 0 to 9, three bins
//     bins        0 2 | | 7 9 8 8   the third has too many: it is divided into four
//     ... finer   0 2 | 7 | 8 8 | 9
//
// So keys that are spread unevenly, such as the bits of floats, cost a second count. If many keys
// are equal or nearly so, a bin still has too many. Then nothing has been sorted.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/detail/common/packed_words.cuh>
#include <ballot/detail/segmented_sort/block_segment.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/scan.cuh>

#include <bit>
#include <cstdint>

namespace ballot::detail {

// A bin has no more items, so it begins and ends no more than a warp's row away.
inline constexpr std::uint32_t most_in_segment_bin = 24;
static_assert(most_in_segment_bin <= simt::warp_size);

// Where a key lies between the least and the greatest: its bin, and the place within that, as a
// fraction of 2^32. Both ascend with the key.
template <class U>
class even_bins {
 public:
  using word = key_register<U>;
  // least < greatest.
  __device__ __forceinline__ even_bins(word least, word greatest, std::uint32_t bins)
      : least_(least),
        shift_(static_cast<int>(simt::leading_zeros(static_cast<word>(greatest - least)))),
        scale_(static_cast<std::uint32_t>((std::uint64_t{bins} << 32) / (std::uint64_t{part_of(greatest)} + 1))) {}
  __device__ __forceinline__ std::uint64_t place_of(word key) const { return std::uint64_t{part_of(key)} * scale_; }
  static __device__ __forceinline__ std::uint32_t bin(std::uint64_t place) {
    return static_cast<std::uint32_t>(place >> 32);
  }

 private:
  // The leading 32 bits of the difference to the least key.
  __device__ __forceinline__ std::uint32_t part_of(word key) const {
    return static_cast<std::uint32_t>(static_cast<word>((key - least_) << shift_) >> (8 * sizeof(word) - 32));
  }
  const word least_;
  const int shift_;
  const std::uint32_t scale_;
};

template <class U>
class segment_bins {
 public:
  using segment = block_segment<U>;
  using word = typename segment::word;
  static constexpr int items = segment::items;

  // There are as many bins as items. uneven: fewer, because they will have to be divided anyway.
  __device__ __forceinline__ segment_bins(const segment& of, word least, word greatest, bool uneven)
      : of_(of),
        bins_((uneven ? of.valid / 8 : of.valid) + 1),
        even_(least, greatest, bins_),
        counts_(reinterpret_cast<std::uint16_t*>(of.memory)),
        finer_counts_(counts_ + rounded(bins_) + 8) {}

  // Moves keys and positions into their bins. False, in all threads: a bin has too many. All
  // threads; ends with a barrier.
  __device__ __forceinline__ bool move_to_bins(const word (&key)[items]) {
    clear(counts_, bins_);
    if (of_.thread < simt::warp_size) of_.shared.missing[of_.thread] = 0;
    simt::sync_block();
    const auto even_bin = [&](int i) { return even_.bin(even_.place_of(key[i])); };
    if (count(counts_, even_bin)) {
      scan(counts_, bins_);
      simt::sync_block();
      scatter(key, counts_, even_bin);
      return true;
    }
    clear(finer_counts_, of_.valid);
    scan(counts_, bins_);
    if (of_.thread == 0 && bins_ == rounded(bins_)) counts_[bins_] = static_cast<std::uint16_t>(of_.valid);
    simt::sync_block();
    const auto finer_bin = [&](int i) {
      const std::uint64_t place = even_.place_of(key[i]);
      const std::uint32_t begin = counts_[even_.bin(place)], size = counts_[even_.bin(place) + 1] - begin;
      return begin + even_.bin(std::uint64_t{size} * static_cast<std::uint32_t>(place));
    };
    if (!count(finer_counts_, finer_bin)) return false;
    scan(finer_counts_, of_.valid);
    simt::sync_block();
    scatter(key, finer_counts_, finer_bin);
    return true;
  }

 private:
  static constexpr unsigned scan_items = block_segment_arrays<U>::bin_scan_items;
  struct alignas(16) eight_counts {
    std::uint32_t pair[4];
  };

  static __device__ __forceinline__ unsigned rounded(unsigned bins) {
    return (bins + scan_items - 1) / scan_items * scan_items;
  }
  __device__ __forceinline__ void clear(std::uint16_t* counts, unsigned bins) const {
    auto* const eight = reinterpret_cast<eight_counts*>(counts);
    for (unsigned at = of_.thread; at < rounded(bins) / 8; at += of_.threads) eight[at] = {};
  }

  // rank_[i]: how many items the bin had when item i was counted. Returns false if one has too
  // many. One barrier.
  template <class BinOf>
  __device__ __forceinline__ bool count(std::uint16_t* counts, BinOf bin_of) {
    auto* const pairs = reinterpret_cast<std::uint32_t*>(counts);
    std::uint32_t largest = 0;
    of_.for_each_group([&](int first) {
      std::uint32_t found[segment_row_group];
      unsigned shift[segment_row_group];
#pragma unroll
      for (int k = 0; k < segment_row_group; ++k) {
        const std::uint32_t bin = bin_of(first + k);
        shift[k] = bin % 2 * 16;
        // Relaxed: the counts are read after the next barrier.
        found[k] = simt::atomic_add<simt::order::relaxed, simt::scope::block>(
            of_.is_there(first + k) ? pairs + bin / 2 : of_.shared.missing + of_.lane, 1u << shift[k]);
      }
#pragma unroll
      for (int k = 0; k < segment_row_group; ++k) {
        const std::uint32_t before = found[k] >> shift[k] & 0xffffu;
        rank_.set(first + k, before & 0xffu);
        largest = of_.is_there(first + k) && before > largest ? before : largest;
      }
    });
    return !simt::sync_block_any(largest >= most_in_segment_bin);
  }

  // Replaces counts by the number of items in the bins before. One barrier; another one has to
  // follow. Each warp takes consecutive bins, eight a lane at a time.
  __device__ __forceinline__ void scan(std::uint16_t* counts, unsigned bins) const {
    const unsigned pieces = rounded(bins) / scan_items, own = (pieces + of_.warps - 1) / of_.warps;
    auto* const eight = reinterpret_cast<eight_counts*>(counts) + of_.lane;
    const unsigned first = of_.warp * own, end = first + own < pieces ? first + own : pieces;
    const auto sum_of = [](const eight_counts& c) {  // no half overflows: there are 2^15 items at most
      const std::uint32_t both = c.pair[0] + c.pair[1] + c.pair[2] + c.pair[3];
      return (both & 0xffffu) + (both >> 16);
    };
    std::uint32_t sum = 0;
    for (unsigned piece = first; piece < end; ++piece) sum += sum_of(eight[piece * simt::warp_size]);
    std::uint32_t before = of_.sum_before(warp::reduce(sum, plus{}));
    for (unsigned piece = first; piece < end; ++piece) {
      const eight_counts own_counts = eight[piece * simt::warp_size];
      const std::uint32_t own_sum = sum_of(own_counts), up_to = warp::inclusive_scan(own_sum);
      std::uint32_t offset = before + up_to - own_sum;
      eight_counts offsets;
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const std::uint32_t second = offset + (own_counts.pair[k] & 0xffffu);
        offsets.pair[k] = offset | second << 16;
        offset = second + (own_counts.pair[k] >> 16);
      }
      eight[piece * simt::warp_size] = offsets;
      before += simt::shuffle(up_to, simt::warp_size - 1);
    }
  }

  // Two barriers.
  template <class BinOf>
  __device__ __forceinline__ void scatter(const word (&key)[items], const std::uint16_t* offsets, BinOf bin_of) {
    packed_words<items, 16> place;
    of_.for_each_row([&](int i) {
      if (const std::uint32_t rank = rank_.get(i); of_.is_there(i))
        place.set(i, (offsets[bin_of(i)] + rank) | (rank == 0 ? first_of_bin : 0u));
      else place.set(i, 0);
    });
    simt::sync_block();  // the offsets are read; keys take their memory
    of_.for_each_row([&](int i) {
      if (!of_.is_there(i)) return;
      const std::uint32_t to = place.get(i) & (first_of_bin - 1u);
      of_.keys()[to] = static_cast<key_in_shared<U>>(key[i]);
      of_.positions[to] = static_cast<std::uint16_t>(of_.at(i) | (place.get(i) & first_of_bin));
    });
    simt::sync_block();
  }

 public:
  static constexpr std::uint32_t first_of_bin = 1u << 15;  // of a position in bins

 private:
  const segment& of_;
  const std::uint32_t bins_;
  const even_bins<U> even_;
  std::uint16_t* const counts_;
  std::uint16_t* const finer_counts_;
  packed_words<items, 8> rank_;
};

// Orders the items in their bins: gives each its key and position, and where it goes. All threads;
// two barriers. Afterwards positions are in order, and keys are as before.
//
// A warp takes its rows one after the other. An item goes to its own row or to one beside it. So
// the positions of a row are written once those of the next row have been read, and at the ends of
// the warp's part once all warps are done.
template <class U, class Store>
__device__ __forceinline__ void order_within_bins(const block_segment<U>& of, Store store) {
  constexpr std::uint32_t flag = segment_bins<U>::first_of_bin, nothing = ~std::uint32_t{0};
  const auto begins_bin = [&](unsigned at) { return at >= of.valid || (of.positions[at] & flag) != 0; };
  const auto write = [&](std::uint32_t to_and_position) {
    if (to_and_position == nothing) return;
    of.positions[to_and_position & 0xffffu] = static_cast<std::uint16_t>(to_and_position >> 16);
  };
  std::uint32_t previous = simt::ballot(of.warp == 0 || begins_bin(of.first - simt::warp_size));
  std::uint32_t heads = simt::ballot(begins_bin(of.first));
  const std::uint32_t behind = simt::ballot(begins_bin(of.first + of.rows * simt::warp_size));
  simt::sync_block();  // the flags of other warps are read
  std::uint32_t first_row = nothing, last_row = nothing;
#pragma unroll 2
  for (unsigned i = 0; i < of.rows; ++i) {
    const unsigned row = of.first - of.lane + i * simt::warp_size, at = row + of.lane;
    const std::uint32_t next =
        simt::ballot(i + 1 < of.rows ? begins_bin(at + simt::warp_size) : ((behind >> of.lane & 1u) != 0));
    std::uint32_t own = nothing;
    if (at < of.valid) {
      // Where the bin begins and ends, from the first lane of this row on.
      const std::uint32_t below = heads & simt::lanemask_le(), above = heads & simt::lanemask_gt();
      const int begin = below != 0 ? 31 - static_cast<int>(simt::leading_zeros(below))
                                   : -1 - static_cast<int>(simt::leading_zeros(previous));
      const int end = above != 0 ? simt::find_first(above) : 32 + simt::find_first(next);
      const key_in_shared<U> key = of.keys()[at];
      const std::uint32_t position = of.positions[at] & (flag - 1u);
      unsigned to = row + static_cast<unsigned>(begin);
#pragma unroll 1
      for (int j = begin; j < end; ++j) {
        const unsigned beside = row + static_cast<unsigned>(j);
        const key_in_shared<U> other = of.keys()[beside];
        bool goes_before = other < key;
        if (other == key && beside != at) goes_before = (of.positions[beside] & (flag - 1u)) < position;
        to += goes_before ? 1u : 0u;
      }
      store(to, key, position);
      own = to | position << 16;
    }
    simt::sync_warp();  // the row's positions are read
    if (i == 0) first_row = own;
    else {
      write(last_row);  // of the row before, unless that is the first one
      last_row = own;
    }
    previous = heads, heads = next;
  }
  simt::sync_block();  // all positions are read
  write(first_row);
  write(last_row);
}

}  // namespace ballot::detail
