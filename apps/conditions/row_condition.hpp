// SPDX-License-Identifier: Apache-2.0
// A `--where` condition, parsed to a tree. table_select/bound_condition.hpp binds it to a table; of
// a column of numbers it may be a where_expression.
//
//     condition   = conjunction { ("or" | "||") conjunction }
//     conjunction = negation { ("and" | "&&") negation }
//     negation    = ("not" | "!") negation | comparison
//     comparison  = sum [ ("<" | "<=" | ">" | ">=" | "==" | "=" | "!=" | "<>") sum
//                       | "is" ["not"] ("null" | "missing" | "empty") | ["not"] test ]
//     test        = "in" "(" constant { "," constant } ")" | "between" sum "and" sum | "contains" sum
//                 | ("starts" | "ends") "with" sum | "like" pattern [ "escape" text ] | "matches" pattern
//     sum         = product { ("+" | "-") product }
//     product     = sign { ("*" | "/" | "%") sign }
//     sign        = ("-" | "+") sign | primary
//     primary     = "(" condition ")" | function "(" ... ")" | column | number | text
//     function    = "isnan" | "isempty" | "text" | "lower" | "upper" | "length" | "abs" | "min" | "max"
//     column      = name [ ":" ( type | "text" | "date" "(" format ")" ) ]
//
// Words are read in capital and small letters, names as they are. A column is a word, # and its
// number, or any name between backticks. A text stands between quotes of either kind; a backslash
// escapes the next character, and a doubled quote is one. In a pattern, backslashes are the
// pattern's. Comparisons do not chain.
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
  column_as_date,
  // of numbers
  negate,
  add,
  subtract,
  multiply,
  divide,
  modulo,
  absolute,
  least,
  greatest,
  length,  // of a text
  // of texts
  lower,
  upper,
  // conditions
  compare,
  between,
  in_list,
  contains,
  starts_with,
  ends_with,
  like,
  matches,
  is_nan,
  is_empty,
  conjunction,
  disjunction,
  negation
};

struct condition_node {
  condition_kind kind;
  std::size_t position = 0;  // in the text
  std::size_t left = 0, right = 0, third = 0;
  relation rel = relation::less;
  literal constant = 0.0;
  std::string name{};           // of a column; a text; a pattern
  std::optional<dtype> type{};  // of a column, where it is said
  std::string format{};         // of dates
  std::size_t list = 0;         // of in_list: which
  std::string escape{};         // of like: a character, or nothing
};

// The constants of an in_list: of one kind.
struct condition_list {
  std::vector<literal> numbers;
  std::vector<std::string> texts;
  std::vector<std::size_t> positions;
};

struct row_condition {
  std::string text;
  std::vector<condition_node> nodes;  // operands before operators; the last is the whole
  std::vector<condition_list> lists;
};

row_condition parse_row_condition(std::string_view text);  // throws usage_error

// How many operands a node has: left, right and third, in this order.
int operands_of(const condition_node& node);
bool is_condition(condition_kind kind);

// For each node, the index of the first node of its subtree. The subtree's nodes are consecutive,
// and the node itself is the last.
std::vector<std::size_t> beginnings_of(const std::vector<condition_node>& nodes);

}  // namespace ballot::app
