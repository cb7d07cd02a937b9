// SPDX-License-Identifier: Apache-2.0
// Small helpers for text that is read from files, and for showing it in messages.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::app {

// The text without spaces, tabs and carriage returns around it.
std::string_view trimmed(std::string_view text);

// 1234567 as 1,234,567.
std::string grouped(std::uint64_t n);

// The text in quotes as a message shows it: at most 40 bytes, control characters escaped.
std::string in_quotes(std::string_view text);

// Names as a message lists them: "a, b, c". At most 40, each of at most 100 bytes, control
// characters as blanks: names come from files, of which a terminal should take no commands.
std::string listed(const std::vector<std::string>& names);

}  // namespace ballot::app
