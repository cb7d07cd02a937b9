// SPDX-License-Identifier: Apache-2.0
#include "base/letters.hpp"

#include <algorithm>
#include <clocale>
#include <cwctype>

namespace ballot::app {
namespace {

struct character {
  char32_t code;
  std::size_t bytes;
};

// Invalid bytes have no code: 0xfffd, and one byte.
character first_character(std::string_view text) {
  constexpr character none{0xfffd, 1};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto continues = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xc0) == 0x80; };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1};
  if (first >= 0xc2 && first < 0xe0 && continues(1)) return {(first & 0x1fu) << 6 | (byte(1) & 0x3fu), 2};
  if (first >= 0xe0 && first < 0xf0 && continues(1) && continues(2)) {
    const char32_t code = (first & 0xfu) << 12 | (byte(1) & 0x3fu) << 6 | (byte(2) & 0x3fu);
    return code < 0x800 || (code >= 0xd800 && code < 0xe000) ? none : character{code, 3};
  }
  if (first >= 0xf0 && first < 0xf5 && continues(1) && continues(2) && continues(3)) {
    const char32_t code = (first & 0x7u) << 18 | (byte(1) & 0x3fu) << 12 | (byte(2) & 0x3fu) << 6 | (byte(3) & 0x3fu);
    return code < 0x10000 || code > 0x10ffff ? none : character{code, 4};
  }
  return none;
}

void append_character(char32_t code, std::string& to) {
  const auto low_six = [&](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    to += static_cast<char>(code);
  } else if (code < 0x800) {
    to += {static_cast<char>(0xc0 | code >> 6), low_six(0)};
  } else if (code < 0x10000) {
    to += {static_cast<char>(0xe0 | code >> 12), low_six(6), low_six(0)};
  } else {
    to += {static_cast<char>(0xf0 | code >> 18), low_six(12), low_six(6), low_six(0)};
  }
}

// Null where the C library lacks it: then letters beyond ASCII stay.
locale_t letters_locale() {
  static const locale_t loaded = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return loaded;
}

char in_ascii(letters wanted, char c) {
  if (wanted == letters::small) return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
}

}  // namespace

void append_in(letters wanted, std::string_view text, std::string& to) {
  while (!text.empty()) {
    const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    const auto plain = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_ascii) - text.begin());
    const std::size_t begin = to.size();
    to.append(text, 0, plain);
    for (std::size_t i = begin; i < to.size(); ++i) to[i] = in_ascii(wanted, to[i]);
    text.remove_prefix(plain);
    if (text.empty()) return;
    const character next = first_character(text);
    const locale_t tables = letters_locale();
    const auto changed = next.bytes == 1 || tables == nullptr ? next.code
                         : wanted == letters::small
                             ? static_cast<char32_t>(towlower_l(static_cast<wint_t>(next.code), tables))
                             : static_cast<char32_t>(towupper_l(static_cast<wint_t>(next.code), tables));
    if (changed == next.code) to.append(text, 0, next.bytes);
    else append_character(changed, to);
    text.remove_prefix(next.bytes);
  }
}

std::size_t character_length(std::string_view text) { return first_character(text).bytes; }

std::size_t characters_in(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(first_character(text).bytes);
  return count;
}

}  // namespace ballot::app
