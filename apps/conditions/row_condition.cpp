// SPDX-License-Identifier: Apache-2.0
#include "conditions/row_condition.hpp"

#include "conditions/condition_lexer.hpp"

#include <fmt/format.h>

#include <utility>

namespace ballot::app {
namespace {

constexpr std::size_t most_nodes = 1000;  // whoever walks the tree recurses

bool is_reserved(std::string_view word) { return word == "and" || word == "or" || word == "not"; }

class condition_parser : condition_lexer {
 public:
  using condition_lexer::condition_lexer;

  row_condition parse() {
    skip_blanks();
    if (at_ == text_.size()) fail(at_, "the expression is empty: for example population > 50000");
    disjunction();
    if (at_ != text_.size())
      fail(at_, text_[at_] == ')' ? "this parenthesis was never opened"
                                  : "expected an operator ('and', 'or', '<', '+', ...) or the end here");
    row_condition result;
    result.text = text_;
    result.nodes = std::move(nodes_);
    return result;
  }

 private:
  using place = std::size_t;  // of a node

  place add(condition_node node) {
    if (nodes_.size() == most_nodes) fail(node.position, "the expression is too long");
    nodes_.push_back(std::move(node));
    return nodes_.size() - 1;
  }
  place add(condition_kind kind, std::size_t position, place left, place right = 0) {
    condition_node node{kind, position};
    node.left = left;
    node.right = right;
    return add(std::move(node));
  }

  place disjunction() {
    place left = conjunction();
    for (std::size_t position = at_; take_operator("or", "||"); position = at_)
      left = add(condition_kind::disjunction, position, left, conjunction());
    return left;
  }

  place conjunction() {
    place left = negation();
    for (std::size_t position = at_; take_operator("and", "&&"); position = at_)
      left = add(condition_kind::conjunction, position, left, negation());
    return left;
  }

  place negation() {
    const std::size_t position = at_;
    if (!take_operator("not", "!")) return comparison();
    enter(position);
    const place inside = negation();
    leave();
    return add(condition_kind::negation, position, inside);
  }

  place comparison() {
    const place left = sum();
    const std::size_t position = at_;
    const auto rel = take_relation();
    if (!rel) return left;
    const place right = sum();
    const std::size_t second = at_;
    if (take_relation()) fail(second, "comparisons do not chain: write 1 < x and x < 3");
    const place whole = add(condition_kind::compare, position, left, right);
    nodes_[whole].rel = *rel;
    return whole;
  }

  place sum() {
    place left = product();
    while (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) {
      const std::size_t position = at_;
      const auto kind = text_[at_] == '+' ? condition_kind::add : condition_kind::subtract;
      advance(1);
      left = add(kind, position, left, product());
    }
    return left;
  }

  place product() {
    place left = sign();
    while (at_ < text_.size() && (text_[at_] == '*' || text_[at_] == '/')) {
      const std::size_t position = at_;
      const auto kind = text_[at_] == '*' ? condition_kind::multiply : condition_kind::divide;
      advance(1);
      left = add(kind, position, left, sign());
    }
    return left;
  }

  place sign() {
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
    // Also for '+': what it stands before has to be a number.
    if (!negative) fail(position, "a plus sign goes before a number");
    return add(condition_kind::negate, position, inside);
  }

  place primary() {
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
    if (c == '"' || c == '\'') {
      condition_node node{condition_kind::text, position};
      node.name = quoted_text(c);
      return add(std::move(node));
    }
    if (c != '`') {
      const std::string_view word = word_here();
      const std::string lower = lowered(word);
      if (lower == "inf" || lower == "infinity" || lower == "nan") return add_number(position);
      if (is_reserved(word)) fail(position, fmt::format("expected a column, a number or a text before '{}'", word));
      if (word == "isnan" && is_call()) {
        take_call(word);
        const place inside = sum();
        take_punctuation(')', "isnan(column)");
        return add(condition_kind::is_nan, position, inside);
      }
      if ((word == "isempty" || word == "text") && is_call()) {
        take_call(word);
        const place inside = column();
        take_punctuation(')', fmt::format("{}(column)", word));
        if (word == "isempty") return add(condition_kind::is_empty, position, inside);
        if (nodes_[inside].type) fail(position, "text(...) and a type contradict each other");
        nodes_[inside].kind = condition_kind::column_as_text;
        nodes_[inside].position = position;
        return inside;
      }
    }
    return column();
  }

  place add_number(std::size_t position) {
    condition_node node{condition_kind::number, position};
    node.constant = number();
    return add(std::move(node));
  }

  place column() {
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

  void take_type(condition_node& column) {
    if (at_ == text_.size() || text_[at_] != ':') return;
    advance(1);
    const std::string_view word = word_here();
    column.type = dtype_named(word);
    if (word == "text") column.kind = condition_kind::column_as_text;
    else if (!column.type) fail(at_, fmt::format("a type must follow the colon: {}, text", dtype_names));
    advance(word.size());
  }

  std::string quoted_text(char quote) {
    const std::size_t position = at_;
    std::string inside;
    std::size_t i = at_ + 1;
    for (; i < text_.size() && text_[i] != quote; ++i) {
      if (text_[i] == '\\' && quote != '`' && i + 1 < text_.size()) ++i;
      inside += text_[i];
    }
    if (i >= text_.size()) fail(position, "this quote is never closed");
    advance(i + 1 - at_);
    return inside;
  }

  bool is_call() const {
    std::size_t i = at_ + word_here().size();
    while (i < text_.size() && text_[i] == ' ') ++i;
    return i < text_.size() && text_[i] == '(';
  }
  void take_call(std::string_view word) {
    advance(word.size());
    take_punctuation('(', fmt::format("{}(column)", word));
  }

  std::vector<condition_node> nodes_;
};

}  // namespace

row_condition parse_row_condition(std::string_view text) { return condition_parser(text).parse(); }

}  // namespace ballot::app
