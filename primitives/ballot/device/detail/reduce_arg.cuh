// SPDX-License-Identifier: Apache-2.0
// The operator of arg_min and arg_max: reduces pairs of index and value by the better value, then
// the lower index. That is associative and commutative, so ties have one answer in every order of
// the items.
//
// Within a loaded vector a lane compares only the values, and keeps an offset known at compile
// time. The 64-bit index is added once per vector. A warp finds the best value first, and then the
// lowest index among the lanes that have it. It uses the hardware's reductions of words, an
// instruction or two for each. A tree of pairs would take five rounds of shuffles.
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/device/detail/reduce_range.cuh>
#include <ballot/device/indexed.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/function_objects.cuh>
#include <ballot/warp/hardware_reduction.cuh>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot {
namespace device {

// Whether `a` precedes `b`; a NaN follows every number.
struct is_less {
  template <class T>
  static __device__ __forceinline__ bool before(const T& a, const T& b) {
    if constexpr (ballot::detail::is_float<T>) return a < b || (b != b && a == a);
    else return a < b;
  }
};
struct is_greater {
  template <class T>
  static __device__ __forceinline__ bool before(const T& a, const T& b) {
    if constexpr (ballot::detail::is_float<T>) return b < a || (b != b && a == a);
    else return b < a;
  }
};

// The order of a caller's comparison, and its reverse.
template <class Less>
struct is_less_by {
  Less less;
  template <class T>
  __device__ __forceinline__ bool before(const T& a, const T& b) const {
    return static_cast<bool>(ballot::detail::call(less, a, b));
  }
};
template <class Less>
struct is_greater_by {
  Less less;
  template <class T>
  __device__ __forceinline__ bool before(const T& a, const T& b) const {
    return static_cast<bool>(ballot::detail::call(less, b, a));
  }
};
template <class Order>
inline constexpr bool orders_any_items = std::is_same_v<Order, is_less> || std::is_same_v<Order, is_greater>;

// Integers in the order of `Order`: -0 and +0 have the same, and all NaNs have the largest.
template <class Order, class T>
__device__ __forceinline__ auto word_in_order(T value) {
  using U = ballot::ordered_bits_t<T>;
  constexpr direction way = std::is_same_v<Order, is_less> ? direction::ascending : direction::descending;
  if constexpr (std::is_floating_point_v<T>) {
    if (value != value) return static_cast<U>(~U{0});
    return ballot::ordered_bits(equal_zeros{}(value), way);
  } else {
    return ballot::ordered_bits(value, way);
  }
}

// The smallest of the words of the lanes that take part, in every lane; all bits set if there is
// none.
template <class U>
__device__ __forceinline__ U smallest_of_warp(U word, bool takes_part, unsigned mask) {
  if constexpr (sizeof(U) <= 4) {
    return static_cast<U>(simt::reduce_min(takes_part ? static_cast<unsigned>(word) : ~0u, mask));
  } else {
    const unsigned high = static_cast<unsigned>(word >> 32), low = static_cast<unsigned>(word);
    const unsigned least_high = simt::reduce_min(takes_part ? high : ~0u, mask);
    const unsigned least_low = simt::reduce_min(takes_part && high == least_high ? low : ~0u, mask);
    return static_cast<U>(static_cast<U>(least_high) << 32 | least_low);
  }
}

// Both the values of the reduction (compare items_as) and its operator.
template <class T, class Order>
struct first_of {
  using value_type = indexed<T>;
  static_assert(sizeof(value_type) <= ballot::detail::most_sum_bytes, "items of at most 24 bytes");

  Order order;  // without [[no_unique_address]]: docs/design.md, Kernels

  static __device__ __forceinline__ value_type one(const T& item, std::uint64_t index) { return {index, item}; }

  // op: this operator, or one made of it for kernels (as_operator).
  template <int Width, class Op>
  static __device__ __forceinline__ value_type fold(const simt::vector<T, Width>& item, std::uint64_t index,
                                                    const Op& op) {
    T best = item[0];
    unsigned offset = 0;
#pragma unroll
    for (int j = 1; j < Width; ++j) {  // in the order of the indices: the first of equal items stays
      if (order_of(op).before(item[j], best)) {
        best = item[j];
        offset = static_cast<unsigned>(j);
      }
    }
    return {index + offset, best};
  }

