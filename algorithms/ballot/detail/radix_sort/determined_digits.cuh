// SPDX-License-Identifier: Apache-2.0
// If there are few different keys, finds the digits that need no pass: those that the digits above
// them determine.
//
//     keys      a3 07 51 00     A pass by the last digit and one by the first order all keys:
//               a3 07 51 02     keys with the same first digit have the same two digits between.
//               1e b0 44 09
//
// Keys are compared digit by digit from the top. So a digit never decides if all keys that agree
// above it also agree in it. That holds for any number of such digits at once. Of 16 keys at
// random, however often each occurs, one or two digits remain.
//
// 1. Each block enters the keys of its first tile into a table in shared memory. The table has each
//    different value of the upper digits (all but the lowest one) with the first key that had it.
// 2. If another key has the same upper digits, the lowest digit is not determined. 3. After a
// barrier, the keys of later tiles are looked up. All must be in the table. 4. The blocks merge
// their tables into one of the device. The last block takes each pair of its
//    entries, and finds the first digit in which they differ.
//
// All keys take part, so the answer is exact. The first tile mostly shows keys with too many
// different upper digits: the first keys of a warp's lanes differ, or the table is full. Then no
// more is done.
//
//     bucket of a block's table   two words, by a hash of the upper digits;
//                                 the last bucket: of upper digits of zero
//     word                        a key; 1 in the upper digits stands for zero. 0: free
//
// Shared memory: 514 keys. One barrier before the second tile.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

// Whether the histogram in this shape looks for them. Shorter keys have few passes. Longer keys do
// not fit one atomic operation. The search costs all sorts about a microsecond. For few keys of 4
// bytes, that is more than it is worth.
template <class U, class Shape>
inline constexpr bool finds_determined_digits =
    sizeof(U) == 8 || (sizeof(U) == 4 && !requires { Shape::is_for_few_keys; });
// Whether some shape does so.
template <class U>
inline constexpr bool may_find_determined_digits = sizeof(U) == 4 || sizeof(U) == 8;

// The findings of the blocks of a histogram.
struct radix_histogram_finding {
  enum bit : std::uint32_t { unordered = 1, many_keys = 2, lowest_digit_undetermined = 4 };
};

template <class U>
struct determined_digits {
  static constexpr int bucket_bits = 8, merged_slot_bits = 6;  // of a block's table, of the device's
  static constexpr unsigned buckets = 1u << bucket_bits, merged_slots = 1u << merged_slot_bits;
  static constexpr unsigned merged_words = merged_slots + 1;  // the last one: of upper digits of zero
  static constexpr unsigned most_keys = 32;                   // of a block
  // If a key of each lane is taken, so many different upper digits among them are too many.
  static constexpr unsigned many_of_warp = 29;

  struct alignas(2 * sizeof(U)) bucket {
    U word[2];
  };
  // All zero at first.
  struct storage {
    bucket of[buckets + 1];
    std::uint32_t used;      // words
    std::uint32_t findings;  // radix_histogram_finding
    std::uint32_t needed;
  };

  static BALLOT_HOST_DEVICE U upper(U key) { return static_cast<U>(key >> radix_bits); }
  static __device__ __forceinline__ U word_of(U key) {
    return upper(key) == 0 ? static_cast<U>(key | (1u << radix_bits)) : key;
  }
  // Fibonacci hashing: the upper bits of a product. The last number is the bucket of upper digits
  // of zero.
  template <int Bits>
  static BALLOT_HOST_DEVICE unsigned hash_of(U key) {
    std::uint32_t folded = static_cast<std::uint32_t>(upper(key));
    if constexpr (sizeof(U) == 8) folded ^= static_cast<std::uint32_t>(upper(key) >> 32) * 0x85ebca6bu;
    return upper(key) == 0 ? 1u << Bits : folded * 0x9e3779b1u >> (32 - Bits);
  }

  // Enters a word if its place is free or has the same upper digits. If the place has another
  // lowest digit, the upper digits do not determine the lowest one: lowest_undetermined becomes
  // true. `other`: the place has another key.
  enum class entered { added, known, other };
  template <simt::scope Scope>
  static __device__ __forceinline__ entered enter_at(U* place, U word, bool& lowest_undetermined) {
    // Relaxed: a word never changes once it is there. Tables are read as a whole after a barrier,
    // or by a launch's last block. The word is loaded first, since exchanges at one word take
    // turns.
    U found = simt::load_relaxed<Scope>(place);
    if (found == 0) found = simt::atomic_cas<simt::order::relaxed, Scope>(place, U{0}, word);
    if (found == 0) return entered::added;
    if (upper(static_cast<U>(found ^ word)) != 0) return entered::other;
    lowest_undetermined |= found != word;
    return entered::known;
  }

  static __device__ __forceinline__ void report_many_keys(storage& shared) {
    // Relaxed: until the next barrier it only saves work.
    simt::atomic_or<simt::order::relaxed, simt::scope::block>(&shared.findings,
                                                              std::uint32_t{radix_histogram_finding::many_keys});
  }
  static __device__ __forceinline__ bool are_many(const storage& shared) {
    // Relaxed: as above.
    return (simt::load_relaxed<simt::scope::block>(&shared.findings) & radix_histogram_finding::many_keys) != 0;
  }

