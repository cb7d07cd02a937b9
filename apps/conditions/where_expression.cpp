// SPDX-License-Identifier: Apache-2.0
#include "conditions/where_expression.hpp"
#include <ballot/core/namespace.hpp>

#include "conditions/item_predicate.hpp"
#include "conditions/row_condition.hpp"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <optional>
#include <utility>

namespace ballot::app {
namespace {

class item_expression {
 public:
  explicit item_expression(const row_condition& condition) : condition_(condition) {}

  std::optional<where_expression> make() {
    for (const condition_node& node : condition_.nodes)
      if (!add(node) || out_.steps.size() > item_predicate_steps || out_.depth > predicate_stack_bits)
        return std::nullopt;
    if (!is_condition(condition_.nodes.back().kind)) return std::nullopt;
    return std::move(out_);
  }

 private:
  const condition_node& at(std::size_t place) const { return condition_.nodes[place]; }
  static bool is_value(const condition_node& node) {
    return node.kind == condition_kind::column && node.name == "value" && !node.type;
  }
  static bool is_number(const condition_node& node) { return node.kind == condition_kind::number; }

  // Whether it could be said in steps.
  bool add(const condition_node& node) {
    switch (node.kind) {
      case condition_kind::column:
        return is_value(node);
      case condition_kind::number:
        return true;
      case condition_kind::compare:
        if (is_value(at(node.left)) && is_number(at(node.right)))
          emit({where_step_kind::compare, node.rel, at(node.right).constant});
        else if (is_number(at(node.left)) && is_value(at(node.right)))
          emit({where_step_kind::compare, mirrored(node.rel), at(node.left).constant});
        else return false;
        return true;
      case condition_kind::between:
        if (!is_value(at(node.left)) || !is_number(at(node.right)) || !is_number(at(node.third))) return false;
        emit({where_step_kind::compare, relation::greater_equal, at(node.right).constant});
        emit({where_step_kind::compare, relation::less_equal, at(node.third).constant});
        emit({where_step_kind::conjunction});
        return true;
      case condition_kind::in_list:
        return is_value(at(node.left)) && add_list(condition_.lists[node.list]);
      case condition_kind::is_nan:
        if (!is_value(at(node.left))) return false;
        emit({where_step_kind::is_nan});
        return true;
      case condition_kind::conjunction:
      case condition_kind::disjunction:
        if (!is_condition(at(node.left).kind) || !is_condition(at(node.right).kind)) return false;
        emit({node.kind == condition_kind::conjunction ? where_step_kind::conjunction : where_step_kind::disjunction});
        return true;
      case condition_kind::negation:
        if (!is_condition(at(node.left).kind)) return false;
        emit({where_step_kind::negation});
        return true;
      default:
        return false;
    }
  }

  bool add_list(const condition_list& list) {
    if (list.numbers.empty() || list.numbers.size() > item_predicate_steps) return false;
    for (std::size_t i = 0; i < list.numbers.size(); ++i) {
      emit({where_step_kind::compare, relation::equal, list.numbers[i]});
      if (i != 0) emit({where_step_kind::disjunction});
    }
    return true;
  }

  void emit(const where_step& step) {
    height_ += step.kind == where_step_kind::compare || step.kind == where_step_kind::is_nan ? 1
               : step.kind == where_step_kind::negation                                      ? 0
                                                                                             : -1;
    out_.depth = std::max(out_.depth, static_cast<std::size_t>(height_));
    out_.steps.push_back(step);
  }

  const row_condition& condition_;
  int height_ = 0;
  where_expression out_;
};

enum class ordering { less, equal, greater, unordered };

ordering compare_exactly(__int128 a, double b) {
  if (std::isnan(b)) return ordering::unordered;
  if (b >= 0x1p100) return ordering::less;  // beyond every 64-bit integer, and the next line may convert
  if (b <= -0x1p100) return ordering::greater;
  const auto whole = static_cast<__int128>(std::floor(b));
  if (a != whole) return a < whole ? ordering::less : ordering::greater;
  return b > std::floor(b) ? ordering::less : ordering::equal;
}

template <class T>
ordering compare_plainly(T a, T b) {
  return a < b ? ordering::less : a > b ? ordering::greater : a == b ? ordering::equal : ordering::unordered;
}

ordering compare_exactly(const literal& a, const literal& b) {
  if (std::holds_alternative<__int128>(a))
    return std::holds_alternative<__int128>(b) ? compare_plainly(std::get<__int128>(a), std::get<__int128>(b))
                                               : compare_exactly(std::get<__int128>(a), std::get<double>(b));
  if (std::holds_alternative<double>(b)) return compare_plainly(std::get<double>(a), std::get<double>(b));
  const ordering mirrored = compare_exactly(std::get<__int128>(b), std::get<double>(a));
  return mirrored == ordering::less ? ordering::greater : mirrored == ordering::greater ? ordering::less : mirrored;
}

bool holds(ordering o, relation rel) {
  switch (rel) {
    case relation::less:
      return o == ordering::less;
    case relation::less_equal:
      return o == ordering::less || o == ordering::equal;
    case relation::greater:
      return o == ordering::greater;
    case relation::greater_equal:
      return o == ordering::greater || o == ordering::equal;
    case relation::equal:
      return o == ordering::equal;
    case relation::not_equal:
      break;
  }
  return o != ordering::equal;
}

}  // namespace

relation mirrored(relation rel) {
  switch (rel) {
    case relation::less:
      return relation::greater;
    case relation::less_equal:
      return relation::greater_equal;
    case relation::greater:
      return relation::less;
    case relation::greater_equal:
      return relation::less_equal;
    case relation::equal:
    case relation::not_equal:
      break;
  }
  return rel;
}

bool holds(const literal& a, relation rel, const literal& b) { return holds(compare_exactly(a, b), rel); }

std::optional<where_expression> as_where_expression(const row_condition& condition) {
  return item_expression(condition).make();
}

bool evaluate(const where_expression& expression, const literal& value) {
  std::bitset<predicate_stack_bits> stack;
  std::size_t height = 0;
  const auto push = [&](bool is_true) { stack[height++] = is_true; };
  const auto pop = [&]() -> bool { return stack[--height]; };
  for (const where_step& step : expression.steps) {
    switch (step.kind) {
      case where_step_kind::compare:
        push(holds(compare_exactly(value, step.constant), step.rel));
        break;
      case where_step_kind::is_nan:
        push(std::holds_alternative<double>(value) && std::isnan(std::get<double>(value)));
        break;
      case where_step_kind::negation:
        push(!pop());
        break;
      case where_step_kind::conjunction: {
        const bool right = pop(), left = pop();
        push(left && right);
        break;
      }
      case where_step_kind::disjunction: {
        const bool right = pop(), left = pop();
        push(left || right);
        break;
      }
    }
  }
  return pop();
}

}  // namespace ballot::app
