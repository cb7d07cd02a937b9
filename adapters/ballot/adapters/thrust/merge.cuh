// SPDX-License-Identifier: Apache-2.0
// thrust::merge and merge_by_key with ballot underneath: of arrays, by any comparison. They do not
// wait.
#pragma once

#include <ballot/adapters/thrust/policy.cuh>
#include <ballot/merge.cuh>

#include <thrust/merge.h>
#include <thrust/pair.h>

namespace ballot::adapters {
namespace detail {

template <class A, class B, class Out>
inline constexpr bool merges_array = [] {
  if constexpr (reads_array<A> && reads_array<B> && writes_array<Out>)
    return std::same_as<item_of_iterator<A>, item_of_iterator<Out>> &&
           std::same_as<item_of_iterator<B>, item_of_iterator<Out>> && sizeof(item_of_iterator<Out>) <= 128;
  else return false;
}();
template <class Out, class Less>
inline constexpr bool is_before = [] {
  if constexpr (reads_array<Out>) return std::is_class_v<Less> && relation_of<Less, item_of_iterator<Out>>;
  else return false;
}();

}  // namespace detail

template <class A, class B, class Out, class Less>
Out merge(thrust_policy& policy, A first, A last, B second, B second_last, Out out, Less less) {
  if constexpr (detail::merges_array<A, B, Out> && detail::is_before<Out, Less>) {
    const std::uint64_t a = detail::items_between(first, last), b = detail::items_between(second, second_last);
    ballot::merge(policy.where(), detail::array(first, a), detail::array(second, b), less, detail::array(out, a + b));
    return out + static_cast<std::ptrdiff_t>(a + b);
  } else {
    return ::thrust::cuda_cub::merge(detail::theirs(policy), first, last, second, second_last, out, less);
  }
}
template <class A, class B, class Out>
Out merge(thrust_policy& policy, A first, A last, B second, B second_last, Out out) {
  return adapters::merge(policy, first, last, second, second_last, out, ::cuda::std::less<>{});
}

template <class A, class B, class VA, class VB, class Out, class ValuesOut, class Less>
::thrust::pair<Out, ValuesOut> merge_by_key(thrust_policy& policy, A first, A last, B second, B second_last,
                                            VA first_values, VB second_values, Out out, ValuesOut values_out,
                                            Less less) {
  if constexpr (detail::merges_array<A, B, Out> && detail::merges_array<VA, VB, ValuesOut> &&
                detail::is_before<Out, Less>) {
    const std::uint64_t a = detail::items_between(first, last), b = detail::items_between(second, second_last);
    ballot::merge_pairs(policy.where(), detail::array(first, a), detail::array(first_values, a),
                        detail::array(second, b), detail::array(second_values, b), less, detail::array(out, a + b),
                        detail::array(values_out, a + b));
    return {out + static_cast<std::ptrdiff_t>(a + b), values_out + static_cast<std::ptrdiff_t>(a + b)};
  } else {
    return ::thrust::cuda_cub::merge_by_key(detail::theirs(policy), first, last, second, second_last, first_values,
                                            second_values, out, values_out, less);
  }
}
template <class A, class B, class VA, class VB, class Out, class ValuesOut>
::thrust::pair<Out, ValuesOut> merge_by_key(thrust_policy& policy, A first, A last, B second, B second_last,
                                            VA first_values, VB second_values, Out out, ValuesOut values_out) {
  return adapters::merge_by_key(policy, first, last, second, second_last, first_values, second_values, out, values_out,
                                ::cuda::std::less<>{});
}

}  // namespace ballot::adapters
