// SPDX-License-Identifier: Apache-2.0
// Texts that agree in their first bytes, against std::stable_sort.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "base/host_buffer.hpp"
#include "table_sort/repeated_rows.hpp"
#include "table_sort/text_ties.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace ballot::app::test_text_ties {
namespace {

std::vector<std::string> made(int kind, std::size_t size) {
  std::mt19937_64 random(static_cast<std::uint64_t>(kind) * 1000 + size);
  std::vector<std::string> texts(size);
  for (std::string& text : texts) {
    if (kind == 0) text = std::string(random() % 30, 'a') + static_cast<char>('a' + random() % 3);
    if (kind == 1) text = std::string(random() % 20, '\0');                       // only lengths differ
    if (kind == 2) text = std::string(100, 'x') + std::to_string(random() % 50);  // many equal
    if (kind == 3) text = "prefix" + std::string(8 * (random() % 40), '\0') + (random() % 2 ? "" : "b");
    if (kind == 4)
      for (std::size_t i = random() % 12; i != 0; --i) text += static_cast<char>(random() % 256);
    if (kind == 5) text = std::string(8 * (random() % 3000), 'y') + "z";  // deep
  }
  return texts;
}

TEST_CASE("Texts that agree in their first bytes") {
  for (int kind = 0; kind < 6; ++kind)
    for (const std::size_t size : {1u, 2u, 23u, 24u, 25u, 500u, 5000u, 40'000u}) {
      if (kind == 5 && size > 5000) continue;
      const auto texts = made(kind, size);
      for (const direction order : {direction::ascending, direction::descending})
        for (const bool has_empty : {false, true}) {
          row_keys::part by{{}, order, false};
          by.column.is_text = true;
          by.column.texts.assign(texts.begin(), texts.end());
          if (has_empty)
            for (const std::string& text : texts) by.column.empty.push_back(text.empty() || text.size() % 7 == 0);
          const auto before = [&](std::uint64_t a, std::uint64_t b) {
            if (by.column.is_empty(a) || by.column.is_empty(b)) return !by.column.is_empty(a) && by.column.is_empty(b);
            return order == direction::ascending ? texts[a] < texts[b] : texts[b] < texts[a];
          };
          std::vector<std::uint64_t> expected(size), found(size);
          std::iota(expected.begin(), expected.end(), 0);
          found = expected;
          std::stable_sort(expected.begin(), expected.end(), before);
          const text_ties::finisher by_row = [](std::span<std::uint64_t> rows) { std::sort(rows.begin(), rows.end()); };
          text_ties(by, by_row).sort(found, 0);
          CAPTURE(kind);
          CAPTURE(size);
          CAPTURE(has_empty);
          CAPTURE((order == direction::ascending));
          CHECK(found == expected);
        }
    }
}

TEST_CASE("The first of each run of equal rows") {
  for (const std::size_t size : {0u, 1u, 2u, 16'383u, 16'384u, 16'385u, 100'000u})
    for (const std::uint64_t run : {1u, 3u, 20'000u, 1'000'000u}) {
      host_buffer rows(size * sizeof(std::uint64_t));
      std::iota(rows.as<std::uint64_t>().begin(), rows.as<std::uint64_t>().end(), 0);
      keep_first_of_runs(rows, [&](std::uint64_t a, std::uint64_t b) { return a / run == b / run; });
      std::vector<std::uint64_t> expected;
      for (std::uint64_t row = 0; row < size; row += run) expected.push_back(row);
      const auto kept = rows.as<std::uint64_t>();
      CHECK(std::equal(kept.begin(), kept.end(), expected.begin(), expected.end()));
    }
}

}  // namespace
}  // namespace ballot::app::test_text_ties
