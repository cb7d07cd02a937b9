// SPDX-License-Identifier: Apache-2.0
// The type of a table column: numbers of a type, text, or missing; and how it was inferred.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/dtype.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ballot::app {

// The type requested for a column. Nothing set: inferred from its fields.
struct requested_type {
  bool as_text = false;
  std::optional<dtype> type{};
  // The type was inferred from other fields of the column. So a string (JSON) is none of its
  // numbers, even if it reads like one.
  bool refuses_strings = false;

  bool is_unspecified() const { return !as_text && !type; }
};

// The field that decided the type of a column.
struct deciding_field {
  std::uint64_t line = 0;
  std::string text;
};

// The unit of a column of times, which count from 1970: `units` of them are `seconds` seconds. 0
// units: the column has no times.
struct time_scale {
  std::int64_t units = 0, seconds = 1;
};

struct column_type {
  std::string name;
  bool is_text = false;
  dtype type = dtype::i64;                   // of numbers
  bool is_inferred = false;                  // from its fields
  bool is_missing = false;                   // inferred, and every field is empty: it can serve as numbers or as text
  bool is_mixed = false;                     // text, although some fields are numbers
  std::optional<deciding_field> decided_by;  // inferred: the first field that an i64 cannot hold
  std::string said;                          // what in_words() says instead, of a derived column
  time_scale times{};
  std::string npy_descr;  // NumPy's type for the numbers, where it is not that of `type`

  std::string in_words() const;  // "text", "u64", "missing"
};

// The bytes of a field in the file.
struct field_bytes {
  std::string_view text;
  bool doubled = false;    // with doubled quotes, which stand for one each (CSV)
  bool escaped = false;    // with escapes (JSON)
  bool is_string = false;  // it is a text even if it reads like a number (JSON)

  std::string plain() const;
};

struct column_fields {
  std::string name;
  std::uint64_t rows = 0;
  std::function<field_bytes(std::uint64_t row)> field;     // called from several threads
  std::string file;                                        // for messages
  std::function<std::uint64_t(std::uint64_t row)> line{};  // where the row begins; from 1
  std::function<std::string(std::uint64_t row)> where{};   // the same with the file: "file:17"
  bool has_strings = false;                                // some fields may be strings

  std::string place(std::uint64_t row) const;  // "file:17"
};

// Infers the type of a column from its fields: whether all are numbers, and of which type. The
// inferences of parts of a column combine to that of the whole. So a column can be read batch by
// batch, from its beginning.
class type_inference {
 public:
  void add(const column_fields& fields);
  // The same, if the fields are available as texts, one per row.
  void add(const column_fields& fields, std::span<const std::string_view> texts);

  // The inference of the part that comes next.
  void add(const type_inference& next);

  bool is_settled() const { return has(text) && has_number_; }  // no further field can change the type
  // Fields that can be parsed as numbers of the type found so far do not change it.
  bool is_shown_by_parsing() const { return has_number_ && !has(text) && !has_strings_; }
  column_type type_of(const std::string& name) const;
  requested_type as_request() const;

 private:
  // Kinds of fields that are not an i64 of 0 or more.
  enum kind : std::size_t { negative, beyond_i64, fractional, text, kinds };
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  struct of_rows {  // of one part, with its own row numbers
    std::uint64_t first[kinds] = {none, none, none, none};
    bool has_number = false;
    void note(const field_bytes& field, std::uint64_t row);
  };
  template <class Field>
  void look(const column_fields& fields, const Field& field_of);
  bool has(kind k) const { return seen_[k].has_value(); }

  bool has_number_ = false, has_strings_ = false;
  std::optional<deciding_field> seen_[kinds];
};

// The text of a quoted field: doubled quotes become single ones.
std::string undoubled(std::string_view text);

}  // namespace ballot::app
