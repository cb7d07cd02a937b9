// SPDX-License-Identifier: Apache-2.0
#include "conditions/where_expression.hpp"
#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "conditions/condition_lexer.hpp"
#include "conditions/item_predicate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <cmath>
#include <optional>
#include <utility>

namespace ballot::app {
namespace {

class where_parser : condition_lexer {
 public:
  using condition_lexer::condition_lexer;

  where_expression parse() {
    skip_blanks();
    if (at_ == text_.size()) fail(at_, "the expression is empty: for example value > 10");
    const operand whole = disjunction();
    require_condition(whole);
    if (at_ != text_.size())
      fail(at_, text_[at_] == ')' ? "this parenthesis was never opened" : "expected 'and', 'or' or the end here");
    return std::move(out_);
  }

 private:
  struct operand {
    enum { condition, column, number } kind;
    std::size_t position;
    literal constant = 0.0;
  };

  operand disjunction() {
    operand left = conjunction();
    while (take_operator("or", "||")) {
      require_condition(left);
      require_condition(conjunction());
      emit({where_step_kind::disjunction});
    }
    return left;
  }

  operand conjunction() {
    operand left = negation();
    while (take_operator("and", "&&")) {
      require_condition(left);
      require_condition(negation());
      emit({where_step_kind::conjunction});
    }
    return left;
  }

  operand negation() {
    const std::size_t position = at_;
    if (!take_operator("not", "!")) return comparison();
    enter(position);
    require_condition(negation());
    leave();
    emit({where_step_kind::negation});
    return {operand::condition, position};
  }

  operand comparison() {
    const operand left = primary();
    const std::size_t position = at_;
    const auto rel = take_relation();
    if (!rel) return left;
    const operand right = primary();
    for (const operand* side : {&left, &right})
      if (side->kind == operand::condition) fail(side->position, "this is a condition: compare value with a number");
    const std::size_t second = at_;
    if (take_relation()) fail(second, "comparisons do not chain: write 1 < value and value < 3");
    if (left.kind == right.kind)
      fail(position, left.kind == operand::column
                         ? "value is on both sides: compare it with a number, or write isnan(value)"
                         : "a number is on both sides: compare value with one");
    const bool column_first = left.kind == operand::column;
    emit({where_step_kind::compare, column_first ? *rel : mirrored(*rel),
          column_first ? right.constant : left.constant});
    return {operand::condition, left.position};
  }

  operand primary() {
    const std::size_t position = at_;
    if (at_ == text_.size()) fail(at_, "something is missing here: value or a number");
    const char c = text_[at_];
    if (c == '(') {
      enter(position);
      advance(1);
      operand inside = disjunction();
      if (at_ == text_.size() || text_[at_] != ')') fail(position, "this parenthesis is never closed");
      advance(1);
      leave();
      inside.position = position;
      return inside;
    }
    if (is_digit(c) || c == '.' || c == '+' || c == '-') return {operand::number, position, number()};
    const std::string_view word = word_here();
    if (word.empty())
      fail(position, fmt::format("expected value or a number, not '{}'", text_.substr(at_, character_bytes(at_))));
    const std::string lower = lowered(word);
    if (lower == "inf" || lower == "infinity" || lower == "nan") return {operand::number, position, number()};
    advance(word.size());
    if (word == "value") return {operand::column, position};
    if (word == "isnan") {
      take_punctuation('(', "isnan(value)");
      if (word_here() != "value") fail(at_, "isnan takes the column: isnan(value)");
      advance(word_here().size());
      take_punctuation(')', "isnan(value)");
      emit({where_step_kind::is_nan});
      return {operand::condition, position};
    }
    if (word == "and" || word == "or" || word == "not")
      fail(position, fmt::format("expected value or a number before '{}'", word));
    fail(position, fmt::format("unknown name '{}': known are value, isnan, inf, nan, and, or, not", word));
  }

  void require_condition(const operand& o) const {
    if (o.kind == operand::condition) return;
    fail(o.position, o.kind == operand::column ? "value is not a condition: compare it, for example value > 10"
                                               : "a number is not a condition: compare value with it");
  }

  void emit(const where_step& step) {
    height_ += step.kind == where_step_kind::compare || step.kind == where_step_kind::is_nan ? 1
               : step.kind == where_step_kind::negation                                      ? 0
                                                                                             : -1;
    out_.depth = std::max(out_.depth, static_cast<std::size_t>(height_));
    out_.steps.push_back(step);
    if (out_.steps.size() > item_predicate_steps)
      fail(0, fmt::format("too long: at most {} comparisons and operators together", item_predicate_steps));
    if (out_.depth > predicate_stack_bits)
      fail(0, fmt::format("too deep: at most {} conditions can be pending; parentheses further left need fewer",
                          predicate_stack_bits));
  }

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

where_expression parse_where(std::string_view text) { return where_parser(text).parse(); }

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
