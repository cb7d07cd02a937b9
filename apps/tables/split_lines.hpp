// SPDX-License-Identifier: Apache-2.0
// Finds rows in a text on all cores. The text is cut behind line ends. Each piece is scanned as if
// a row began there. Its rows count only if the rows of the piece before it ended there. If the
// line end is within quotes, they do not. Then the rows up to the next cut are searched again, from
// where they begin.
#pragma once

#include <ballot/core/namespace.hpp>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace ballot::app {

struct found_row {
  std::size_t begin, end;
  std::size_t copied = 0;  // bytes that a column needs beside it
  bool is_blank = false;   // a blank line, which is no row
};

inline constexpr std::size_t piece_of_text = std::size_t{1} << 16, text_at_once = std::size_t{8} << 20;

// Found: the result of a scan of a piece, for example a vector of rows. It is empty at first, and
// after clear(). scan(begin, until, rows): adds the rows that begin at `begin` or later, and before
// `until`. Returns where the next row begins, or where the first row begins that it cannot take.
// take(rows): called with what was found, in order. Returns false if no more is wanted. The text
// ends behind a line end. Returns where the first row begins that was not taken.
template <class Found = std::vector<found_row>, class Scan, class Take>
std::size_t split_text(std::string_view text, std::size_t begin, const Scan& scan, const Take& take) {
  struct piece {
    std::size_t begin, until, stopped;
    Found rows;  // their memory serves one text after the other
  };
  std::vector<piece> pieces;
  while (text.size() - begin > 2 * piece_of_text) {
    const std::size_t end = text.size() - begin > text_at_once ? begin + text_at_once : text.size();
    std::size_t count = 0;
    for (std::size_t at = begin; at < end; ++count) {
      const std::size_t line_end = text.find('\n', std::min(at + piece_of_text, end) - 1);
      const std::size_t until = line_end == std::string_view::npos ? text.size() : line_end + 1;
      if (count == pieces.size()) pieces.emplace_back();
      piece& next = pieces[count];
      next.begin = next.stopped = at;
      next.rows.clear();
      at = next.until = until;
    }
    tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
      piece& p = pieces[i];
      p.stopped = scan(p.begin, p.until, p.rows);
    });
    for (piece& p : std::span(pieces).first(count)) {
      if (begin >= p.until) continue;  // within a row that began before
      if (begin != p.begin) {
        p.rows.clear();
        p.stopped = scan(begin, p.until, p.rows);
      }
      if (!take(p.rows)) return begin;
      begin = p.stopped;
      if (begin < p.until) return begin;
    }
  }
  return begin;
}

}  // namespace ballot::app
