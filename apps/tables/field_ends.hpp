// SPDX-License-Identifier: Apache-2.0
// Finds the ends of all fields of a CSV, 64 bytes at a time. There is a bit for each byte that is a
// delimiter, a line end or a quote. The bytes within quotes are the exclusive-or of all bits before
// (Langdale and Lemire, "Parsing gigabytes of JSON per second", 2019, section 3.1).
//
//     a,"b,c",d\n      quotes    ..1...1...     within  ..1111....     ends  .1......1.1
//
// It reads CSV as nearly all files have it. csv_reader reads the others.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ballot::app {

// The bytes of a text that are line feeds, and that are quotes.
struct counted_bytes {
  std::size_t line_feeds = 0, quotes = 0;
};
counted_bytes count_line_feeds_and_quotes(std::string_view text);

// The delimiters and line feeds that are not within quotes.
struct field_ends {
  std::vector<std::uint32_t> places;  // the first `count` of them; those behind are not used
  std::size_t count = 0, line_feeds = 0;
  bool has_quotes = false;  // somewhere in the text
};

// False if the text is not as expected: a quote that neither begins nor ends a field, a quote that
// is still open at the end, no line feed at the end, or 4 GiB and more. `found` may have been used
// for another text.
bool find_field_ends(std::string_view text, char delimiter, field_ends& found);

}  // namespace ballot::app
