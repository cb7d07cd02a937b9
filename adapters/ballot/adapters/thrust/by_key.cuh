// SPDX-License-Identifier: Apache-2.0
// thrust::reduce_by_key and unique_by_key with ballot underneath. They return where the results end,
// so they wait for the stream, as Thrust's do.
#pragma once

#include <ballot/adapters/thrust/item_bits.cuh>
#include <ballot/adapters/thrust/select.cuh>
#include <ballot/reduce_by_key.cuh>

#include <thrust/reduce.h>
#include <thrust/unique.h>

namespace ballot::adapters {
namespace detail {

template <class Keys, class Values, class KeysOut, class Results, class Same, class Op>
inline constexpr bool reduces_runs = [] {
  if constexpr (has_runs<Keys, Same> && copies_array<Keys, KeysOut> && reads_items<Values> && writes_array<Results>) {
    using T = item_of_iterator<Results>;
    if constexpr (sizeof(items_read<Keys>) <= 32 && std::same_as<items_read<Values>, T>)
      return takes_sums<T, Op, T, T, 32>;
    else return false;
  } else {
    return false;
  }
}();

}  // namespace detail

template <class Keys, class Values, class KeysOut, class Results, class Same, class Op>
::thrust::pair<KeysOut, Results> reduce_by_key(thrust_policy& policy, Keys first, Keys last, Values values,
                                               KeysOut keys_out, Results results, Same same, Op op) {
  if constexpr (detail::reduces_runs<Keys, Values, KeysOut, Results, Same, Op>) {
    const std::uint64_t n = detail::items_between(first, last);
    const detail::count_result count(policy.where());
    auto* const a = detail::address_of(keys_out);
    auto* const b = detail::address_of(results);
    const void *const keys = detail::address_of_source(first), *const in = detail::address_of_source(values);
    ballot::reduce_by_key(count.where(), detail::source(first, n), detail::source(values, n),
                          detail::equality_for<Same, detail::items_read<Keys>>(same),
                          detail::operator_for<detail::item_of_iterator<Results>>(op),
                          detail::output_before(a, n, {keys, in, b, count.address()}),
                          detail::output_before(b, n, {keys, in, a, count.address()}), count.address());
    const std::uint64_t runs = count.read();
    return {detail::advanced(keys_out, runs), detail::advanced(results, runs)};
  } else {
    return ::thrust::cuda_cub::reduce_by_key(detail::theirs(policy), first, last, values, keys_out, results, same, op);
  }
}
template <class Keys, class Values, class KeysOut, class Results, class Same>
::thrust::pair<KeysOut, Results> reduce_by_key(thrust_policy& policy, Keys first, Keys last, Values values,
                                               KeysOut keys_out, Results results, Same same) {
  return adapters::reduce_by_key(policy, first, last, values, keys_out, results, same, ::cuda::std::plus<>{});
}
template <class Keys, class Values, class KeysOut, class Results>
::thrust::pair<KeysOut, Results> reduce_by_key(thrust_policy& policy, Keys first, Keys last, Values values,
                                               KeysOut keys_out, Results results) {
  return adapters::reduce_by_key(policy, first, last, values, keys_out, results, detail::default_equality<Keys>{});
}

template <class Keys, class Values, class Same>
::thrust::pair<Keys, Values> unique_by_key(thrust_policy& policy, Keys first, Keys last, Values values, Same same) {
  if constexpr (detail::has_runs<Keys, Same> && detail::writes_array<Keys> && detail::moves_values<Values>) {
    const std::uint64_t n = detail::items_between(first, last);
    const detail::count_result count(policy.where());
    const detail::item_bits heads(count.where(), n, "unique_by_key");
    const auto keys = detail::array(first, n);
    heads.set_heads(keys, detail::equality_for<Same, detail::item_of_iterator<Keys>>(same));
    compact_in_place(heads.where(), zip{keys, detail::array(values, n)}, heads.flags(), count.address());
    const std::uint64_t runs = count.read();
    return {detail::advanced(first, runs), detail::advanced(values, runs)};
  } else {
    return ::thrust::cuda_cub::unique_by_key(detail::theirs(policy), first, last, values, same);
  }
}
template <class Keys, class Values>
::thrust::pair<Keys, Values> unique_by_key(thrust_policy& policy, Keys first, Keys last, Values values) {
  return adapters::unique_by_key(policy, first, last, values, detail::default_equality<Keys>{});
}

}  // namespace ballot::adapters
