// SPDX-License-Identifier: Apache-2.0
// Items half of which are selected at random, and what a selection has to give.
#pragma once

#include "support/device_data.hpp"
#include "support/patterns.hpp"

#include <ballot/core/namespace.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ballot::test {

// Odd items are selected.
template <class T>
struct selection {
  std::vector<T> items, selected, rejected;
  std::vector<std::uint8_t> flags;

  selection(std::size_t n, unsigned seed) : items(random_items<T>(n, seed)) {
    for (const T item : items) {
      const bool odd = (item & 1u) != 0;
      flags.push_back(odd);
      (odd ? selected : rejected).push_back(item);
    }
  }
  std::vector<T> selected_then_rejected() const {
    auto all = selected;
    all.insert(all.end(), rejected.begin(), rejected.end());
    return all;
  }
};

// Whether the output has room for these, and they come first.
template <class T>
bool starts_with(const guarded<T>& out, const std::vector<T>& want) {
  const auto got = out.read();
  return want.size() <= got.size() && std::equal(want.begin(), want.end(), got.begin());
}

}  // namespace ballot::test
