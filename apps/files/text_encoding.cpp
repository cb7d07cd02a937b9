// SPDX-License-Identifier: Apache-2.0
#include "files/text_encoding.hpp"

#include "base/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace ballot::app {

using namespace std::string_view_literals;

std::optional<std::string_view> wide_encoding_of(std::string_view begin) {
  // The mark of UTF-32LE begins with that of UTF-16LE.
  constexpr std::pair<std::string_view, std::string_view> marks[] = {{"\xff\xfe\0\0"sv, "UTF-32LE"sv},
                                                                     {"\0\0\xfe\xff"sv, "UTF-32BE"sv},
                                                                     {"\xff\xfe"sv, "UTF-16LE"sv},
                                                                     {"\xfe\xff"sv, "UTF-16BE"sv}};
  for (const auto& [mark, name] : marks)
    if (begin.starts_with(mark)) return name;
  constexpr std::size_t least = 8, most = 64;
  begin = begin.substr(0, std::min(begin.size(), most) / 2 * 2);
  if (begin.size() < least) return std::nullopt;
  const auto is_zero_at_all = [&](std::size_t first) {
    for (std::size_t i = first; i < begin.size(); i += 2)
      if (begin[i] != '\0') return false;
    return true;
  };
  const auto is_nowhere_zero_at = [&](std::size_t first) {
    for (std::size_t i = first; i < begin.size(); i += 2)
      if (begin[i] == '\0') return false;
    return true;
  };
  if (is_zero_at_all(1) && is_nowhere_zero_at(0)) return "UTF-16LE";
  if (is_zero_at_all(0) && is_nowhere_zero_at(1)) return "UTF-16BE";
  return std::nullopt;
}

void require_bytes_of_text(std::string_view begin, const std::string& name) {
  if (const auto encoding = wide_encoding_of(begin))
    throw failure(fmt::format("{}: this is {}: text is read as UTF-8. Convert it: iconv -f {} -t UTF-8", name,
                              *encoding, *encoding));
}

std::optional<std::size_t> first_not_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t at = 0; at < text.size();) {
    const unsigned lead = byte(at);
    if (lead < 0x80) {
      ++at;
      continue;
    }
    const std::size_t length = lead >= 0xc2 && lead < 0xe0   ? 2
                               : lead >= 0xe0 && lead < 0xf0 ? 3
                               : lead >= 0xf0 && lead < 0xf5 ? 4
                                                             : 0;
    if (length == 0 || text.size() - at < length) return at;
    for (std::size_t i = 1; i < length; ++i)
      if ((byte(at + i) & 0xc0u) != 0x80) return at;
    const unsigned second = byte(at + 1);
    // Not the shortest form, a surrogate, or beyond Unicode.
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second >= 0xa0) || (lead == 0xf0 && second < 0x90) ||
        (lead == 0xf4 && second >= 0x90))
      return at;
    at += length;
  }
  return std::nullopt;
}

}  // namespace ballot::app
