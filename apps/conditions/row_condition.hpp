// SPDX-License-Identifier: Apache-2.0
// A `--where` condition on the rows of a table, parsed to a tree. table_select/bound_condition.hpp binds it to a table.
//
//     condition   = conjunction { ("or" | "||") conjunction }
//     conjunction = negation { ("and" | "&&") negation }
//     negation    = ("not" | "!") negation | comparison
//     comparison  = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
//     sum         = product { ("+" | "-") product }
//     product     = sign { ("*" | "/") sign }
//     sign        = ("-" | "+") sign | primary
//     primary     = "(" condition ")" | "isnan" "(" sum ")" | "isempty" "(" column ")" | "text" "(" column ")"
//                 | column | number | text
//     column      = name [ ":" ( type | "text" ) ]
//
// A column is a word, # and its number, or any name between backticks. A text stands between quotes of either kind; a
// backslash escapes the next character. Texts are compared by bytes with columns of text, or with text(column), which
// is a column as the file has it. Comparisons do not chain.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/dtype.hpp"
#include "conditions/where_expression.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::app {

enum class condition_kind : std::uint8_t {
  number,
  text,
  column,
  column_as_text,
  negate,
  add,
  subtract,
  multiply,
  divide,
  compare,
  is_nan,
  is_empty,
  conjunction,
  disjunction,
  negation
};

struct condition_node {
  condition_kind kind;
  std::size_t position = 0;  // in the text
  std::size_t left = 0, right = 0;
  relation rel = relation::less;
  literal constant = 0.0;
  std::string name{};           // of a column; a text
  std::optional<dtype> type{};  // of a column, where it is said
};

struct row_condition {
  std::string text;
  std::vector<condition_node> nodes;  // operands before operators; the last is the whole
};

row_condition parse_row_condition(std::string_view text);  // throws usage_error

}  // namespace ballot::app
