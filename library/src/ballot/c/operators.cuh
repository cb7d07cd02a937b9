// SPDX-License-Identifier: Apache-2.0
// Operators, predicates and relations that learn at run time what their operands are. So a kernel is compiled for a
// width and serves all types of that width:
//
//     extreme<u32>    minimum and maximum of i32, u32 and float: the order is three constants (core/key_order.hpp)
//     bitwise<u32>    and, or, xor: two masks
//     comparison<u32> x < v, x == v, ... of the three types; v is an argument or lies on the device
//     same<u32>       equality of the three types
//
// Sums differ: those of integers are shared by sign, those of floats have a type each. The 16-bit floats are added as
// floats and rounded, which gives the same bits as an addition in 16 bits.
#pragma once

#include <ballot/c/types.hpp>
#include <ballot/core/config.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/device/detail/reduce_arg.cuh>
#include <ballot/device/detail/scan_launch.cuh>
#include <ballot/simt/simt.cuh>

namespace ballot_c {

// The lesser by the codec's order: minimum, and by a descending codec maximum. NaNs come last, so numbers win.
template <class U>
struct extreme {
  ballot::key_codec<U> codec;
  BALLOT_HOST_DEVICE U operator()(const U& a, const U& b) const { return codec.encode(b) < codec.encode(a) ? b : a; }
};

template <class U>
struct bitwise {
  U both, either;  // and: ~0, 0; or: ~0, ~0; xor: 0, ~0
  BALLOT_HOST_DEVICE U operator()(const U& a, const U& b) const {
    return static_cast<U>((a & b & both) | ((a ^ b) & either));
  }
};

// Numbers in their order, with one zero and one NaN, the last.
template <class U>
struct numbers {
  ballot::key_codec<U> codec;
  U magnitude_mask, infinity;  // 0 for integers

  BALLOT_HOST_DEVICE bool is_nan(U raw) const {
    return magnitude_mask != 0 && static_cast<U>(raw & magnitude_mask) > infinity;
  }
  BALLOT_HOST_DEVICE U rank(U raw) const {
    if (magnitude_mask != 0) {
      const U magnitude = static_cast<U>(raw & magnitude_mask);
      if (magnitude == 0) raw = 0;
      if (magnitude > infinity) return static_cast<U>(~U{0});
    }
    return codec.encode(raw);
  }
};
template <class U>
numbers<U> numbers_of(const type_info& type, ballot::direction direction = ballot::direction::ascending) {
  return {codec_of<U>(type, direction), magnitude_mask_of<U>(type), infinity_of<U>(type)};
}

// Which of these outcomes select an item.
enum outcome : unsigned { is_less = 1, is_equal = 2, is_greater = 4, is_unordered = 8 };

template <class U>
struct comparison {
  numbers<U> of;
  const U* device_value;  // null: `value`
  U value;
  unsigned selects;  // of outcomes

  BALLOT_HOST_DEVICE bool operator()(const U& item) const {
    const U limit = device_value != nullptr ? *device_value : value;
    const U a = of.rank(item), b = of.rank(limit);
    const unsigned found = of.is_nan(item) || of.is_nan(limit) ? is_unordered
                           : a < b                             ? is_less
                           : a == b                            ? is_equal
                                                               : is_greater;
    return (selects & found) != 0;
  }
};

// Equality: zeros are equal, NaNs are not.
template <class U>
struct same {
  U magnitude_mask, infinity;
  BALLOT_HOST_DEVICE bool operator()(const U& a, const U& b) const {
    if (a == b) return magnitude_mask == 0 || static_cast<U>(a & magnitude_mask) <= infinity;
    return magnitude_mask != 0 && static_cast<U>((a | b) & magnitude_mask) == 0;
  }
};

// Both values and operator of arg_min and arg_max, as device/detail/reduce_arg.cuh has them for types.
template <class U>
struct first_by {
  using value_type = ballot::indexed<U>;
  numbers<U> of;

  static __device__ __forceinline__ value_type one(const U& item, u64 index) { return {index, item}; }

  template <int Width>
  static __device__ __forceinline__ value_type fold(const ballot::simt::vector<U, Width>& item, u64 index,
                                                    const first_by& by) {
    U best = item[0], best_rank = by.of.rank(item[0]);
    unsigned offset = 0;
#pragma unroll
    for (int j = 1; j < Width; ++j) {
      const U rank = by.of.rank(item[j]);
      if (rank < best_rank) {
        best = item[j];
        best_rank = rank;
        offset = static_cast<unsigned>(j);
      }
    }
    return {index + offset, best};
  }

  // Both have an item, and all of next's have higher indices.
  static __device__ __forceinline__ value_type append(const value_type& sum, const value_type& next,
                                                      const first_by& by) {
    return by.of.rank(next.value) < by.of.rank(sum.value) ? next : sum;
  }

