// Operators of scans and reductions. Any associative function object of two items will do; it need not be commutative,
// and no identity is asked for.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

#include <type_traits>

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

struct minimum {
  template <class T>
  BALLOT_HOST_DEVICE T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};

struct maximum {
  template <class T>
  BALLOT_HOST_DEVICE T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
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

}  // namespace ballot
