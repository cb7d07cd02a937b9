// SPDX-License-Identifier: Apache-2.0
// Finds exactly where to cut the sorted keys of all ranks: digit by digit, from counts, before any
// key moves.
//
// Boundary j is after the j-th piece of the result; a rank has one or several pieces. Its splitter
// is the key that stands there. Its tie cut says how many of the keys equal to the splitter go to
// the left. All boundaries are sought at once, from the leading digit down:
//
//     level 0   Every rank counts its keys by leading digit. The counts of all ranks are added up.
//               Boundary 0 after 500 keys: digit 0x3f has the 471st to the 523rd key.
//               Splitter 0x3f.., 470 keys below it.
//     level 1   The keys that begin with 0x3f are counted by the next digit ...
//     last      The splitter is complete, and `below` keys of all ranks are smaller. This rank
//               knows how many of its own keys are smaller and how many are equal. These two
//               numbers of all ranks, gathered, say how many keys each rank sends to each other.
//
// Ties are cut in the order of the ranks, and within a rank in the order of its items. So the sort
// is stable. Every boundary is exactly where the caller's block sizes put it, whatever the keys
// are. Many equal keys are no special case.
//
// Shared memory has the counts for as many splitters' leading bits as fit, and the device's memory
// has the others. Keys that begin like no boundary's splitter are skipped. If keys are spread,
// these are nearly all keys after the first level (candidate_levels.cuh).
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/radix_sort/key_tile.cuh>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/simt/simt.cuh>

namespace ballot::distributed::detail {

inline constexpr int level_bits = ballot::detail::radix_bits;
inline constexpr unsigned level_digits = ballot::detail::radix_digits;
inline constexpr int count_threads = 256;

// The compared bits of a key, as a number. If no bits are compared, all keys are 0: a sort then
// keeps their order.
template <class U>
struct asked_bits {
  key_codec<U> codec;
  int low;
  U mask;

  // The case of no bits is apart, since no type can be shifted by its own width.
  asked_bits(key_codec<U> of, ballot::detail::radix_digit_plan digits)
      : codec(of),
        low(digits.low == digits.high ? 0 : digits.low),
        mask(digits.low == digits.high ? U{0}
                                       : static_cast<U>(static_cast<U>(~U{0}) >> (8 * static_cast<int>(sizeof(U)) -
                                                                                  (digits.high - digits.low)))) {}
  BALLOT_HOST_DEVICE U of(U key) const { return static_cast<U>(static_cast<U>(codec.encode(key) >> low) & mask); }
};

// The bits that a level looks at: from `shift` above the lowest compared bit on. Leading bits are
// those above.
struct level_plan {
  int width;  // asked bits

