// SPDX-License-Identifier: Apache-2.0
// The operator of arg_min and arg_max: reduces pairs of index and value by the better value, then the lower index.
// That is associative and commutative, so ties have one answer in every order of the items.
//
// Within a loaded vector a lane compares the values alone and keeps an offset known at compile time; the 64-bit index
// is added once per vector.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/device/indexed.hpp>
#include <ballot/simt/simt.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot {
namespace device {

// Whether `a` precedes `b`; a NaN follows every number.
struct is_less {
  template <class T>
  static __device__ __forceinline__ bool before(const T& a, const T& b) {
    if constexpr (std::is_floating_point_v<T>) return a < b || (b != b && a == a);
    else return a < b;
  }
};
struct is_greater {
  template <class T>
  static __device__ __forceinline__ bool before(const T& a, const T& b) {
    if constexpr (std::is_floating_point_v<T>) return b < a || (b != b && a == a);
    else return b < a;
  }
};

// Both the values of the reduction (compare items_as) and its operator.
template <class T, class Order>
struct first_of {
  using value_type = indexed<T>;
  static_assert(sizeof(value_type) <= 16, "items of at most 8 bytes");

  static __device__ __forceinline__ value_type one(const T& item, std::uint64_t index) { return {index, item}; }

  template <int Width>
  static __device__ __forceinline__ value_type fold(const simt::vector<T, Width>& item, std::uint64_t index, first_of) {
    T best = item[0];
    unsigned offset = 0;
#pragma unroll
    for (int j = 1; j < Width; ++j) {  // in the order of the indices: the first of equal items stays
      if (Order::before(item[j], best)) {
        best = item[j];
        offset = static_cast<unsigned>(j);
      }
    }
    return {index + offset, best};
  }

  // Both have an item, and all of next's have higher indices: the values alone decide.
  static __device__ __forceinline__ value_type append(const value_type& sum, const value_type& next, first_of) {
    return Order::before(next.value, sum.value) ? next : sum;
  }

  __device__ __forceinline__ value_type operator()(const value_type& a, const value_type& b) const {
    // Without branches, which the lanes of a warp would take one after the other. no_index is the largest index.
    const bool a_before = Order::before(a.value, b.value), b_before = Order::before(b.value, a.value);
    const bool by_index = (a_before == b_before) | (a.index == no_index) | (b.index == no_index);
    const bool takes_a = by_index ? a.index < b.index : a_before;
    return {takes_a ? a.index : b.index, takes_a ? a.value : b.value};
  }
};

}  // namespace device

template <class T, class Order>
inline constexpr bool is_commutative<device::first_of<T, Order>, indexed<T>> = true;
template <class T, class Order>
inline constexpr bool detail::accepts_any_operand<device::first_of<T, Order>, indexed<T>> = true;

}  // namespace ballot
