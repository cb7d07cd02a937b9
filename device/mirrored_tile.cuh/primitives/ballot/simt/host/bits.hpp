// Counting and finding bits, for words of 32 and of 64 bits.
#pragma once

#include <ballot/core/namespace.hpp>
#include <bit>
#include <concepts>

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

}  // namespace ballot::simt
