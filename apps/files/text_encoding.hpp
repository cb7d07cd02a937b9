// SPDX-License-Identifier: Apache-2.0
// Texts are bytes to this program, UTF-8 or another encoding in which ASCII is itself. UTF-16 and
// UTF-32 are none.
#pragma once

#include <ballot/core/namespace.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace ballot::app {

inline constexpr std::string_view utf8_mark = "\xef\xbb\xbf";

// The name that iconv has for the encoding of a text that begins like this: UTF-16LE, UTF-16BE,
// UTF-32LE, UTF-32BE; by its byte order mark, or because every other byte of the beginning is zero.
std::optional<std::string_view> wide_encoding_of(std::string_view begin);

// Throws failure if the text has one of these encodings.
void require_bytes_of_text(std::string_view begin, const std::string& name);

// The first byte that is not UTF-8.
std::optional<std::size_t> first_not_utf8(std::string_view text);

}  // namespace ballot::app
