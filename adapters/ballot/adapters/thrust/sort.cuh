// SPDX-License-Identifier: Apache-2.0
// thrust::sort, stable_sort, sort_by_key, stable_sort_by_key with ballot underneath: of arrays of
// numbers, by less or greater.
//
// In Thrust's stable sorts -0 and +0 are equal keys. They are equal here, too (with_equal_zeros),
// unless BALLOT_ADAPTERS_ORDER_ZEROS is defined.
#pragma once

#include <ballot/adapters/cub/radix_sort.cuh>
#include <ballot/adapters/thrust/policy.cuh>
#include <ballot/sort.cuh>

#include <thrust/sort.h>

namespace ballot::adapters {
namespace detail {

template <class Keys, class Compare>
inline constexpr bool sorts_array =
    writes_array<Keys> && radix_key<item_of_iterator<Keys>> &&
    (is_less<Compare, item_of_iterator<Keys>> || is_greater<Compare, item_of_iterator<Keys>>);

// Stable sorts have equal zeros; in others their order does not matter.
template <class K, class Compare, bool Stable>
auto order_of() {
  const sort_options options{.direction = is_greater<Compare, K> ? direction::descending : direction::ascending,
                             .nans = nan_order::by_bits};
  if constexpr (Stable) return as_cub_orders<K>(options);
  else return options;
}

template <class Keys, class Compare, bool Stable>
void sort_array(thrust_policy& policy, Keys first, Keys last) {
  sort_in_place(policy.where(), array(first, items_between(first, last)),
                order_of<item_of_iterator<Keys>, Compare, Stable>());
}
template <class Keys, class Values, class Compare, bool Stable>
void sort_arrays(thrust_policy& policy, Keys first, Keys last, Values values) {
  const std::uint64_t n = items_between(first, last);
  sort_pairs_in_place(policy.where(), array(first, n), array(values, n),
                      order_of<item_of_iterator<Keys>, Compare, Stable>());
}

}  // namespace detail

#define BALLOT_ADAPTERS_THRUST_SORT(PREFIX, STABLE)                                                                   \
  template <class Keys, class Compare>                                                                                \
  void PREFIX##sort(thrust_policy& policy, Keys first, Keys last, Compare compare) {                                  \
    if constexpr (detail::sorts_array<Keys, Compare>) detail::sort_array<Keys, Compare, STABLE>(policy, first, last); \
    else ::thrust::cuda_cub::PREFIX##sort(detail::theirs(policy), first, last, compare);                              \
  }                                                                                                                   \
  template <class Keys>                                                                                               \
  void PREFIX##sort(thrust_policy& policy, Keys first, Keys last) {                                                   \
    adapters::PREFIX##sort(policy, first, last, ::cuda::std::less<>{});                                               \
  }                                                                                                                   \
  template <class Keys, class Values, class Compare>                                                                  \
  void PREFIX##sort_by_key(thrust_policy& policy, Keys first, Keys last, Values values, Compare compare) {            \
    if constexpr (detail::sorts_array<Keys, Compare> && detail::writes_array<Values>)                                 \
      detail::sort_arrays<Keys, Values, Compare, STABLE>(policy, first, last, values);                                \
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
