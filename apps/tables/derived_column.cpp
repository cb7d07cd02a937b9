// SPDX-License-Identifier: Apache-2.0
#include "tables/derived_column.hpp"

#include "base/failure.hpp"
#include "base/text.hpp"
#include "tables/row_chunks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

namespace ballot::app {
namespace {

constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

// Zeros at the end of bytes of a fixed length fill them up.
std::string_view without_filling(const table_column& column, std::string_view text) {
  while (column.fixed_length && text.ends_with('\0')) text.remove_suffix(1);
  return text;
}

}  // namespace

table_column column_of_dates(const table& of, const std::string& name, const date_format& format) {
  const table_column texts = of.column(name, {true, std::nullopt});
  table_column dates;
  dates.name = name;
  dates.type = dtype::i64;
  dates.said = fmt::format("date({})", format.text());
  const auto rows = static_cast<std::uint64_t>(texts.texts.size());
  dates.numbers.resize(static_cast<std::size_t>(rows) * sizeof(std::int64_t));
  dates.empty.resize(rows);
  const std::span<std::int64_t> numbers = dates.numbers.as<std::int64_t>();
  std::vector<std::uint64_t> first_bad(row_chunks(rows), none);
  std::vector<std::uint8_t> has_empty(row_chunks(rows));
  for_each_row_chunk(rows, [&](std::uint64_t chunk, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t row = first; row < last; ++row) {
      const std::string_view text = trimmed(without_filling(texts, texts.texts[row]));
      numbers[row] = 0;
      dates.empty[row] = text.empty();
      if (text.empty()) {
        has_empty[chunk] = 1;
      } else if (format.parse(text, numbers[row]) != date_error::none) {
        first_bad[chunk] = row;
        return;
      }
    }
  });
  if (const auto bad = std::min_element(first_bad.begin(), first_bad.end()); bad != first_bad.end() && *bad != none) {
    const std::string_view text = without_filling(texts, texts.texts[*bad]);
    std::int64_t value = 0;
    const bool is_far = format.parse(text, value) == date_error::out_of_range;
    throw failure(fmt::format("{}: column {}: {} {}: {}", of.place_of_row(*bad), in_quotes(name),
                              is_far ? "out of range (with %f only the years 1678 to 2261 are possible) for the format"
                                     : "not a date of the format",
                              in_quotes(format.text()), in_quotes(text)));
  }
  if (std::find(has_empty.begin(), has_empty.end(), 1) == has_empty.end()) dates.empty.clear();
  return dates;
}

table_column column_of_keys(const table& of, const std::string& name, const text_order& order) {
  table_column column = of.column(name, {true, std::nullopt});
  column.said = fmt::format("text, {}", order.in_words());
  const auto rows = static_cast<std::uint64_t>(column.texts.size());
  std::vector<std::deque<std::string>> keys(row_chunks(rows));
  for_each_row_chunk(rows, [&](std::uint64_t chunk, std::uint64_t first, std::uint64_t last) {
    // All keys of a chunk in one: the texts are looked at where they lie until it has stopped
    // growing.
    std::string& all = keys[chunk].emplace_back();
    std::vector<std::size_t> ends(static_cast<std::size_t>(last - first));
    for (std::uint64_t row = first; row < last; ++row) {
      if (!column.is_empty(row)) order.append_key(without_filling(column, column.texts[row]), all);
      ends[row - first] = all.size();
    }
    all.shrink_to_fit();
    for (std::uint64_t row = first, begin = 0; row < last; begin = ends[row - first], ++row)
      column.texts[row] = std::string_view(all).substr(begin, ends[row - first] - begin);
  });
  column.unquoted = std::move(keys);
  column.fixed_length.reset();
  return column;
}

}  // namespace ballot::app
