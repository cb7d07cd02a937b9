// SPDX-License-Identifier: Apache-2.0
#include "columnar/value_texts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace ballot::app {
namespace {

constexpr std::int64_t seconds_a_day = 86400;

// At least `digits` of them.
void append_digits(std::string& to, std::uint64_t value, int digits) {
  char text[20];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  static_cast<void>(error);
  const auto length = static_cast<int>(end - text);
  to.append(static_cast<std::size_t>(std::max(0, digits - length)), '0').append(text, end);
}

// Howard Hinnant's civil_from_days: https://howardhinnant.github.io/date_algorithms.html
void append_date(std::string& to, std::int64_t days) {
  days += 719468;
  const std::int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const auto of_era = static_cast<std::uint64_t>(days - era * 146097);
  const std::uint64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const std::uint64_t day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::uint64_t shifted = (5 * day_of_year + 2) / 153;
  const std::uint64_t month = shifted < 10 ? shifted + 3 : shifted - 9;
  const std::int64_t year = static_cast<std::int64_t>(year_of_era) + era * 400 + (month <= 2);
  if (year < 0) to += '-';
  else if (year > 9999) to += '+';
  append_digits(to, static_cast<std::uint64_t>(year < 0 ? -year : year), 4);
  to += '-';
  append_digits(to, month, 2);
  to += '-';
  append_digits(to, day_of_year - (153 * shifted + 2) / 5 + 1, 2);
}

void append_clock(std::string& to, std::int64_t seconds, std::int64_t fraction, int digits) {
  append_digits(to, static_cast<std::uint64_t>(seconds / 3600), 2);
  to += ':';
  append_digits(to, static_cast<std::uint64_t>(seconds / 60 % 60), 2);
  to += ':';
  append_digits(to, static_cast<std::uint64_t>(seconds % 60), 2);
  if (digits == 0) return;
  to += '.';
  append_digits(to, static_cast<std::uint64_t>(fraction), digits);
}

int digits_of_unit(char letter) { return letter == 's' ? 0 : letter == 'm' ? 3 : letter == 'u' ? 6 : 9; }

// Rounded down, also below 0.
std::pair<std::int64_t, std::int64_t> divide(std::int64_t value, std::int64_t by) {
  std::int64_t quotient = value / by, rest = value % by;
  if (rest < 0) {
    rest += by;
    --quotient;
  }
  return {quotient, rest};
}

constexpr std::size_t most_limbs = 8;

// The digits of the absolute value.
std::string digits_of(const std::byte* value, std::uint64_t bytes, bool& is_negative) {
  std::array<std::uint32_t, most_limbs> limbs{};
  const auto count = static_cast<std::size_t>(bytes / 4);
  std::memcpy(limbs.data(), value, static_cast<std::size_t>(bytes));
  is_negative = (limbs[count - 1] >> 31) != 0;
  if (is_negative) {
    std::uint64_t carry = 1;
    for (std::size_t i = 0; i < count; ++i) {
      carry += std::uint32_t{~limbs[i]};
      limbs[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }
  std::string digits;  // the last first
  for (;;) {
    std::uint64_t rest = 0;
    bool is_zero = true;
    for (std::size_t i = count; i-- > 0;) {
      rest = rest << 32 | limbs[i];
      limbs[i] = static_cast<std::uint32_t>(rest / 1000000000);
      rest %= 1000000000;
      is_zero = is_zero && limbs[i] == 0;
    }
    for (int i = 0; i < 9 && (!is_zero || rest != 0); ++i, rest /= 10) digits += static_cast<char>('0' + rest % 10);
    if (is_zero) break;
  }
  if (digits.empty()) digits = "0";
  std::reverse(digits.begin(), digits.end());
  return digits;
}

}  // namespace

std::size_t longest_value_text(const arrow_type& type) {
  constexpr std::size_t longest_number = 48, digits_of_256_bits = 78;
  if (type.kind != arrow_kind::decimal) return longest_number;
  return digits_of_256_bits + static_cast<std::size_t>(std::abs(type.scale)) + 3;
}

void append_time_text(std::string& to, const arrow_type& type, std::int64_t value) {
  if (type.kind == arrow_kind::duration) {
    if (value < 0) to += '-';
    append_digits(to, value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value), 1);
    return;
  }
  if (type.kind == arrow_kind::date && type.unit == 'D') return append_date(to, value);
  const int digits = digits_of_unit(type.unit);
  const auto [seconds, fraction] = divide(value, type.units_a_second());
  if (type.kind == arrow_kind::time) {
    if (seconds < 0) to += '-';  // not a time of a day: the file is at fault
    return append_clock(to, seconds < 0 ? -seconds : seconds, fraction, digits);
  }
  const auto [days, of_day] = divide(seconds, seconds_a_day);
  append_date(to, days);
  if (type.kind == arrow_kind::date && of_day == 0 && fraction == 0) return;
  to += 'T';
  append_clock(to, of_day, fraction, digits);
  if (!type.zone.empty()) to += 'Z';
}

void append_decimal_text(std::string& to, const arrow_type& type, const std::byte* value) {
  bool is_negative = false;
  std::string digits = digits_of(value, type.item_bytes, is_negative);
  if (is_negative) to += '-';
  if (type.scale <= 0) {
    to += digits;
    if (digits != "0") to.append(static_cast<std::size_t>(-type.scale), '0');
    return;
  }
  const auto scale = static_cast<std::size_t>(type.scale);
  if (digits.size() <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
  to.append(digits, 0, digits.size() - scale).append(1, '.').append(digits, digits.size() - scale);
}

std::optional<double> number_of_decimal(const arrow_type& type, const std::byte* value) {
  constexpr std::size_t exact_digits = 15;
  bool is_negative = false;
  std::string text = digits_of(value, type.item_bytes, is_negative);
  if (text.size() > exact_digits) return std::nullopt;
  text += 'e';
  text += std::to_string(-type.scale);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  return is_negative && number != 0 ? -number : number;
}

}  // namespace ballot::app
