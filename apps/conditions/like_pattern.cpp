// SPDX-License-Identifier: Apache-2.0
#include "conditions/like_pattern.hpp"

#include "base/letters.hpp"

#include <cstring>

namespace ballot::app {
namespace {

constexpr std::size_t none = std::string_view::npos;

}  // namespace

like_pattern::like_pattern(std::string_view pattern, std::string_view escape) : pieces_(1) {
  const auto add = [&](std::string_view bytes, bool is_any) {
    piece& last = pieces_.back();
    last.text += bytes;
    last.is_any.resize(last.text.size(), is_any);
    last.has_any |= is_any;
  };
  while (!pattern.empty()) {
    std::size_t length = character_length(pattern);
    if (!escape.empty() && pattern.starts_with(escape) && pattern.size() > escape.size()) {
      pattern.remove_prefix(escape.size());
      length = character_length(pattern);
      add(pattern.substr(0, length), false);
    } else if (pattern[0] == '%') {
      pieces_.emplace_back();
    } else {
      add(pattern.substr(0, length), pattern[0] == '_');
    }
    pattern.remove_prefix(length);
  }
}

// The length of what the piece is at the beginning of the text; none where it is not there.
std::size_t like_pattern::length_at(const piece& p, std::string_view text) {
  if (!p.has_any) return text.starts_with(p.text) ? p.text.size() : none;
  std::size_t at = 0;
  for (std::size_t i = 0; i < p.text.size(); ++i) {
    if (at == text.size() || (!p.is_any[i] && text[at] != p.text[i])) return none;
    at += p.is_any[i] ? character_length(text.substr(at)) : 1;
  }
  return at;
}

std::size_t like_pattern::find(const piece& p, std::string_view text, std::size_t& length) {
  length = p.text.size();
  if (!p.has_any) return text.find(p.text);
  for (std::size_t at = 0; at <= text.size(); at += character_length(text.substr(at))) {
    length = length_at(p, text.substr(at));
    if (length != none) return at;
    if (at == text.size()) break;
  }
  return none;
}

bool like_pattern::matches(std::string_view text) const {
  const std::size_t begin = length_at(pieces_.front(), text);
  if (begin == none) return false;
  text.remove_prefix(begin);
  if (pieces_.size() == 1) return text.empty();
  // The pieces between two % where they are found first: what follows has the most room then.
  for (std::size_t i = 1; i + 1 < pieces_.size(); ++i) {
    std::size_t length = 0;
    const std::size_t at = find(pieces_[i], text, length);
    if (at == none) return false;
    text.remove_prefix(at + length);
  }
  const piece& last = pieces_.back();
  if (!last.has_any) return text.ends_with(last.text);
  for (std::size_t at = 0; at < text.size(); at += character_length(text.substr(at)))
    if (const std::size_t length = length_at(last, text.substr(at)); length == text.size() - at) return true;
  return false;
}

}  // namespace ballot::app