  // Joins the first of the best items of several vectors, `stride` items apart, to `sum`, whose
  // items have lower indices. The best value costs an instruction an item. Its place is computed
  // only if it is better than the best before.
  static constexpr bool appends_vectors = orders_any_items<Order> && std::is_arithmetic_v<T>;
  template <int Count, int Width>
  static __device__ __forceinline__ void append_vectors(value_type& sum, bool has_sum,
                                                        const simt::vector<T, Width> (&item)[Count],
                                                        std::uint64_t index, unsigned stride) {
    T best = item[0][0];
#pragma unroll
    for (int c = 0; c < Count; ++c) {
      T of_vector = item[c][0];
#pragma unroll
      for (int j = 1; j < Width; ++j) of_vector = better_value(of_vector, item[c][j]);
      best = better_value(best, of_vector);
    }
    if (has_sum && !Order::before(best, sum.value)) return;
    unsigned offset = 0;
    T value = item[0][0];  // where all are NaNs
#pragma unroll
    for (int c = Count - 1; c >= 0; --c)  // the first of equal items is found last; -0 is equal to +0
#pragma unroll
      for (int j = Width - 1; j >= 0; --j)
        if (item[c][j] == best) {
          offset = static_cast<unsigned>(c) * stride + static_cast<unsigned>(j);
          value = item[c][j];
        }
    sum = {index + offset, value};
  }

  // Both have an item, and all of next's have higher indices: so only the values decide.
  template <class Op>
  static __device__ __forceinline__ value_type append(const value_type& sum, const value_type& next, const Op& op) {
    return order_of(op).before(next.value, sum.value) ? next : sum;
  }

  __device__ __forceinline__ value_type operator()(const value_type& a, const value_type& b) const {
    if constexpr (orders_any_items<Order>) {
      // There are no branches, because the lanes of a warp would take them one after the other.
      // no_index is the largest index.
      const bool a_before = order.before(a.value, b.value), b_before = order.before(b.value, a.value);
      const bool by_index = (a_before == b_before) | (a.index == no_index) | (b.index == no_index);
      const bool takes_a = by_index ? a.index < b.index : a_before;
      return {takes_a ? a.index : b.index, takes_a ? a.value : b.value};
    } else {  // a comparison of the caller's sees items alone
      if (a.index == no_index || b.index == no_index) return a.index == no_index ? b : a;
      if (order.before(a.value, b.value)) return a;
      if (order.before(b.value, a.value)) return b;
      return a.index < b.index ? a : b;
    }
  }

  // Reduces the first `lanes` lanes; the result is in every lane of the mask (warp/reduce.cuh). The
  // value is that of the item itself: a zero with its sign, a NaN with its bits.
  __device__ __forceinline__ value_type over_warp(const value_type& item, unsigned lanes, unsigned mask) const
    requires(orders_any_items<Order> && std::is_arithmetic_v<T> && sizeof(T) <= 8)
  {
    const bool has_item = simt::lane_id() < lanes && item.index != no_index;
    const auto word = word_in_order<Order>(item.value);
    const auto best = smallest_of_warp(word, has_item, mask);  // all lanes of the mask call
    const bool is_best = has_item && word == best;
    const std::uint64_t index = smallest_of_warp(item.index, is_best, mask);
    const unsigned best_lanes = simt::ballot(is_best && item.index == index, mask);
    const unsigned best_lane = best_lanes == 0 ? 0u : static_cast<unsigned>(simt::find_first(best_lanes));
    return {index, simt::shuffle(item.value, best_lane, mask)};
  }

 private:
  // A NaN gives way to any number.
  static __device__ __forceinline__ T better_value(T a, T b) {
    constexpr bool is_smaller = std::is_same_v<Order, is_less>;
    if constexpr (std::is_floating_point_v<T>) return is_smaller ? std::fmin(a, b) : std::fmax(a, b);
    else return is_smaller ? ballot::minimum{}(a, b) : ballot::maximum{}(a, b);
  }
  static __device__ __forceinline__ const Order& order_of(const first_of& op) { return op.order; }
  template <class Made>
  static __device__ __forceinline__ const Order& order_of(const Made& made) {
    return made.op.order;
  }
};

}  // namespace device

template <class T, class Order>
inline constexpr bool is_commutative<device::first_of<T, Order>, indexed<T>> = true;
template <class T, class Order>
inline constexpr bool device::is_exact_in_any_order<device::first_of<T, Order>, indexed<T>> = true;
template <class T, class Order>
inline constexpr bool detail::accepts_any_operand<device::first_of<T, Order>, indexed<T>> =
    device::orders_any_items<Order> && std::is_arithmetic_v<T>;

}  // namespace ballot
