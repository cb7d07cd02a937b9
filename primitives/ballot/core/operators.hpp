// SPDX-License-Identifier: Apache-2.0
// Operators of scans and reductions. An operator is any associative function object of two items.
// It need not be commutative, needs no identity, and its operator() need not be const: without
// const, each call is made on a fresh copy. Each result is converted back (static_cast) to the type
// of the sums.
//
// The library calls an operator only on `initial` and on sums of adjacent items, in their order. If
// the operator is known to commute, it may be called on sums of any items. An operator of your own
// is never called on items past the end, nor on values that take the place of such items.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

#include <type_traits>

// CUDA's floats of 16 bits. The traits below need no header of theirs.
struct __half;
struct __nv_bfloat16;

namespace ballot {
namespace detail {

template <class T>
inline constexpr bool is_float = std::is_floating_point_v<T>;
template <>
inline constexpr bool is_float<::__half> = true;
template <>
inline constexpr bool is_float<::__nv_bfloat16> = true;

template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> || is_float<T>;

}  // namespace detail

// Integers wrap, signed ones too: the sum is taken modulo 2^bits. For signed integers a + b would
// be undefined.
struct plus {
  template <class T>
  BALLOT_HOST_DEVICE T operator()(const T& a, const T& b) const {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
    } else {
      return static_cast<T>(a + b);
    }
  }
};

// minimum and maximum of a number and a NaN are the number. So both are associative for floats,
// too.
struct minimum {
  template <class T>
  BALLOT_HOST_DEVICE T operator()(const T& a, const T& b) const {
    if constexpr (detail::is_float<T>) return b < a || a != a ? b : a;
    else return b < a ? b : a;
  }
};

/// The larger of two. With floats, the result of a number and a NaN is the number.
struct maximum {
  /// The larger one.
  template <class T>
  BALLOT_HOST_DEVICE T operator()(const T& a, const T& b) const {
    if constexpr (detail::is_float<T>) return a < b || a != a ? b : a;
    else return a < b ? b : a;
  }
};

// Bits of integers: set in both, in at least one, in exactly one.
struct bit_and {
  template <class T>
  BALLOT_HOST_DEVICE T operator()(const T& a, const T& b) const {
    return static_cast<T>(a & b);
  }
};

/// The bits that either has. For integers.
struct bit_or {
  /// a | b.
  template <class T>
  BALLOT_HOST_DEVICE T operator()(const T& a, const T& b) const {
    return static_cast<T>(a | b);
  }
};

/// The bits that exactly one of two has. For integers.
struct bit_xor {
  /// a ^ b.
  template <class T>
  BALLOT_HOST_DEVICE T operator()(const T& a, const T& b) const {
    return static_cast<T>(a ^ b);
  }
};

// The default relation: whether two items are equal.
struct equal_to {
  template <class T>
  BALLOT_HOST_DEVICE bool operator()(const T& a, const T& b) const {
    return a == b;
  }
};

// Whether op(a, b) and op(b, a) are the same for items of type T. If so, a reduction may take items
// in another order, which needs fewer steps. False unless it is known; specialise it for an
// operator of your own.
template <class Op, class T>
inline constexpr bool is_commutative = false;
template <class T>
inline constexpr bool is_commutative<plus, T> = std::is_arithmetic_v<T>;
template <class T>
inline constexpr bool is_commutative<minimum, T> = std::is_arithmetic_v<T>;
template <class T>
inline constexpr bool is_commutative<maximum, T> = std::is_arithmetic_v<T>;
template <class T>
inline constexpr bool is_commutative<bit_and, T> = std::is_integral_v<T>;
template <class T>
inline constexpr bool is_commutative<bit_or, T> = std::is_integral_v<T>;
template <class T>
inline constexpr bool is_commutative<bit_xor, T> = std::is_integral_v<T>;

namespace detail {

// The size of the largest type of a sum, for scans and reductions.
inline constexpr int most_sum_bytes = 32;

// Whether op may be called on any values of type T, if the result is not used. True for the
// operators of this header. They are called on values that take the place of items past the end,
// because a condition would cost instructions.
template <class Op, class T>
inline constexpr bool accepts_any_operand = false;
template <class T>
inline constexpr bool accepts_any_operand<plus, T> = is_number<T>;
template <class T>
inline constexpr bool accepts_any_operand<minimum, T> = is_number<T>;
template <class T>
inline constexpr bool accepts_any_operand<maximum, T> = is_number<T>;
template <class T>
inline constexpr bool accepts_any_operand<bit_and, T> = std::is_integral_v<T>;
template <class T>
inline constexpr bool accepts_any_operand<bit_or, T> = std::is_integral_v<T>;
template <class T>
inline constexpr bool accepts_any_operand<bit_xor, T> = std::is_integral_v<T>;
template <class T>
inline constexpr bool accepts_any_operand<equal_to, T> = is_number<T>;

}  // namespace detail

}  // namespace ballot
