// SPDX-License-Identifier: Apache-2.0
// Dates and times in a format as strptime has it: %d.%m.%Y, %b %e %H:%M:%S.
//
//     %Y year, 4 digits   %y 2 digits, 1969 to 2068    %m month    %b %B %h its English name, short or long
//     %d %e day           %j day of the year           %a %A day of the week, English: read and left aside
//     %H hour   %I %p hour of 12, AM or PM   %M minute   %S second   %f fraction of a second, 1 to 9 digits
//     %z offset (+0200, +02:00, +02, Z)      %s seconds since 1970
//     %F = %Y-%m-%d   %T = %H:%M:%S   %R = %H:%M   %D = %m/%d/%y   %% a percent sign
//
// A blank in the format is one or more blanks. Names are read in capital and small letters. A field
// that a format leaves out is that of 2000-01-01 00:00:00 UTC.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::app {

enum class date_error { none, not_a_date, out_of_range };

class date_format {
 public:
  // Throws usage_error. `position`, if it is given, is where in the format the mistake is.
  explicit date_format(std::string_view format, std::size_t* position = nullptr);

  const std::string& text() const { return text_; }
  // Dates are seconds since 1970, or nanoseconds where the format has %f: then the years 1678 to
  // 2261.
  bool has_fractions() const { return has_fractions_; }
  // All of `text`.
  date_error parse(std::string_view text, std::int64_t& value) const;
  // The same for dates as they are usually written in a condition. They are in this format, or
  // 2024-12-31, 2024-12-31 23:59, 2024-12-31 23:59:59, also with T, a fraction and an offset.
  date_error parse_constant(std::string_view text, std::int64_t& value) const;

 private:
  struct part {
    char kind;  // the letter of the directive; ' ' for blanks, '=' for a character
    char is = 0;
  };
  void add(std::string_view format, std::size_t* position);

  std::string text_;
  std::vector<part> parts_;
  bool has_fractions_ = false;
};

}  // namespace ballot::app
