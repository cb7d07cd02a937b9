// SPDX-License-Identifier: Apache-2.0
// thrust::copy_if, remove_if, remove_copy_if, partition, partition_copy (and the stable ones),
// unique, unique_copy, unique_by_key_copy, count_if with ballot underneath. They return where the
// results end, so they wait for the stream, as Thrust's do. By a stencil: stencil.cuh.
#pragma once

#include <ballot/adapters/thrust/policy.cuh>
#include <ballot/compact.cuh>
#include <ballot/count_if.cuh>
#include <ballot/split.cuh>
#include <ballot/split_in_place.cuh>
#include <ballot/unique.cuh>

#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/pair.h>
#include <thrust/partition.h>
#include <thrust/remove.h>
#include <thrust/unique.h>

namespace ballot::adapters {
namespace detail {

template <class Iterator, class Select>
inline constexpr bool selects_items = [] {
  if constexpr (reads_items<Iterator>)
    return sizeof(items_read<Iterator>) <= 128 && predicate_of<Select, items_read<Iterator>>;
  else return false;
}();
template <class Iterator, class Same>
inline constexpr bool has_runs = [] {
  if constexpr (reads_items<Iterator>)
    return sizeof(items_read<Iterator>) <= 128 && relation_of<Same, items_read<Iterator>>;
  else return false;
}();
template <class In, class Out>
inline constexpr bool copies_array = writes_array<Out> && std::same_as<items_read<In>, item_of_iterator<Out>>;

// Values that ballot's selections move beside keys.
template <class Iterator>
inline constexpr bool moves_values = [] {
  if constexpr (writes_array<Iterator>) return sizeof(item_of_iterator<Iterator>) <= 128;
  else return false;
}();

template <class Iterator>
Iterator advanced(Iterator first, std::uint64_t items) {
  return first + static_cast<std::ptrdiff_t>(items);
}
using count_result = result<std::uint64_t>;

}  // namespace detail

template <class In, class Out, class Select>
Out copy_if(thrust_policy& policy, In first, In last, Out out, Select select) {
  if constexpr (detail::selects_items<In, Select> && detail::copies_array<In, Out>) {
    const std::uint64_t n = detail::items_between(first, last);
    const detail::count_result count(policy.where());
    compact(count.where(), detail::source(first, n), select,
            detail::output_before(detail::address_of(out), n, {detail::address_of_source(first), count.address()}),
            count.address());
    return detail::advanced(out, count.read());
  } else {
    return ::thrust::cuda_cub::copy_if(detail::theirs(policy), first, last, out, select);
  }
}

template <class In, class Out, class Select>
Out remove_copy_if(thrust_policy& policy, In first, In last, Out out, Select select) {
  if constexpr (detail::selects_items<In, Select> && detail::copies_array<In, Out>)
    return adapters::copy_if(policy, first, last, out, detail::rejected_by<Select>{select});
  else return ::thrust::cuda_cub::remove_copy_if(detail::theirs(policy), first, last, out, select);
}

template <class Items, class Select>
Items remove_if(thrust_policy& policy, Items first, Items last, Select select) {
  if constexpr (detail::selects_items<Items, Select> && detail::writes_array<Items>) {
    const detail::count_result count(policy.where());
    compact_in_place(count.where(), detail::array(first, detail::items_between(first, last)),
                     detail::rejected_by<Select>{select}, count.address());
    return detail::advanced(first, count.read());
  } else {
    return ::thrust::cuda_cub::remove_if(detail::theirs(policy), first, last, select);
  }
}

template <class In, class Selected, class Rejected, class Select>
::thrust::pair<Selected, Rejected> stable_partition_copy(thrust_policy& policy, In first, In last, Selected selected,
                                                         Rejected rejected, Select select) {
  if constexpr (detail::selects_items<In, Select> && detail::copies_array<In, Selected> &&
                detail::copies_array<In, Rejected>) {
    const std::uint64_t n = detail::items_between(first, last);
    const detail::count_result count(policy.where());
    auto* const a = detail::address_of(selected);
    auto* const b = detail::address_of(rejected);
    const void* const in = detail::address_of_source(first);
    split(count.where(), detail::source(first, n), select, detail::output_before(a, n, {in, b, count.address()}),
          detail::output_before(b, n, {in, a, count.address()}), count.address());
    const std::uint64_t hits = count.read();
    return {detail::advanced(selected, hits), detail::advanced(rejected, n - hits)};
  } else {
    return ::thrust::cuda_cub::stable_partition_copy(detail::theirs(policy), first, last, selected, rejected, select);
  }
}
template <class In, class Selected, class Rejected, class Select>
::thrust::pair<Selected, Rejected> partition_copy(thrust_policy& policy, In first, In last, Selected selected,
                                                  Rejected rejected, Select select) {
  return adapters::stable_partition_copy(policy, first, last, selected, rejected, select);
}

template <class Items, class Select>
Items stable_partition(thrust_policy& policy, Items first, Items last, Select select) {
  if constexpr (detail::selects_items<Items, Select> && detail::writes_array<Items>) {
    const detail::count_result count(policy.where());
    split_in_place(count.where(), detail::array(first, detail::items_between(first, last)), select, count.address());
    return detail::advanced(first, count.read());
  } else {
    return ::thrust::cuda_cub::stable_partition(detail::theirs(policy), first, last, select);
  }
}
template <class Items, class Select>
Items partition(thrust_policy& policy, Items first, Items last, Select select) {
  return adapters::stable_partition(policy, first, last, select);
}

template <class Items, class Same>
Items unique(thrust_policy& policy, Items first, Items last, Same same) {
  if constexpr (detail::has_runs<Items, Same> && detail::writes_array<Items>) {
    const detail::count_result count(policy.where());
    unique_in_place(count.where(), detail::array(first, detail::items_between(first, last)),
                    detail::equality_for<Same, detail::item_of_iterator<Items>>(same), count.address());
    return detail::advanced(first, count.read());
  } else {
    return ::thrust::cuda_cub::unique(detail::theirs(policy), first, last, same);
  }
}
template <class Items>
Items unique(thrust_policy& policy, Items first, Items last) {
  return adapters::unique(policy, first, last, detail::default_equality<Items>{});
}

template <class In, class Out, class Same>
Out unique_copy(thrust_policy& policy, In first, In last, Out out, Same same) {
  if constexpr (detail::has_runs<In, Same> && detail::copies_array<In, Out>) {
    const std::uint64_t n = detail::items_between(first, last);
    const detail::count_result count(policy.where());
    ballot::unique(
        count.where(), detail::source(first, n), detail::equality_for<Same, detail::items_read<In>>(same),
        detail::output_before(detail::address_of(out), n, {detail::address_of_source(first), count.address()}),
        count.address());
    return detail::advanced(out, count.read());
  } else {
    return ::thrust::cuda_cub::unique_copy(detail::theirs(policy), first, last, out, same);
  }
}
template <class In, class Out>
Out unique_copy(thrust_policy& policy, In first, In last, Out out) {
  return adapters::unique_copy(policy, first, last, out, detail::default_equality<In>{});
}

template <class Keys, class Values, class KeysOut, class ValuesOut, class Same>
::thrust::pair<KeysOut, ValuesOut> unique_by_key_copy(thrust_policy& policy, Keys first, Keys last, Values values,
                                                      KeysOut keys_out, ValuesOut values_out, Same same) {
  if constexpr (detail::has_runs<Keys, Same> && detail::copies_array<Keys, KeysOut> && detail::reads_items<Values> &&
                detail::copies_array<Values, ValuesOut> && detail::moves_values<ValuesOut>) {
    const std::uint64_t n = detail::items_between(first, last);
    const detail::count_result count(policy.where());
    auto* const a = detail::address_of(keys_out);
    auto* const b = detail::address_of(values_out);
    const void *const keys = detail::address_of_source(first), *const in = detail::address_of_source(values);
    unique_by_key(count.where(), detail::source(first, n), detail::source(values, n),
                  detail::equality_for<Same, detail::items_read<Keys>>(same),
                  detail::output_before(a, n, {keys, in, b, count.address()}),
                  detail::output_before(b, n, {keys, in, a, count.address()}), count.address());
    const std::uint64_t runs = count.read();
    return {detail::advanced(keys_out, runs), detail::advanced(values_out, runs)};
  } else {
    return ::thrust::cuda_cub::unique_by_key_copy(detail::theirs(policy), first, last, values, keys_out, values_out,
                                                  same);
  }
}
template <class Keys, class Values, class KeysOut, class ValuesOut>
::thrust::pair<KeysOut, ValuesOut> unique_by_key_copy(thrust_policy& policy, Keys first, Keys last, Values values,
                                                      KeysOut keys_out, ValuesOut values_out) {
  return adapters::unique_by_key_copy(policy, first, last, values, keys_out, values_out,
                                      detail::default_equality<Keys>{});
}

template <class In, class Select>
auto count_if(thrust_policy& policy, In first, In last, Select select) ->
    typename ::cuda::std::iterator_traits<In>::difference_type {
  if constexpr (detail::selects_items<In, Select>) {
    const detail::count_result count(policy.where());
    ballot::count_if(count.where(), detail::source(first, detail::items_between(first, last)), select, count.address());
    return static_cast<typename ::cuda::std::iterator_traits<In>::difference_type>(count.read());
  } else {
    return ::thrust::cuda_cub::count_if(detail::theirs(policy), first, last, select);
  }
}

}  // namespace ballot::adapters
