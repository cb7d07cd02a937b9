// SPDX-License-Identifier: Apache-2.0
// How a text is cut into pieces for all cores: each row is found once, and no thread gets much more
// than another.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "tables/split_lines.hpp"

#include <algorithm>
#include <atomic>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace ballot::app;

struct cut {
  std::vector<std::size_t> ends;  // of the rows
  std::size_t largest_piece = 0;
};

// Every line is a row.
cut cut_lines(const std::string& text) {
  std::atomic<std::size_t> largest = 0;
  cut made;
  const auto scan = [&](std::size_t at, std::size_t until, std::vector<found_row>& rows) {
    for (std::size_t seen = largest; seen < until - at && !largest.compare_exchange_weak(seen, until - at);) {
    }
    while (at < until) {
      const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
      rows.push_back({at, end});
      at = end;
    }
    return at;
  };
  const auto take = [&](const std::vector<found_row>& rows) {
    for (const found_row& row : rows) made.ends.push_back(row.end);
    return true;
  };
  std::size_t at = split_text(text, 0, scan, take);
  CHECK(text.size() - at <= 2 * piece_of_text);  // the rest is not worth it
  std::vector<found_row> rest;
  scan(at, text.size(), rest);
  take(rest);
  made.largest_piece = largest;
  return made;
}

}  // namespace

TEST_CASE("a text of several windows is cut into pieces of one size") {
  std::mt19937 random(5);
  for (const std::size_t size : {std::size_t{100}, 2 * piece_of_text, 2 * piece_of_text + 1, text_at_once - 1,
                                 text_at_once, text_at_once + 1, 3 * text_at_once + 12345}) {
    for (const bool ends_in_line_end : {false, true}) {
      std::string text(size, 'x');
      constexpr std::size_t longest = 300;
      for (std::size_t at = 0; at < size; at += 1 + random() % longest) text[at] = '\n';
      text.back() = ends_in_line_end ? '\n' : 'y';
      std::vector<std::size_t> expected;
      for (std::size_t at = 0; at < size; at = expected.back())
        expected.push_back(std::min(text.find('\n', at), size - 1) + 1);
      const cut made = cut_lines(text);
      CHECK(made.ends == expected);
      CHECK(made.largest_piece <= 2 * piece_of_text + longest);
    }
  }
}
