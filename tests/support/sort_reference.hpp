// SPDX-License-Identifier: Apache-2.0
// The right result of a sort: that of a stable sort by the compared bits of the ordered bits.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/core/key_order.hpp>
#include <ballot/detail/radix_sort/launch.cuh>

#include "support/ways_of_sorting.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

namespace ballot::test {

template <class K>
std::vector<std::uint64_t> serial_argsort(const std::vector<K>& keys, const sort_options& options) {
  using U = ordered_bits_t<K>;
  constexpr int width = 8 * sizeof(K);
  const int high = options.bits.high == bit_range::full ? width : options.bits.high;
  const auto asked_bits = [&](std::uint64_t i) {
    const U ordered = ordered_bits(keys[i], options.direction, options.nans);
    const U below_high = high == width ? ordered : static_cast<U>(ordered & static_cast<U>((U{1} << high) - 1));
    return static_cast<U>(below_high >> options.bits.low);
  };
  std::vector<std::uint64_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint64_t a, std::uint64_t b) { return asked_bits(a) < asked_bits(b); });
  return order;
}

// The items at the positions of an order.
template <class T>
std::vector<T> in_order(const std::vector<T>& items, const std::vector<std::uint64_t>& order) {
  std::vector<T> sorted;
  sorted.reserve(order.size());
  for (const std::uint64_t i : order) sorted.push_back(items[i]);
  return sorted;
}

template <class K>
std::vector<K> serial_sort(const std::vector<K>& keys, const sort_options& options) {
  return in_order(keys, serial_argsort(keys, options));
}

// Keys as words of bits and back: NaNs compare, and no bit is lost.
template <class K>
std::vector<ordered_bits_t<K>> as_words(const std::vector<K>& keys) {
  std::vector<ordered_bits_t<K>> words(keys.size());
  if (!keys.empty()) std::memcpy(words.data(), keys.data(), keys.size() * sizeof(K));
  return words;
}
template <class K>
std::vector<K> keys_as(const std::vector<ordered_bits_t<K>>& words) {
  std::vector<K> keys(words.size());
  if (!words.empty()) std::memcpy(static_cast<void*>(keys.data()), words.data(), words.size() * sizeof(K));
  return keys;
}

}  // namespace ballot::test
