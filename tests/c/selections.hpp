// SPDX-License-Identifier: Apache-2.0
// Shared by tests of the C library's selections: items of several sizes, and a serial split.
#pragma once

#include <ballot/core/namespace.hpp>

#include "c/support.hpp"

#include <array>

namespace ballot::test::c {

using colour = std::array<u8, 3>;
using point = std::array<float, 3>;
using record = std::array<u64, 5>;

// The items of a column that flags select, and the others.
template <class T>
struct halves {
  std::vector<T> selected, rejected;
};
template <class T>
halves<T> serial_split(const std::vector<T>& items, const std::vector<bool>& flags, std::size_t n) {
  halves<T> split;
  for (std::size_t i = 0; i < n; ++i) (flags[i] ? split.selected : split.rejected).push_back(items[i]);
  return split;
}
template <class T>
std::vector<T> joined_halves(halves<T> split) {
  split.selected.insert(split.selected.end(), split.rejected.begin(), split.rejected.end());
  return split.selected;
}

template <class Size>
std::size_t selection_size(Size&& size, const std::vector<ballot_type>& types, std::size_t n) {
  return bytes_of([&](std::size_t* b) { return size(static_cast<std::int32_t>(types.size()), types.data(), n, b); });
}

}  // namespace ballot::test::c
