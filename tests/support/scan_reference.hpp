// SPDX-License-Identifier: Apache-2.0
// Scans as loops of a line, and items to scan.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/core/operators.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

namespace ballot::test {

// Items whose sums are exact in any order: floats are small whole numbers, integers use every bit
// and wrap.
template <class T>
std::vector<T> small_items(std::size_t n) {
  std::mt19937 random(static_cast<unsigned>(n) + 3);
  std::vector<T> items(n);
  for (T& item : items) {
    if constexpr (std::is_floating_point_v<T>) item = static_cast<T>(random() % 17);
    else item = static_cast<T>(random() * std::uint64_t{0x100000001});
  }
  return items;
}

template <class T, class Op = plus>
std::vector<T> serial_inclusive(const std::vector<T>& items, Op op = {}) {
  std::vector<T> sums(items);
  for (std::size_t i = 1; i < sums.size(); ++i) sums[i] = op(sums[i - 1], sums[i]);
  return sums;
}
template <class T, class Op = plus>
std::vector<T> serial_exclusive(const std::vector<T>& items, T before, Op op = {}) {
  std::vector<T> sums(items.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i] = before;
    before = op(before, items[i]);
  }
  return sums;
}

// The same from the end: in[n - 1] op ... op in[i].
template <class T, class Op = plus>
std::vector<T> serial_inclusive_backward(std::vector<T> items, Op op = {}) {
  std::reverse(items.begin(), items.end());
  auto sums = serial_inclusive(items, op);
  std::reverse(sums.begin(), sums.end());
  return sums;
}
template <class T, class Op = plus>
std::vector<T> serial_exclusive_backward(std::vector<T> items, T before, Op op = {}) {
  std::reverse(items.begin(), items.end());
  auto sums = serial_exclusive(items, before, op);
  std::reverse(sums.begin(), sums.end());
  return sums;
}

// The four scans of one sequence, whose segments begin at the heads; without any it is one segment.
template <class T>
struct four_scans {
  T inclusive, exclusive, inclusive_backward, exclusive_backward;
  friend bool operator==(const four_scans&, const four_scans&) = default;
};

// `items`: n of them. `head(i)`: whether a segment begins there.
template <class T, class Head, class Op = plus>
std::vector<four_scans<T>> serial_scans(const T* items, std::size_t n, Head head, T initial, Op op = {}) {
  std::vector<four_scans<T>> scans(n);
  T sum{};
  for (std::size_t i = 0; i < n; ++i) {
    const bool first = i == 0 || head(i);
    scans[i].exclusive = first ? initial : op(initial, sum);
    scans[i].inclusive = sum = first ? items[i] : op(sum, items[i]);
  }
  for (std::size_t i = n; i-- > 0;) {
    const bool last = i + 1 == n || head(i + 1);
    scans[i].exclusive_backward = last ? initial : op(sum, initial);
    scans[i].inclusive_backward = sum = last ? items[i] : op(items[i], sum);
  }
  return scans;
}
inline constexpr auto no_heads = [](std::size_t) { return false; };

}  // namespace ballot::test
