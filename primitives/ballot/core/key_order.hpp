// SPDX-License-Identifier: Apache-2.0
// Keys as unsigned integers of the same order ("ordered bits"), so that a radix sort needs to know
// only their width.
//
// All key types map by the same three operations, with other constants:
//
//     ordered = ((x ^ (sign of x in every bit & sign_mask)) ^ flip) - bias
//
//     unsigned   ascending: nothing. Descending: flip every bit.
//     signed     ascending: flip the sign bit. Descending: flip the others instead.
//     float      Negative numbers flip every bit, others the sign bit (Knuth; Herf, Radix Tricks).
//                This leaves the NaNs with a set sign before -inf, and the other NaNs after +inf.
//                The bias, which wraps, moves the first group to the end. Descending flips every
//                bit first, and the two groups swap roles.
//
// So for floats -inf < ... < -0 < +0 < ... < +inf, and every NaN is last in both directions. With
// another bias every NaN is first. Without a bias NaNs lie beyond the infinities, by their sign:
// this is totalOrder of IEEE 754.
//
// The map is one-to-one: a key comes back from its ordered bits exactly, a NaN with its payload.
// This is plain C++, also without CUDA.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

// CUDA's 16-bit floats, declared only: a program that sorts them includes their headers.
struct __half;
struct __nv_bfloat16;

// The same in CUDA sources and host sources (namespace.hpp).
namespace BALLOT_VERSION_NAMESPACE {

/// Whether the smallest key comes first, or the largest.
enum class direction : std::uint8_t { ascending, descending };

// Where NaNs go, in both directions; among themselves they are ordered by their bits.
//   last, first   all of them
//   by_bits       those with a clear sign beyond +inf, those with a set sign beyond -inf:
//                 totalOrder of IEEE 754
enum class nan_order : std::uint8_t { last, first, by_bits };

/// Bits [low, high) of the ordered bits; bit 0 is the least significant. The default is the whole
/// key. Integers of any type convert to it. If one of them is not a bit number of the key, the call
/// throws.
///     ballot::sort(gpu, cells, sorted, {.bits = {0, cell_bits}});
struct bit_range {
  static constexpr int full = std::numeric_limits<int>::min();
  int low = 0;
  int high = full;

  constexpr bit_range() = default;
  /// Bits [from, to).
  template <std::integral Low, std::integral High>
  constexpr bit_range(Low from, High to) : low(bit_number(from)), high(bit_number(to)) {}

 private:
  // A number outside int becomes the nearest int that is not `full`. No key has such a bit, either.
  template <std::integral I>
  static constexpr int bit_number(I i) {
    constexpr int most = std::numeric_limits<int>::max();
    if constexpr (std::is_signed_v<I>)
      if (i < 0) return static_cast<std::int64_t>(i) < full ? -most : static_cast<int>(i);
    return static_cast<std::uint64_t>(i) > static_cast<std::uint64_t>(most) ? most : static_cast<int>(i);
  }
};

}  // namespace BALLOT_VERSION_NAMESPACE

