// SPDX-License-Identifier: Apache-2.0
// thrust::transform_reduce, transform_inclusive_scan and transform_exclusive_scan with ballot
// underneath: the items go through a view that applies the function (views.cuh). `transform_reduce`
// waits.
#pragma once

#include <ballot/adapters/thrust/scan.cuh>
#include <ballot/views.cuh>

#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>

namespace ballot::adapters {
namespace detail {

// What f makes of the items; void if ballot has no such view.
template <class In, class F>
struct transformed_item {
  using type = void;
};
template <reads_items In, class F>
  requires(ballot::detail::transform_check<F, items_read<In>>::ok)
struct transformed_item<In, F> {
  using type = typename ballot::detail::transform_check<F, items_read<In>>::type;
};
template <class In, class F>
using transformed_item_t = typename transformed_item<In, F>::type;

// A view whose array may be the output. The scan is still correct: a tile reads its items before it
// stores its sums, and no other tile reads them.
template <class V>
struct may_be_output : V {
  static constexpr std::size_t arrays = 0;
};
// f of the items. The array is checked here: it is the output, or apart from it.
template <class In, class F, class Out>
auto transformed_for(const In& first, std::uint64_t n, const F& f, const Out& out, const char* function) {
  using T = item_of_iterator<Out>;
  const ballot::detail::argument read = argument_of_source("first", first, n),
                                 written{"result", address_of(out), n * sizeof(T)};
  ballot::detail::require_not_null(function, {read});
  if (read.begin != written.begin || read.bytes != written.bytes)
    ballot::detail::require_apart(function, {written}, {read});
  const transformed of(source(first, n), f);
  return may_be_output<std::remove_const_t<decltype(of)>>{of};
}

template <class In, class F, class Out, class Sum, class Op>
inline constexpr bool scans_transformed = [] {
  using item = transformed_item_t<In, F>;
  if constexpr (plain<item> && writes_array<Out>) return scans_as<item_of_iterator<Out>, item, Sum, Op>;
  else return false;
}();

}  // namespace detail

template <class In, class F, class T, class Op>
T transform_reduce(thrust_policy& policy, In first, In last, F f, T initial, Op op) {
  if constexpr (detail::reduces_as<T, detail::transformed_item_t<In, F>, Op>) {
    const std::uint64_t n = detail::items_between(first, last);
    const detail::result<T> sum(policy.where());
    ballot::reduce(sum.where(), transformed{detail::source(first, n), f}, initial, detail::operator_for<T>(op),
                   sum.address());
    return sum.read();
  } else {
    return ::thrust::cuda_cub::transform_reduce(detail::theirs(policy), first, last, f, initial, op);
  }
}

// Sums have the type of what f returns.
template <class In, class Out, class F, class Op>
Out transform_inclusive_scan(thrust_policy& policy, In first, In last, Out out, F f, Op op) {
  if constexpr (detail::scans_transformed<In, F, Out, detail::transformed_item_t<In, F>, Op>) {
    const std::uint64_t n = detail::items_between(first, last);
    ballot::inclusive_scan(policy.where(), detail::transformed_for(first, n, f, out, "transform_inclusive_scan"),
                           detail::operator_for<detail::item_of_iterator<Out>>(op), detail::array(out, n));
    return out + static_cast<std::ptrdiff_t>(n);
  } else {
    return ::thrust::cuda_cub::transform_inclusive_scan(detail::theirs(policy), first, last, out, f, op);
  }
}

// Sums have the type of the initial value.
template <class In, class Out, class F, class Initial, class Op>
Out transform_exclusive_scan(thrust_policy& policy, In first, In last, Out out, F f, Initial initial, Op op) {
  if constexpr (detail::scans_transformed<In, F, Out, Initial, Op>) {
    using T = detail::item_of_iterator<Out>;
    const std::uint64_t n = detail::items_between(first, last);
    ballot::exclusive_scan(policy.where(), detail::transformed_for(first, n, f, out, "transform_exclusive_scan"),
                           static_cast<T>(initial), detail::operator_for<T>(op), detail::array(out, n));
    return out + static_cast<std::ptrdiff_t>(n);
  } else {
    return ::thrust::cuda_cub::transform_exclusive_scan(detail::theirs(policy), first, last, out, f, initial, op);
  }
}

}  // namespace ballot::adapters
