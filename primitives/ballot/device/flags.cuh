// SPDX-License-Identifier: Apache-2.0
// Reads flags in kernels, one per item. A thread gets the flags of a vector of consecutive items as
// the low bits of a word. It gets those of all its vectors of a tile as one word, for votes and
// population counts.
//
//     bytes   01 00 ff 00    >  0101    four in one 32-bit load, tested for zero side by side in
//                                       one register
//     bits    word i / 32    >  its bits i % 32 and up; the lanes of a warp share few words:
//                               broadcasts
//
// All flags of a tile are loaded before the first is used, so that the loads overlap. A thread
// whose items are all consecutive (block/staged_tile.cuh) loads them by `run` instead: bits take at
// most two words.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/flags.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <cstring>

namespace ballot::device {

// The low `count` bits; count <= 31.
__device__ __forceinline__ unsigned low_bits(unsigned count) { return (1u << count) - 1u; }
// The same, count <= 32.
__device__ __forceinline__ unsigned low_bits_of_word(unsigned count) {
  return count == 0 ? 0u : simt::full_mask >> (simt::warp_size - count);
}

/// Reads flags of one byte each.
struct byte_flag_reader {
  /// The first flag.
  const std::uint8_t* flag;
  /// If true, flags of 0 count as set, and others do not.
  bool invert;
  /// Where vectors of up to four flags are aligned.
  block::aligned_vectors vectors;

  /// Whether a vector of Width flags can be loaded at `first`.
  template <int Width>
  __device__ __forceinline__ bool is_whole(std::uint64_t first) const {
    return vectors.template begin_at<Width>(first);
  }

  /// The bytes of Width flags.
  template <int Width>
  __device__ __forceinline__ simt::vector<std::uint8_t, Width> load(std::uint64_t first) const {
    return simt::load_vector<std::uint8_t, Width>(flag + first);
  }
  /// Their flags as bits.
  template <int Width>
  __device__ __forceinline__ unsigned decode(const simt::vector<std::uint8_t, Width>& bytes,
                                             std::uint64_t /*first*/) const {
    unsigned bits = 0;
    if constexpr (Width == 4) {
      std::uint32_t word;
      std::memcpy(&word, &bytes, 4);
      // The top bit of each byte: whether it is not zero. No byte's sum carries into the next.
      const std::uint32_t set = (((word & 0x7f7f7f7fu) + 0x7f7f7f7fu) | word) & 0x80808080u;
      bits = ((set >> 7) * 0x10204080u) >> 28;  // bits 0, 8, 16, 24 move to 28, 29, 30, 31; no two products meet
    } else {
#pragma unroll
      for (int j = 0; j < Width; ++j)
        if (bytes[j] != 0) bits |= 1u << j;
    }
    return bits ^ (invert ? low_bits(Width) : 0u);
  }

  // The flags of Width items from `first` on; those from `valid` on are clear.
  template <int Width>
  __device__ __forceinline__ unsigned flags(std::uint64_t first, unsigned valid) const {
    if (valid >= static_cast<unsigned>(Width) && is_whole<Width>(first))
      return decode<Width>(load<Width>(first), first);
    unsigned bits = 0;
#pragma unroll
    for (int j = 0; j < Width; ++j)
      if (static_cast<unsigned>(j) < valid && (flag[first + j] != 0) != invert) bits |= 1u << j;
    return bits;
  }

  // The flags of the `count` items from `first` on, of at most Run, a multiple of Width.
  template <int Run, int Width>
  __device__ __forceinline__ unsigned run(std::uint64_t first, unsigned count) const {
    unsigned bits = 0;
    if (count == static_cast<unsigned>(Run) && is_whole<Width>(first)) {
      simt::vector<std::uint8_t, Width> loaded[Run / Width];
#pragma unroll
      for (int i = 0; i < Run / Width; ++i) loaded[i] = load<Width>(first + i * Width);
#pragma unroll
      for (int i = 0; i < Run / Width; ++i) bits |= decode<Width>(loaded[i], first) << (i * Width);
    } else {
#pragma unroll 4
      for (int j = 0; j < Run; ++j)
        if (static_cast<unsigned>(j) < count && (flag[first + j] != 0) != invert) bits |= 1u << j;
    }
    return bits;
  }
};

/// Reads flags that are packed as bits.
struct bit_flag_reader {
  /// The first word.
  const std::uint32_t* words;
  /// If true, flags of 0 count as set, and others do not.
  bool invert;

  /// Words can always be loaded.
  template <int Width>
  static __device__ __forceinline__ constexpr bool is_whole(std::uint64_t /*first*/) {
    return true;
  }
  // A vector never crosses a word: its first item is a multiple of Width, and Width divides 32.
  template <int Width>
  __device__ __forceinline__ std::uint32_t load(std::uint64_t first) const {
    return words[first / 32];
  }
  template <int Width>
  __device__ __forceinline__ unsigned decode(std::uint32_t word, std::uint64_t first) const {
    return ((word ^ (invert ? ~0u : 0u)) >> (first % 32)) & low_bits(Width);
  }
  template <int Width>
  __device__ __forceinline__ unsigned flags(std::uint64_t first, unsigned valid) const {
    if (valid == 0) return 0;
    const unsigned bits = decode<Width>(load<Width>(first), first);
    return valid < static_cast<unsigned>(Width) ? bits & low_bits(valid) : bits;
  }

  // For any `first`: the flags lie in one word or in two adjacent ones. A word without such a flag
  // is not read.
  template <int Run, int /*Width*/>
  __device__ __forceinline__ unsigned run(std::uint64_t first, unsigned count) const {
    if (count == 0) return 0;
    const unsigned shift = first % 32;
    const std::uint32_t* const word = words + first / 32;
    unsigned bits = word[0] >> shift;
    if (shift + count > 32) bits |= word[1] << (32 - shift);  // shift is not 0: count <= 32
    return (bits ^ (invert ? simt::full_mask : 0u)) & low_bits_of_word(count);
  }
};

// The flags of a thread's items of the tile that begins at item `begin` and has `valid` items. Item
// j of chunk c has bit c * width + j. Flags of missing items are clear. `first_item`: the first of
// the thread's items in the tile.
template <class Shape, class Reader>
__device__ __forceinline__ unsigned flags_of_tile(const Reader& reader, std::uint64_t begin, unsigned valid,
                                                  unsigned first_item) {
  constexpr int width = Shape::width;
  static_assert(Shape::chunks * width <= 32, "the flags of a thread's items are the bits of one word");
  const std::uint64_t at = begin + first_item;
  unsigned bits = 0;
  if (valid == Shape::items && reader.template is_whole<width>(at)) {
    decltype(reader.template load<width>(0)) loaded[Shape::chunks];
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) loaded[c] = reader.template load<width>(at + c * Shape::chunk_items);
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c)
      bits |= reader.template decode<width>(loaded[c], at + c * Shape::chunk_items) << (c * width);
  } else {
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) {
      const unsigned first = first_item + c * Shape::chunk_items;
      bits |= reader.template flags<width>(begin + first, first < valid ? valid - first : 0u) << (c * width);
    }
  }
  return bits;
}

}  // namespace ballot::device

namespace ballot::detail {

inline device::byte_flag_reader make_flag_reader(const byte_flags& flags) {
  return {flags.flags.data(), flags.invert, block::aligned_vectors_of<std::uint8_t, 4>(flags.flags.data())};
}
inline device::bit_flag_reader make_flag_reader(const bit_flags& flags) { return {flags.words.data(), flags.invert}; }

}  // namespace ballot::detail
