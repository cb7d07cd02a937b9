// SPDX-License-Identifier: Apache-2.0
// Colours on a terminal. None where the stream is no terminal, where NO_COLOR is set and not empty
// (no-color.org), or where TERM is dumb.
#pragma once

#include <ballot/core/namespace.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace ballot::app {

struct ink {
  bool is_on = false;

  std::string bold(const std::string& text) const { return with("1", text); }
  std::string green(const std::string& text) const { return with("32", text); }
  std::string yellow(const std::string& text) const { return with("33", text); }
  std::string red(const std::string& text) const { return with("1;31", text); }

 private:
  std::string with(const char* code, const std::string& text) const {
    if (!is_on || text.empty()) return text;
    // Ends before the line does, so that what follows is not coloured.
    const bool ends_line = text.back() == '\n';
    return std::string("\033[") + code + "m" + text.substr(0, text.size() - ends_line) + "\033[0m" +
           (ends_line ? "\n" : "");
  }
};

inline ink ink_of(std::FILE* stream) {
  const auto value_of = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  return {isatty(fileno(stream)) != 0 && value_of("NO_COLOR").empty() && value_of("TERM") != "dumb"};
}

}  // namespace ballot::app
