// SPDX-License-Identifier: Apache-2.0
#include "conditions/condition_lexer.hpp"

#include "base/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

namespace ballot::app {
namespace {

constexpr int deepest_nesting = 200;  // of parentheses and negations: the parser recurses

constexpr std::pair<std::string_view, relation> relations[] = {  // longer ones first
    {"<=", relation::less_equal}, {">=", relation::greater_equal}, {"==", relation::equal},
    {"!=", relation::not_equal},  {"<>", relation::not_equal},     {"<", relation::less},
    {">", relation::greater},     {"=", relation::equal}};

}  // namespace

bool condition_lexer::is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

std::string condition_lexer::lowered(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return lower;
}

void throw_condition_error(std::string_view text, std::size_t position, std::string_view what) {
  // Blanks as the expression has them, so that the caret stands below the place whatever a tab is
  // worth.
  std::string shown, indent;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool continues = (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80;
    shown += text[i] == '\n' ? ' ' : text[i];
    if (i < position && !continues) indent += text[i] == '\t' ? '\t' : ' ';
  }
  throw usage_error(fmt::format("--where: {} (column {})\n  {}\n  {}^", what, indent.size() + 1, shown, indent));
}

literal condition_lexer::number() {
  const std::size_t position = at_;
  const bool negative = text_[at_] == '-';
  if (text_[at_] == '-' || text_[at_] == '+') advance(1);  // blanks may follow the sign
  const std::size_t begin = at_;
  const std::string_view rest = text_.substr(begin);
  std::size_t length = 0;
  literal result = 0.0;
  const auto keep_integer = [&](int base, std::size_t prefix) {
    std::uint64_t magnitude = 0;
    const auto [end, error] = std::from_chars(rest.data() + prefix, rest.data() + length, magnitude, base);
    if (end != rest.data() + length || length == prefix) fail(position, "this is not a number");
    if (error != std::errc{}) return false;
    result = negative ? -static_cast<__int128>(magnitude) : static_cast<__int128>(magnitude);
    return true;
  };
  const auto signed_of = [&](double magnitude) { return negative ? -magnitude : magnitude; };
  if (rest.starts_with("0x") || rest.starts_with("0X")) {
    while (length < rest.size() && is_word(rest[length])) ++length;
    if (!keep_integer(16, 2)) fail(position, "a hexadecimal number has at most 64 bits");
  } else {
    // Takes in what could belong to the number, so that 12abc is one mistake and not two tokens.
    while (length < rest.size() &&
           (is_word(rest[length]) || rest[length] == '.' ||
            ((rest[length] == '+' || rest[length] == '-') && length > 0 && lowered(rest.substr(length - 1, 1)) == "e" &&
             (is_digit(rest[0]) || rest[0] == '.'))))
      ++length;
    const std::string_view token = rest.substr(0, length);
    const bool digits_only = !token.empty() && std::all_of(token.begin(), token.end(), is_digit);
    if (!digits_only ||
        !keep_integer(10, 0)) {  // integers beyond 64 bits are doubles: beyond every integer column, too
      double magnitude = 0;
      const std::string terminated(token);
      char* end = nullptr;
      if (!token.empty()) magnitude = std::strtod(terminated.c_str(), &end);
      if (token.empty() || end != terminated.c_str() + token.size()) fail(position, "this is not a number");
      result = signed_of(magnitude);
    }
  }
  advance(length);
  return result;
}

bool condition_lexer::take_operator(std::string_view word, std::string_view symbol) {
  const std::string_view rest = text_.substr(at_);
  if (lowered(word_here()) == word) {
    advance(word.size());
    return true;
  }
  if (symbol.empty()) return false;
  if (symbol == "!" ? rest.starts_with("!") && !rest.starts_with("!=") : rest.starts_with(symbol)) {
    advance(symbol.size());
    return true;
  }
  if (symbol.size() == 2 && rest.starts_with(symbol[0])) fail(at_, fmt::format("write '{}' or '{}'", symbol, word));
  return false;
}

std::optional<relation> condition_lexer::take_relation() {
  for (const auto& [symbol, rel] : relations) {
    if (!text_.substr(at_).starts_with(symbol)) continue;
    advance(symbol.size());
    return rel;
  }
  return std::nullopt;
}

void condition_lexer::take_punctuation(char c, std::string_view example) {
  if (at_ == text_.size() || text_[at_] != c) fail(at_, fmt::format("expected '{}' here: {}", c, example));
  advance(1);
}

std::string_view condition_lexer::word_here() const {
  std::size_t end = at_;
  while (end < text_.size() && is_word(text_[end])) ++end;
  return text_.substr(at_, end - at_);
}

void condition_lexer::advance(std::size_t bytes) {
  at_ += bytes;
  skip_blanks();
}
void condition_lexer::skip_blanks() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
}

void condition_lexer::enter(std::size_t position) {
  if (++nesting_ > deepest_nesting) fail(position, fmt::format("more than {} levels of nesting", deepest_nesting));
}

std::size_t condition_lexer::character_bytes(std::size_t position) const {
  std::size_t end = position + 1;
  while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xc0) == 0x80) ++end;
  return end - position;
}

}  // namespace ballot::app
