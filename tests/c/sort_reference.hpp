// SPDX-License-Identifier: Apache-2.0
// The order in which the C library's sorts have to put keys, by std::stable_sort.
#pragma once

#include <ballot/core/namespace.hpp>

#include "c/support.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <type_traits>
#include <vector>

namespace ballot::test::c {

// The order of keys under options: by the ordered bits that they compare.
template <class T>
std::vector<std::size_t> order_of(const std::vector<T>& keys, const ballot_sort_options& options, std::size_t begin,
                                  std::size_t end) {
  using U = ordered_bits_t<T>;
  const auto way = options.direction == BALLOT_DESCENDING ? direction::descending : direction::ascending;
  const auto nans = options.nans == BALLOT_NANS_FIRST     ? nan_order::first
                    : options.nans == BALLOT_NANS_BY_BITS ? nan_order::by_bits
                                                          : nan_order::last;
  const int high = options.high_bit == 0 ? static_cast<int>(8 * sizeof(T)) : options.high_bit;
  const auto bits = [&](T key) {
    if (options.zeros == BALLOT_ZEROS_EQUAL && key == T{}) key = T{};  // of floats: -0
    U x = ordered_bits(key, way, nans);
    if (high < static_cast<int>(8 * sizeof(T))) x = static_cast<U>(x & ((U{1} << high) - 1));
    return static_cast<U>(x >> options.low_bit);
  };
  std::vector<std::size_t> order(end - begin);
  std::iota(order.begin(), order.end(), begin);
  if (options.low_bit < high)
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return bits(keys[a]) < bits(keys[b]); });
  return order;
}
template <class T>
std::vector<T> gathered(const std::vector<T>& items, const std::vector<std::size_t>& order) {
  std::vector<T> moved(items);
  for (std::size_t i = 0; i < order.size(); ++i) moved[i] = items[order[i]];
  return moved;
}

template <class T>
std::vector<T> sort_keys(std::size_t n) {
  return std::is_floating_point_v<T> ? special_items<T>(n) : random_items<T>(n, 4, sizeof(T) == 16 ? 0 : 1000);
}

inline ballot_sort_options options_of(int direction, int nans = 0, int low = 0, int high = 0,
                                      int zeros = BALLOT_ZEROS_APART) {
  return {sizeof(ballot_sort_options), direction, nans, low, high, zeros, 0};
}

}  // namespace ballot::test::c
