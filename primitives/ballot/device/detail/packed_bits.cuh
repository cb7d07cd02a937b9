// SPDX-License-Identifier: Apache-2.0
// Bits in memory, and how many are set in each of their words, as a view.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/device/flags.cuh>
#include <ballot/simt/simt.cuh>

#include <cstddef>
#include <cstdint>

namespace ballot::device {

// Bits of the last word that are past the end are cleared when the word is read.
struct packed_bits {
  const std::uint32_t* words;
  std::uint64_t bits;
  bool invert;

  BALLOT_HOST_DEVICE std::uint64_t word_count() const { return ballot::detail::ceil_div(bits, 32); }
  // Word `index` as it was loaded, inverted if the caller wants it, without the bits past the end.
  __device__ __forceinline__ std::uint32_t clean(std::uint32_t word, std::uint64_t index) const {
    const std::uint32_t set = invert ? ~word : word;
    const std::uint64_t first = index * 32;
    if (first + 32 <= bits) return set;
    return first < bits ? set & low_bits(static_cast<unsigned>(bits - first)) : 0u;
  }
};

// A view (core/view.hpp): the number of set bits of each word. It also counts bits of the last word
// that are past the end, because a condition for each word would cost scans a fifth of their time.
struct counts_of_words {
  using value_type = std::uint32_t;
  static constexpr std::size_t bytes_read = sizeof(std::uint32_t), arrays = 1;
  template <int Width>
  static constexpr bool has_vectors = block::is_one_access<std::uint32_t, Width>;

  const std::uint32_t* words;
  std::uint64_t items;
  std::uint32_t inverted;  // the bits of a word that are

  explicit counts_of_words(const packed_bits& in)
      : words(in.words), items(in.word_count()), inverted(in.invert ? ~std::uint32_t{0} : 0u) {}

  std::uint64_t size() const { return items; }
  __device__ __forceinline__ std::uint32_t operator[](std::uint64_t i) const { return count(words[i]); }
  template <int Width>
  bool is_vector_aligned() const {
    return block::is_vector_aligned<std::uint32_t, Width>(words);
  }
  template <int Width>
  block::aligned_vectors aligned_vectors() const {
    return block::aligned_vectors_of<std::uint32_t, Width>(words);
  }
  template <int Width>
  __device__ __forceinline__ simt::vector<std::uint32_t, Width> vector(std::uint64_t first) const {
    simt::vector<std::uint32_t, Width> counts = simt::load_vector<std::uint32_t, Width>(words + first);
#pragma unroll
    for (int j = 0; j < Width; ++j) counts[j] = count(counts[j]);
    return counts;
  }
  template <class Visit>
  void each_array(const Visit& visit) const {
    visit(words, size());
  }

 private:
  __device__ __forceinline__ std::uint32_t count(std::uint32_t word) const {
    return static_cast<std::uint32_t>(simt::popcount(word ^ inverted));
  }
};

}  // namespace ballot::device
