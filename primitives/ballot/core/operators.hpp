// Operators of scans and reductions. Any associative function object of two items will do; it need not be commutative,
// no identity is asked for, and its operator() need not be const: then each call is one of a fresh copy. What it gives is
// converted back (static_cast) to the type that sums are taken in, each time.
//
// It is called on sums of neighbouring items and on `initial`, in their order, and on nothing else; where it is known to
// commute, on sums of any items. Items past the end, and what stands in for them, it does not meet.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

#include <type_traits>

// CUDA's short floats; their headers are not needed for what is said of them here.
struct __half;
struct __nv_bfloat16;

namespace ballot {

// Integers wrap, the signed ones too: their sum is taken modulo 2^bits, where a + b would be undefined.
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

// Of floats, a NaN gives way to any number, so that these two are associative there as well.
struct minimum {
  template <class T>
  BALLOT_HOST_DEVICE T operator()(const T& a, const T& b) const {
    if constexpr (std::is_floating_point_v<T>) return b < a || a != a ? b : a;
    else return b < a ? b : a;
  }
};

struct maximum {
  template <class T>
  BALLOT_HOST_DEVICE T operator()(const T& a, const T& b) const {
    if constexpr (std::is_floating_point_v<T>) return a < b || a != a ? b : a;
    else return a < b ? b : a;
  }
};

// The bits that both have, that either has, that exactly one of them has. For integers.
struct bit_and {
  template <class T>
  BALLOT_HOST_DEVICE T operator()(const T& a, const T& b) const {
    return static_cast<T>(a & b);
  }
};

struct bit_or {
  template <class T>
  BALLOT_HOST_DEVICE T operator()(const T& a, const T& b) const {
    return static_cast<T>(a | b);
  }
};

struct bit_xor {
  template <class T>
  BALLOT_HOST_DEVICE T operator()(const T& a, const T& b) const {
    return static_cast<T>(a ^ b);
  }
};

// Whether two items are the same, where nothing else is given.
struct equal_to {
  template <class T>
  BALLOT_HOST_DEVICE bool operator()(const T& a, const T& b) const {
    return a == b;
  }
};

// Whether op(a, b) and op(b, a) are the same for items of type T: a reduction may then take items in another order, which
// needs fewer steps. True for what is known to be so; specialise it for an operator of your own.
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

template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T>;
template <>
inline constexpr bool is_number<::__half> = true;
template <>
inline constexpr bool is_number<::__nv_bfloat16> = true;

// Whether op may be called on any values of type T where its result is left aside: so it is for those known here. They may
// meet what stands in for items past the end, where leaving that out would cost instructions.
template <class Op, class T>
inline constexpr bool is_harmless = false;
template <class T>
inline constexpr bool is_harmless<plus, T> = is_number<T>;
template <class T>
inline constexpr bool is_harmless<minimum, T> = is_number<T>;
template <class T>
inline constexpr bool is_harmless<maximum, T> = is_number<T>;
template <class T>
inline constexpr bool is_harmless<bit_and, T> = std::is_integral_v<T>;
template <class T>
inline constexpr bool is_harmless<bit_or, T> = std::is_integral_v<T>;
template <class T>
inline constexpr bool is_harmless<bit_xor, T> = std::is_integral_v<T>;
template <class T>
inline constexpr bool is_harmless<equal_to, T> = is_number<T>;

}  // namespace detail

}  // namespace ballot
