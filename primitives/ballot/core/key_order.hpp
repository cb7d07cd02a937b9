// Keys as unsigned integers of the same order ("ordered bits"), so that a radix sort needs to know only their width.
//
// Every key type maps by the same three operations with other constants:
//
//     ordered = ((x ^ (sign of x in every bit & sign_mask)) ^ flip) - bias
//
//     unsigned   nothing, descending: flip every bit
//     signed     flip the sign bit, descending: flip the others instead
//     float      negative numbers flip every bit, others the sign bit (Knuth; Herf, Radix Tricks): that leaves the NaNs
//                with a set sign before -inf and the other NaNs after +inf; the bias, which wraps, turns the first group
//                round to the end. Descending flips every bit first, and the groups swap roles.
//
// So for floats -inf < ... < -0 < +0 < ... < +inf, and every NaN is last in both directions. The map is one-to-one: a
// key comes back from its ordered bits exactly, a NaN with its payload. Plain C++, also without CUDA.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot {

enum class direction : std::uint8_t { ascending, descending };

// Bits [low, high) of the ordered bits, bit 0 the least significant. The default is the whole key.
struct bit_range {
  static constexpr int full = -1;
  int low = 0;
  int high = full;
};

namespace detail {
template <std::size_t Bytes>
struct unsigned_of_size;
template <>
struct unsigned_of_size<1> {
  using type = std::uint8_t;
};
template <>
struct unsigned_of_size<2> {
  using type = std::uint16_t;
};
template <>
struct unsigned_of_size<4> {
  using type = std::uint32_t;
};
template <>
struct unsigned_of_size<8> {
  using type = std::uint64_t;
};
}  // namespace detail

// What the library can sort by: integers of 1, 2, 4 and 8 bytes, float and double.
template <class K>
concept radix_key =
    (std::integral<K> && !std::same_as<K, bool> && sizeof(K) <= 8) || std::same_as<K, float> || std::same_as<K, double>;

template <radix_key K>
using ordered_bits_t = typename detail::unsigned_of_size<sizeof(K)>::type;

// The three constants of the map for keys of sizeof(U) bytes; kernels take it by value.
template <class U>
struct key_codec {
  U sign_mask = 0;
  U flip = 0;
  U bias = 0;

  BALLOT_HOST_DEVICE U encode(U raw) const {
    return static_cast<U>(static_cast<U>(raw ^ (sign_fill(raw) & sign_mask) ^ flip) - bias);
  }
  BALLOT_HOST_DEVICE U decode(U ordered) const {
    const U unflipped = static_cast<U>(static_cast<U>(ordered + bias) ^ flip);
    return static_cast<U>(unflipped ^
                          (sign_fill(unflipped) & sign_mask));  // sign_mask leaves the sign, so it tells the same
  }
  BALLOT_HOST_DEVICE bool is_identity() const { return sign_mask == 0 && flip == 0 && bias == 0; }

 private:
  static BALLOT_HOST_DEVICE U sign_fill(U x) { return static_cast<U>(U{0} - static_cast<U>(x >> (8 * sizeof(U) - 1))); }
};

template <radix_key K>
BALLOT_HOST_DEVICE constexpr key_codec<ordered_bits_t<K>> key_codec_of(direction d) {
  using U = ordered_bits_t<K>;
  constexpr U every_bit = static_cast<U>(~U{0});
  constexpr U sign_bit = static_cast<U>(U{1} << (8 * sizeof(U) - 1));
  key_codec<U> codec;
  if constexpr (std::is_floating_point_v<K>) {
    constexpr int mantissa_bits = sizeof(K) == 4 ? 23 : 52;
    codec.sign_mask = static_cast<U>(~sign_bit);
    codec.flip = sign_bit;
    codec.bias = static_cast<U>((U{1} << mantissa_bits) - 1);  // that many NaNs have a set sign, and as many have not
  } else if constexpr (std::is_signed_v<K>) {
    codec.flip = sign_bit;
  }
  if (d == direction::descending) codec.flip = static_cast<U>(codec.flip ^ every_bit);
  return codec;
}

// The unsigned integer by which `key` is sorted: a before b exactly when ordered_bits(a) < ordered_bits(b).
template <radix_key K>
BALLOT_HOST_DEVICE ordered_bits_t<K> ordered_bits(K key, direction d = direction::ascending) {
  return key_codec_of<K>(d).encode(__builtin_bit_cast(ordered_bits_t<K>, key));
}

// The key whose ordered bits these are.
template <radix_key K>
BALLOT_HOST_DEVICE K from_ordered_bits(ordered_bits_t<K> ordered, direction d = direction::ascending) {
  return __builtin_bit_cast(K, key_codec_of<K>(d).decode(ordered));
}

}  // namespace ballot
