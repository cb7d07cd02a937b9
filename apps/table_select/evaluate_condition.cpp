// SPDX-License-Identifier: Apache-2.0
// Evaluates a condition row by row from its tree. Predicates and programs are checked against it.
#include "base/letters.hpp"
#include "conditions/condition_values.hpp"
#include "table_select/bound_condition.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>

namespace ballot::app {

struct bound_condition::value {
  bool truth = false;
  literal number = std::numeric_limits<double>::quiet_NaN();
  std::string text{};
};

namespace {

// As the definition says it: tries every length for every %.
bool is_like(std::string_view text, std::string_view pattern, std::string_view escape) {
  std::size_t retry_pattern = std::string_view::npos, retry_text = 0, at = 0, p = 0;
  for (;;) {
    if (p < pattern.size()) {
      const bool is_escaped =
          !escape.empty() && pattern.substr(p).starts_with(escape) && p + escape.size() < pattern.size();
      const std::size_t place = is_escaped ? p + escape.size() : p;
      const std::size_t length = character_length(pattern.substr(place));
      if (!is_escaped && pattern[p] == '%') {
        retry_pattern = ++p;
        retry_text = at;
        continue;
      }
      const bool is_any = !is_escaped && pattern[p] == '_';
      if (at < text.size() && (is_any || text.substr(at).starts_with(pattern.substr(place, length)))) {
        at += is_any ? character_length(text.substr(at)) : length;
        p = place + length;
        continue;
      }
    } else if (at == text.size()) {
      return true;
    }
    if (retry_pattern == std::string_view::npos || retry_text >= text.size()) return false;
    p = retry_pattern;
    at = retry_text += character_length(text.substr(retry_text));
  }
}

bool is_match(const std::string& text, const std::string& pattern) {
  thread_local std::map<std::string, regular_expression> known;
  return known.try_emplace(pattern, pattern).first->second.is_in(text);
}

literal number_in(const table_column& column, std::uint64_t row) {
  if (column.is_empty(row)) return std::numeric_limits<double>::quiet_NaN();
  return visit_dtype(column.type, [&]<class T>(std::type_identity<T>) -> literal {
    const T number = column.numbers.as<T>()[row];
    if constexpr (std::is_floating_point_v<T>) return static_cast<double>(number);
    else return static_cast<__int128>(number);
  });
}

double calculated(condition_kind kind, const literal& x, const literal& y) {
  const double a = as_double(x), b = as_double(y);
  switch (kind) {
    case condition_kind::add:
      return a + b;
    case condition_kind::subtract:
      return a - b;
    case condition_kind::multiply:
      return a * b;
    case condition_kind::divide:
      return a / b;
    case condition_kind::least:
      return std::isnan(a) || b < a ? b : a;
    case condition_kind::greatest:
      return std::isnan(a) || b > a ? b : a;
    default:
      break;
  }
  const auto* const whole = std::get_if<__int128>(&x);
  const auto* const divisor = std::get_if<__int128>(&y);
  if (whole != nullptr && divisor != nullptr && *divisor != 0) return static_cast<double>(*whole % *divisor);
  return std::fmod(a, b);
}

}  // namespace

bool bound_condition::evaluate(std::uint64_t row) const {
  std::vector<value> stack;
  for (std::size_t i = 0; i < condition_.nodes.size(); ++i) {
    const condition_node& node = condition_.nodes[i];
    const auto taken = static_cast<std::size_t>(operands_of(node));
    const value* const operands = stack.data() + (stack.size() - taken);
    const auto are_in_order = [&](std::size_t a, const value& x, relation rel, std::size_t b, const value& y) {
      if (are_texts(a, b)) return texts_hold(x.text, rel, y.text);
      const bool is_exact =
          is_column_with_constant(a, b) || is_column_with_constant(b, a) || are_columns_of_integers(a, b);
      return is_exact ? holds(x.number, rel, y.number) : holds(as_double(x.number), rel, as_double(y.number));
    };
    value result;
    switch (node.kind) {
      case condition_kind::number:
        result.number = node.constant;
        break;
      case condition_kind::text:
        result.text = node.name;
        break;
      case condition_kind::column:
      case condition_kind::column_as_text:
      case condition_kind::column_as_date: {
        const table_column& column = column_of(i);
        if (column.is_text) result.text = column.texts[row];
        else result.number = number_in(column, row);
        break;
      }
      case condition_kind::negate:
        result.number = -as_double(operands[0].number);
        break;
      case condition_kind::absolute:
        result.number = std::fabs(as_double(operands[0].number));
        break;
      case condition_kind::length:
        result.number = static_cast<__int128>(characters_in(operands[0].text));
        break;
      case condition_kind::lower:
      case condition_kind::upper:
        append_in(node.kind == condition_kind::lower ? letters::small : letters::capital, operands[0].text,
                  result.text);
        break;
      case condition_kind::compare:
        result.truth = are_in_order(node.left, operands[0], node.rel, node.right, operands[1]);
        break;
      case condition_kind::between:
        result.truth = are_in_order(node.left, operands[0], relation::greater_equal, node.right, operands[1]) &&
                       are_in_order(node.left, operands[0], relation::less_equal, node.third, operands[2]);
        break;
      case condition_kind::in_list: {
        const condition_list& list = condition_.lists[node.list];
        for (const std::string& text : list.texts) result.truth |= operands[0].text == text;
        for (const literal& number : list.numbers) {
          const bool is_exact = is_column(left(node));
          result.truth |= is_exact ? holds(operands[0].number, relation::equal, number)
                                   : holds(as_double(operands[0].number), relation::equal, number);
        }
        break;
      }
      case condition_kind::contains:
        result.truth = operands[0].text.find(operands[1].text) != std::string::npos;
        break;
      case condition_kind::starts_with:
        result.truth = operands[0].text.compare(0, operands[1].text.size(), operands[1].text) == 0;
        break;
      case condition_kind::ends_with:
        result.truth = operands[0].text.size() >= operands[1].text.size() &&
                       operands[0].text.compare(operands[0].text.size() - operands[1].text.size(), std::string::npos,
                                                operands[1].text) == 0;
        break;
      case condition_kind::like:
        result.truth = is_like(operands[0].text, node.name, node.escape);
        break;
      case condition_kind::matches:
        result.truth = is_match(operands[0].text, node.name);
        break;
      case condition_kind::is_nan:
        result.truth = std::isnan(as_double(operands[0].number));
        break;
      case condition_kind::is_empty: {
        const table_column& column = column_of(node.left);
        result.truth = column.is_text ? column.texts[row].empty() : column.is_empty(row);
        break;
      }
      case condition_kind::conjunction:
        result.truth = operands[0].truth && operands[1].truth;
        break;
      case condition_kind::disjunction:
        result.truth = operands[0].truth || operands[1].truth;
        break;
      case condition_kind::negation:
        result.truth = !operands[0].truth;
        break;
      default:
        // The remainder of the dividend and the divisor as they stand. Only a column with a
        // constant is exact.
        result.number = node.kind == condition_kind::modulo && !is_column_with_constant(node.left, node.right)
                            ? literal(std::fmod(as_double(operands[0].number), as_double(operands[1].number)))
                            : literal(calculated(node.kind, operands[0].number, operands[1].number));
    }
    stack.resize(stack.size() - taken);
    stack.push_back(std::move(result));
  }
  return stack.back().truth;
}

}  // namespace ballot::app