namespace ballot {

using BALLOT_VERSION_NAMESPACE::bit_range;
using BALLOT_VERSION_NAMESPACE::direction;
using BALLOT_VERSION_NAMESPACE::nan_order;

namespace detail {
__extension__ typedef unsigned __int128 uint128;  // pedantic compilers take the extension where it says that it is one
__extension__ typedef __int128 int128;

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
template <>
struct unsigned_of_size<16> {
  using type = uint128;
};
}  // namespace detail

/// How the bits of a key are ordered.
enum class key_kind : std::uint8_t { unsigned_integer, signed_integer, floating };

// The meaning of the bits of a key type. Specialise it for types that are a number's bits in 1, 2,
// 4, 8 or 16 bytes. Keys are read as words of that size. So their addresses must be multiples of
// it, even if the alignment of the type is smaller. A floating format has a sign, an exponent and
// `mantissa_bits` stored bits of mantissa, in this order:
//     template <> struct ballot::key_traits<my_float8> {
//       static constexpr ballot::key_kind kind = ballot::key_kind::floating;
//       static constexpr int mantissa_bits = 3;
//     };
template <class K>
struct key_traits;

/// Describes a key type; specialise it for a type of your own.
template <std::integral K>
  requires(sizeof(K) <= 8)
struct key_traits<K> {
  /// How its bits are ordered: false before true, as numbers 0 and 1.
  static constexpr key_kind kind = std::is_signed_v<K> ? key_kind::signed_integer : key_kind::unsigned_integer;
};
// The library names the 128-bit integers, because std::integral includes them only in some modes of
// compilers.
template <>
struct key_traits<detail::uint128> {
  static constexpr key_kind kind = key_kind::unsigned_integer;
};
template <>
struct key_traits<detail::int128> {
  static constexpr key_kind kind = key_kind::signed_integer;
};
namespace detail {
template <int MantissaBits>
struct floating_key {
  static constexpr key_kind kind = key_kind::floating;
  static constexpr int mantissa_bits = MantissaBits;
};
}  // namespace detail
template <>
struct key_traits<float> : detail::floating_key<23> {};
template <>
struct key_traits<double> : detail::floating_key<52> {};
template <>
struct key_traits<::__half> : detail::floating_key<10> {};
template <>
struct key_traits<::__nv_bfloat16> : detail::floating_key<7> {};

// Types that the library can sort by: bool, integers of 1, 2, 4, 8 and 16 bytes, float, double,
// __half, __nv_bfloat16, and any other type with traits.
template <class K>
concept radix_key = requires { key_traits<K>::kind; };

/// A key type in which -0 and +0 are equal, with the memory layout of a float, double or other
/// floating format K. Only sorts use it: they treat their keys as this type if the options are
/// `with_equal_zeros` (detail/radix_sort/options.hpp). Its ordered bits differ for the two zeros,
/// but are compared as `key_codec::compared` says.
template <class K>
  requires(key_traits<K>::kind == key_kind::floating)
struct equal_zeros_key {
  K value;
};
template <class K>
struct key_traits<equal_zeros_key<K>> : key_traits<K> {};

namespace detail {

// Kernels of sorts are compiled for the unsigned integer of a key's width. Keys with equal zeros
// need other kernels, which only programs that use them should compile. So these keys have another
// integer type of the same width.
template <std::size_t Bytes>
struct unsigned_with_equal_zeros;
template <>
struct unsigned_with_equal_zeros<1> {
  using type = char8_t;
};
template <>
struct unsigned_with_equal_zeros<2> {
  using type = char16_t;
};
template <>
struct unsigned_with_equal_zeros<4> {
  using type = char32_t;
};
template <>
struct unsigned_with_equal_zeros<8> {
  using type = std::conditional_t<std::is_same_v<std::uint64_t, unsigned long>, unsigned long long, unsigned long>;
};
template <class U>
inline constexpr bool has_equal_zeros = false;
template <>
inline constexpr bool has_equal_zeros<char8_t> = true;
template <>
inline constexpr bool has_equal_zeros<char16_t> = true;
template <>
inline constexpr bool has_equal_zeros<char32_t> = true;
template <>
inline constexpr bool has_equal_zeros<unsigned_with_equal_zeros<8>::type> = true;

template <class K>
struct word_of_key : unsigned_of_size<sizeof(K)> {};
template <class K>
struct word_of_key<equal_zeros_key<K>> : unsigned_with_equal_zeros<sizeof(K)> {};

}  // namespace detail

/// The unsigned integer of a key's width.
template <radix_key K>
using ordered_bits_t = typename detail::word_of_key<K>::type;

// The three constants of the map for keys of sizeof(U) bytes; kernels take it by value.
template <class U>
struct key_codec {
  U sign_mask = 0;
  U flip = 0;
  U bias = 0;

