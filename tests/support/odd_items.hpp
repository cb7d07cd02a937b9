// SPDX-License-Identifier: Apache-2.0
// Items that say themselves whether a selection keeps them: by the lowest bit of their first byte.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/simt/simt.cuh>

#include "support/patterns.hpp"

#include <cstddef>
#include <vector>

namespace ballot::test {

struct is_odd {
  template <class T>
  __device__ bool operator()(const T& item) const {
    return (reinterpret_cast<const unsigned char&>(item) & 1u) != 0;
  }
};

template <class T>
std::vector<T> items_with_flags(const std::vector<bool>& flags) {
  auto items = random_items<T>(flags.size(), static_cast<unsigned>(flags.size()));
  for (std::size_t i = 0; i < items.size(); ++i) {
    auto& low = reinterpret_cast<unsigned char&>(items[i]);
    low = static_cast<unsigned char>((low & 0xfeu) | (flags[i] ? 1u : 0u));
  }
  return items;
}

}  // namespace ballot::test
