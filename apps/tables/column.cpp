// SPDX-License-Identifier: Apache-2.0
#include "tables/column.hpp"

#include "base/failure.hpp"
#include "base/parse_number.hpp"
#include "base/text.hpp"
#include "tables/row_chunks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>

namespace ballot::app {
namespace {

[[noreturn]] void throw_bad_number(const column_fields& fields, std::uint64_t row, std::string_view text, dtype type,
                                   number_error error) {
  throw failure(fmt::format("{}: column {}: {} {}: {}", fields.place(row), in_quotes(fields.name),
                            error == number_error::out_of_range ? "out of range for" : "not a number of type",
                            name_of(type), in_quotes(text)));
}

// field_of(row, plain): a field, which is not escaped; `plain` may hold its text.
template <class FieldOf>
void parse_numbers(const column_fields& fields, table_column& column, bool refuses_strings, const FieldOf& field_of) {
  column.numbers.resize(static_cast<std::size_t>(fields.rows) * size_of(column.type));
  column.empty.resize(fields.rows);
  std::atomic<bool> has_empty = false;
  std::vector<std::uint64_t> first_bad_row(row_chunks(fields.rows), std::numeric_limits<std::uint64_t>::max());
  visit_dtype(column.type, [&]<class T>(std::type_identity<T>) {
    const auto parse = [&](const field_bytes& field, std::string_view text, T& value) {
      if (refuses_strings && field.is_string) return number_error::not_a_number;
      return parse_number(text, value);
    };
    const std::span<T> numbers = column.numbers.as<T>();
    for_each_row_chunk(fields.rows, [&](std::uint64_t chunk, std::uint64_t first, std::uint64_t last) {
      bool some_empty = false;
      std::string plain;
      for (std::uint64_t row = first; row < last; ++row) {
        const field_bytes field = field_of(row, plain);
        const std::string_view text = trimmed(field.text);
        T value{};
        if (text.empty()) {
          some_empty = true;
        } else if (parse(field, text, value) != number_error::none) {
          first_bad_row[chunk] = row;
          return;
        }
        column.empty[row] = text.empty();
        numbers[row] = value;
      }
      if (some_empty) has_empty.store(true, std::memory_order_relaxed);
    });
    const auto bad = std::min_element(first_bad_row.begin(), first_bad_row.end());
    if (bad != first_bad_row.end() && *bad != std::numeric_limits<std::uint64_t>::max()) {
      T value{};
      std::string plain;
      const field_bytes field = field_of(*bad, plain);
      const std::string_view text = trimmed(field.text);
      throw_bad_number(fields, *bad, text, column.type, parse(field, text, value));
    }
  });
  if (!has_empty) column.empty.clear();
  column.texts = {};
  column.unquoted = {};
}

}  // namespace

table_column parse_column(const column_fields& fields, const requested_type& requested) {
  table_column column;
  if (requested.type && !requested.as_text) {
    column.name = fields.name;
    column.type = *requested.type;
    parse_numbers(fields, column, requested.refuses_strings, [&](std::uint64_t row, std::string& plain) {
      field_bytes field = fields.field(row);
      if (!field.doubled && !field.escaped) return field;
      plain = field.plain();
      field.text = plain;
      return field;
    });
    return column;
  }
  column.texts.resize(fields.rows);
  column.unquoted.resize(row_chunks(fields.rows));
  for_each_row_chunk(fields.rows, [&](std::uint64_t chunk, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t row = first; row < last; ++row) {
      const field_bytes field = fields.field(row);
      column.texts[row] = field.doubled || field.escaped
                              ? std::string_view(column.unquoted[chunk].emplace_back(field.plain()))
                              : field.text;
    }
  });
  if (requested.is_unspecified()) {
    type_inference found;
    if (fields.has_strings) found.add(fields);
    else found.add(fields, column.texts);
    static_cast<column_type&>(column) = found.type_of(fields.name);
  } else {
    column.name = fields.name;
    column.is_text = true;
  }
  if (!column.is_text) {
    parse_numbers(fields, column, false,
                  [&](std::uint64_t row, std::string&) { return field_bytes{column.texts[row]}; });
    return column;
  }
  if (column.decided_by)
    column.why_text =
        fmt::format("{}:{}: {}", fields.file, column.decided_by->line, in_quotes(column.decided_by->text));
  column.empty.resize(fields.rows);
  std::atomic<bool> has_empty = false;
  for_each_row_chunk(fields.rows, [&](std::uint64_t, std::uint64_t first, std::uint64_t last) {
    bool some_empty = false;
    for (std::uint64_t row = first; row < last; ++row)
      some_empty |= (column.empty[row] = column.texts[row].empty()) != 0;
    if (some_empty) has_empty.store(true, std::memory_order_relaxed);
  });
  if (!has_empty) column.empty.clear();
  return column;
}

}  // namespace ballot::app
