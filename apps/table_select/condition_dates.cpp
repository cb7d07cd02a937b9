// SPDX-License-Identifier: Apache-2.0
// Texts in a condition that are dates, because they are compared with columns of dates
// (column:date(FORMAT)) or of times (as Arrow and NumPy have them).
#include "base/date_format.hpp"
#include "base/text.hpp"
#include "conditions/condition_lexer.hpp"
#include "table_select/bound_condition.hpp"

#include <fmt/format.h>

namespace ballot::app {

std::int64_t bound_condition::date_constant(std::size_t date, std::string_view text, std::size_t position) const {
  const std::string& format = condition_.nodes[date].format;
  std::int64_t value = 0;
  const date_error error = date_format(format).parse_constant(text, value);
  if (error != date_error::none)
    throw_condition_error(
        condition_.text, position,
        error == date_error::out_of_range
            ? fmt::format("this date is out of range: with %f only the years 1678 to 2261 are possible")
            : fmt::format("this is no date: {}, or 2024-12-31 23:59:59", in_quotes(format)));
  return value;
}

// A text that is compared with a column of dates is a date.
bool bound_condition::take_date(std::size_t date, std::size_t constant) {
  condition_node& node = condition_.nodes[constant];
  if (kinds_[date] != value_kind::date || node.kind != condition_kind::text || !is_column(condition_.nodes[date]))
    return false;
  node.constant = static_cast<__int128>(date_constant(date, node.name, node.position));
  node.kind = condition_kind::number;
  kinds_[constant] = value_kind::date;
  needs_cpu_[constant] = false;
  return true;
}

bool bound_condition::is_time(std::size_t place) const {
  return condition_.nodes[place].kind == condition_kind::column && column_of(place).times.units != 0;
}

// In the unit of the column.
__int128 bound_condition::time_constant(std::size_t time, std::string_view text, std::size_t position) const {
  static const date_format seconds("%F"), nanoseconds("%FT%T.%f");
  const time_scale& scale = column_of(time).times;
  std::int64_t value = 0;
  __int128 a_second = 1;
  if (seconds.parse_constant(text, value) != date_error::none) {
    const date_error error = nanoseconds.parse_constant(text, value);
    if (error != date_error::none)
      throw_condition_error(condition_.text, position,
                            error == date_error::out_of_range
                                ? "this date is out of range: with a fraction only the years 1678 to 2261 are possible"
                                : "this is no date: 2024-12-31, or 2024-12-31 23:59:59");
    a_second = 1'000'000'000;
  }
  const __int128 units = static_cast<__int128>(value) * scale.units, each = a_second * scale.seconds;
  if (units % each != 0)
    throw_condition_error(
        condition_.text, position,
        fmt::format("this date is finer than the times that it is compared with: {}", description_of(time)));
  return units / each;
}

// A text that is compared with a column of times is one of them.
bool bound_condition::take_time(std::size_t time, std::size_t constant) {
  condition_node& node = condition_.nodes[constant];
  if (!is_time(time) || node.kind != condition_kind::text) return false;
  node.constant = time_constant(time, node.name, node.position);
  node.kind = condition_kind::number;
  kinds_[constant] = value_kind::number;
  needs_cpu_[constant] = false;
  return true;
}

}  // namespace ballot::app
