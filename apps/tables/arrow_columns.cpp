// SPDX-License-Identifier: Apache-2.0
// The columns of the rows of an Arrow table: for keys and conditions, and as other formats write
// them.
#include "base/failure.hpp"
#include "base/half.hpp"
#include "base/text.hpp"
#include "columnar/value_texts.hpp"
#include "tables/arrow_table.hpp"
#include "tables/row_chunks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <type_traits>
#include <utility>

namespace ballot::app {
namespace {

template <class T>
void append_shortest(std::string& to, T value) {
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  static_cast<void>(error);
  to.append(digits, end);
}

time_scale scale_of(const arrow_type& type) {
  if (type.kind == arrow_kind::date && type.unit == 'D') return {1, 86400};
  if (type.kind == arrow_kind::date || type.kind == arrow_kind::instant) return {type.units_a_second(), 1};
  return {};
}

}  // namespace

void arrow_table::find_missing(std::size_t place, table_column& to) const {
  to.empty.resize(rows());
  std::atomic<bool> has_none = false;
  for_each_row_chunk(rows(), [&](std::uint64_t, std::uint64_t first, std::uint64_t last) {
    bool found = false;
    for (std::uint64_t i = first; i < last; ++i) {
      to.empty[i] = layout_->is_null(row(i).data(), place);
      found = found || to.empty[i] != 0;
    }
    if (found) has_none = true;
  });
  if (!has_none) to.empty.clear();
}

void arrow_table::take_numbers(std::size_t place, table_column& to) const {
  const arrow_type& type = layout_->columns()[place].type;
  const std::uint64_t offset = layout_->offset(place);
  to.type = type.number.value_or(dtype::i64);
  to.numbers.resize(static_cast<std::size_t>(rows()) * size_of(to.type));
  visit_dtype(to.type, [&]<class T>(std::type_identity<T>) {
    const std::span<T> numbers = to.numbers.as<T>();
    for_each_row_chunk(rows(), [&](std::uint64_t, std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i) {
        const std::byte* const from = row(i).data() + offset;
        if (type.kind == arrow_kind::nothing) numbers[i] = T{};
        else if (type.kind == arrow_kind::half)
          numbers[i] = static_cast<T>(float_of_half(row_layout::load<std::uint16_t>(from)));
        else numbers[i] = row_layout::load<T>(from);
      }
    });
  });
}

void arrow_table::take_decimals(std::size_t place, table_column& to) const {
  const arrow_type& type = layout_->columns()[place].type;
  to.type = dtype::f64;
  to.numbers.resize(static_cast<std::size_t>(rows()) * sizeof(double));
  const std::span<double> numbers = to.numbers.as<double>();
  for_each_row_chunk(rows(), [&](std::uint64_t, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) {
      const std::byte* const from = row(i).data() + layout_->offset(place);
      const auto number = number_of_decimal(type, from);
      if (!number) {
        std::string text;
        append_decimal_text(text, type, from);
        throw failure(
            fmt::format("{}: column {} is {}, and {} has more than the 15 digits that can be compared: such "
                        "columns are sorted, copied and written, but are no part of conditions",
                        place_of_row(i), in_quotes(to.name), type.in_words(), text));
      }
      numbers[i] = *number;
    }
  });
}

void arrow_table::take_texts(std::size_t place, table_column& to) const {
  const arrow_type& type = layout_->columns()[place].type;
  to.is_text = true;
  to.texts.resize(rows());
  for_each_row_chunk(rows(), [&](std::uint64_t, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) {
      const std::byte* const from = row(i).data();
      if (type.is_variable()) to.texts[i] = layout_->text(from, place);
      else if (layout_->is_null(from, place)) to.texts[i] = {};
      else
        to.texts[i] = {reinterpret_cast<const char*>(from + layout_->offset(place)),
                       static_cast<std::size_t>(type.item_bytes)};
    }
  });
}

void arrow_table::append_written(std::string& to, std::size_t place, const std::byte* row) const {
  const arrow_type& type = layout_->columns()[place].type;
  const std::byte* const from = row + layout_->offset(place);
  if (type.kind == arrow_kind::decimal) append_decimal_text(to, type, from);
  else if (type.kind == arrow_kind::boolean) to += *from != std::byte{0} ? "true" : "false";
  else if (type.is_time())
    append_time_text(
        to, type, type.item_bytes == 4 ? row_layout::load<std::int32_t>(from) : row_layout::load<std::int64_t>(from));
  else if (type.kind == arrow_kind::half) append_shortest(to, float_of_half(row_layout::load<std::uint16_t>(from)));
  else
    visit_dtype(*type.number, [&]<class T>(std::type_identity<T>) { append_shortest(to, row_layout::load<T>(from)); });
}

