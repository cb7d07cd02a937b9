// SPDX-License-Identifier: Apache-2.0
// Scans as ballot.h states them, by loops.
#pragma once

#include <ballot/core/namespace.hpp>

#include "c/support.hpp"
#include "support/scan_reference.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace ballot::test::c {

// Operators as ballot.h states them.
template <class T>
std::function<T(T, T)> operation(ballot_operator op) {
  switch (op) {
    case BALLOT_PLUS:
      return [](T a, T b) { return plus{}(a, b); };
    case BALLOT_MINIMUM:
      return [](T a, T b) { return minimum{}(a, b); };
    case BALLOT_MAXIMUM:
      return [](T a, T b) { return maximum{}(a, b); };
    default:
      break;
  }
  if constexpr (!std::is_floating_point_v<T>) {
    switch (op) {
      case BALLOT_BIT_AND:
        return [](T a, T b) { return static_cast<T>(a & b); };
      case BALLOT_BIT_OR:
        return [](T a, T b) { return static_cast<T>(a | b); };
      default:
        return [](T a, T b) { return static_cast<T>(a ^ b); };
    }
  }
  return {};
}
template <class T>
T identity(ballot_operator op) {
  const T ones = static_cast<T>(-1);
  T lowest{}, highest = ones;
  if constexpr (std::is_floating_point_v<T>) {
    lowest = highest = std::numeric_limits<T>::quiet_NaN();
  } else if constexpr (static_cast<T>(-1) < T{}) {
    lowest = static_cast<T>(T{1} << (8 * sizeof(T) - 2));
    lowest = static_cast<T>(lowest * -2);
    highest = static_cast<T>(-1 - lowest);
  }
  switch (op) {
    case BALLOT_MINIMUM:
      return highest;
    case BALLOT_MAXIMUM:
      return lowest;
    case BALLOT_BIT_AND:
      return ones;
    default:
      return T{};
  }
}

template <class T>
std::vector<T> serial_scan(std::vector<T> items, const T* initial, ballot_operator op, bool backward) {
  const auto f = operation<T>(op);
  if (backward) std::reverse(items.begin(), items.end());
  std::vector<T> sums(items.size());
  T sum = initial != nullptr ? *initial : T{};
  for (std::size_t i = 0; i < items.size(); ++i) {
    const T next = i == 0 && initial == nullptr ? items[0] : f(sum, items[i]);
    sums[i] = initial != nullptr ? sum : next;
    sum = next;
  }
  if (backward) std::reverse(sums.begin(), sums.end());
  return sums;
}

template <class T>
std::vector<T> items_for(ballot_operator op, std::size_t n) {
  if (op == BALLOT_PLUS && std::is_floating_point_v<T>) return random_items<T>(n, 3, 5);
  if (std::is_floating_point_v<T>) return random_items<T>(n, 3, 100);
  return random_items<T>(n);
}

}  // namespace ballot::test::c