  /// Raw bits to ordered bits.
  BALLOT_HOST_DEVICE U encode(U raw) const {
    return static_cast<U>(static_cast<U>(raw ^ (sign_fill(raw) & sign_mask) ^ flip) - bias);
  }
  /// Ordered bits to raw bits.
  BALLOT_HOST_DEVICE U decode(U ordered) const {
    const U unflipped = static_cast<U>(static_cast<U>(ordered + bias) ^ flip);
    return static_cast<U>(unflipped ^
                          (sign_fill(unflipped) & sign_mask));  // sign_mask leaves the sign, so it tells the same
  }
  /// The ordered bits as they are compared. For keys with equal zeros, -0 has the bits of +0, its
  /// neighbour; all others are unchanged.
  BALLOT_HOST_DEVICE U compared(U ordered) const {
    if constexpr (detail::has_equal_zeros<U>) {
      constexpr U minus_zero = static_cast<U>(U{1} << (8 * sizeof(U) - 1));
      return ordered == encode(minus_zero) ? encode(U{0}) : ordered;
    } else {
      return ordered;
    }
  }
  BALLOT_HOST_DEVICE bool is_identity() const { return sign_mask == 0 && flip == 0 && bias == 0; }
  BALLOT_HOST_DEVICE bool is_of_floats() const { return sign_mask != 0; }

 private:
  static BALLOT_HOST_DEVICE U sign_fill(U x) { return static_cast<U>(U{0} - static_cast<U>(x >> (8 * sizeof(U) - 1))); }
};

/// The codec of keys of type K in this order.
template <radix_key K>
BALLOT_HOST_DEVICE constexpr key_codec<ordered_bits_t<K>> key_codec_of(direction d, nan_order nans = nan_order::last) {
  using U = ordered_bits_t<K>;
  constexpr U every_bit = static_cast<U>(~U{0});
  constexpr U sign_bit = static_cast<U>(U{1} << (8 * sizeof(U) - 1));
  key_codec<U> codec;
  if constexpr (key_traits<K>::kind == key_kind::floating) {
    codec.sign_mask = static_cast<U>(~sign_bit);
    codec.flip = sign_bit;
    // NaNs with a set sign lie at one end of the order, and as many NaNs with a clear sign at the
    // other end. The bias, which wraps, moves the group at the front to the end. With the other
    // sign, the bias moves the group at the end to the front.
    constexpr U group = static_cast<U>((U{1} << key_traits<K>::mantissa_bits) - 1);
    if (nans == nan_order::last) codec.bias = group;
    if (nans == nan_order::first) codec.bias = static_cast<U>(U{0} - group);
  } else if constexpr (key_traits<K>::kind == key_kind::signed_integer) {
    codec.flip = sign_bit;
  }
  if (d == direction::descending) codec.flip = static_cast<U>(codec.flip ^ every_bit);
  return codec;
}

// The unsigned integer by which `key` is sorted: a before b exactly when ordered_bits(a) <
// ordered_bits(b).
template <radix_key K>
BALLOT_HOST_DEVICE ordered_bits_t<K> ordered_bits(K key, direction d = direction::ascending,
                                                  nan_order nans = nan_order::last) {
  return key_codec_of<K>(d, nans).encode(__builtin_bit_cast(ordered_bits_t<K>, key));
}

// The key whose ordered bits these are.
template <radix_key K>
BALLOT_HOST_DEVICE K from_ordered_bits(ordered_bits_t<K> ordered, direction d = direction::ascending,
                                       nan_order nans = nan_order::last) {
  return __builtin_bit_cast(K, key_codec_of<K>(d, nans).decode(ordered));
}

// A key function (sort_by) for which -0 and +0 are one key, so they keep their order among
// themselves.
struct equal_zeros {
  template <radix_key K>
    requires(key_traits<K>::kind == key_kind::floating)
  BALLOT_HOST_DEVICE K operator()(K x) const {
    using U = ordered_bits_t<K>;
    const U bits = __builtin_bit_cast(U, x);
    return static_cast<U>(bits << 1) == 0 ? __builtin_bit_cast(K, U{0}) : x;
  }
};

}  // namespace ballot
