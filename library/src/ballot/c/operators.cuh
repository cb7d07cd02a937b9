// SPDX-License-Identifier: Apache-2.0
// Operators, predicates and relations that learn at run time what their operands are. So a kernel
// is compiled for a width and serves all types of that width:
//
//     extreme<u32>    minimum and maximum of i32, u32 and float: the order is three constants
//                     (core/key_order.hpp)
//     bitwise<u32>    and, or, xor: two masks
//     comparison<u32> x < v, x == v, ... of the three types; v is an argument or lies on the device
//     same<u32>       equality of the three types
//
// Sums differ: those of integers are shared by sign, those of floats have a type each. The 16-bit
// floats are added as floats and rounded, which gives the same bits as an addition in 16 bits.
#pragma once

#include <ballot/c/types.hpp>
#include <ballot/core/config.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/device/detail/reduce_arg.cuh>
#include <ballot/device/detail/scan_launch.cuh>
#include <ballot/simt/short_floats.cuh>
#include <ballot/simt/simt.cuh>

namespace ballot_c {

// The lesser by the codec's order: minimum, and by a descending codec maximum. NaNs come last, so
// numbers win.
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

// Both values and operator of arg_min and arg_max, as device/detail/reduce_arg.cuh has them for
// types.
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
  static_assert(MantissaBits == 7 || MantissaBits == 10);
  u16 bits;

  short_float() = default;
  BALLOT_HOST_DEVICE explicit short_float(float x)
      : bits(MantissaBits == 7 ? ballot::simt::bfloat_of_float(x) : ballot::simt::half_of_float(x)) {}

  BALLOT_HOST_DEVICE explicit operator float() const {
    return MantissaBits == 7 ? ballot::simt::float_of_bfloat(bits) : ballot::simt::float_of_half(bits);
  }
  friend BALLOT_HOST_DEVICE short_float operator+(const short_float& a, const short_float& b) {
    return short_float(static_cast<float>(a) + static_cast<float>(b));
  }
};
using float16 = short_float<10>;
using bfloat16 = short_float<7>;
template <class T>
inline constexpr bool is_short_float = false;
template <int M>
inline constexpr bool is_short_float<short_float<M>> = true;

}  // namespace ballot_c

// The library's own operators commute, are exact, and take any operand.
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
