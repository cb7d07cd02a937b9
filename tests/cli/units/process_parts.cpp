// SPDX-License-Identifier: Apache-2.0
// Which items of a file each of several processes has.
#include "processes/parts.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace ballot::app;

TEST_CASE("parts follow each other, and differ by one item at most") {
  for (const std::uint64_t items : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{1000},
                                    std::uint64_t{1} << 40, std::numeric_limits<std::uint64_t>::max()})
    for (const int ranks : {1, 2, 3, 7, 128, 100'000}) {
      CAPTURE(items);
      CAPTURE(ranks);
      CHECK(part_begin(items, 0, ranks) == 0);
      CHECK(part_begin(items, ranks, ranks) == items);
      const auto all = static_cast<std::uint64_t>(ranks);
      bool is_even = true;
      for (int r = 0; r < ranks; ++r) {
        const std::uint64_t size = part_size(items, r, ranks);
        is_even = is_even && size >= items / all && size <= items / all + (items % all != 0 ? 1 : 0);
      }
      CHECK(is_even);
    }
}

TEST_CASE("the owner of an item is the process whose part has it") {
  for (const std::uint64_t items : {std::uint64_t{1}, std::uint64_t{6}, std::uint64_t{101}})
    for (const int ranks : {1, 2, 5, 64})
      for (std::uint64_t item = 0; item < items; ++item) {
        const int owner = owner_of(item, items, ranks);
        CHECK(part_begin(items, owner, ranks) <= item);
        CHECK(item < part_begin(items, owner + 1, ranks));
      }
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  CHECK(owner_of(most - 1, most, 1000) == 999);
  CHECK(owner_of(0, most, 1000) == 0);
}
