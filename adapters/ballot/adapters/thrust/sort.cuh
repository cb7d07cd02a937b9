// SPDX-License-Identifier: Apache-2.0
// thrust::sort, stable_sort, sort_by_key, stable_sort_by_key with ballot underneath: of arrays of numbers, by less or greater.
//
// In stable sorts -0 and +0 are equal to Thrust. ballot's sorts put -0 first, which a stable sort of floats must not. So
// these are Thrust's, unless BALLOT_ADAPTERS_ORDER_ZEROS is defined.
#pragma once

#include <ballot/adapters/thrust/policy.cuh>
#include <ballot/sort.cuh>

#include <thrust/sort.h>

namespace ballot::adapters {
namespace detail {

template <class K>
consteval bool sorts_numbers([[maybe_unused]] bool stable) {
  if constexpr (!radix_key<K>) return false;
#if defined(BALLOT_ADAPTERS_ORDER_ZEROS)
  else return true;
#else
  else return !stable || key_traits<K>::kind != key_kind::floating;
#endif
}
template <class Keys, class Compare, bool stable>
inline constexpr bool sorts_array = writes_array<Keys> && sorts_numbers<items_behind<Keys>>(stable) &&
                                    (is_less<Compare, items_behind<Keys>> || is_greater<Compare, items_behind<Keys>>);

template <class K, class Compare>
sort_options order_of() {
  return {.direction = is_greater<Compare, K> ? direction::descending : direction::ascending,
          .nans = nan_order::by_bits};
}

template <class Keys, class Compare>
void sort_array(thrust_policy& policy, Keys first, Keys last) {
  sort_in_place(policy.where(), array(first, items_between(first, last)), order_of<items_behind<Keys>, Compare>());
}
template <class Keys, class Values, class Compare>
void sort_arrays(thrust_policy& policy, Keys first, Keys last, Values values) {
  const std::uint64_t n = items_between(first, last);
  sort_pairs_in_place(policy.where(), array(first, n), array(values, n), order_of<items_behind<Keys>, Compare>());
}

}  // namespace detail

#define BALLOT_ADAPTERS_THRUST_SORT(PREFIX, STABLE)                                                                   \
  template <class Keys, class Compare>                                                                                \
  void PREFIX##sort(thrust_policy& policy, Keys first, Keys last, Compare compare) {                                  \
    if constexpr (detail::sorts_array<Keys, Compare, STABLE>) detail::sort_array<Keys, Compare>(policy, first, last); \
    else ::thrust::cuda_cub::PREFIX##sort(detail::theirs(policy), first, last, compare);                              \
  }                                                                                                                   \
  template <class Keys>                                                                                               \
  void PREFIX##sort(thrust_policy& policy, Keys first, Keys last) {                                                   \
    adapters::PREFIX##sort(policy, first, last, ::cuda::std::less<>{});                                               \
  }                                                                                                                   \
  template <class Keys, class Values, class Compare>                                                                  \
  void PREFIX##sort_by_key(thrust_policy& policy, Keys first, Keys last, Values values, Compare compare) {            \
    if constexpr (detail::sorts_array<Keys, Compare, STABLE> && detail::writes_array<Values>)                         \
      detail::sort_arrays<Keys, Values, Compare>(policy, first, last, values);                                        \
    else ::thrust::cuda_cub::PREFIX##sort_by_key(detail::theirs(policy), first, last, values, compare);               \
  }                                                                                                                   \
  template <class Keys, class Values>                                                                                 \
  void PREFIX##sort_by_key(thrust_policy& policy, Keys first, Keys last, Values values) {                             \
    adapters::PREFIX##sort_by_key(policy, first, last, values, ::cuda::std::less<>{});                                \
  }
BALLOT_ADAPTERS_THRUST_SORT(, false)
BALLOT_ADAPTERS_THRUST_SORT(stable_, true)
#undef BALLOT_ADAPTERS_THRUST_SORT

}  // namespace ballot::adapters
