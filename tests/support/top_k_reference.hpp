// SPDX-License-Identifier: Apache-2.0
// top_k against a stable sort: all three calls, with a length on the device, directly and captured.
#pragma once

#include <ballot/top_k.cuh>

#include "support/device_data.hpp"
#include "support/doctest.hpp"
#include "support/schedules.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

namespace ballot::test {

inline constexpr top_k_options largest_first{}, smallest_first{.direction = direction::ascending},
    largest_by_position{.order = top_k_order::by_position};

// The positions of the first k in the order of the options.
template <class K>
std::vector<std::uint64_t> top_k_order_of(const std::vector<K>& keys, std::size_t there, std::size_t k,
                                          const top_k_options& options) {
  std::vector<std::uint64_t> order(there);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) {
    return ordered_bits(keys[a], options.direction, options.nans) <
           ordered_bits(keys[b], options.direction, options.nans);
  });
  order.resize(std::min(k, there));
  if (options.order == top_k_order::by_position) std::sort(order.begin(), order.end());
  return order;
}

template <class T, class U>
bool is_same_and_dirt_behind(const std::vector<T>& got, const std::vector<U>& want) {
  for (std::size_t i = 0; i < want.size(); ++i)
    if (std::memcmp(&got[i], &want[i], sizeof(T)) != 0) return false;
  for (std::size_t i = want.size(); i < got.size(); ++i)
    if (!is_dirt(got[i])) return false;
  return true;
}

struct three_words {
  std::uint32_t a, b, c;
};

template <class K>
void check_top_k(const std::vector<K>& keys, std::size_t there, std::size_t k, const top_k_options& options,
                 std::size_t shift = 0) {
  const std::size_t n = keys.size(), room = std::min(n, k) + 3;
  CAPTURE(n);
  CAPTURE(there);
  CAPTURE(k);
  const std::vector<std::uint64_t> order = top_k_order_of(keys, there, k, options);
  const std::vector<std::uint32_t> want_indices(order.begin(), order.end());
  std::vector<K> want_keys;
  std::vector<three_words> values(n), want_values;
  for (std::size_t i = 0; i < n; ++i) values[i] = {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(3 * i), 7};
  for (const std::uint64_t at : order) want_keys.push_back(keys[at]), want_values.push_back(values[at]);
  for_some_schedules([&] {
    const guarded<K> in(keys, shift);
    const guarded<three_words> in_values(values);
    const guarded<std::uint64_t> length(std::vector<std::uint64_t>{there});
    guarded<K> keys_out(room, (shift + 1) % 3), pair_keys(room);
    guarded<three_words> values_out(room);
    guarded<std::uint32_t> indices(room);
    guarded<std::uint64_t> count(3);
    const unaligned_scratch of_keys(top_k_scratch_bytes<K>(n, k)),
        of_pairs(top_k_pairs_scratch_bytes<K, three_words>(n, k)),
        of_indices(top_k_indices_scratch_bytes<K, std::uint32_t>(n, k));
    directly_and_captured(
        [&] {
          keys_out.fill_dirt(), pair_keys.fill_dirt(), values_out.fill_dirt(), indices.fill_dirt(), count.fill_dirt();
        },
        [&] {
          const counted now{in, length.data()};
          if (there == n) top_k(of_keys.where(), in, k, keys_out, count.data(), options);
          else top_k(of_keys.where(), now, k, keys_out, count.data(), options);
          top_k_pairs(of_pairs.where(), now, in_values, k, pair_keys, values_out, count.data() + 1, options);
          top_k_indices(of_indices.where(), now, k, indices, count.data() + 2, options);
        },
        [&] {
          CHECK(count.read() == std::vector<std::uint64_t>(3, order.size()));
          CHECK(is_same_and_dirt_behind(keys_out.read(), want_keys));
          CHECK(is_same_and_dirt_behind(pair_keys.read(), want_keys));
          CHECK(is_same_and_dirt_behind(values_out.read(), want_values));
          CHECK(is_same_and_dirt_behind(indices.read(), want_indices));
        });
    of_keys.check_guards(), of_pairs.check_guards(), of_indices.check_guards();
  });
}

}  // namespace ballot::test