  __device__ __forceinline__ value_type operator()(const value_type& a, const value_type& b) const {
    if (a.index == ballot::no_index || b.index == ballot::no_index) return a.index == ballot::no_index ? b : a;
    const U rank_a = of.rank(a.value), rank_b = of.rank(b.value);
    if (rank_a != rank_b) return rank_a < rank_b ? a : b;
    return a.index < b.index ? a : b;
  }
};

// A float of 16 bits, with so many bits of mantissa: 10 or 7.
template <int MantissaBits>
struct short_float {
  u16 bits;

  short_float() = default;
  BALLOT_HOST_DEVICE explicit short_float(float x) : bits(rounded(x)) {}

  BALLOT_HOST_DEVICE explicit operator float() const {
#ifdef __CUDA_ARCH__
    if constexpr (MantissaBits == 10) {
      float x;
      asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
      return x;
    }
#endif
    const u32 sign = static_cast<u32>(bits & 0x8000u) << 16, magnitude = bits & 0x7fffu;
    if constexpr (MantissaBits == 7) {
      return __builtin_bit_cast(float, sign | magnitude << 16);
    } else {
      // The product moves the exponent, and makes subnormal numbers normal.
      const u32 special = magnitude >= 0x7c00u ? 0x7f800000u : 0u;  // infinity and NaNs keep the largest exponent
      const float scaled = __builtin_bit_cast(float, magnitude << 13) * 0x1p112f;
      return __builtin_bit_cast(float, __builtin_bit_cast(u32, scaled) | special | sign);
    }
  }
  friend BALLOT_HOST_DEVICE short_float operator+(const short_float& a, const short_float& b) {
    return short_float(static_cast<float>(a) + static_cast<float>(b));
  }

 private:
  static BALLOT_HOST_DEVICE u16 rounded(float x) {
#ifdef __CUDA_ARCH__
    u16 y;
    if constexpr (MantissaBits == 10) {
      asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x));
      return y;
    }
#  if __CUDA_ARCH__ >= 800
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(x));
    return y;
#  endif
#endif
    return round(__builtin_bit_cast(u32, x));
  }
  // To the nearest, ties to even.
  static BALLOT_HOST_DEVICE u16 round(u32 x) {
    const u32 sign = x >> 16 & 0x8000u, magnitude = x & 0x7fffffffu;
    if constexpr (MantissaBits == 7) {
      if (magnitude > 0x7f800000u) return 0x7fffu;  // NaN
      return static_cast<u16>(sign | (magnitude + 0x7fffu + (magnitude >> 16 & 1u)) >> 16);
    } else {
      // The addition rounds: its other operand is so large that the sum has 10 bits of this number's mantissa left. The
      // first product takes what is too large to infinity. (The way of M. Dukhan's FP16.)
      if (magnitude > 0x7f800000u) return 0x7fffu;
      const float base = __builtin_bit_cast(float, magnitude) * 0x1p112f * 0x1p-110f;
      const u32 exponent = magnitude & 0x7f800000u, least = 0x38800000u;
      const u32 rounder = (exponent < least ? least : exponent) + 0x07800000u;
      const u32 sum = __builtin_bit_cast(u32, __builtin_bit_cast(float, rounder) + base);
      return static_cast<u16>(sign | ((sum >> 13 & 0x7c00u) + (sum & 0xfffu)));
    }
  }
};
using float16 = short_float<10>;
using bfloat16 = short_float<7>;
template <class T>
inline constexpr bool is_short_float = false;
template <int M>
inline constexpr bool is_short_float<short_float<M>> = true;

}  // namespace ballot_c

// What the library knows of its own operators: they commute, are exact, and take any operand.
namespace ballot {

template <class U>
inline constexpr bool is_commutative<ballot_c::extreme<U>, U> = true;
template <class U>
inline constexpr bool is_commutative<ballot_c::bitwise<U>, U> = true;
template <class U>
inline constexpr bool is_commutative<ballot_c::first_by<U>, indexed<U>> = true;
template <int M>
inline constexpr bool is_commutative<plus, ballot_c::short_float<M>> = true;

namespace detail {

template <class U>
inline constexpr bool accepts_any_operand<ballot_c::extreme<U>, U> = true;
template <class U>
inline constexpr bool accepts_any_operand<ballot_c::bitwise<U>, U> = true;
template <class U>
inline constexpr bool accepts_any_operand<ballot_c::first_by<U>, indexed<U>> = true;
template <class U>
inline constexpr bool accepts_any_operand<ballot_c::same<U>, U> = true;
template <int M>
inline constexpr bool is_number<ballot_c::short_float<M>> = true;
template <class U>
inline constexpr bool is_exact<U, ballot_c::extreme<U>> = true;
template <class U>
inline constexpr bool is_exact<U, ballot_c::bitwise<U>> = true;

}  // namespace detail
}  // namespace ballot
