#include "common/table/column.hpp"

#include "common/failure.hpp"
#include "common/formats/number.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <limits>

namespace ballot::app {
namespace {

constexpr std::uint64_t chunk_rows = std::uint64_t{1} << 16;

std::uint64_t chunks_of(std::uint64_t rows) { return (rows + chunk_rows - 1) / chunk_rows; }

// f(chunk, first, last), on all cores.
template <class F>
void for_each_chunk(std::uint64_t rows, const F& f) {
  tbb::parallel_for(std::uint64_t{0}, chunks_of(rows), [&](std::uint64_t chunk) {
    f(chunk, chunk * chunk_rows, std::min(rows, (chunk + 1) * chunk_rows));
  });
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  return begin == std::string_view::npos ? std::string_view{}
                                         : text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::string undoubled(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    plain += text[i];
    if (text[i] == '"') ++i;
  }
  return plain;
}

// look_at(findings, row) for all rows.
template <class LookAt>
column_findings look_at_rows(std::uint64_t rows, const LookAt& look_at) {
  std::vector<column_findings> of_chunk(chunks_of(rows));
  for_each_chunk(rows, [&](std::uint64_t chunk, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t row = first; row < last; ++row) look_at(of_chunk[chunk], row);
  });
  column_findings all;
  for (const column_findings& one : of_chunk) all.add(one);
  return all;
}

[[noreturn]] void throw_no_number(const fields_of_column& fields, std::uint64_t row, std::string_view text, dtype type,
                                  number_error error) {
  throw failure(fmt::format("{}: column {}: {} {}: {}", fields.place(row), shown_text(fields.name),
                            error == number_error::out_of_range ? "out of range for" : "not a number of type",
                            name_of(type), shown_text(text)));
}

void parse_numbers(const fields_of_column& fields, table_column& column) {
  column.numbers.resize(static_cast<std::size_t>(fields.rows) * size_of(column.type));
  column.empty.resize(fields.rows);
  std::atomic<bool> has_empty = false;
  std::vector<std::uint64_t> first_bad(chunks_of(fields.rows), std::numeric_limits<std::uint64_t>::max());
  const auto parse = [&]<class T>(std::uint64_t row, std::string_view text, T& value) {
    value = 0;
    column.empty[row] = text.empty();
    if (text.empty()) {
      has_empty = true;
      return number_error::none;
    }
    return parse_number(text, value);
  };
  visit_dtype(column.type, [&]<class T>(std::type_identity<T>) {
    const std::span<T> numbers = column.numbers.as<T>();
    for_each_chunk(fields.rows, [&](std::uint64_t chunk, std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t row = first; row < last; ++row) {
        T value{};
        if (parse(row, without_blanks(column.texts[row]), value) == number_error::none) {
          numbers[row] = value;
        } else {
          first_bad[chunk] = row;
          return;
        }
      }
    });
    const auto bad = std::min_element(first_bad.begin(), first_bad.end());
    if (bad != first_bad.end() && *bad != std::numeric_limits<std::uint64_t>::max()) {
      T value{};
      const std::string_view text = without_blanks(column.texts[*bad]);
      throw_no_number(fields, *bad, text, column.type, parse(*bad, text, value));
    }
  });
  if (!has_empty) column.empty.clear();
  column.texts = {};
  column.unquoted = {};
}

}  // namespace

void column_findings::note(std::string_view field, std::uint64_t row) {
  if (first_text_ < row) return;
  const std::string_view text = without_blanks(field);
  if (text.empty()) return;
  std::int64_t as_i64{};
  std::uint64_t as_u64{};
  double as_f64{};
  if (parse_number(text, as_i64) == number_error::none) {
    has_negative_ = has_negative_ || as_i64 < 0;
  } else if (parse_number(text, as_u64) == number_error::none) {
    beyond_i64_ = true;
  } else if (parse_number(text, as_f64) == number_error::none) {
    is_fractional_ = true;
  } else {
    first_text_ = std::min(first_text_, row);
  }
  has_number_ = true;
}

void column_findings::add(const column_findings& other) {
  has_negative_ |= other.has_negative_;
  beyond_i64_ |= other.beyond_i64_;
  is_fractional_ |= other.is_fractional_;
  has_number_ |= other.has_number_;
  first_text_ = std::min(first_text_, other.first_text_);
}

void column_findings::add(const fields_of_column& fields) {
  add(look_at_rows(fields.rows, [&](column_findings& findings, std::uint64_t row) {
    const field_bytes field = fields.field(row);
    if (field.doubled) findings.note(undoubled(field.text), row);
    else findings.note(field.text, row);
  }));
}

bool column_findings::is_text() const { return first_text_ != none || !has_number_; }

dtype column_findings::number_type() const {
  if (is_fractional_ || (has_negative_ && beyond_i64_)) return dtype::f64;
  return beyond_i64_ ? dtype::u64 : dtype::i64;
}

column_wish column_findings::as_wish() const {
  return is_text() ? column_wish{true, std::nullopt} : column_wish{false, number_type()};
}

std::string shown_text(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string shown;
  for (const char c : text.substr(0, longest))
    shown += static_cast<unsigned char>(c) >= ' ' && c != '\x7f'
                 ? std::string(1, c)
                 : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return fmt::format("'{}{}'", shown, text.size() > longest ? "..." : "");
}

table_column column_of_fields(const fields_of_column& fields, const column_wish& wish) {
  table_column column;
  column.name = fields.name;
  column.texts.resize(fields.rows);
  column.unquoted.resize(chunks_of(fields.rows));
  for_each_chunk(fields.rows, [&](std::uint64_t chunk, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t row = first; row < last; ++row) {
      const field_bytes field = fields.field(row);
      column.texts[row] =
          field.doubled ? std::string_view(column.unquoted[chunk].emplace_back(undoubled(field.text))) : field.text;
    }
  });
  if (wish.type) {
    column.type = *wish.type;
    parse_numbers(fields, column);
    return column;
  }
  const auto look_at = [&](column_findings& findings, std::uint64_t row) { findings.note(column.texts[row], row); };
  const column_findings found = wish.as_text ? column_findings{} : look_at_rows(fields.rows, look_at);
  column.is_text = found.is_text();
  if (!column.is_text) {
    column.type = found.number_type();
    parse_numbers(fields, column);
    return column;
  }
  if (!wish.as_text && found.has_anything())
    column.why_text =
        fmt::format("{}: {}", fields.place(found.first_text()), shown_text(column.texts[found.first_text()]));
  column.empty.resize(fields.rows);
  bool has_empty = false;
  for (std::uint64_t row = 0; row < fields.rows; ++row)
    has_empty |= (column.empty[row] = column.texts[row].empty()) != 0;
  if (!has_empty) column.empty.clear();
  return column;
}

}  // namespace ballot::app
