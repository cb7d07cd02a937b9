// How kernels call function objects of the caller's: operators, predicates, key functions.
//
//     std::plus<>{} of two bytes is an int        combine gives a byte again: the type that sums are taken in
//     [](int x) mutable { ... }                   call takes a copy for each call, for a kernel's own is const
//
// All calls of them go through here, the device-wide scans' and reductions' by way of as_operator, which makes an
// operator that a kernel can use like one of core/operators.hpp.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/simt/simt.cuh>

namespace ballot {
namespace detail {

// f(args...). Where that is not const, of a copy made for this call: what the call changes in it is gone after.
template <class F, class... Args>
__device__ __forceinline__ auto call(const F& f, const Args&... args) {
  if constexpr (requires { f(args...); }) {
    return f(args...);
  } else {
    F own = f;
    return own(args...);
  }
}

// op(a, b), made a T again.
template <class Op, class T>
__device__ __forceinline__ T combine(const Op& op, const T& a, const T& b) {
  return static_cast<T>(call(op, a, b));
}

// An operator of the caller's as the device-wide kernels take it.
template <class T, class Op>
struct operator_on {
  Op op;
  __device__ __forceinline__ T operator()(const T& a, const T& b) const { return combine(op, a, b); }
};

template <class T, class Op>
auto as_operator(const Op& op) {
  if constexpr (is_harmless<Op, T>) return op;
  else return operator_on<T, Op>{op};
}

}  // namespace detail

template <class T, class Op>
inline constexpr bool is_commutative<detail::operator_on<T, Op>, T> = is_commutative<Op, T>;

}  // namespace ballot
