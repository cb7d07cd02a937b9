// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

namespace ballot::app {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(blanks);
  return begin == std::string_view::npos ? std::string_view{}
                                         : text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::string grouped(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (std::ptrdiff_t at = std::ssize(digits) - 3; at > 0; at -= 3) digits.insert(static_cast<std::size_t>(at), 1, ',');
  return digits;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string shown;
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\t') shown += "\\t";
    else if (byte >= ' ' && c != '\x7f') shown += c;
    else shown += fmt::format("\\x{:02x}", byte);
  }
  return fmt::format("'{}{}'", shown, text.size() > longest ? "..." : "");
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 40, longest = 100;
  if (names.empty()) return "none";
  std::string list;
  for (const std::string& name : std::span(names).first(std::min(most, names.size()))) {
    if (!list.empty()) list += ", ";
    list += name.substr(0, longest);
    if (name.size() > longest) list += "...";
  }
  std::replace_if(
      list.begin(), list.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
  if (names.size() > most) list += fmt::format(" and {} more", names.size() - most);
  return list;
}

}  // namespace ballot::app
