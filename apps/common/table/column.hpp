// A column of a table, taken out of its rows: numbers of one type, or texts. What the rows say stays as it is; a column
// is what keys and conditions look at.
#pragma once

#include <ballot/core/namespace.hpp>

#include "common/dtype.hpp"
#include "common/host_buffer.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::app {

// How a column is to be read; nothing set: as its fields suggest.
struct column_wish {
  bool as_text = false;
  std::optional<dtype> type;
};

struct table_column {
  std::string name;
  bool is_text = false;
  dtype type = dtype::i64;                  // of numbers
  host_buffer numbers;                      // one a row, 0 where the field is empty
  std::vector<std::string_view> texts;      // one a row
  std::vector<std::uint8_t> empty;          // 1 where the field is empty; no items where no field is
  std::optional<std::size_t> fixed_length;  // bytes of every text; "empty" then means nothing
  std::string why_text;                     // the first field that is no number, as a message shows it

  std::vector<std::deque<std::string>> unquoted;  // what texts refer to, where a field's quotes were doubled

  bool is_empty(std::uint64_t row) const { return !empty.empty() && empty[row] != 0; }
};

// A field as it lies in the file. `doubled`: quotes in it stand for one each.
struct field_bytes {
  std::string_view text;
  bool doubled = false;
};

struct fields_of_column {
  std::string name;
  std::uint64_t rows = 0;
  std::function<field_bytes(std::uint64_t row)> field;  // called from several threads
  std::function<std::string(std::uint64_t row)> place;  // "file:17", for messages
};

// Without a wish: numbers where every field that is not empty is one (i64 if all are integers that fit, else u64, else
// f64), otherwise text. Blanks around a number are tolerated. Throws failure where a field is not what was wished for.
table_column column_of_fields(const fields_of_column& fields, const column_wish& wish);

// What the fields of a column have in common: whether they are numbers, and of which type. What holds for two parts of a
// column is what holds for either, so that a column can be looked at piece by piece.
class column_findings {
 public:
  void add(const fields_of_column& fields);
  void add(const column_findings& other);
  void note(std::string_view field, std::uint64_t row);

  bool has_text() const { return first_text_ != none; }
  bool is_text() const;  // also where no field has anything in it
  bool has_anything() const { return has_number_; }
  std::uint64_t first_text() const { return first_text_; }  // the row of the first field that is no number
  dtype number_type() const;
  column_wish as_wish() const;

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  bool has_negative_ = false, beyond_i64_ = false, is_fractional_ = false, has_number_ = false;
  std::uint64_t first_text_ = none;
};

// As a message shows it: short and printable.
std::string shown_text(std::string_view text);

}  // namespace ballot::app
