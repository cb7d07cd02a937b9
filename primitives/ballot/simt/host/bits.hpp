// SPDX-License-Identifier: Apache-2.0
// Counting and finding bits, for words of 32 and of 64 bits; the bytes of words.
#pragma once

#include <ballot/core/namespace.hpp>
#include <bit>
#include <concepts>
#include <cstdint>

#include <ballot/simt/host/machine.hpp>

namespace ballot::simt {

namespace detail {
template <class T>
concept word = std::unsigned_integral<T> && (sizeof(T) == 4 || sizeof(T) == 8);
}

/// How many bits are set.
template <detail::word T>
inline unsigned popcount(T v) {
  return unsigned(std::popcount(v));
}
/// How many bits above the highest set one; all of them for 0.
template <detail::word T>
inline unsigned leading_zeros(T v) {
  return unsigned(std::countl_zero(v));
}
/// The index of the lowest set bit, -1 for 0.
template <detail::word T>
inline int find_first(T v) {
  return v == 0 ? -1 : std::countr_zero(v);
}
/// The bits in reverse.
template <detail::word T>
inline T reverse_bits(T v) {
  T r = 0;
  for (unsigned i = 0; i < sizeof(T) * 8; i++, v = T(v >> 1)) r = T(r << 1 | (v & 1));
  return r;
}

/// `sum` and the four products of the bytes of two words, all unsigned.
inline std::uint32_t dot_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t sum) {
  for (unsigned bit = 0; bit < 32; bit += 8) sum += (a >> bit & 0xff) * (b >> bit & 0xff);
  return sum;
}
/// The four bytes that the nibbles of `which` name, from the lowest: 0 to 3 those of `low`, 4 to 7
/// those of `high`.
inline std::uint32_t pick_bytes(std::uint32_t low, std::uint32_t high, std::uint32_t which) {
  const std::uint64_t both = std::uint64_t{high} << 32 | low;
  std::uint32_t picked = 0;
  for (unsigned i = 0; i < 4; i++) picked |= std::uint32_t(both >> 8 * (which >> 4 * i & 7) & 0xff) << 8 * i;
  return picked;
}

}  // namespace ballot::simt
