// SPDX-License-Identifier: Apache-2.0
// The first way of the local sort by tiles (tile_sort_kernel.cuh): the bin of a key is where it
// would lie if all keys that the block takes were spread evenly.
//
//     keys       a0 a1 a1 | b7 b2 b3 b3 b9 | d4 ...    from a0 to d9, the largest possible one
//     bin        (key - a0) * bins / (d9 - a0 + 1)
//     word       key - a0, in the uppermost bits; below it the position, if it is needed
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/tile_sort_words.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

template <class U, class V, class Shape>
class tile_sort_by_range : public tile_sort_words<U, V, Shape> {
  using words = tile_sort_words<U, V, Shape>;
  using words::a_, words::buckets_, words::position_bits, words::shared_, words::thread_, words::word_;
  using words::word_width;

 public:
  __device__ __forceinline__ tile_sort_by_range(const tile_sort_buckets<U, V>& buckets, typename words::storage& shared)
      : words(buckets, shared) {}

  // Keys alone of which some bits are compared are left to the second way: words would have
  // positions, which would take registers from all keys.
  static __device__ __forceinline__ bool can_sort(const tile_sort_arguments<U, V>& a) {
    return words::has_values || a.compared.are_whole();
  }

  // Sorts keys [first, first + valid), which are whole buckets. The same outcome in all threads:
  // stored, in_positions, too_wide or overflow. The bins are zero at begin, and not afterwards.
  __device__ __forceinline__ tile_sort_outcome sort(std::uint32_t first, unsigned valid) {
    load(first, valid);
    const typename words::key_bounds bounds = this->bounds_of(first, valid);
    if (words::has_values && bounds.bits > word_width - position_bits) return tile_sort_outcome::too_wide;
    this->note(first, valid, bounds);
    make_words(bounds, valid);
    const std::uint32_t scale = bin_scale(upper_word(bounds.difference << (word_width - bounds.bits)));
    if (!this->sort_words_by_bins(valid, [&](int i) {
          // Missing words may be beyond all bins.
          return static_cast<unsigned>(std::uint64_t{upper_word(word_[i])} * scale >> 32) & (Shape::bins - 1u);
        }))
      return tile_sort_outcome::overflow;
    if constexpr (words::has_values)
      if (!a_.compared.are_whole()) return tile_sort_outcome::in_positions;
    const U smallest = shared_.known.smallest;
    const int unused_bits = word_width - shared_.known.key_bits;
    this->store([&](U word) { return a_.codec.decode(smallest + (word >> unused_bits)); });
    return tile_sort_outcome::stored;
  }

 private:
  static __device__ __forceinline__ std::uint32_t upper_word(U word) {
    return static_cast<std::uint32_t>(word >> (word_width - 32));
  }

  // The bin of a value is value * scale / 2^32, so that values from 0 to `largest` have all bins.
  // The scale is too small by more than rounding can add to it.
  static __device__ __forceinline__ std::uint32_t bin_scale(std::uint32_t largest) {
    constexpr float most = static_cast<float>(Shape::bins) * 0x1p32f * (1.0f - 0x1p-20f);
    return static_cast<std::uint32_t>(most / (static_cast<float>(largest) + 1.0f));
  }

  // The compared bits of the keys. All loads are in flight at once.
  __device__ __forceinline__ void load(std::uint32_t first, unsigned valid) {
    const U* const keys = a_.keys_in + first + thread_;
#pragma unroll
    for (int i = 0; i < Shape::items_per_thread; ++i) {
      const unsigned row = static_cast<unsigned>(i) * Shape::threads;
      word_[i] = thread_ + row < valid ? keys[row] : U{0};
    }
#pragma unroll
    for (int i = 0; i < Shape::items_per_thread; ++i) word_[i] = a_.compared(word_[i]);
  }

  // Missing words are the largest there are. `opaque`: positions are computed again, as they take
  // registers.
  __device__ __forceinline__ void make_words(const typename words::key_bounds& bounds, unsigned all_valid) {
    const int unused_bits = word_width - bounds.bits;
    const unsigned thread = simt::opaque(thread_), valid = simt::opaque(all_valid);
#pragma unroll
    for (int i = 0; i < Shape::items_per_thread; ++i) {
      const unsigned at = thread + static_cast<unsigned>(i) * Shape::threads;
      word_[i] = (word_[i] - bounds.smallest) << unused_bits | (words::has_values ? at : 0u);
      if (at >= valid) word_[i] = ~U{0};
    }
  }
};

}  // namespace ballot::detail
