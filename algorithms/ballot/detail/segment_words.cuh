// The words by which a block orders its segments.
//
//     word   | begin of the segment | asked bits, as far as they differ | position | other bits of the key |
//
// Begin and position are items of the block's window: segments stay apart and equal keys in their order. The leading asked bits
// in which all keys of the window agree are left out, so that few bits are to be ordered where few differ. The whole key can be
// had back.
//
// As many bins as items: the bin of a word is where it would lie if the keys of its segment were spread evenly.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/segment_heads.cuh>
#include <ballot/detail/segment_keys.cuh>

#include <cstdint>

namespace ballot::detail {

template <class U, class Shape>
struct segment_words {
  using word = composite_of_t<U>;
  static constexpr int place_bits = Shape::position_bits;
  static_assert(2 * place_bits + 8 * static_cast<int>(sizeof(U)) < 8 * static_cast<int>(sizeof(word)),
                "a missing word is larger than all others");
  composite_layout<U> layout;
  U common;            // the asked bits that all keys have
  int differing_bits;  // the others, below them

  // differing: the bits in which asked bits differ; one_of_them: the asked bits of any key.
  __device__ __forceinline__ segment_words(const composite_layout<U>& of, U one_of_them, std::uint64_t differing)
      : layout(of), differing_bits(differing == 0 ? 0 : 64 - static_cast<int>(simt::leading_zeros(differing))) {
    common = static_cast<U>(one_of_them & ~composite_layout<U>::mask(differing_bits));
  }

  __device__ __forceinline__ int position_shift() const { return layout.other_bits(); }
  __device__ __forceinline__ int asked_shift() const { return layout.other_bits() + place_bits; }
  // Bits of the order from asked_shift() on, of words of several segments.
  __device__ __forceinline__ int ordered_bits(bool one_segment) const {
    return differing_bits + (one_segment ? 0 : place_bits);
  }

  __device__ __forceinline__ word make(unsigned begin, unsigned position, U raw) const {
    const word asked = static_cast<word>(layout.asked(raw) & layout.mask(differing_bits));
    return (static_cast<word>(begin) << differing_bits | asked) << asked_shift() |
           static_cast<word>(position) << position_shift() | layout.others(raw);
  }
  __device__ __forceinline__ unsigned position(word w) const {
    return static_cast<unsigned>(w >> position_shift()) & ((1u << place_bits) - 1u);
  }
  __device__ __forceinline__ U key(word w) const {
    const U asked = static_cast<U>(static_cast<U>(w >> asked_shift()) & layout.mask(differing_bits));
    return layout.key(static_cast<U>(asked | common), static_cast<U>(w));
  }
  __device__ __forceinline__ unsigned bin(const segment_extent& segment, U raw) const {
    if (differing_bits == 0) return scaled(segment.begin);
    const std::uint64_t asked = static_cast<std::uint64_t>(layout.asked(raw))
                                << (64 - differing_bits);       // the common bits drop out
    const auto part = static_cast<std::uint32_t>(asked >> 32);  // of the segment, in 2^-32
    return scaled(segment.begin +
                  static_cast<unsigned>(static_cast<std::uint64_t>(part) * (segment.end - segment.begin) >> 32));
  }

 private:
  static __device__ __forceinline__ unsigned scaled(unsigned place) {
    constexpr unsigned ratio = (Shape::bins << 12) / Shape::items;  // never more than exact
    return static_cast<unsigned>(place * ratio >> 12);
  }
};

}  // namespace ballot::detail