  // At least one, which also counts keys of no bits.
  int levels() const { return width == 0 ? 1 : (width + level_bits - 1) / level_bits; }
  int shift(int level) const {
    const int shift = width - (level + 1) * level_bits;
    return shift < 0 ? 0 : shift;
  }
  int bits(int level) const { return level == 0 ? width - shift(0) : shift(level - 1) - shift(level); }
};

// The data of each boundary, on the device.
template <class U>
struct boundaries {
  int number;
  U* splitter;               // its leading bits so far, as a number; ascending
  std::uint64_t* left;       // items of all ranks to its left, in the end
  std::uint64_t* below;      // items of all ranks with smaller leading bits
  std::uint64_t* own_below;  // [2 * j]: items of this rank with smaller leading bits; [2 * j + 1]: with the same
};

// The first boundary whose leading bits are not below `leading`.
template <class U>
__device__ __forceinline__ int find_boundary(const U* splitter, int number, U leading) {
  int first = 0, count = number;
  while (count > 0) {
    const int half = count / 2;
    if (splitter[first + half] < leading) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

// A rank's output is cut into pieces: how many items lie before piece p of so many. The first
// pieces are small, so that one can be sorted while the next, larger one arrives: parts 1, 2, 4, 8,
// 8, ...
BALLOT_HOST_DEVICE constexpr std::uint64_t piece_begin(std::uint64_t items, int pieces, int p) {
  const auto parts = [](int count) {
    return static_cast<std::uint64_t>(count < 4 ? (1 << count) - 1 : 8 * count - 17);
  };
  return items / parts(pieces) * parts(p) + items % parts(pieces) * parts(p) / parts(pieces);
}

// In place of a count that has not come.
inline constexpr std::uint64_t no_count = ~std::uint64_t{0};

// One block. Computes left[j] from the room of each rank's output. `gathered` gets no counts, so
// that it can be seen later whether all counts have come: those of a rank that has died do not
// come, and its memory may still have the ones of an earlier sort.
template <class U, class Record>
__global__ void __launch_bounds__(count_threads)
    place_boundaries_kernel(const Record* all, int pieces, boundaries<U> of, std::uint64_t* gathered,
                            unsigned gathered_words) {
  for (unsigned i = simt::thread_rank(); i < gathered_words; i += count_threads) gathered[i] = no_count;
  if (simt::thread_rank() != 0) return;
  std::uint64_t before = 0;  // the items of the ranks before
  for (int j = 0; j < of.number; ++j) {
    const std::uint64_t room = all[j / pieces].room;
    of.left[j] = before + piece_begin(room, pieces, j % pieces + 1);
    if (j % pieces + 1 == pieces) before += room;
    of.below[j] = 0;
    of.splitter[j] = U{0};
    of.own_below[2 * j] = 0;
    of.own_below[2 * j + 1] = 0;
  }
}

inline constexpr int counted_in_shared = 32;   // leading bits of splitters
inline constexpr unsigned first_columns = 16;  // of the first level: lane l counts in column l % columns
inline constexpr unsigned most_count_blocks =
    1056;  // eight for each multiprocessor of an H200; each adds its counts once

// 16 items a thread and round, fewer where keys are long.
template <class U>
using count_shape = block::tile_shape<count_threads, (sizeof(U) <= 4 ? 16 : 8) / block::vector_width<U>(16),
                                      block::vector_width<U>(16)>;

template <class U>
struct count_arguments {
  const U* keys;
  ballot::detail::length items;
  bool vector_aligned;
  asked_bits<U> asked;
  int shift;
  int bits;
  std::uint64_t* counts;  // [digit], zero at launch
};

// Counts all keys by the digits of the first level, in columns so that few lanes meet in one word
// (detail/radix_sort/histogram_kernel.cuh). A block has less than 2^32 items: the size of the grid
// ensures that.
template <class U>
__global__ void __launch_bounds__(count_threads) count_level_kernel(count_arguments<U> a) {
  using shape = count_shape<U>;
  using tile = block::tile<U, shape>;
  std::uint32_t* const shared = &simt::shared_storage<std::uint32_t>();
  const std::uint64_t n = a.items.get();
  for (unsigned i = simt::thread_rank(); i < level_digits * first_columns; i += count_threads) shared[i] = 0;
  simt::sync_block();

  const unsigned lane = simt::lane_id(), digit_mask = (1u << a.bits) - 1u;
  for (std::uint64_t begin = static_cast<std::uint64_t>(blockIdx.x) * shape::items; begin < n;
       begin += static_cast<std::uint64_t>(gridDim.x) * shape::items) {
    const auto valid = static_cast<unsigned>(ballot::detail::smaller(n - begin, shape::items));
    typename tile::items key;
    ballot::detail::load_keys<U, shape>(a.keys + begin, valid, a.vector_aligned, key);
#pragma unroll
    for (int c = 0; c < shape::chunks; ++c)
#pragma unroll
      for (int j = 0; j < shape::width; ++j) {
        const unsigned digit = static_cast<unsigned>(a.asked.of(key[c][j]) >> a.shift) & digit_mask;
        // Relaxed: read after the barrier below.
        if (tile::first_item(c) + static_cast<unsigned>(j) < valid)
          simt::atomic_add<simt::order::relaxed, simt::scope::block>(
              shared + digit * first_columns + lane % first_columns, 1u);
      }
  }
  simt::sync_block();
  for (unsigned i = simt::thread_rank(); i < level_digits; i += count_threads) {
    std::uint32_t items = 0;
#pragma unroll
    for (unsigned column = 0; column < first_columns; ++column)
      items += shared[i * first_columns + (simt::thread_rank() + column) % first_columns];
    if (items != 0) simt::atomic_add(a.counts + i, static_cast<std::uint64_t>(items));
  }
}

template <class U>
void launch_count_level(stream_t stream, count_arguments<U> a) {
  using shape = count_shape<U>;
  const std::uint64_t tiles = ballot::detail::ceil_div(a.items.capacity, shape::items);
  const auto blocks = static_cast<unsigned>(ballot::detail::smaller(tiles, most_count_blocks));
  if (blocks == 0) return;
  a.vector_aligned = block::is_vector_aligned<U, shape::width>(a.keys);
  simt::launch(count_level_kernel<U>,
               simt::launch_config{dim3(blocks), dim3(count_threads),
                                   level_digits * first_columns * sizeof(std::uint32_t), stream},
               a);
}

// For the keys with the same leading bits, the second level notes two words: which of their other
// bits are set in some key, and which are clear in some key. A bit that is both differs. If no bit
// differs, all these keys are one key.
template <class U>
inline constexpr bool has_rest_word = sizeof(U) <= 8;
template <class U>
using rest_word = std::conditional_t<sizeof(U) <= 4, std::uint32_t, std::uint64_t>;

template <class U>
struct rest_arguments {
  const std::uint64_t* all;     // [slot][set, clear][bit], not 0 where a key of any rank has it; null: not noted
  int bits;                     // after the second level
  U* rest;                      // [boundary], where they are known
  std::uint32_t* undetermined;  // whether they are not
};

// The splitter with one more digit after its leading bits. bits: of the digit, 0 only if no bits of
// the keys are compared.
template <class U>
__device__ __forceinline__ U with_digit(U leading, int bits, U digit) {
  if (bits == 0) return leading;
  return static_cast<U>(static_cast<U>(static_cast<U>(leading << (bits - 1)) << 1) | digit);
}

// For the second level, by one warp: the bits after splitter j's leading ones, and whether they
// differ.
template <class U>
__device__ __forceinline__ void read_rest(const rest_arguments<U>& a, int j, int slot) {
  const unsigned lane = simt::lane_id();
  const auto bits = static_cast<unsigned>(a.bits);
  bool differs = a.all == nullptr;
  U rest{0};
  for (unsigned begin = 0; a.all != nullptr && begin < bits; begin += simt::warp_size) {
    const std::uint64_t* const of_slot = a.all + static_cast<std::size_t>(slot) * 2 * bits;
    const unsigned bit = begin + lane;
    const bool is_set = bit < bits && of_slot[bit] != 0, is_clear = bit < bits && of_slot[bits + bit] != 0;
    differs |= simt::any(is_set && is_clear);
    rest = static_cast<U>(rest | static_cast<U>(static_cast<U>(simt::ballot(is_set)) << begin));
  }
  if (lane != 0) return;
  a.rest[j] = rest;
  if (differs) simt::store_relaxed(a.undetermined, 1u);  // blocks store the same; the next launch reads it
}

// One block of one warp for each boundary: finds the digit in which the boundary lies. own: the
// counts of this rank. all: those of all ranks. `next`: the splitters after this level. They are
// apart from the splitters that other blocks still read. Lane l looks at digits l, l + 32, ...
template <class U>
__global__ void __launch_bounds__(simt::warp_size)
    choose_digits_kernel(boundaries<U> of, U* next, int level, int shift, int bits, const std::uint64_t* own,
                         const std::uint64_t* all, std::uint64_t items, rest_arguments<U> rest) {
  const int j = static_cast<int>(blockIdx.x);
  if (level == 0 && j == 0 && simt::thread_rank() == 0) *rest.undetermined = 0;
  if (level > 1 && *rest.undetermined == 0) {
    const auto digit = static_cast<U>(static_cast<U>(rest.rest[j] >> shift) & static_cast<U>((1u << bits) - 1u));
    if (simt::thread_rank() == 0) next[j] = with_digit(of.splitter[j], bits, digit);
    return;
  }
  // At most j, unless the counts were those of no sort (below).
  const int first = level == 0 ? 0 : find_boundary(of.splitter, of.number, of.splitter[j]),
            slot = first < j ? first : j;
  if (level == 1) read_rest(rest, j, slot);
  const std::uint64_t* const counts = all + static_cast<std::size_t>(slot) * level_digits;
  const std::uint64_t* const mine = own + static_cast<std::size_t>(slot) * level_digits;
  // The position of the key to the right of the boundary. If there is none, that of the last item.
  const std::uint64_t left = of.left[j], place = left < items ? left : items == 0 ? 0 : items - 1;
  const unsigned lane = simt::lane_id(), digits = 1u << bits;
  std::uint64_t before = of.below[j], own_before = of.own_below[2 * j];
  for (unsigned begin = 0; begin < digits; begin += simt::warp_size) {
    const unsigned digit = begin + lane;
    const std::uint64_t here = digit < digits ? counts[digit] : 0, own_here = digit < digits ? mine[digit] : 0;
    std::uint64_t upto = here, own_upto = own_here;
#pragma unroll
    for (unsigned d = 1; d < simt::warp_size; d *= 2) {
      const std::uint64_t other = simt::shuffle_up(upto, d), own_other = simt::shuffle_up(own_upto, d);
      upto += lane >= d ? other : 0;
      own_upto += lane >= d ? own_other : 0;
    }
    // If there are no items at all, the first digit will do.
    const unsigned found = simt::ballot(digit < digits && (before + upto > place || items == 0));
    if (found != 0) {
      simt::sync_warp();  // all lanes have read what one writes
      if (static_cast<int>(lane) == simt::find_first(found)) {
        next[j] = with_digit(of.splitter[j], bits, static_cast<U>(digit));
        of.below[j] = before + upto - here;
        of.own_below[2 * j] = own_before + own_upto - own_here;
        of.own_below[2 * j + 1] = own_here;
      }
      return;
    }
    before += simt::shuffle(upto, simt::warp_size - 1);
    own_before += simt::shuffle(own_upto, simt::warp_size - 1);
  }
  // Here only if the counts were not added up, because a rank has died. Nothing of this sort is of
  // use any more. It has to end, and any digit will do.
  if (lane == 0) next[j] = with_digit(of.splitter[j], bits, U{0});
}

}  // namespace ballot::distributed::detail
