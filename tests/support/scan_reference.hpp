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

// Items whose sums are exact in any order: floats are small whole numbers, integers use every bit and wrap.
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

}  // namespace ballot::test
