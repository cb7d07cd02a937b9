// SPDX-License-Identifier: Apache-2.0
#include "tables/column_type.hpp"

#include "base/parse_number.hpp"
#include "base/text.hpp"
#include "tables/json_reader.hpp"
#include "tables/row_chunks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace ballot::app {
namespace {

// A fast test that most texts fail.
bool can_begin_number(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'i' || c == 'I' || c == 'n' || c == 'N';
}

}  // namespace

std::string column_type::in_words() const {
  if (!said.empty()) return said;
  return is_missing ? "missing" : is_text ? "text" : std::string(name_of(type));
}

std::string column_fields::place(std::uint64_t row) const {
  return where ? where(row) : fmt::format("{}:{}", file, line(row));
}

void type_inference::of_rows::note(const field_bytes& field, std::uint64_t row) {
  if (first[kind::text] < row && has_number) return;
  const std::string_view text = trimmed(field.text);
  if (text.empty()) return;
  const auto see = [&](kind k) { first[k] = std::min(first[k], row); };
  std::int64_t as_i64{};
  std::uint64_t as_u64{};
  double as_f64{};
  if (field.is_string || !can_begin_number(text[0])) return see(kind::text);
  if (parse_number(text, as_i64) == number_error::none) {
    if (as_i64 < 0) see(negative);
  } else if (parse_number(text, as_u64) == number_error::none) {
    see(beyond_i64);
  } else if (parse_number(text, as_f64) == number_error::none) {
    see(fractional);
  } else {
    return see(kind::text);
  }
  has_number = true;
}

template <class Field>
void type_inference::look(const column_fields& fields, const Field& field_of) {
  std::vector<of_rows> parts(row_chunks(fields.rows));
  for_each_row_chunk(fields.rows, [&](std::uint64_t chunk, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t row = first; row < last; ++row) {
      parts[chunk].note(field_of(row), row);
    }
  });
  of_rows all;
  for (const of_rows& part : parts) {
    all.has_number = all.has_number || part.has_number;
    for (std::size_t k = 0; k < kinds; ++k) all.first[k] = std::min(all.first[k], part.first[k]);
  }
  has_number_ = has_number_ || all.has_number;
  has_strings_ = has_strings_ || fields.has_strings;
  for (std::size_t k = 0; k < kinds; ++k) {
    if (seen_[k] || all.first[k] == none) continue;
    const field_bytes field = fields.field(all.first[k]);
    seen_[k] = deciding_field{fields.line(all.first[k]), field.plain()};
  }
}

void type_inference::add(const column_fields& fields) {
  // If quotes are doubled, the field is no number either way.
  look(fields, fields.field);
}

void type_inference::add(const column_fields& fields, std::span<const std::string_view> texts) {
  look(fields, [&](std::uint64_t row) { return field_bytes{texts[row]}; });
}

void type_inference::add(const type_inference& next) {
  has_number_ = has_number_ || next.has_number_;
  has_strings_ = has_strings_ || next.has_strings_;
  for (std::size_t k = 0; k < kinds; ++k)
    if (!seen_[k]) seen_[k] = next.seen_[k];
}

column_type type_inference::type_of(const std::string& name) const {
  column_type found;
  found.name = name;
  found.is_inferred = true;
  found.is_text = has(text);
  found.is_missing = !has(text) && !has_number_;
  found.is_mixed = has(text) && has_number_;
  const auto line_of = [&](kind k) { return has(k) ? seen_[k]->line : none; };
  // A fraction makes an f64, and so do a negative number and one beyond i64 together: the later of
  // the two.
  const kind wider = line_of(negative) > line_of(beyond_i64) ? negative : beyond_i64;
  const std::uint64_t both = std::max(line_of(negative), line_of(beyond_i64));
  if (has(text)) {
    found.decided_by = seen_[text];
  } else if (const std::uint64_t line = std::min(line_of(fractional), both); line != none) {
    found.type = dtype::f64;
    found.decided_by = seen_[line == line_of(fractional) ? fractional : wider];
  } else if (has(beyond_i64)) {
    found.type = dtype::u64;
    found.decided_by = seen_[beyond_i64];
  }
  return found;
}

requested_type type_inference::as_request() const {
  const column_type found = type_of({});
  return found.is_text ? requested_type{true, std::nullopt} : requested_type{false, found.type};
}

std::string field_bytes::plain() const {
  return doubled ? undoubled(text) : escaped ? unescaped_json(text) : std::string(text);
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

}  // namespace ballot::app
