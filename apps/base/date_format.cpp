// SPDX-License-Identifier: Apache-2.0
#include "base/date_format.hpp"

#include "base/failure.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <span>

namespace ballot::app {
namespace {

constexpr std::string_view months[] = {"january", "february", "march",     "april",   "may",      "june",
                                       "july",    "august",   "september", "october", "november", "december"};
constexpr std::string_view weekdays[] = {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"};
constexpr std::int64_t nanoseconds = 1000000000;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// The rest of a text.
class date_reader {
 public:
  explicit date_reader(std::string_view text) : rest_(text) {}

  bool is_done() const { return rest_.empty(); }
  bool take(char c) {
    if (rest_.empty() || small(rest_[0]) != small(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void take_blanks() {
    while (!rest_.empty() && is_blank(rest_[0])) rest_.remove_prefix(1);
  }
  bool take_some_blanks() {
    const std::size_t before = rest_.size();
    take_blanks();
    return rest_.size() != before;
  }
  // As many digits as there are and as make a number in the range.
  bool take_number(int least, int most, std::size_t most_digits, int& value) {
    int number = 0, taken = -1;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < std::min(most_digits, rest_.size()) && is_digit(rest_[i]); ++i) {
      number = number * 10 + (rest_[i] - '0');
      if (number < least || number > most) continue;
      taken = number;
      bytes = i + 1;
    }
    if (taken < 0) return false;
    value = taken;
    rest_.remove_prefix(bytes);
    return true;
  }
  bool take_four_digits(int& value) {
    if (rest_.size() < 4) return false;
    int number = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      if (!is_digit(rest_[i])) return false;
      number = number * 10 + (rest_[i] - '0');
    }
    value = number;
    rest_.remove_prefix(4);
    return true;
  }
  bool take_fraction(std::int64_t& value) {
    std::size_t digits = 0;
    value = 0;
    for (; digits < rest_.size() && is_digit(rest_[digits]); ++digits) {
      if (digits == 9) return false;
      value = value * 10 + (rest_[digits] - '0');
    }
    rest_.remove_prefix(digits);
    if (digits == 0) return false;
    for (; digits < 9; ++digits) value *= 10;
    return true;
  }
  bool take_seconds_of_epoch(std::int64_t& value, bool& negative) {
    negative = take('-');
    value = 0;
    std::size_t digits = 0;
    for (; digits < rest_.size() && is_digit(rest_[digits]); ++digits) {
      if (digits == 15) return false;
      value = value * 10 + (rest_[digits] - '0');
    }
    rest_.remove_prefix(digits);
    if (negative) value = -value;
    return digits != 0;
  }
  // The place of a name, whole or by its first three letters.
  bool take_name(std::span<const std::string_view> names, int& place) {
    for (std::size_t i = 0; i < names.size(); ++i)
      for (const std::string_view name : {names[i], names[i].substr(0, 3)}) {
        if (rest_.size() < name.size()) continue;
        std::size_t same = 0;
        while (same < name.size() && small(rest_[same]) == name[same]) ++same;
        if (same != name.size()) continue;
        rest_.remove_prefix(name.size());
        place = static_cast<int>(i);
        return true;
      }
    return false;
  }
  bool take_offset(int& seconds) {
    if (take('z')) {
      seconds = 0;
      return true;
    }
    const bool negative = !rest_.empty() && rest_[0] == '-';
    if (!take('-') && !take('+')) return false;
    int hours = 0, minutes = 0;
    if (!take_two_digits(24, hours)) return false;
    if (take(':') ? !take_two_digits(59, minutes)
                  : !rest_.empty() && is_digit(rest_[0]) && !take_two_digits(59, minutes))
      return false;
    seconds = (hours * 60 + minutes) * (negative ? -60 : 60);
    return true;
  }

 private:
  bool take_two_digits(int most, int& value) {
    return rest_.size() >= 2 && is_digit(rest_[1]) && take_number(0, most, 2, value);
  }

  std::string_view rest_;
};

struct date_fields {
  int year = 2000, month = 0, day = 1, day_of_year = 0, hour = 0, minute = 0, second = 0, offset = 0, weekday = 0;
  std::int64_t fraction = 0;
  std::optional<int> hour_of_12, is_afternoon;
  std::optional<std::int64_t> seconds_of_epoch;
  bool is_before_epoch = false;  // then a fraction goes on backward, also from second -0
};

bool take(char kind, char is, date_reader& from, date_fields& to) {
  int number = 0;
  switch (kind) {
    case ' ':
      return from.take_some_blanks();
    case '=':
      return from.take(is);
    case 'Y':
      return from.take_four_digits(to.year);
    case 'y':
      if (!from.take_number(0, 99, 2, number)) return false;
      to.year = number + (number < 69 ? 2000 : 1900);
      return true;
    case 'm':
      if (!from.take_number(1, 12, 2, number)) return false;
      to.month = number - 1;
      return true;
    case 'b':
      return from.take_name(months, to.month);
    case 'a':
      return from.take_name(weekdays, to.weekday);
    case 'e':
      from.take_blanks();
      return from.take_number(1, 31, 2, to.day);
    case 'd':
      return from.take_number(1, 31, 2, to.day);
    case 'j':
      return from.take_number(1, 366, 3, to.day_of_year);
    case 'H':
      return from.take_number(0, 23, 2, to.hour);
    case 'I':
      if (!from.take_number(1, 12, 2, number)) return false;
      to.hour_of_12 = number % 12;
      return true;
    case 'p':
      if (!from.take('a') && !from.take('p')) return false;
      return from.take('m');
    case 'M':
      return from.take_number(0, 59, 2, to.minute);
    case 'S':
      return from.take_number(0, 60, 2, to.second);  // 60: a leap second, the next minute
    case 'f':
      return from.take_fraction(to.fraction);
    case 'z':
      return from.take_offset(to.offset);
    case 's': {
      std::int64_t seconds = 0;
      if (!from.take_seconds_of_epoch(seconds, to.is_before_epoch)) return false;
      to.seconds_of_epoch = seconds;
      return true;
    }
    default:
      return false;
  }
}

std::optional<std::int64_t> seconds_of(const date_fields& date) {
  using namespace std::chrono;
  if (date.seconds_of_epoch) return *date.seconds_of_epoch;
  year_month_day day{year{date.year}, month{static_cast<unsigned>(date.month + 1)},
                     std::chrono::day{static_cast<unsigned>(date.day)}};
  if (!day.ok()) return std::nullopt;
  sys_days days{day};
  if (date.day_of_year != 0) {
    if (date.day_of_year == 366 && !year{date.year}.is_leap()) return std::nullopt;
    days = sys_days{year{date.year} / January / 1} + std::chrono::days{date.day_of_year - 1};
  }
  const int hour = date.hour_of_12 ? *date.hour_of_12 + 12 * date.is_afternoon.value_or(0) : date.hour;
  return static_cast<std::int64_t>(days.time_since_epoch().count()) * 86400 + hour * 3600 + date.minute * 60 +
         date.second - date.offset;
}

}  // namespace

date_format::date_format(std::string_view format, std::size_t* position) : text_(format) {
  if (format.empty()) throw usage_error("a format of dates is empty: for example date(%Y-%m-%d)");
  add(format, position);
}

void date_format::add(std::string_view format, std::size_t* position) {
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (position != nullptr) *position = i;
    if (is_blank(format[i])) {
      if (parts_.empty() || parts_.back().kind != ' ') parts_.push_back({' '});
      continue;
    }
    if (format[i] != '%') {
      parts_.push_back({'=', format[i]});
      continue;
    }
    const char letter = ++i < format.size() ? format[i] : '\0';
    switch (letter) {
      case 'F':
        add("%Y-%m-%d", nullptr);
        break;
      case 'T':
        add("%H:%M:%S", nullptr);
        break;
      case 'R':
        add("%H:%M", nullptr);
        break;
      case 'D':
        add("%m/%d/%y", nullptr);
        break;
      case 'B':
      case 'h':
        parts_.push_back({'b'});
        break;
      case 'A':
        parts_.push_back({'a'});
        break;
      case '%':
        parts_.push_back({'=', '%'});
        break;
      case 'n':
      case 't':
        parts_.push_back({' '});
        break;
      case 'f':
        has_fractions_ = true;
        [[fallthrough]];
      case 'Y':
      case 'y':
      case 'm':
      case 'b':
      case 'd':
      case 'e':
      case 'j':
      case 'a':
      case 'H':
      case 'I':
      case 'p':
      case 'M':
      case 'S':
      case 'z':
      case 's':
        parts_.push_back({letter});
        break;
      default:
        throw usage_error(
            fmt::format("the format of dates {} has {}: known are %Y %y %m %b %B %d %e %j %a %A %H %I %p %M "
                        "%S %f %z %s %F %T %R %D %%",
                        in_quotes(text_), letter == '\0' ? "a percent sign at its end" : fmt::format("'%{}'", letter)));
    }
  }
}

date_error date_format::parse(std::string_view text, std::int64_t& value) const {
  date_reader reader(trimmed(text));
  date_fields date;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const part& p = parts_[i];
    // Blanks around the text are none of it.
    if (p.kind == ' ' && (i == 0 || i + 1 == parts_.size())) continue;
    if (p.kind == 'p') date.is_afternoon = date_reader(reader).take('p');
    if (!take(p.kind, p.is, reader, date)) return date_error::not_a_date;
  }
  if (!reader.is_done()) return date_error::not_a_date;
  const auto seconds = seconds_of(date);
  if (!seconds) return date_error::not_a_date;
  value = *seconds;
  if (!has_fractions_) return date_error::none;
  // One second is kept from the ends, for the fraction.
  constexpr std::int64_t most = INT64_MAX / nanoseconds - 1;
  if (*seconds > most || *seconds < -most) return date_error::out_of_range;
  value = *seconds * nanoseconds + (date.is_before_epoch ? -date.fraction : date.fraction);
  return date_error::none;
}

date_error date_format::parse_constant(std::string_view text, std::int64_t& value) const {
  const date_error own = parse(text, value);
  if (own != date_error::not_a_date) return own;
  static const std::vector<date_format> usual = [] {
    std::vector<date_format> all;
    for (const std::string_view format :
         {"%F", "%F %R", "%F %T", "%F %T.%f", "%FT%R", "%FT%T", "%FT%T.%f", "%F %T%z", "%FT%T%z", "%FT%T.%f%z"})
      all.emplace_back(format);
    return all;
  }();
  for (const date_format& format : usual) {
    std::int64_t found = 0;
    if (format.parse(text, found) != date_error::none) continue;
    if (format.has_fractions_ && !has_fractions_) return date_error::not_a_date;  // finer than what it is compared with
    if (format.has_fractions_ == has_fractions_) value = found;
    else if (__builtin_mul_overflow(found, nanoseconds, &value)) return date_error::out_of_range;
    return date_error::none;
  }
  return date_error::not_a_date;
}

}  // namespace ballot::app
