// SPDX-License-Identifier: Apache-2.0
// A condition on a single column of numbers, in steps that are not bound to the column's type yet.
// They are comparisons of `value` with constants, isnan(value), and, or, not. A row_condition
// (row_condition.hpp) can have more than that.
#pragma once

#include <ballot/core/namespace.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
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

struct row_condition;
// Nothing if the condition has steps of other kinds, or more steps than an item_predicate can hold.
std::optional<where_expression> as_where_expression(const row_condition& condition);

relation mirrored(relation rel);  // with the sides exchanged

// Compares exactly, also an integer with a double. With NaN only != holds.
bool holds(const literal& a, relation rel, const literal& b);

// Evaluates an expression directly. Slow: the compiled predicates are checked against it.
bool evaluate(const where_expression& expression, const literal& value);

}  // namespace ballot::app
