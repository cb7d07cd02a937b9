// SPDX-License-Identifier: Apache-2.0
// thrust::inclusive_scan_by_key and exclusive_scan_by_key with ballot underneath: where a key
// differs from the one before it, a bit is set, and a segmented scan reads the bits. They do not
// wait.
//
// The bits are complete before a sum is stored, so the sums may be where the keys are, as Thrust
// allows, and where the values are.
#pragma once

#include <ballot/adapters/thrust/item_bits.cuh>
#include <ballot/adapters/thrust/scan.cuh>
#include <ballot/adapters/thrust/select.cuh>
#include <ballot/segmented_scan.cuh>

#include <thrust/scan.h>

namespace ballot::adapters {
namespace detail {

// ballot's segmented scans take values of the sums' type. Sum: the type that Thrust takes sums in.
template <class Keys, class Values, class Out, class Same, class Sum, class Op>
inline constexpr bool scans_by_key = [] {
  if constexpr (has_runs<Keys, Same> && std::is_class_v<Same>)
    return copies_array<Values, Out> && scans_items<Values, Out, Sum, Op>;
  else return false;
}();

}  // namespace detail

template <class Keys, class Values, class Out, class Same, class Op>
Out inclusive_scan_by_key(thrust_policy& policy, Keys first, Keys last, Values values, Out out, Same same, Op op) {
  if constexpr (detail::scans_by_key<Keys, Values, Out, Same, detail::items_read<Values>, Op>) {
    const std::uint64_t n = detail::items_between(first, last);
    const detail::item_bits heads(policy.where(), n, "inclusive_scan_by_key");
    heads.set_heads(detail::source(first, n), detail::equality_for<Same, detail::items_read<Keys>>(same));
    segmented_inclusive_scan(heads.where(), detail::source(values, n), heads.flags(),
                             detail::operator_for<detail::item_of_iterator<Out>>(op), detail::array(out, n));
    return detail::advanced(out, n);
  } else {
    return ::thrust::cuda_cub::inclusive_scan_by_key(detail::theirs(policy), first, last, values, out, same, op);
  }
}
template <class Keys, class Values, class Out, class Same>
Out inclusive_scan_by_key(thrust_policy& policy, Keys first, Keys last, Values values, Out out, Same same) {
  return adapters::inclusive_scan_by_key(policy, first, last, values, out, same, ::cuda::std::plus<>{});
}
template <class Keys, class Values, class Out>
Out inclusive_scan_by_key(thrust_policy& policy, Keys first, Keys last, Values values, Out out) {
  return adapters::inclusive_scan_by_key(policy, first, last, values, out, ::cuda::std::equal_to<>{});
}

template <class Keys, class Values, class Out, class Initial, class Same, class Op>
Out exclusive_scan_by_key(thrust_policy& policy, Keys first, Keys last, Values values, Out out, Initial initial,
                          Same same, Op op) {
  if constexpr (detail::scans_by_key<Keys, Values, Out, Same, Initial, Op>) {
    using T = detail::item_of_iterator<Out>;
    const std::uint64_t n = detail::items_between(first, last);
    const detail::item_bits heads(policy.where(), n, "exclusive_scan_by_key");
    heads.set_heads(detail::source(first, n), detail::equality_for<Same, detail::items_read<Keys>>(same));
    segmented_exclusive_scan(heads.where(), detail::source(values, n), heads.flags(), static_cast<T>(initial),
                             detail::operator_for<T>(op), detail::array(out, n));
    return detail::advanced(out, n);
  } else {
    return ::thrust::cuda_cub::exclusive_scan_by_key(detail::theirs(policy), first, last, values, out, initial, same,
                                                     op);
  }
}
template <class Keys, class Values, class Out, class Initial, class Same>
Out exclusive_scan_by_key(thrust_policy& policy, Keys first, Keys last, Values values, Out out, Initial initial,
                          Same same) {
  return adapters::exclusive_scan_by_key(policy, first, last, values, out, initial, same, ::cuda::std::plus<>{});
}
template <class Keys, class Values, class Out, class Initial>
Out exclusive_scan_by_key(thrust_policy& policy, Keys first, Keys last, Values values, Out out, Initial initial) {
  return adapters::exclusive_scan_by_key(policy, first, last, values, out, initial, ::cuda::std::equal_to<>{});
}
template <class Keys, class Values, class Out>
Out exclusive_scan_by_key(thrust_policy& policy, Keys first, Keys last, Values values, Out out) {
  using T = typename ::cuda::std::iterator_traits<Values>::value_type;
  return adapters::exclusive_scan_by_key(policy, first, last, values, out, T{});
}

}  // namespace ballot::adapters
