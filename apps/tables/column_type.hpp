// What a column of a table is: numbers of a type, texts, or nothing at all; and how that was found out.
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

// How a column is to be read; nothing set: as its fields suggest.
struct requested_type {
  bool as_text = false;
  std::optional<dtype> type;

  bool is_unspecified() const { return !as_text && !type; }
};

// A field that made a column what it is.
struct deciding_field {
  std::uint64_t line = 0;
  std::string text;
};

struct column_type {
  std::string name;
  bool is_text = false;
  dtype type = dtype::i64;                   // of numbers
  bool is_inferred = false;                  // by what is in it
  bool is_missing = false;                   // guessed, and nothing is in it: neither numbers nor texts, or both
  bool is_mixed = false;                     // texts, and some of them are numbers
  std::optional<deciding_field> decided_by;  // guessed: the first field that is not what an i64 can be

  std::string in_words() const;  // "text", "u64", "missing"
};

// A field as it lies in the file. `doubled`: quotes in it stand for one each.
struct field_bytes {
  std::string_view text;
  bool doubled = false;
};

struct column_fields {
  std::string name;
  std::uint64_t rows = 0;
  std::function<field_bytes(std::uint64_t row)> field;     // called from several threads
  std::string file;                                        // for messages
  std::function<std::uint64_t(std::uint64_t row)> line{};  // where the row begins; from 1

  std::string place(std::uint64_t row) const;  // "file:17"
};

// What the fields of a column have in common: whether they are numbers, and of which type. What holds for two parts of a
// column is what holds for either, so that a column can be looked at batch by batch, from its begin.
class type_inference {
 public:
  void add(const column_fields& fields);
  // The same where the fields are at hand as texts, one a row.
  void add(const column_fields& fields, std::span<const std::string_view> texts);

  bool is_settled() const { return has(text) && has_number_; }  // whatever follows
  column_type type_of(const std::string& name) const;
  requested_type as_request() const;

 private:
  // What a field can be that no i64 of 0 or more is.
  enum kind : std::size_t { negative, beyond_i64, fractional, text, kinds };
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  struct of_rows {  // of one part, by its own rows
    std::uint64_t first[kinds] = {none, none, none, none};
    bool has_number = false;
    void note(std::string_view field, std::uint64_t row);
  };
  template <class Text>
  void look(const column_fields& fields, const Text& text);
  bool has(kind k) const { return seen_[k].has_value(); }

  bool has_number_ = false;
  std::optional<deciding_field> seen_[kinds];
};

// As it would be without the quotes around it: doubled ones are one each.
std::string undoubled(std::string_view text);

}  // namespace ballot::app
