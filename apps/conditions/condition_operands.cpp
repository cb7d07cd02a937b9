// SPDX-License-Identifier: Apache-2.0
// The parser's rules for numbers, texts, columns and functions.
#include "base/date_format.hpp"
#include "base/failure.hpp"
#include "conditions/condition_parser.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>

namespace ballot::app {
namespace {

constexpr std::string_view functions = "isnan, isempty, text, lower, upper, length, abs, min, max";

bool is_function(std::string_view name) {
  for (const std::string_view known : {"isnan", "isempty", "text", "lower", "upper", "length", "abs", "min", "max"})
    if (name == known) return true;
  return false;
}

}  // namespace

bool is_reserved_in_conditions(const std::string& lowered_word) {
  return lowered_word == "and" || lowered_word == "or" || lowered_word == "not";
}

condition_parser::place condition_parser::sum() {
  place left = product();
  while (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) {
    const std::size_t position = at_;
    const auto kind = text_[at_] == '+' ? condition_kind::add : condition_kind::subtract;
    advance(1);
    left = add(kind, position, left, product());
  }
  return left;
}

condition_parser::place condition_parser::product() {
  place left = sign();
  while (at_ < text_.size() && (text_[at_] == '*' || text_[at_] == '/' || text_[at_] == '%')) {
    const std::size_t position = at_;
    const auto kind = text_[at_] == '*'   ? condition_kind::multiply
                      : text_[at_] == '/' ? condition_kind::divide
                                          : condition_kind::modulo;
    advance(1);
    left = add(kind, position, left, sign());
  }
  return left;
}

condition_parser::place condition_parser::sign() {
  const std::size_t position = at_;
  if (at_ == text_.size() || (text_[at_] != '-' && text_[at_] != '+')) return primary();
  const bool negative = text_[at_] == '-';
  advance(1);
  enter(position);
  const place inside = sign();
  leave();
  condition_node& operand = nodes_[inside];
  if (operand.kind == condition_kind::number) {  // of a number it is a part: no digit of it is lost
    if (negative) operand.constant = std::visit([](auto x) { return literal(-x); }, operand.constant);
    operand.position = position;
    return inside;
  }
  // Also for '+': its operand has to be a number.
  if (!negative) fail(position, "a plus sign goes before a number");
  return add(condition_kind::negate, position, inside);
}

condition_parser::place condition_parser::primary() {
  const std::size_t position = at_;
  if (at_ == text_.size()) fail(at_, "something is missing here: a column, a number or a text");
  const char c = text_[at_];
  if (c == '(') {
    enter(position);
    advance(1);
    const place inside = disjunction();
    if (at_ == text_.size() || text_[at_] != ')') fail(position, "this parenthesis is never closed");
    advance(1);
    leave();
    nodes_[inside].position = position;
    return inside;
  }
  if (is_digit(c) || c == '.') return add_number(position);
  if (is_quote_here()) {
    condition_node node{condition_kind::text, position};
    node.name = quoted_text(c);
    return add(std::move(node));
  }
  if (c != '`') {
    const std::string_view word = word_here();
    const std::string lower = lowered(word);
    if (is_call() && is_function(lower)) return function(lower);
    if (lower == "inf" || lower == "infinity" || lower == "nan") return add_number(position);
    if (is_reserved_in_conditions(lower))
      fail(position, fmt::format("expected a column, a number or a text before '{}'", word));
    if (is_call() && !word.empty()) fail(position, fmt::format("unknown function '{}': known are {}", word, functions));
  }
  return column();
}

condition_parser::place condition_parser::function(const std::string& name) {
  const std::size_t position = at_;
  advance(name.size());
  const std::string example = fmt::format("{}({})", name, name == "min" || name == "max" ? "a, b" : "column");
  take_punctuation('(', example);
  enter(position);
  place found = 0;
  if (name == "min" || name == "max") {
    found = extreme(name == "min" ? condition_kind::least : condition_kind::greatest, position, name);
  } else if (name == "isempty" || name == "text") {
    found = column();
    condition_node& of = nodes_[found];
    if (name == "text") {
      if (of.type || of.kind != condition_kind::column) fail(position, "text(...) and a type contradict each other");
      of.kind = condition_kind::column_as_text;
      of.position = position;
    }
    take_punctuation(')', example);
    if (name == "isempty") found = add(condition_kind::is_empty, position, found);
  } else {
    const place inside = sum();
    take_punctuation(')', example);
    found = add(name == "isnan"    ? condition_kind::is_nan
                : name == "lower"  ? condition_kind::lower
                : name == "upper"  ? condition_kind::upper
                : name == "length" ? condition_kind::length
                                   : condition_kind::absolute,
                position, inside);
  }
  leave();
  return found;
}

condition_parser::place condition_parser::extreme(condition_kind kind, std::size_t position, const std::string& name) {
  place found = sum();
  if (at_ == text_.size() || text_[at_] != ',')
    fail(at_, fmt::format("{} takes two numbers or more: {}(a, b)", name, name));
  while (at_ < text_.size() && text_[at_] == ',') {
    advance(1);
    found = add(kind, position, found, sum());
  }
  take_punctuation(')', fmt::format("{}(a, b)", name));
  return found;
}

condition_parser::place condition_parser::add_number(std::size_t position) {
  condition_node node{condition_kind::number, position};
  node.constant = number();
  return add(std::move(node));
}

condition_parser::place condition_parser::column() {
  condition_node node{condition_kind::column, at_};
  if (at_ < text_.size() && text_[at_] == '`') {
    node.name = quoted_text('`');
    if (node.name.empty()) fail(node.position, "the name of a column is missing between these");
    take_type(node);
    return add(std::move(node));
  }
  std::size_t end = at_ + (at_ < text_.size() && text_[at_] == '#');
  while (end < text_.size() && (is_word(text_[end]) || (static_cast<unsigned char>(text_[end]) & 0x80) != 0)) ++end;
  if (end == at_) {
    if (at_ == text_.size()) fail(at_, "the name of a column is missing here");
    fail(at_,
         fmt::format("expected a column, a number or a text, not '{}' (a column's name goes between backticks if it "
                     "is more than a word)",
                     text_.substr(at_, character_bytes(at_))));
  }
  node.name = text_.substr(at_, end - at_);
  advance(end - at_);
  take_type(node);
  return add(std::move(node));
}

void condition_parser::take_type(condition_node& column) {
  if (at_ == text_.size() || text_[at_] != ':') return;
  advance(1);
  const std::string_view word = word_here();
  if (word == "date" && is_call()) {
    column.kind = condition_kind::column_as_date;
    advance(word.size());
    column.format = date_format_here();
    return;
  }
  column.type = dtype_named(word);
  if (word == "text") column.kind = condition_kind::column_as_text;
  else if (!column.type) fail(at_, fmt::format("a type must follow the colon: {}, text, date(FORMAT)", dtype_names));
  advance(word.size());
}

// Between parentheses, which may be nested.
std::string condition_parser::date_format_here() {
  const std::size_t opened = at_;
  std::size_t end = at_ + 1;
  for (int open = 1; end < text_.size(); ++end) {
    if (text_[end] == '(') ++open;
    if (text_[end] == ')' && --open == 0) break;
  }
  if (end >= text_.size()) fail(opened, "this parenthesis is never closed");
  std::string format(text_.substr(opened + 1, end - opened - 1));
  std::size_t mistake = 0;
  try {
    date_format check(format, &mistake);
  } catch (const usage_error& problem) {
    fail(opened + 1 + mistake, problem.what());
  }
  advance(end + 1 - at_);
  return format;
}

std::string condition_parser::quoted_text(char quote) {
  const std::size_t position = at_;
  std::string inside;
  std::size_t i = at_ + 1;
  for (; i < text_.size(); ++i) {
    if (text_[i] == quote) {
      if (quote == '`' || i + 1 == text_.size() || text_[i + 1] != quote) break;
      ++i;
    } else if (text_[i] == '\\' && quote != '`' && i + 1 < text_.size()) {
      ++i;
    }
    inside += text_[i];
  }
  if (i >= text_.size()) fail(position, "this quote is never closed");
  advance(i + 1 - at_);
  return inside;
}

std::string condition_parser::quoted_pattern(std::string_view example, std::size_t& begin) {
  if (!is_quote_here()) fail(at_, fmt::format("expected a pattern between quotes here: {}", example));
  const std::size_t position = at_;
  const char quote = text_[at_];
  begin = at_ + 1;
  std::string inside;
  std::size_t i = begin;
  for (; i < text_.size() && text_[i] != quote; ++i) {
    inside += text_[i];
    if (text_[i] == '\\' && i + 1 < text_.size()) inside += text_[++i];
  }
  if (i >= text_.size()) fail(position, "this quote is never closed");
  advance(i + 1 - at_);
  return inside;
}

bool condition_parser::is_call() const {
  std::size_t i = at_ + word_here().size();
  while (i < text_.size() && text_[i] == ' ') ++i;
  return i < text_.size() && text_[i] == '(';
}

}  // namespace ballot::app
