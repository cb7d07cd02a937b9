// SPDX-License-Identifier: Apache-2.0
// thrust::copy_if, remove_if, remove_copy_if, partition and partition_copy (and the stable ones) by
// a stencil, with ballot underneath: the predicate asks about an item of another range.
//
// The stencil is a column beside the items, whose output is discarded. In place it becomes bits
// first, which are complete before an item is overwritten.
#pragma once

#include <ballot/adapters/thrust/item_bits.cuh>
#include <ballot/adapters/thrust/select.cuh>
#include <ballot/outputs.cuh>

namespace ballot::adapters {
namespace detail {

// A stencil that `select` asks about, and items that are copied, or that change places.
template <class In, class Stencil, class Out, class Select>
inline constexpr bool copies_by_stencil = [] {
  if constexpr (selects_items<Stencil, Select> && copies_array<In, Out>) return sizeof(item_of_iterator<Out>) <= 128;
  else return false;
}();
template <class Items, class Stencil, class Select>
inline constexpr bool moves_by_stencil = selects_items<Stencil, Select> && moves_values<Items>;

}  // namespace detail

template <class In, class Stencil, class Out, class Select>
Out copy_if(thrust_policy& policy, In first, In last, Stencil stencil, Out out, Select select) {
  if constexpr (detail::copies_by_stencil<In, Stencil, Out, Select>) {
    const std::uint64_t n = detail::items_between(first, last);
    const detail::count_result count(policy.where());
    const auto to =
        detail::output_before(detail::address_of(out), n,
                              {detail::address_of_source(first), detail::address_of_source(stencil), count.address()});
    compact(count.where(), zip{detail::source(stencil, n), detail::source(first, n)}, on_first{select},
            zip{discarded<detail::items_read<Stencil>>(n), to}, count.address());
    return detail::advanced(out, count.read());
  } else {
    return ::thrust::cuda_cub::copy_if(detail::theirs(policy), first, last, stencil, out, select);
  }
}
template <class In, class Stencil, class Out, class Select>
Out remove_copy_if(thrust_policy& policy, In first, In last, Stencil stencil, Out out, Select select) {
  if constexpr (detail::copies_by_stencil<In, Stencil, Out, Select>)
    return adapters::copy_if(policy, first, last, stencil, out, detail::rejected_by<Select>{select});
  else return ::thrust::cuda_cub::remove_copy_if(detail::theirs(policy), first, last, stencil, out, select);
}

template <class Items, class Stencil, class Select>
Items remove_if(thrust_policy& policy, Items first, Items last, Stencil stencil, Select select) {
  if constexpr (detail::moves_by_stencil<Items, Stencil, Select>) {
    const std::uint64_t n = detail::items_between(first, last);
    const detail::count_result count(policy.where());
    const detail::item_bits bits(count.where(), n, "remove_if");
    bits.set_selected(detail::source(stencil, n), select);
    compact_in_place(bits.where(), detail::array(first, n), bits.flags(true), count.address());
    return detail::advanced(first, count.read());
  } else {
    return ::thrust::cuda_cub::remove_if(detail::theirs(policy), first, last, stencil, select);
  }
}

template <class In, class Stencil, class Selected, class Rejected, class Select>
::thrust::pair<Selected, Rejected> stable_partition_copy(thrust_policy& policy, In first, In last, Stencil stencil,
                                                         Selected selected, Rejected rejected, Select select) {
  if constexpr (detail::copies_by_stencil<In, Stencil, Selected, Select> && detail::copies_array<In, Rejected>) {
    const std::uint64_t n = detail::items_between(first, last);
    const detail::count_result count(policy.where());
    auto* const a = detail::address_of(selected);
    auto* const b = detail::address_of(rejected);
    const void *const in = detail::address_of_source(first), *const by = detail::address_of_source(stencil);
    const discarded<detail::items_read<Stencil>> nowhere(n);
    split(count.where(), zip{detail::source(stencil, n), detail::source(first, n)}, on_first{select},
          zip{nowhere, detail::output_before(a, n, {in, by, b, count.address()})},
          zip{nowhere, detail::output_before(b, n, {in, by, a, count.address()})}, count.address());
    const std::uint64_t hits = count.read();
    return {detail::advanced(selected, hits), detail::advanced(rejected, n - hits)};
  } else {
    return ::thrust::cuda_cub::stable_partition_copy(detail::theirs(policy), first, last, stencil, selected, rejected,
                                                     select);
  }
}
template <class In, class Stencil, class Selected, class Rejected, class Select>
::thrust::pair<Selected, Rejected> partition_copy(thrust_policy& policy, In first, In last, Stencil stencil,
                                                  Selected selected, Rejected rejected, Select select) {
  return adapters::stable_partition_copy(policy, first, last, stencil, selected, rejected, select);
}

template <class Items, class Stencil, class Select>
Items stable_partition(thrust_policy& policy, Items first, Items last, Stencil stencil, Select select) {
  if constexpr (detail::moves_by_stencil<Items, Stencil, Select>) {
    const std::uint64_t n = detail::items_between(first, last);
    const detail::count_result count(policy.where());
    const detail::item_bits bits(count.where(), n, "stable_partition");
    bits.set_selected(detail::source(stencil, n), select);
    split_in_place(bits.where(), detail::array(first, n), bits.flags(), count.address());
    return detail::advanced(first, count.read());
  } else {
    return ::thrust::cuda_cub::stable_partition(detail::theirs(policy), first, last, stencil, select);
  }
}
template <class Items, class Stencil, class Select>
Items partition(thrust_policy& policy, Items first, Items last, Stencil stencil, Select select) {
  return adapters::stable_partition(policy, first, last, stencil, select);
}

}  // namespace ballot::adapters
