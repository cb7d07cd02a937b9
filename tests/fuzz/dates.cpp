// SPDX-License-Identifier: Apache-2.0
// A line of any bytes as a format of dates, or a usage_error; the rest as a date of it, or none.
#include <ballot/core/namespace.hpp>

#include "base/date_format.hpp"
#include "base/failure.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ballot::app;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return 0;
  std::size_t mistake = 0;
  try {
    const date_format format(text.substr(0, end), &mistake);
    std::int64_t first = 0, second = 0;
    const date_error error = format.parse(text.substr(end + 1), first);
    // A date is also a date as a constant, and the same one.
    if (error == date_error::none && (format.parse_constant(text.substr(end + 1), second) != error || first != second))
      std::abort();
    format.parse_constant(text.substr(end + 1), second);
  } catch (const usage_error&) {
    if (mistake > end) std::abort();
  }
  return 0;
}
