// SPDX-License-Identifier: Apache-2.0
// Evaluates a condition row by row from its tree. Predicates are checked against it.
#include "conditions/condition_values.hpp"
#include "table_select/bound_condition.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

namespace ballot::app {

std::string_view bound_condition::text_of(const condition_node& node, std::uint64_t row) const {
  if (!is_column(node)) return node.name;
  const table_column& column = entry_of(node).column;
  return column.is_missing ? std::string_view{} : column.texts[row];
}

literal bound_condition::number_of(const condition_node& node, std::uint64_t row) const {
  const auto both = [&](auto operation) {
    return literal(operation(as_double(number_of(left(node), row)), as_double(number_of(right(node), row))));
  };
  switch (node.kind) {
    case condition_kind::number:
      return node.constant;
    case condition_kind::negate:
      return -as_double(number_of(left(node), row));
    case condition_kind::add:
      return both([](double a, double b) { return a + b; });
    case condition_kind::subtract:
      return both([](double a, double b) { return a - b; });
    case condition_kind::multiply:
      return both([](double a, double b) { return a * b; });
    case condition_kind::divide:
      return both([](double a, double b) { return a / b; });
    default:
      break;
  }
  const table_column& column = entry_of(node).column;
  if (column.is_empty(row)) return std::numeric_limits<double>::quiet_NaN();
  return visit_dtype(column.type, [&]<class T>(std::type_identity<T>) -> literal {
    const T value = column.numbers.as<T>()[row];
    if constexpr (std::is_floating_point_v<T>) return static_cast<double>(value);
    else return static_cast<__int128>(value);
  });
}

bool bound_condition::truth_of(const condition_node& node, std::uint64_t row) const {
  switch (node.kind) {
    case condition_kind::conjunction:
      return truth_of(left(node), row) && truth_of(right(node), row);
    case condition_kind::disjunction:
      return truth_of(left(node), row) || truth_of(right(node), row);
    case condition_kind::negation:
      return !truth_of(left(node), row);
    case condition_kind::is_nan:
      return std::isnan(as_double(number_of(left(node), row)));
    case condition_kind::is_empty: {
      const table_column& column = entry_of(left(node)).column;
      return column.is_text ? column.texts[row].empty() : column.is_empty(row);
    }
    default:
      break;
  }
  const condition_node& a = left(node);
  const condition_node& b = right(node);
  const auto is_text = [&](const condition_node& side) {
    return side.kind == condition_kind::text || (is_column(side) && entry_of(side).column.is_text);
  };
  if (is_text(a) || is_text(b)) return texts_hold(text_of(a, row), node.rel, text_of(b, row));
  const literal x = number_of(a, row), y = number_of(b, row);
  const bool is_exact =
      (is_column(a) && b.kind == condition_kind::number) || (is_column(b) && a.kind == condition_kind::number) ||
      (is_column(a) && is_column(b) && is_integer(entry_of(a).column.type) && is_integer(entry_of(b).column.type));
  return is_exact ? holds(x, node.rel, y) : holds(as_double(x), node.rel, as_double(y));
}

}  // namespace ballot::app
