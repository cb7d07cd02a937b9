// SPDX-License-Identifier: Apache-2.0
#include "tables/json_reader.hpp"

#include <fmt/format.h>

#include <iterator>

namespace ballot::app {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

unsigned hex_digit(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  return static_cast<unsigned>((c | 0x20) - 'a' + 10);
}

bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

bool is_high_surrogate(unsigned c) { return c >= 0xd800 && c < 0xdc00; }
bool is_low_surrogate(unsigned c) { return c >= 0xdc00 && c < 0xe000; }

void append_utf8(std::string& to, unsigned c) {
  const auto add = [&](unsigned byte) { to += static_cast<char>(byte); };
  if (c < 0x80) return add(c);
  if (c < 0x800) {
    add(0xc0u | c >> 6);
  } else {
    if (c < 0x10000) {
      add(0xe0u | c >> 12);
    } else {
      add(0xf0u | c >> 18);
      add(0x80u | (c >> 12 & 0x3fu));
    }
    add(0x80u | (c >> 6 & 0x3fu));
  }
  add(0x80u | (c & 0x3fu));
}

}  // namespace

json_value json_reader::value(int depth) {
  if (at_ == text_.size()) fail("a value is missing");
  const char c = text_[at_];
  if (c == '"') return string_value();
  if (c == '-' || is_digit(c)) return number_value();
  const std::size_t begin = at_;
  if (c == '{' || c == '[') {
    nested_value(depth);
    return {json_value::nested, text_.substr(begin, at_ - begin)};
  }
  for (const std::string_view word : {"true", "false", "null"}) {
    if (!text_.substr(at_).starts_with(word)) continue;
    at_ += word.size();
    return {word == "null" ? json_value::null : json_value::boolean, text_.substr(begin, word.size())};
  }
  fail("no value begins like this");
}

json_value json_reader::string_value() {
  json_value found{json_value::string, {}};
  const std::size_t begin = ++at_;
  for (;;) {
    if (at_ == text_.size()) fail("a string does not end");
    const char c = text_[at_];
    if (c == '"') break;
    if (static_cast<unsigned char>(c) < 0x20) fail("a control character in a string");
    ++at_;
    if (c != '\\') continue;
    found.is_escaped = true;
    if (at_ == text_.size()) fail("a string does not end");
    const char escape = text_[at_++];
    if (escape == 'u') {
      const unsigned first = hex4();
      if (is_low_surrogate(first)) fail("half of a surrogate pair");
      if (is_high_surrogate(first)) {
        if (!take('\\') || !take('u') || !is_low_surrogate(hex4())) fail("half of a surrogate pair");
      }
    } else if (std::string_view("\"\\/bfnrt").find(escape) == std::string_view::npos) {
      --at_;
      fail("unknown escape sequence");
    }
  }
  found.text = text_.substr(begin, at_ - begin);
  ++at_;
  return found;
}

unsigned json_reader::hex4() {
  unsigned value = 0;
  for (int i = 0; i < 4; ++i) {
    if (at_ == text_.size() || !is_hex_digit(text_[at_])) fail("\\u needs four hexadecimal digits");
    value = value << 4 | hex_digit(text_[at_++]);
  }
  return value;
}

std::size_t json_reader::digits() {
  const std::size_t begin = at_;
  while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  return at_ - begin;
}

json_value json_reader::number_value() {
  const std::size_t begin = at_;
  take('-');
  const bool is_zero = next_is('0');
  const std::size_t whole = digits();
  if (whole == 0 || (is_zero && whole > 1)) fail("not a number");
  if (take('.') && digits() == 0) fail("digits are missing after the decimal point");
  if (take('e') || take('E')) {
    if (!take('+')) take('-');
    if (digits() == 0) fail("digits are missing in the exponent");
  }
  return {json_value::number, text_.substr(begin, at_ - begin)};
}

void json_reader::nested_value(int depth) {
  constexpr int deepest = 500;
  if (depth == deepest) fail("values too deep within each other");
  const bool is_object = text_[at_] == '{';
  const char end = is_object ? '}' : ']';
  ++at_;
  skip_blanks();
  if (take(end)) return;
  do {
    skip_blanks();
    if (is_object) {
      if (!next_is('"')) fail("the name of a member is missing");
      string_value();
      skip_blanks();
      if (!take(':')) fail("':' is missing");
      skip_blanks();
    }
    value(depth + 1);
    skip_blanks();
  } while (take(','));
  if (!take(end)) fail(fmt::format("',' or '{}' is missing", end));
}

std::string unescaped_json(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  const auto hex4_at = [&](std::size_t at) {
    unsigned value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 4 | hex_digit(text[at + i]);
    return value;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      plain += text[i];
      continue;
    }
    constexpr std::string_view letters = "bfnrt", meanings = "\b\f\n\r\t";
    const char escape = text[++i];
    if (const std::size_t at = letters.find(escape); at != std::string_view::npos) {
      plain += meanings[at];
    } else if (escape != 'u') {
      plain += escape;
    } else {
      unsigned c = hex4_at(i + 1);
      i += 4;
      if (is_high_surrogate(c)) {
        c = 0x10000 + ((c - 0xd800) << 10) + (hex4_at(i + 3) - 0xdc00);
        i += 6;
      }
      append_utf8(plain, c);
    }
  }
  return plain;
}

void append_json_string(std::string& to, std::string_view text) {
  to += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      to += '\\';
      to += c;
    } else if (byte >= 0x20) {
      to += c;
    } else if (c == '\n') {
      to += "\\n";
    } else if (c == '\t') {
      to += "\\t";
    } else if (c == '\r') {
      to += "\\r";
    } else {
      fmt::format_to(std::back_inserter(to), "\\u{:04x}", static_cast<unsigned>(byte));
    }
  }
  to += '"';
}

}  // namespace ballot::app
