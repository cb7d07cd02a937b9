// SPDX-License-Identifier: Apache-2.0
// Merges few items: each thread has one, and searches for its place among the items of the other
// range.
//
//     place of first[i]     i + how many items of `second` come before it
//     place of second[j]    j + how many items of `first` do not come after it
//
// There would be few tiles, each with a chain of a search and many items per thread. Here no thread
// waits for another. A search looks at three items at a time, so it has half as many steps. Every
// item is searched for by itself: with many items that costs more than tiles do.
//
// No barriers, no shared memory. If the ranges are not sorted, several threads may write one place,
// and no thread another. But nothing outside the ranges is accessed.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/merge/order.cuh>
#include <ballot/detail/merge/path.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/function_objects.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// How many of `items` sorted items is_before holds for: the first ones. get(i): one of them.
template <class Get, class IsBefore>
BALLOT_HOST_DEVICE std::uint32_t count_before_by_quarters(std::uint32_t items, const Get& get,
                                                          const IsBefore& is_before) {
  std::uint32_t low = 0, left = items;
  while (left != 0) {
    // The last items of three quarters; where there are fewer items, some do not exist.
    const std::uint32_t quarter = (left + 3) / 4;
    std::uint32_t quarters = 0;
    for (std::uint32_t q = 1; q <= 3; ++q) {
      const std::uint32_t at = q * quarter - 1;
      const bool is_there = at < left;
      quarters += is_before(get(low + (is_there ? at : left - 1))) && is_there ? 1u : 0u;  // no branch around a load
    }
    const std::uint32_t passed = quarters * quarter, behind = left - passed;
    low += passed;
    // The item that ends the next quarter is known, if it exists.
    left = quarters == 3 || behind < quarter ? behind : quarter - 1;
  }
  return low;
}

inline constexpr int merge_search_threads = 128;

template <class K, class V, class Codec, class Before>
__global__ void __launch_bounds__(merge_search_threads)
    merge_by_search_kernel(merge_arguments<K, V> a, Codec codec, Before before) {
  const auto first_items = static_cast<std::uint32_t>(a.first_length.get()),
             second_items = static_cast<std::uint32_t>(a.second_length.get());
  const std::uint32_t at = blockIdx.x * merge_search_threads + simt::thread_rank();
  if (at >= first_items + second_items) return;
  const bool is_of_first = at < first_items;
  const std::uint32_t own = is_of_first ? at : at - first_items;
  const K* const others = is_of_first ? a.second : a.first;
  const K item = (is_of_first ? a.first : a.second)[own];
  const auto& code = codec.encode(item);
  const std::uint32_t place =
      own +
      count_before_by_quarters(
          is_of_first ? second_items : first_items, [&](std::uint32_t i) { return codec.encode(others[i]); },
          [&](const auto& other) { return is_of_first ? call(before, other, code) : !call(before, code, other); });
  a.keys_out[place] = item;
  if constexpr (!std::is_same_v<V, no_value>)
    a.values_out[place] = (is_of_first ? a.first_values : a.second_values)[own];
}

}  // namespace ballot::detail
