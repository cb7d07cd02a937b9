// Operators of scans and reductions. Any associative function object of two items will do; it need not be commutative, and no
// identity is asked for.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/config.hpp>

namespace ballot {

struct plus {
  template <class T>
  BALLOT_HOST_DEVICE T operator()(const T& a, const T& b) const { return static_cast<T>(a + b); }
};

struct minimum {
  template <class T>
  BALLOT_HOST_DEVICE T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};

struct maximum {
  template <class T>
  BALLOT_HOST_DEVICE T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};

}  // namespace ballot
