// SPDX-License-Identifier: Apache-2.0
#include "base/text_order.hpp"

#include "base/failure.hpp"
#include "base/letters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <utility>

namespace ballot::app {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// A number by its digits: how many there are without the zeros in front, and then they. Takes them
// away.
void append_number(std::string_view& text, std::string& to) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  std::size_t count = digits.size();
  for (; count >= 255; count -= 255) to += '\xff';
  to += static_cast<char>(count);
  to += digits;
}

void append_natural_key(std::string_view text, std::string& to) {
  while (!text.empty()) {
    if (is_digit(text[0])) {
      to += '0';  // among other characters a number stands where digits do
      append_number(text, to);
    } else {
      to += text[0];
      text.remove_prefix(1);
    }
  }
}

// ---- as gnulib's filevercmp

constexpr char end_of_text = 2, begin_of_number = 3;

// Tildes, the end, numbers, letters, and then the others.
constexpr std::array<unsigned char, 256> version_codes = [] {
  std::array<unsigned char, 256> codes{};
  codes['~'] = 1;
  unsigned char next = 4;
  for (std::size_t c = 0; c < 256; ++c)
    if (is_letter(static_cast<char>(c))) codes[c] = next++;
  for (std::size_t c = 0; c < 256; ++c)
    if (codes[c] == 0 && !is_digit(static_cast<char>(c))) codes[c] = next++;
  return codes;
}();

// Other characters and numbers take turns; where there is none, the number is 0.
void append_version_of(std::string_view text, std::string& to) {
  do {
    while (!text.empty() && !is_digit(text[0])) {
      to += static_cast<char>(version_codes[static_cast<unsigned char>(text[0])]);
      text.remove_prefix(1);
    }
    to += begin_of_number;
    append_number(text, to);
  } while (!text.empty());
  to += end_of_text;
}

// The text before the suffixes, such as .tar.gz. A suffix is a dot, then a letter or a tilde, then
// letters, digits or tildes.
std::size_t length_without_suffixes(std::string_view text) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < text.size();) {
    length = ++i;
    while (i + 1 < text.size() && text[i] == '.' && (is_letter(text[i + 1]) || text[i + 1] == '~'))
      for (i += 2; i < text.size() && (is_letter(text[i]) || is_digit(text[i]) || text[i] == '~');) ++i;
  }
  return length;
}

void append_version_key(std::string_view text, std::string& to) {
  const char place = text.empty() ? 0 : text == "." ? 1 : text == ".." ? 2 : text.starts_with('.') ? 3 : 4;
  to += place;
  if (place < 3) return;
  append_version_of(text.substr(0, length_without_suffixes(text)), to);
  append_version_of(text, to);
}

const char* first_set(std::initializer_list<const char*> names) {
  for (const char* const name : names)
    if (const char* const value = std::getenv(name); value != nullptr && *value != '\0') return value;
  return "C";
}

}  // namespace

class text_order::collation {
 public:
  explicit collation(std::string name)
      : name_(std::move(name)), rules_(newlocale(LC_COLLATE_MASK | LC_CTYPE_MASK, name_.c_str(), nullptr)) {
    if (rules_ == nullptr)
      throw usage_error(fmt::format("the locale '{}' is not installed: 'locale -a' lists those that are", name_));
  }
  ~collation() { freelocale(rules_); }
  collation(const collation&) = delete;
  collation& operator=(const collation&) = delete;

  const std::string& name() const { return name_; }
  void append_key(const std::string& text, std::string& to) const {
    // strxfrm ends at a zero: the parts between zeros have keys of their own.
    for (std::size_t begin = 0;;) {
      const char* const part = text.c_str() + begin;
      const std::size_t length = std::strlen(part), had = to.size();
      to.resize(had + 4 * length + 16);
      const std::size_t size = strxfrm_l(to.data() + had, part, to.size() - had, rules_);
      if (had + size >= to.size()) {
        to.resize(had + size + 1);
        strxfrm_l(to.data() + had, part, size + 1, rules_);
      }
      to.resize(had + size);
      begin += length;
      if (begin >= text.size()) return;
      ++begin;
      to += '\0';
    }
  }

 private:
  std::string name_;
  locale_t rules_;
};

bool text_order::take(std::string_view word) {
  const auto set = [&](kind wanted) {
    if (kind_ != kind::bytes) throw usage_error(fmt::format("'{}' contradicts another order", word));
    kind_ = wanted;
  };
  if (word == "nocase") {
    if (nocase_) throw usage_error("'nocase' is there twice");
    nocase_ = true;
  } else if (word == "natural") {
    set(kind::natural);
  } else if (word == "version") {
    set(kind::version);
  } else if (word == "locale" || (word.starts_with("locale(") && word.ends_with(')'))) {
    set(kind::locale);
    const bool is_named = word.size() > 6;
    collation_ = std::make_shared<const collation>(is_named ? std::string(word.substr(7, word.size() - 8))
                                                            : first_set({"LC_ALL", "LC_COLLATE", "LANG"}));
  } else {
    return false;
  }
  return true;
}

void text_order::append_key_of_kind(std::string_view text, std::string& to) const {
  switch (kind_) {
    case kind::bytes:
      to += text;
      return;
    case kind::natural:
      return append_natural_key(text, to);
    case kind::version:
      return append_version_key(text, to);
    case kind::locale:
      return collation_->append_key(std::string(text), to);
  }
}

void text_order::append_key(std::string_view text, std::string& to) const {
  if (!nocase_) return append_key_of_kind(text, to);
  if (kind_ == kind::bytes) return append_in(letters::capital, text, to);
  std::string capital;
  append_in(letters::capital, text, capital);
  append_key_of_kind(capital, to);
}

std::size_t text_order::key_bytes_a_byte() const {
  const std::size_t of_letters = nocase_ ? 2 : 1;  // a capital letter may have more bytes
  switch (kind_) {
    case kind::bytes:
      return of_letters;
    case kind::natural:
      return 3 * of_letters;
    case kind::version:
      return 8 * of_letters;
    case kind::locale:
      break;
  }
  return 16 * of_letters;
}

std::string text_order::in_words() const {
  std::string words = kind_ == kind::natural   ? "natural"
                      : kind_ == kind::version ? "version"
                      : kind_ == kind::locale  ? fmt::format("locale {}", collation_->name())
                                               : "";
  if (nocase_) words += words.empty() ? "nocase" : ", nocase";
  return words;
}

}  // namespace ballot::app