  // Whether all keys of a warp's part of a tile are equal: then one of them stands for all.
  template <class Tile, class Shape>
  static __device__ __forceinline__ bool are_equal(const typename Tile::items& key) {
    const U first = simt::shuffle(key[0][0], 0);
    U differing = 0;
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c)
#pragma unroll
      for (int j = 0; j < Shape::width; ++j) differing |= key[c][j] ^ first;
    return simt::all(differing == 0);
  }

  // Enters the keys of a warp's part of the block's first tile. Missing keys are copies of others.
  // key_at(i): loads item i of the tile again; `valid` items exist. Returns false if there are too
  // many, the same in all lanes.
  template <class Tile, class Shape, class KeyAt>
  static __device__ __forceinline__ bool enter_tile(storage& shared, const typename Tile::items& key, unsigned valid,
                                                    const KeyAt& key_at, bool& lowest_undetermined) {
    const std::uint32_t equal = simt::match_any(upper(key[0][0]));
    const bool is_lowest = (equal & simt::lanemask_lt()) == 0;
    if (simt::popcount(simt::ballot(is_lowest)) >= many_of_warp) {
      if (simt::lane_id() == 0) report_many_keys(shared);
      return false;
    }
    const unsigned items = !are_equal<Tile, Shape>(key) ? Shape::chunks * Shape::width : simt::lane_id() == 0 ? 1 : 0;
#pragma unroll 1
    for (unsigned i = 0; i < items; ++i) {
      const unsigned at = Tile::first_item(static_cast<int>(i / Shape::width)) + i % Shape::width;
      if (at >= valid || are_many(shared)) break;
      const U own = key_at(at), word = word_of(own);
      U* const words = shared.of[hash_of<bucket_bits>(own)].word;
      entered result = enter_at<simt::scope::block>(words, word, lowest_undetermined);
      if (result == entered::other) result = enter_at<simt::scope::block>(words + 1, word, lowest_undetermined);
      // Relaxed: read after the barrier.
      if (result == entered::other ||
          (result == entered::added &&
           simt::atomic_add<simt::order::relaxed, simt::scope::block>(&shared.used, 1u) >= most_keys))
        report_many_keys(shared);
    }
    return !simt::any(are_many(shared));
  }

  // Looks up the keys of a warp's part of a later tile, after a barrier. Missing keys are copies
  // of others. Returns false if the table lacks one, the same in all lanes.
  template <class Tile, class Shape>
  static __device__ __forceinline__ bool look_up_tile(storage& shared, const typename Tile::items& key,
                                                      bool& lowest_undetermined) {
    U largest = 0;  // in which a key differs from that of the table
    const auto look_up = [&](U own) {
      const bucket two = shared.of[hash_of<bucket_bits>(own)];
      const U word = word_of(own), first = two.word[0] ^ word, second = two.word[1] ^ word;
      const U differing = first < second ? first : second;
      largest = largest < differing ? differing : largest;
    };
    if (are_equal<Tile, Shape>(key)) {
      look_up(key[0][0]);
    } else {
#pragma unroll
      for (int c = 0; c < Shape::chunks; ++c)
#pragma unroll
        for (int j = 0; j < Shape::width; ++j) look_up(key[c][j]);
    }
    lowest_undetermined |= largest != 0;
    if (simt::all(upper(largest) == 0)) return true;
    if (simt::lane_id() == 0) report_many_keys(shared);
    return false;
  }

  // A block's table becomes part of the device's, by all threads. Returns what the thread has
  // found.
  static __device__ __forceinline__ std::uint32_t merge(const storage& shared, U* merged, unsigned threads) {
    bool lowest_undetermined = false, is_full = false;
    for (unsigned i = simt::thread_rank(); i < 2 * (buckets + 1); i += threads) {
      const U word = shared.of[i / 2].word[i % 2];
      if (word == 0) continue;
      const bool is_low = i / 2 == buckets;
      unsigned at = is_low ? merged_slots : hash_of<merged_slot_bits>(word);
      entered result = entered::other;
#pragma unroll 1
      for (unsigned probe = 0; probe < merged_slots && result == entered::other; ++probe) {
        result = enter_at<simt::scope::device>(merged + at, word, lowest_undetermined);
        at = (at + 1u) & (merged_slots - 1u);
      }
      is_full |= result == entered::other;
    }
    return (lowest_undetermined ? radix_histogram_finding::lowest_digit_undetermined : 0u) |
           (is_full ? radix_histogram_finding::many_keys : 0u);
  }

  // The last block, all threads: finds the digits that need a pass, from the merged table. Two
  // barriers.
  static __device__ __forceinline__ std::uint32_t find_needed(storage& shared, const U* merged, unsigned threads,
                                                              bool lowest_undetermined) {
    const unsigned thread = simt::thread_rank(), own = thread % merged_slots;
    U* const words = shared.of[0].word;
    // Relaxed: pairs with the exchanges of all blocks, ordered by `finished_blocks`.
    if (thread < merged_words) words[thread] = simt::load_relaxed(merged + thread);
    if (thread == 0) shared.needed = 0;
    simt::sync_block();
    const U entry = words[own];
    std::uint32_t needed = lowest_undetermined ? 1u : 0u;
    if (entry != 0) {
#pragma unroll 1
      for (unsigned i = thread / merged_slots; i < merged_words; i += threads / merged_slots) {
        const U word = words[i], other = i == merged_slots ? U{0} : word;  // the upper digits of the last one are zero
        if (i == own || word == 0) continue;
        const int bits = 64 - static_cast<int>(simt::leading_zeros(std::uint64_t{static_cast<U>(entry ^ other)}));
        needed |= 1u << (bits - 1) / radix_bits;
      }
    }
    needed = simt::reduce_or(needed);
    // Relaxed: read after the barrier.
    if (simt::lane_id() == 0) simt::atomic_or<simt::order::relaxed, simt::scope::block>(&shared.needed, needed);
    simt::sync_block();
    return shared.needed;
  }
};

}  // namespace ballot::detail
