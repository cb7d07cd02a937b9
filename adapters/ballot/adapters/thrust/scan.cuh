// SPDX-License-Identifier: Apache-2.0
// thrust::inclusive_scan, exclusive_scan and reduce with ballot underneath, where ballot takes sums
// in a type that gives Thrust's results (cub/call.cuh). The scans do not wait; `reduce` returns a
// number, so it waits.
//
// In place, an iterator may read the array that is written (cub/scan.cuh).
#pragma once

#include <ballot/adapters/thrust/policy.cuh>
#include <ballot/reduce.cuh>
#include <ballot/scan.cuh>

#include <thrust/reduce.h>
#include <thrust/scan.h>

namespace ballot::adapters {
namespace detail {

// Thrust takes the sums of inclusive scans in the type of the items, and those of exclusive scans
// in the type of the initial value. Its reductions are CUB's: their sums have the type that the
// operator returns for the initial value and an item. They do not compile for a device lambda that
// does not say what it returns; ballot's do. ballot's scans take no sums of __int128.
// Scans into T, and reductions to T, of such items. Sum: the type that Thrust takes sums in.
template <class T, class Item, class Sum, class Op>
inline constexpr bool scans_as = [] {
  if constexpr (plain<T> && plain<Item> && std::is_class_v<Op>) {
    // op is asked last (cub/call.cuh: takes_sums).
    if constexpr (sizeof(T) <= 16 && !ballot::detail::has_128_bits<T> && sums_agree<T, Sum, Op, Item>())
      return operator_of<Op, T>;
    else return false;
  } else {
    return false;
  }
}();
template <class T, class Item, class Op>
inline constexpr bool reduces_as = [] {
  if constexpr (plain<T> && plain<Item> && std::is_class_v<Op>) {
    if constexpr (hides_result<Op>) return sizeof(T) <= 16 && sums_agree<T, T, Op, Item>() && operator_of<Op, T>;
    else return takes_sums<T, Op, T, Item, 16>;
  } else {
    return false;
  }
}();
template <class In, class Out, class Sum, class Op>
inline constexpr bool scans_items = [] {
  if constexpr (writes_array<Out>) return scans_as<item_of_iterator<Out>, items_read<In>, Sum, Op>;
  else return false;
}();
template <class In, class T, class Op>
inline constexpr bool reduces_items = reduces_as<T, items_read<In>, Op>;

}  // namespace detail

template <class In, class Out, class Op>
Out inclusive_scan(thrust_policy& policy, In first, In last, Out out, Op op) {
  if constexpr (detail::scans_items<In, Out, detail::items_read<In>, Op>) {
    const std::uint64_t n = detail::items_between(first, last);
    ballot::inclusive_scan(policy.where(), detail::source(first, n),
                           detail::operator_for<detail::item_of_iterator<Out>>(op), detail::array(out, n));
    return out + static_cast<std::ptrdiff_t>(n);
  } else {
    return ::thrust::cuda_cub::inclusive_scan(detail::theirs(policy), first, last, out, op);
  }
}
template <class In, class Out>
Out inclusive_scan(thrust_policy& policy, In first, In last, Out out) {
  return adapters::inclusive_scan(policy, first, last, out, ::cuda::std::plus<>{});
}

template <class In, class Out, class Initial, class Op>
Out exclusive_scan(thrust_policy& policy, In first, In last, Out out, Initial initial, Op op) {
  if constexpr (detail::scans_items<In, Out, Initial, Op>) {
    using T = detail::item_of_iterator<Out>;
    const std::uint64_t n = detail::items_between(first, last);
    ballot::exclusive_scan(policy.where(), detail::source(first, n), static_cast<T>(initial),
                           detail::operator_for<T>(op), detail::array(out, n));
    return out + static_cast<std::ptrdiff_t>(n);
  } else {
    return ::thrust::cuda_cub::exclusive_scan(detail::theirs(policy), first, last, out, initial, op);
  }
}
template <class In, class Out, class Initial>
Out exclusive_scan(thrust_policy& policy, In first, In last, Out out, Initial initial) {
  return adapters::exclusive_scan(policy, first, last, out, initial, ::cuda::std::plus<>{});
}
template <class In, class Out>
Out exclusive_scan(thrust_policy& policy, In first, In last, Out out) {
  using T = typename ::cuda::std::iterator_traits<In>::value_type;
  return adapters::exclusive_scan(policy, first, last, out, T{});
}

template <class In, class T, class Op>
T reduce(thrust_policy& policy, In first, In last, T initial, Op op) {
  if constexpr (detail::reduces_items<In, T, Op>) {
    const std::uint64_t n = detail::items_between(first, last);
    const detail::result<T> sum(policy.where());
    ballot::reduce(sum.where(), detail::source(first, n), initial, detail::operator_for<T>(op), sum.address());
    return sum.read();
  } else {
    return ::thrust::cuda_cub::reduce(detail::theirs(policy), first, last, initial, op);
  }
}
template <class In, class T>
T reduce(thrust_policy& policy, In first, In last, T initial) {
  return adapters::reduce(policy, first, last, initial, ::cuda::std::plus<T>{});
}
template <class In>
auto reduce(thrust_policy& policy, In first, In last) {
  using T = typename ::cuda::std::iterator_traits<In>::value_type;
  return adapters::reduce(policy, first, last, T(0));
}

}  // namespace ballot::adapters
