// SPDX-License-Identifier: Apache-2.0
#include "conditions/row_condition.hpp"

#include "conditions/condition_parser.hpp"
#include "conditions/regular_expression.hpp"

#include <fmt/format.h>

#include <utility>

namespace ballot::app {

row_condition condition_parser::parse() {
  skip_blanks();
  if (at_ == text_.size()) fail(at_, "the expression is empty: for example population > 50000");
  disjunction();
  if (at_ != text_.size())
    fail(at_, text_[at_] == ')' ? "this parenthesis was never opened"
                                : "expected an operator ('and', 'or', '<', '+', 'in', ...) or the end here");
  return {std::string(text_), std::move(nodes_), std::move(lists_)};
}

condition_parser::place condition_parser::add(condition_node node) {
  nodes_.push_back(std::move(node));
  return nodes_.size() - 1;
}

condition_parser::place condition_parser::add(condition_kind kind, std::size_t position, place left, place right) {
  condition_node node{kind, position};
  node.left = left;
  node.right = right;
  return add(std::move(node));
}

condition_parser::place condition_parser::disjunction() {
  place left = conjunction();
  for (std::size_t position = at_; take_operator("or", "||"); position = at_)
    left = add(condition_kind::disjunction, position, left, conjunction());
  return left;
}

condition_parser::place condition_parser::conjunction() {
  place left = negation();
  for (std::size_t position = at_; take_operator("and", "&&"); position = at_)
    left = add(condition_kind::conjunction, position, left, negation());
  return left;
}

condition_parser::place condition_parser::negation() {
  const std::size_t position = at_;
  if (!take_operator("not", "!")) return comparison();
  enter(position);
  const place inside = negation();
  leave();
  return add(condition_kind::negation, position, inside);
}

condition_parser::place condition_parser::comparison() {
  const place left = sum();
  const std::size_t position = at_;
  const auto rel = take_relation();
  if (!rel) return test(left);
  const place right = sum();
  const std::size_t second = at_;
  if (take_relation()) fail(second, "comparisons do not chain: write 1 < x and x < 3");
  const place whole = add(condition_kind::compare, position, left, right);
  nodes_[whole].rel = *rel;
  return whole;
}

condition_parser::place condition_parser::test(place left) {
  const std::size_t position = at_;
  if (take_word("is")) return missing_test(left, position);
  const bool is_negated = take_word("not");
  const auto text_test = [&](condition_kind kind) { return add(kind, position, left, sum()); };
  place found = 0;
  if (take_word("in")) {
    found = list_test(left, position);
  } else if (take_word("between")) {
    found = range_test(left, position);
  } else if (take_word("contains")) {
    found = text_test(condition_kind::contains);
  } else if (const bool starts = take_word("starts"); starts || take_word("ends")) {
    if (!take_word("with")) fail(at_, fmt::format("expected 'with' here: {} with 'x'", starts ? "starts" : "ends"));
    found = text_test(starts ? condition_kind::starts_with : condition_kind::ends_with);
  } else if (take_word("like")) {
    found = like_test(left, position);
  } else if (take_word("matches")) {
    found = regular_expression_test(left, position);
  } else {
    if (is_negated)
      fail(at_, "expected in, between, like, contains, starts with, ends with or matches after this 'not'");
    return left;
  }
  return is_negated ? add(condition_kind::negation, position, found) : found;
}

condition_parser::place condition_parser::missing_test(place left, std::size_t position) {
  const bool is_negated = take_word("not");
  if (!take_word("null") && !take_word("missing") && !take_word("empty"))
    fail(at_, "expected 'null', 'missing' or 'empty' here: k is null, k is not missing");
  const condition_kind kind = nodes_[left].kind;
  if (kind != condition_kind::column && kind != condition_kind::column_as_text &&
      kind != condition_kind::column_as_date)
    fail(position, "only a column can be missing");
  const place found = add(condition_kind::is_empty, position, left);
  return is_negated ? add(condition_kind::negation, position, found) : found;
}

condition_parser::place condition_parser::list_test(place left, std::size_t position) {
  const std::size_t opened = at_;
  take_punctuation('(', "k in (1, 2, 3)");
  condition_list list;
  for (;;) {
    take_constant(list);
    if (at_ < text_.size() && text_[at_] == ',') advance(1);
    else break;
  }
  if (at_ == text_.size()) fail(opened, "this parenthesis is never closed");
  take_punctuation(')', "k in (1, 2, 3)");
  const place whole = add(condition_kind::in_list, position, left);
  nodes_[whole].list = lists_.size();
  lists_.push_back(std::move(list));
  return whole;
}

void condition_parser::take_constant(condition_list& to) {
  const std::size_t position = at_;
  to.positions.push_back(position);
  if (is_quote_here()) {
    to.texts.push_back(quoted_text(text_[at_]));
    if (!to.numbers.empty()) fail(position, "the list has numbers and texts: it can be of one kind only");
    return;
  }
  const std::string word = lowered(word_here());
  const char c = at_ < text_.size() ? text_[at_] : '\0';
  if (!is_digit(c) && c != '.' && c != '-' && c != '+' && word != "inf" && word != "infinity" && word != "nan")
    fail(position, "expected a number, or a text between quotes: a list has constants only");
  to.numbers.push_back(number());
  if (!to.texts.empty()) fail(position, "the list has texts and numbers: it can be of one kind only");
}

condition_parser::place condition_parser::range_test(place left, std::size_t position) {
  const place low = sum();
  if (!take_operator("and", "&&")) fail(at_, "expected 'and' here: k between 1 and 5");
  const place high = sum();
  const place whole = add(condition_kind::between, position, left, low);
  nodes_[whole].third = high;
  return whole;
}

condition_parser::place condition_parser::like_test(place left, std::size_t position) {
  std::size_t begin = 0;
  std::string pattern = quoted_pattern("name like 'A%'", begin);
  std::string escape = "\\";
  if (take_word("escape")) {
    const std::size_t at = at_;
    if (!is_quote_here()) fail(at, "expected a character between quotes: like '50!%' escape '!'");
    // Here a backslash is itself.
    const char quote = text_[at_];
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail(at, "this quote is never closed");
    escape = text_.substr(at_ + 1, end - at_ - 1);
    if (escape.size() > 1 && character_bytes(at_ + 1) != escape.size())
      fail(at, "the escape character is more than one character");
    advance(end + 1 - at_);
  }
  const place whole = add(condition_kind::like, position, left);
  nodes_[whole].name = std::move(pattern);
  nodes_[whole].escape = std::move(escape);
  return whole;
}

condition_parser::place condition_parser::regular_expression_test(place left, std::size_t position) {
  std::size_t begin = 0;
  std::string pattern = quoted_pattern("name matches '^A.*z$'", begin);
  if (const auto mistake = mistake_in_regular_expression(pattern)) fail(begin + mistake->position, mistake->what);
  const place whole = add(condition_kind::matches, position, left);
  nodes_[whole].name = std::move(pattern);
  return whole;
}

row_condition parse_row_condition(std::string_view text) { return condition_parser(text).parse(); }

int operands_of(const condition_node& node) {
  switch (node.kind) {
    case condition_kind::number:
    case condition_kind::text:
    case condition_kind::column:
    case condition_kind::column_as_text:
    case condition_kind::column_as_date:
      return 0;
    case condition_kind::add:
    case condition_kind::subtract:
    case condition_kind::multiply:
    case condition_kind::divide:
    case condition_kind::modulo:
    case condition_kind::least:
    case condition_kind::greatest:
    case condition_kind::compare:
    case condition_kind::contains:
    case condition_kind::starts_with:
    case condition_kind::ends_with:
    case condition_kind::conjunction:
    case condition_kind::disjunction:
      return 2;
    case condition_kind::between:
      return 3;
    default:
      return 1;
  }
}

bool is_condition(condition_kind kind) { return kind >= condition_kind::compare; }

std::vector<std::size_t> beginnings_of(const std::vector<condition_node>& nodes) {
  std::vector<std::size_t> begin(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) begin[i] = operands_of(nodes[i]) == 0 ? i : begin[nodes[i].left];
  return begin;
}

}  // namespace ballot::app
