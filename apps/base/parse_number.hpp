// SPDX-License-Identifier: Apache-2.0
// Parses one number, for data files and expressions.
#pragma once

#include <ballot/core/namespace.hpp>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>

namespace ballot::app {

enum class number_error { none, not_a_number, out_of_range };

// Parses all of `text` as a T. A number too close to zero for T becomes the nearest T, which may be
// zero.
template <class T>
number_error parse_number(std::string_view text, T& value) {
  const bool signed_plus = text.starts_with('+') && !text.starts_with("+-") && !text.starts_with("++");
  if (signed_plus) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc{} && stopped == end) return number_error::none;
  if (error == std::errc::result_out_of_range && stopped == end) {
    if constexpr (std::is_floating_point_v<T>) {
      // from_chars does not distinguish overflow from underflow; strtod does. This program never
      // sets a locale.
      const std::string copy(text);
      const T rounded =
          static_cast<T>(sizeof(T) == 4 ? std::strtof(copy.c_str(), nullptr) : std::strtod(copy.c_str(), nullptr));
      if (std::isfinite(rounded)) {
        value = rounded;
        return number_error::none;
      }
    }
    return number_error::out_of_range;
  }
  if constexpr (std::is_unsigned_v<T>) {
    // from_chars refuses a minus sign here. "-5" is a number all the same, but out of range; "-0"
    // is 0.
    if (text.starts_with('-')) {
      T magnitude{};
      const auto [digits_end, digits_error] = std::from_chars(text.data() + 1, end, magnitude);
      if (digits_end == end && digits_end != text.data() + 1) {
        if (digits_error == std::errc{} && magnitude == 0) {
          value = 0;
          return number_error::none;
        }
        return number_error::out_of_range;
      }
    }
  }
  return number_error::not_a_number;
}

}  // namespace ballot::app
