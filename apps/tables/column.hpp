// SPDX-License-Identifier: Apache-2.0
// A column of a table, extracted from its rows: numbers of one type, or texts. Keys and conditions
// use columns; the rows themselves stay unchanged.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/bulk_vector.hpp"
#include "base/host_buffer.hpp"
#include "tables/column_type.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::app {

struct table_column : column_type {
  host_buffer numbers;                      // one per row, 0 if the field is empty
  bulk_vector<std::string_view> texts;      // one per row, if the column is text
  std::vector<std::uint8_t> empty;          // 1 if the field is empty; no items if no field is
  std::optional<std::size_t> fixed_length;  // bytes of every text; "empty" then means nothing
  std::string why_text;                     // inferred: the first field that is not a number, for messages
  bool is_literal = false;                  // texts that JSON writes without quotes: true, 12.50

  std::vector<std::deque<std::string>> unquoted;  // holds texts whose quotes were doubled

  bool is_empty(std::uint64_t row) const { return !empty.empty() && empty[row] != 0; }
};

// If no type is requested, a column has numbers if every field that is not empty is a number: i64
// if all are integers that fit, else u64, else f64. Otherwise it has text. An empty column is a
// column of numbers that are all missing. Blanks around a number are accepted. Throws failure if a
// field is not of the requested type.
table_column parse_column(const column_fields& fields, const requested_type& requested);

}  // namespace ballot::app
