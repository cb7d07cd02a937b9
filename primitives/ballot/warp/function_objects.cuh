// SPDX-License-Identifier: Apache-2.0
// Calls of the caller's function objects in kernels: operators, predicates, key functions.
//
//     std::plus<>{} of two bytes is an int    combine returns a byte: the type of the sums
//     [](int x) mutable { ... }               call copies it for each call: a kernel's own is const
//
// All such calls go through this header. Device-wide scans and reductions use as_operator, which
// makes an operator that a kernel can use like one of core/operators.hpp.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/simt/simt.cuh>

namespace ballot {
namespace detail {

// f(args...). If f is not callable as const, a copy is called, and its changes are lost.
template <class F, class... Args>
__device__ __forceinline__ auto call(const F& f, const Args&... args) {
  if constexpr (requires { f(args...); }) {
    return f(args...);
  } else {
    F own = f;
    return own(args...);
  }
}

// op(a, b), converted to T.
template <class Op, class T>
__device__ __forceinline__ T combine(const Op& op, const T& a, const T& b) {
  return static_cast<T>(call(op, a, b));
}

// An operator of the caller in the form that device-wide kernels take.
template <class T, class Op>
struct operator_on {
  Op op;
  __device__ __forceinline__ T operator()(const T& a, const T& b) const { return combine(op, a, b); }
};

template <class T, class Op>
auto as_operator(const Op& op) {
  if constexpr (accepts_any_operand<Op, T>) return op;
  else return operator_on<T, Op>{op};
}

}  // namespace detail

template <class T, class Op>
inline constexpr bool is_commutative<detail::operator_on<T, Op>, T> = is_commutative<Op, T>;

}  // namespace ballot
