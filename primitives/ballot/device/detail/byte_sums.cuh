// Sums of bytes four at a time: the items of a vector stay in their words.
//
// One dot product of a word's bytes with ones and zeros is the sum of as many of them as there are ones, so the four
// inclusive sums of a word are four instructions, and putting their lowest bytes together three more. Item by item each
// byte would be taken out, added and put back.
//
//     word d c b a     . 0 0 0 1 = a     . 0 0 1 1 = a+b     . 0 1 1 1 = a+b+c     . 1 1 1 1 = a+b+c+d
//
// Sums are taken modulo 2^32 and cut to a byte in the end: bytes wrap as `plus` says, signed ones too.
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

// Whether op of items of T, Width at a time, can be taken so.
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

// The sums along a vector, with `before` before all: up to and with each byte, or up to it.
template <bool Inclusive, class T, int Width>
__device__ __forceinline__ packed_bytes<T, Width> sums_along(const packed_bytes<T, Width>& v, std::uint32_t before) {
  packed_bytes<T, Width> sums;
#pragma unroll
  for (int w = 0; w < v.words; ++w) {
    const std::uint32_t up_to_0 = simt::dot_bytes(v.word[w], 0x00000001, before);
    const std::uint32_t up_to_1 = simt::dot_bytes(v.word[w], 0x00000101, before);
    const std::uint32_t up_to_2 = simt::dot_bytes(v.word[w], 0x00010101, before);
    const std::uint32_t up_to_3 = simt::dot_bytes(v.word[w], 0x01010101, before);
    const std::uint32_t low = simt::pick_bytes(Inclusive ? up_to_0 : before, Inclusive ? up_to_1 : up_to_0, 0x0040);
    const std::uint32_t high = simt::pick_bytes(Inclusive ? up_to_2 : up_to_1, Inclusive ? up_to_3 : up_to_2, 0x0040);
    sums.word[w] = simt::pick_bytes(low, high, 0x5410);
    before = up_to_3;
  }
  return sums;
}
template <class T, int Width>
__device__ __forceinline__ packed_bytes<T, Width> inclusive_along(const packed_bytes<T, Width>& v, bool has_before,
                                                                  T before, plus) {
  return sums_along<true>(v, has_before ? static_cast<std::uint32_t>(before) : 0u);
}
template <class T, int Width>
__device__ __forceinline__ packed_bytes<T, Width> exclusive_along(const packed_bytes<T, Width>& v, T before, plus) {
  return sums_along<false>(v, static_cast<std::uint32_t>(before));
}

}  // namespace ballot::device