// Texts are made chunk by chunk, with room for all of a chunk, so that they stay where they are.
void arrow_table::take_written(std::size_t place, table_column& to) const {
  to.is_text = true;
  to.texts.resize(rows());
  to.unquoted.resize(row_chunks(rows()));
  const std::size_t longest = longest_value_text(layout_->columns()[place].type);
  for_each_row_chunk(rows(), [&](std::uint64_t chunk, std::uint64_t first, std::uint64_t last) {
    std::string& made = to.unquoted[chunk].emplace_back();
    made.reserve((last - first) * longest);
    for (std::uint64_t i = first; i < last; ++i) {
      const std::size_t begin = made.size();
      if (!layout_->is_null(row(i).data(), place)) append_written(made, place, row(i).data());
      to.texts[i] = std::string_view(made).substr(begin);
    }
  });
}

table_column arrow_table::column(const std::string& name, const requested_type& requested) const {
  const std::size_t place = place_of(name);
  const arrow_type& type = layout_->columns()[place].type;
  if (requested.type && (type.is_text() || type.kind == arrow_kind::decimal || requested.type != type.number))
    throw usage_error(
        fmt::format("{}: column {} has a fixed type: {}", this->name(), in_quotes(name), type.in_words()));
  table_column column;
  column.name = name;
  if (type.kind == arrow_kind::nothing) {
    column.is_missing = true;
    column.is_text = requested.as_text;
  }
  if (type.is_text()) take_texts(place, column);
  else if (requested.as_text && type.kind != arrow_kind::nothing) take_written(place, column);
  else if (type.kind == arrow_kind::decimal) take_decimals(place, column);
  else take_numbers(place, column);
  if (column.is_text && type.kind == arrow_kind::nothing) column.texts.resize(rows());
  if (!column.is_text && type.kind != arrow_kind::number) column.said = type.in_words();
  if (!column.is_text) column.times = scale_of(type);
  find_missing(place, column);
  return column;
}

// Keys of decimals that an f64 may not hold: big-endian, with a sign bit by which negative ones
// come first.
table_column arrow_table::column_to_compare(const std::string& name, const requested_type& requested) const {
  constexpr int exact_digits = 15;
  const std::size_t place = place_of(name);
  const arrow_type& type = layout_->columns()[place].type;
  if (type.kind != arrow_kind::decimal || type.precision <= exact_digits || !requested.is_unspecified())
    return column(name, requested);
  table_column key;
  key.name = name;
  key.is_text = true;
  key.said = type.in_words();
  key.texts.resize(rows());
  key.unquoted.resize(row_chunks(rows()));
  for_each_row_chunk(rows(), [&](std::uint64_t chunk, std::uint64_t first, std::uint64_t last) {
    std::string& made = key.unquoted[chunk].emplace_back();
    made.reserve(static_cast<std::size_t>((last - first) * type.item_bytes));
    for (std::uint64_t i = first; i < last; ++i) {
      const auto* const from = reinterpret_cast<const char*>(row(i).data() + layout_->offset(place));
      const std::size_t begin = made.size();
      for (std::size_t byte = static_cast<std::size_t>(type.item_bytes); byte-- > 0;) made += from[byte];
      made[begin] = static_cast<char>(made[begin] ^ 0x80);
      key.texts[i] = std::string_view(made).substr(begin);
    }
  });
  find_missing(place, key);
  return key;
}

// As NumPy has them: all times in 64 bits.
void arrow_table::widen(std::size_t place, table_column& to) const {
  const arrow_type& type = layout_->columns()[place].type;
  if (type.kind == arrow_kind::boolean) to.npy_descr = "|b1";
  if (!type.is_time()) return;
  const bool is_date = type.kind == arrow_kind::date || type.kind == arrow_kind::instant;
  to.npy_descr =
      fmt::format("<{}8[{}]", is_date ? 'M' : 'm',
                  type.unit == 'D' || type.unit == 's' ? std::string(1, type.unit) : std::string(1, type.unit) + "s");
  if (to.type == dtype::i64) return;
  host_buffer wide(static_cast<std::size_t>(rows()) * sizeof(std::int64_t));
  std::ranges::copy(std::as_const(to.numbers).as<std::int32_t>(), wide.as<std::int64_t>().begin());
  to.numbers = std::move(wide);
  to.type = dtype::i64;
}

table_column arrow_table::column_to_write(const std::string& name, const requested_type& requested,
                                          bool is_binary) const {
  const std::size_t place = place_of(name);
  const arrow_type& type = layout_->columns()[place].type;
  const bool is_plain = type.is_text() || type.kind == arrow_kind::number || type.kind == arrow_kind::half ||
                        type.kind == arrow_kind::nothing;
  if (is_plain || !requested.is_unspecified()) return column(name, requested);
  if (!is_binary || type.kind == arrow_kind::decimal) {
    table_column written = column(name, {true, std::nullopt});
    written.is_literal = !type.is_time() || type.kind == arrow_kind::duration;
    return written;
  }
  table_column numbers = column(name, requested);
  widen(place, numbers);
  return numbers;
}

}  // namespace ballot::app
