// SPDX-License-Identifier: Apache-2.0
// Segments for tests of sorts within them, and what these must give: a stable sort of each segment.
#pragma once

#include <ballot/core/namespace.hpp>

#include "support/sort_reference.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace ballot::test {

struct segmentation {
  std::string name;  // not a char*: doctest prints those as addresses
  std::vector<std::uint64_t> offsets;
};

// The order of the items: each segment's sorted by itself.
template <class K>
std::vector<std::uint64_t> serial_segmented_argsort(const std::vector<K>& keys, std::size_t n,
                                                    const std::vector<std::uint64_t>& offsets,
                                                    const sort_options& options) {
  std::vector<std::uint64_t> ends(offsets), order;
  ends.push_back(n);
  std::size_t begin = 0;
  for (std::uint64_t end : ends) {
    if (end > n) end = n;
    const std::vector<K> segment(keys.begin() + std::ptrdiff_t(begin), keys.begin() + std::ptrdiff_t(end));
    for (std::uint64_t i : serial_argsort(segment, options)) order.push_back(begin + i);
    begin = end;
  }
  return order;
}

// For n items, blocks of `room` items and ranges of `range`.
inline std::vector<segmentation> long_and_short(std::size_t n, std::size_t room, std::size_t range) {
  std::vector<segmentation> all{{"no offsets", {}}, {"all one, and empty", {0, 0, n}}};
  segmentation mixed{"of all lengths", {}}, just{"as long as a block has room for, or one more", {}},
      at_ranges{"from range to range", {}};
  std::mt19937 random(7);
  for (std::size_t at = random() % 5; at < n; at += random() % (std::size_t{2} << random() % 12))
    mixed.offsets.push_back(at);
  for (std::size_t at = 3, i = 0; at < n; at += room + i++ % 2) {
    just.offsets.push_back(at);
    if (i % 3 == 2)
      for (std::size_t k = 0; k < 5; ++k) just.offsets.push_back(at += k);
  }
  for (std::size_t at = 0; at < n; at += range * (1 + random() % 3)) {
    at_ranges.offsets.push_back(at);
    if (random() % 2 == 0) at_ranges.offsets.push_back(at + 1);
    if (random() % 2 == 0) at_ranges.offsets.push_back(at + range - 1);
  }
  all.push_back(mixed), all.push_back(just), all.push_back(at_ranges);
  return all;
}

}  // namespace ballot::test
