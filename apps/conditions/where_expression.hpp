// SPDX-License-Identifier: Apache-2.0
// A `--where` expression on a single column, parsed but not yet bound to the column's type.
//
//     condition  = conjunction { ("or" | "||") conjunction }
//     conjunction = negation { ("and" | "&&") negation }
//     negation   = ("not" | "!") negation | comparison
//     comparison = primary [ ("<" | "<=" | ">" | ">=" | "==" | "!=") primary ]
//     primary    = "(" condition ")" | "isnan" "(" "value" ")" | "value" | number
//
// A number is an integer (decimal or 0x...), a float, inf or nan, with an optional sign. A comparison has `value` on
// one side and a number on the other. Comparisons do not chain.
#pragma once

#include <ballot/core/namespace.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ballot::app {

// Integers keep every bit of 64, signed or unsigned; anything else is a double.
using literal = std::variant<__int128, double>;

enum class relation : std::uint8_t { less, less_equal, greater, greater_equal, equal, not_equal };

enum class where_step_kind : std::uint8_t { compare, is_nan, conjunction, disjunction, negation };

// One step for a stack machine: comparisons push a truth value, the others combine the top values.
struct where_step {
  where_step_kind kind;
  relation rel = relation::less;  // compare only: value `rel` constant
  literal constant = 0.0;
};

struct where_expression {
  std::vector<where_step> steps;  // operands before operators
  std::size_t depth = 0;          // the stack height needed
};

// Throws usage_error with the message, the expression and a caret below the position.
where_expression parse_where(std::string_view text);  // throws usage_error

relation mirrored(relation rel);  // with the sides exchanged

// Compares exactly, also an integer with a double. With NaN only != holds.
bool holds(const literal& a, relation rel, const literal& b);

// Evaluates an expression directly. Slow: the compiled predicates are checked against it.
bool evaluate(const where_expression& expression, const literal& value);

}  // namespace ballot::app
