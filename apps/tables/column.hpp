// A column of a table, taken out of its rows: numbers of one type, or texts. What the rows say stays as it is; a column
// is what keys and conditions look at.
#pragma once

#include <ballot/core/namespace.hpp>

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
  host_buffer numbers;                      // one a row, 0 where the field is empty
  std::vector<std::string_view> texts;      // one a row, of texts
  std::vector<std::uint8_t> empty;          // 1 where the field is empty; no items where no field is
  std::optional<std::size_t> fixed_length;  // bytes of every text; "empty" then means nothing
  std::string why_text;                     // guessed: the first field that is no number, as a message shows it

  std::vector<std::deque<std::string>> unquoted;  // what texts refer to, where a field's quotes were doubled

  bool is_empty(std::uint64_t row) const { return !empty.empty() && empty[row] != 0; }
};

// Without a requested: numbers where every field that is not empty is one (i64 if all are integers that fit, else u64, else
// f64), otherwise text; a column that has nothing in it is one of numbers that are all empty. Blanks around a number are tolerated. Throws failure where a field is not what was wished for.
table_column parse_column(const column_fields& fields, const requested_type& requested);

}  // namespace ballot::app
