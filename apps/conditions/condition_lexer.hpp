// SPDX-License-Identifier: Apache-2.0
// The lexer of `--where`: numbers, operators, comparisons, and the caret below an error.
#pragma once

#include <ballot/core/namespace.hpp>

#include "conditions/where_expression.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ballot::app {

// Throws usage_error with the message, the expression and a caret below the position.
[[noreturn]] void throw_condition_error(std::string_view text, std::size_t position, std::string_view what);

// Reads the text from front to back. Blanks after each token are skipped.
class condition_lexer {
 public:
  explicit condition_lexer(std::string_view text) : text_(text) {}

 protected:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_word(char c);
  static std::string lowered(std::string_view word);

  // An integer (decimal, 0x...), a float, inf or nan, with an optional sign.
  literal number();
  // Words are operators only as whole words, in any case: `order` is not `or` and `der`. symbol:
  // empty where there is none.
  bool take_operator(std::string_view word, std::string_view symbol);
  bool take_word(std::string_view word) { return take_operator(word, {}); }
  std::optional<relation> take_relation();
  void take_punctuation(char c, std::string_view example);
  std::string_view word_here() const;  // letters, digits and underscores; may be empty
  void advance(std::size_t bytes);
  void skip_blanks();
  // Count the depth of the parser's recursion, which is limited.
  void enter(std::size_t position);
  void leave() { --nesting_; }
  std::size_t character_bytes(std::size_t position) const;
  [[noreturn]] void fail(std::size_t position, std::string_view what) const {
    throw_condition_error(text_, position, what);
  }

  std::string_view text_;
  std::size_t at_ = 0;

 private:
  int nesting_ = 0;
};

}  // namespace ballot::app
