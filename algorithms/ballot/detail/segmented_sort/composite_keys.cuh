// SPDX-License-Identifier: Apache-2.0
// Composites: keys that carry their segment, so that one sort sorts all segments.
//
//     composite   | segment | compared bits of the key | its other bits |  twice as wide as the key
//
// A sort by segment and compared bits sorts every segment by itself, however the items are spread
// over segments. The other bits are kept so that the key can be restored. The bits are the key's
// ordered bits, so the sort need not know direction or type. Within a block there are other words:
// block_words.cuh.
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>

namespace ballot::detail {

// Twice as wide as the key, at least 64 bits: at least 32 bits remain for the segment.
template <class U>
using composite_of_t = std::conditional_t<sizeof(U) <= 4, std::uint64_t, uint128>;

// How a key's ordered bits lie in a composite: the compared ones, [low, high), above the others.
template <class U>
struct composite_layout {
  using word = composite_of_t<U>;
  static constexpr int key_bits = 8 * sizeof(U), segment_bits = 8 * sizeof(word) - key_bits;
  static constexpr U minus_zero = static_cast<U>(U{1} << (key_bits - 1));
  key_codec<U> codec;
  int low;
  int high;

  BALLOT_HOST_DEVICE int uncompared_bits() const { return key_bits - (high - low); }
  // Whether the compared bits are the whole key. For equal zeros they do not say which zero it is.
  BALLOT_HOST_DEVICE bool has_whole_keys() const { return !has_equal_zeros<U> && uncompared_bits() == 0; }
  BALLOT_HOST_DEVICE U compared(U raw) const {
    return static_cast<U>(static_cast<U>(codec.compared(codec.encode(raw)) >> low) & mask(high - low));
  }
  BALLOT_HOST_DEVICE word make(std::uint64_t segment, U raw) const {
    const U ordered = codec.compared(codec.encode(raw)),
            above = high == key_bits ? U{0} : static_cast<U>(ordered >> high);
    const U others = static_cast<U>(static_cast<U>(above << low) | (ordered & mask(low)));
    if constexpr (has_equal_zeros<U>)
      segment |= static_cast<std::uint64_t>(raw == minus_zero) << (segment_bits - 1);  // no number is so large
    return static_cast<word>(segment) << key_bits | static_cast<word>(compared(raw)) << uncompared_bits() | others;
  }
  BALLOT_HOST_DEVICE std::uint64_t segment(word composite) const {
    const auto number = static_cast<std::uint64_t>(composite >> key_bits);
    if constexpr (has_equal_zeros<U>) return number & ~(std::uint64_t{1} << (segment_bits - 1));
    else return number;
  }
  BALLOT_HOST_DEVICE U key(word composite) const {
    if constexpr (has_equal_zeros<U>)
      if ((composite >> (8 * sizeof(word) - 1)) != 0) return minus_zero;
    const U compared = static_cast<U>(static_cast<U>(composite >> uncompared_bits()) & mask(high - low));
    const U others = static_cast<U>(static_cast<U>(composite) & mask(uncompared_bits()));
    const U above = high == key_bits ? U{0} : static_cast<U>(static_cast<U>(others >> low) << high);
    return codec.decode(static_cast<U>(above | static_cast<U>(compared << low) | (others & mask(low))));
  }

  // The lowest bits.
  static BALLOT_HOST_DEVICE U mask(int bits) {
    return bits == key_bits ? static_cast<U>(~U{0}) : static_cast<U>((std::uint64_t{1} << bits) - 1);
  }
};

}  // namespace ballot::detail
