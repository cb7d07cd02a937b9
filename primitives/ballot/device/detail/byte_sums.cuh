// SPDX-License-Identifier: Apache-2.0
// Sums of bytes, four at a time: the items of a vector stay packed in words.
//
// The dot product of a word's bytes with k ones and zeros is the sum of k bytes. So the four
// inclusive sums of a word are four instructions, and packing their lowest bytes takes three more.
// Item by item, each byte would be extracted, added and inserted again.
//
//     word d c b a    . 0 0 0 1 = a    . 0 0 1 1 = a+b    . 0 1 1 1 = a+b+c    . 1 1 1 1 = a+b+c+d
//
// Sums are taken modulo 2^32 and truncated to a byte in the end: bytes wrap as by `plus`, signed
// ones too.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::device {

template <class T, int Width>
struct [[gnu::may_alias]] alignas(Width <= 16 ? Width : 16) packed_bytes {
  static_assert(sizeof(T) == 1 && Width % 4 == 0);
  static constexpr int words = Width / 4;
  std::uint32_t word[words];

  __device__ __forceinline__ T operator[](int i) const { return static_cast<T>(word[i / 4] >> 8 * (i % 4)); }
};

// Whether op of items of T, Width at a time, is a sum of bytes.
template <class T, int Width, class Op>
inline constexpr bool sums_bytes =
    sizeof(T) == 1 && std::is_integral_v<T> && !std::is_same_v<T, bool> && std::is_same_v<Op, plus> && Width % 4 == 0;

template <class T, int Width>
__device__ __forceinline__ packed_bytes<T, Width> reversed(const packed_bytes<T, Width>& v) {
  packed_bytes<T, Width> r;
#pragma unroll
  for (int w = 0; w < v.words; ++w) r.word[w] = simt::pick_bytes(v.word[v.words - 1 - w], 0, 0x0123);
  return r;
}

template <class T, int Width>
__device__ __forceinline__ T sum_of_vector(const packed_bytes<T, Width>& v, plus) {
  std::uint32_t sum = 0;
#pragma unroll
  for (int w = 0; w < v.words; ++w) sum = simt::dot_bytes(v.word[w], 0x01010101, sum);
  return static_cast<T>(sum);
}

// The inclusive or exclusive sums along a vector, with `prefix` added to all.
template <bool Inclusive, class T, int Width>
__device__ __forceinline__ packed_bytes<T, Width> sums_along(const packed_bytes<T, Width>& v, std::uint32_t prefix) {
  packed_bytes<T, Width> sums;
#pragma unroll
  for (int w = 0; w < v.words; ++w) {
    const std::uint32_t sum_to_0 = simt::dot_bytes(v.word[w], 0x00000001, prefix);
    const std::uint32_t sum_to_1 = simt::dot_bytes(v.word[w], 0x00000101, prefix);
    const std::uint32_t sum_to_2 = simt::dot_bytes(v.word[w], 0x00010101, prefix);
    const std::uint32_t sum_to_3 = simt::dot_bytes(v.word[w], 0x01010101, prefix);
    const std::uint32_t low = simt::pick_bytes(Inclusive ? sum_to_0 : prefix, Inclusive ? sum_to_1 : sum_to_0, 0x0040);
    const std::uint32_t high =
        simt::pick_bytes(Inclusive ? sum_to_2 : sum_to_1, Inclusive ? sum_to_3 : sum_to_2, 0x0040);
    sums.word[w] = simt::pick_bytes(low, high, 0x5410);
    prefix = sum_to_3;
  }
  return sums;
}
template <class T, int Width>
__device__ __forceinline__ packed_bytes<T, Width> inclusive_along(const packed_bytes<T, Width>& v, bool has_prefix,
                                                                  T prefix, plus) {
  return sums_along<true>(v, has_prefix ? static_cast<std::uint32_t>(prefix) : 0u);
}
template <class T, int Width>
__device__ __forceinline__ packed_bytes<T, Width> exclusive_along(const packed_bytes<T, Width>& v, T prefix, plus) {
  return sums_along<false>(v, static_cast<std::uint32_t>(prefix));
}

}  // namespace ballot::device
