// SPDX-License-Identifier: Apache-2.0
// Small integer arithmetic for sizes, which are 64-bit everywhere.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

BALLOT_HOST_DEVICE constexpr std::uint64_t ceil_div(std::uint64_t n, std::uint64_t d) { return n / d + (n % d != 0); }

BALLOT_HOST_DEVICE constexpr std::uint64_t smaller(std::uint64_t a, std::uint64_t b) { return a < b ? a : b; }
BALLOT_HOST_DEVICE constexpr std::uint64_t larger(std::uint64_t a, std::uint64_t b) { return a < b ? b : a; }

// a * b. If that does not fit 64 bits: the largest number, which is more than any memory holds.
BALLOT_HOST_DEVICE constexpr std::uint64_t product_or_most(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > ~std::uint64_t{0} / b ? ~std::uint64_t{0} : a * b;
}

// The largest or smallest of some numbers of one type. std::min and std::max of a list need
// <algorithm>, whose inclusion would be a tenth of the compile time of a call.
template <class T, class... More>
BALLOT_HOST_DEVICE constexpr T smallest_of(T first, More... more) {
  static_assert((std::is_same_v<T, More> && ...));
  ((first = more < first ? more : first), ...);
  return first;
}
template <class T, class... More>
BALLOT_HOST_DEVICE constexpr T largest_of(T first, More... more) {
  static_assert((std::is_same_v<T, More> && ...));
  ((first = first < more ? more : first), ...);
  return first;
}

// Integers of 128 bits. std::is_integral includes them only in GNU modes.
__extension__ typedef __int128 signed_of_128_bits;
__extension__ typedef unsigned __int128 unsigned_of_128_bits;
template <class T>
inline constexpr bool has_128_bits = std::is_same_v<T, signed_of_128_bits> || std::is_same_v<T, unsigned_of_128_bits>;

}  // namespace ballot::detail
