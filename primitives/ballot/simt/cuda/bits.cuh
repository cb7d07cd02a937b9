// SPDX-License-Identifier: Apache-2.0
// Counting and finding bits, for words of 32 and of 64 bits; the bytes of words.
#pragma once

#include <ballot/core/namespace.hpp>
#include <concepts>
#include <cstdint>

#include <cuda_runtime.h>

#include <ballot/simt/common.hpp>

namespace ballot::simt {

namespace detail {
template <class T>
concept word = std::unsigned_integral<T> && (sizeof(T) == 4 || sizeof(T) == 8);
}

/// How many bits are set.
template <detail::word T>
__device__ __forceinline__ unsigned popcount(T v) {
  if constexpr (sizeof(T) == 4) return unsigned(__popc(v));
  else return unsigned(__popcll(v));
}
/// How many bits above the highest set one; all of them for 0.
template <detail::word T>
__device__ __forceinline__ unsigned leading_zeros(T v) {
  if constexpr (sizeof(T) == 4) return unsigned(__clz(int(v)));
  else return unsigned(__clzll((long long)(v)));
}
/// The index of the lowest set bit, -1 for 0.
template <detail::word T>
__device__ __forceinline__ int find_first(T v) {
  if constexpr (sizeof(T) == 4) return __ffs(int(v)) - 1;
  else return __ffsll((long long)(v)) - 1;
}
/// The bits in reverse.
template <detail::word T>
__device__ __forceinline__ T reverse_bits(T v) {
  if constexpr (sizeof(T) == 4) return T(__brev(v));
  else return T(__brevll(v));
}

/// `sum` and the four products of the bytes of two words, all unsigned.
__device__ __forceinline__ std::uint32_t dot_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t sum) {
  return __dp4a(a, b, sum);
}
/// The four bytes that the nibbles of `which` name, from the lowest: 0 to 3 those of `low`, 4 to 7
/// those of `high`.
__device__ __forceinline__ std::uint32_t pick_bytes(std::uint32_t low, std::uint32_t high, std::uint32_t which) {
  return __byte_perm(low, high, which);
}

}  // namespace ballot::simt
