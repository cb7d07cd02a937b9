// SPDX-License-Identifier: Apache-2.0
// printf into a string, for reports.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstdarg>
#include <cstdio>
#include <string>

namespace ballot::emulator {

[[gnu::format(printf, 1, 2)]] inline std::string text(const char* format, ...) {
  char buffer[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  return buffer;
}

}  // namespace ballot::emulator
