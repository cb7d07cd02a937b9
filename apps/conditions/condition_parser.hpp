// SPDX-License-Identifier: Apache-2.0
// The parser of conditions (row_condition.hpp): a function for each rule of the grammar. It
// recurses for parentheses and signs alone, whose depth is limited; chains of operators are loops.
#pragma once

#include <ballot/core/namespace.hpp>

#include "conditions/condition_lexer.hpp"
#include "conditions/row_condition.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::app {

class condition_parser : condition_lexer {
 public:
  using condition_lexer::condition_lexer;

  row_condition parse();

 private:
  using place = std::size_t;  // of a node

  place add(condition_node node);
  place add(condition_kind kind, std::size_t position, place left, place right = 0);

  place disjunction();
  place conjunction();
  place negation();
  place comparison();
  place test(place left);  // what follows an operand and is no comparison by a symbol; `left` where there is none
  place missing_test(place left, std::size_t position);
  place list_test(place left, std::size_t position);
  place range_test(place left, std::size_t position);
  place like_test(place left, std::size_t position);
  place regular_expression_test(place left, std::size_t position);
  void take_constant(condition_list& to);

  // condition_operands.cpp
  place sum();
  place product();
  place sign();
  place primary();
  place function(const std::string& name);
  place extreme(condition_kind kind, std::size_t position, const std::string& name);
  place add_number(std::size_t position);
  place column();
  void take_type(condition_node& column);
  std::string date_format_here();
  std::string quoted_text(char quote);
  // A text between quotes whose backslashes stay; begin: where the pattern begins.
  std::string quoted_pattern(std::string_view example, std::size_t& begin);
  bool is_quote_here() const { return at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\''); }
  bool is_call() const;

  std::vector<condition_node> nodes_;
  std::vector<condition_list> lists_;
};

bool is_reserved_in_conditions(const std::string& lowered_word);

}  // namespace ballot::app
