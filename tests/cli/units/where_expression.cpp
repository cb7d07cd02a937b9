// SPDX-License-Identifier: Apache-2.0
// `--where`: what expressions mean, that the compiled programs mean the same, and where mistakes
// are shown.
#include "conditions/where_expression.hpp"

#include "base/dtype.hpp"
#include "base/failure.hpp"
#include "conditions/item_predicate.hpp"
#include "where.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace app = ballot::app;

namespace {

template <class T>
bool compiled(const std::string& text, T value, bool invert = false) {
  return app::compile_item_predicate<T>(app::parse_where(text), invert)(value);
}

template <class T>
app::literal as_literal(T value) {
  if constexpr (std::is_floating_point_v<T>) return static_cast<double>(value);
  else return static_cast<__int128>(value);
}

template <class T>
std::vector<T> corner_values() {
  using limits = std::numeric_limits<T>;
  std::vector<T> values{T(0), T(1), T(2), T(10), T(11), T(127), limits::min(), limits::max(), limits::lowest()};
  if constexpr (std::is_floating_point_v<T>) {
    for (const T x : {T(0.1), T(10.5), limits::denorm_min(), limits::infinity(), limits::quiet_NaN(), T(16777216),
                      T(9007199254740992.0)})
      values.insert(values.end(),
                    {x, -x, std::nextafter(x, limits::infinity()), std::nextafter(x, -limits::infinity())});
    values.push_back(-T(0));
  } else {
    values.insert(values.end(), {T(limits::max() - 1), T(limits::min() + 1), T(-1), T(-2), T(limits::max() / 2),
                                 T(limits::max() / 2 + 1)});
  }
  return values;
}

const char* const corner_constants[] = {"0",
                                        "-0",
                                        "-0.0",
                                        "1",
                                        "-1",
                                        "10",
                                        "10.5",
                                        "-10.5",
                                        "0.1",
                                        "255",
                                        "256",
                                        "127.5",
                                        "-128",
                                        "-129",
                                        "65535.5",
                                        "2147483647",
                                        "2147483648",
                                        "4294967295.5",
                                        "16777217",
                                        "9007199254740991",
                                        "9007199254740993",
                                        "9223372036854775807",
                                        "9223372036854775808",
                                        "-9223372036854775808",
                                        "-9223372036854775809",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "18446744073709551614.5",
                                        "1e30",
                                        "-1e30",
                                        "1e300",
                                        "-1e300",
                                        "1e-300",
                                        "-1e-300",
                                        "1e-46",
                                        "3.4028235677973366e38",
                                        "inf",
                                        "-inf",
                                        "nan",
                                        "0x7fffffffffffffff",
                                        "0xffffffffffffffff",
                                        "-0x8000000000000000"};

std::string message_of(const std::string& text) {
  try {
    app::parse_where(text);
  } catch (const app::usage_error& problem) {
    return problem.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE_TEMPLATE("compiled programs mean what the expression means", T, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t, std::int8_t, std::int16_t, std::int32_t, std::int64_t, float, double) {
  for (const char* constant : corner_constants)
    for (const char* rel : {"<", "<=", ">", ">=", "==", "!="})
      for (const bool column_first : {true, false}) {
        const std::string text =
            column_first ? fmt::format("value {} {}", rel, constant) : fmt::format("{} {} value", constant, rel);
        const auto expression = app::parse_where(text);
        const auto predicate = app::compile_item_predicate<T>(expression, false);
        for (const T value : corner_values<T>()) {
          CAPTURE(text);
          CAPTURE(value);
          CHECK(predicate(value) == app::evaluate(expression, as_literal(value)));
        }
      }
}

TEST_CASE("conditions together mean what they say, compiled and not") {
  struct meaning {
    const char* text;
    bool (*is_true)(double);
  };
  constexpr meaning meanings[] = {
      {"value > 1 and value < 3", [](double x) { return x > 1 && x < 3; }},
      {"value < 1 or value > 3", [](double x) { return x < 1 || x > 3; }},
      {"not value > 1", [](double x) { return !(x > 1); }},
      {"isnan(value) or not (value == 2)", [](double x) { return std::isnan(x) || !(x == 2); }},
      {"value > 0 and (value < 2 or value == 3)", [](double x) { return x > 0 && (x < 2 || x == 3); }},
      {"value < 2 or value == 3 and not value > 2", [](double x) { return x < 2 || (x == 3 && !(x > 2)); }}};
  for (const auto& [text, is_true] : meanings)
    for (const double value : {-1.0, 0.0, 1.0, 1.5, 2.0, 3.0, 4.0, std::numeric_limits<double>::quiet_NaN()}) {
      CAPTURE(text);
      CAPTURE(value);
      CHECK(app::evaluate(app::parse_where(text), value) == is_true(value));
      CHECK(compiled<double>(text, value) == is_true(value));
    }
}

TEST_CASE("comparisons are exact where a conversion would round") {
  CHECK(compiled<std::int32_t>("value > 10.5", 11));
  CHECK_FALSE(compiled<std::int32_t>("value > 10.5", 10));
  CHECK_FALSE(compiled<std::int32_t>("value == 10.5", 10));
  CHECK(compiled<std::int32_t>("value != 10.5", 10));
  CHECK(compiled<std::uint8_t>("value < 1e30", 255));
  CHECK(compiled<std::uint8_t>("value > -1", 0));
  CHECK_FALSE(compiled<std::uint8_t>("value >= 256", 255));
  CHECK_FALSE(compiled<std::int64_t>("value > 9223372036854775807", std::numeric_limits<std::int64_t>::max()));
  CHECK(compiled<std::uint64_t>("value == 18446744073709551615", ~std::uint64_t{0}));
  CHECK_FALSE(compiled<std::uint64_t>("value == 18446744073709551614", ~std::uint64_t{0}));  // the same as doubles
  CHECK(compiled<double>("value < 9007199254740993", 9007199254740992.0));                   // the same as doubles
  CHECK_FALSE(compiled<double>("value == 9007199254740993", 9007199254740992.0));
  CHECK(compiled<float>("value > 0.1", 0.1f));  // 0.1f is a little more than 0.1
  CHECK_FALSE(compiled<float>("value == 0.1", 0.1f));
  CHECK(compiled<float>("value < 1e300", std::numeric_limits<float>::max()));
  CHECK_FALSE(compiled<float>("value < 1e300", std::numeric_limits<float>::infinity()));
  CHECK(compiled<float>("value > -1e300", std::numeric_limits<float>::lowest()));
}

TEST_CASE("NaN: only != is true, on either side") {
  const double nan = std::nan("");
  for (const char* rel : {"<", "<=", ">", ">=", "=="}) {
    CHECK_FALSE(compiled<double>(fmt::format("value {} 1", rel), nan));
    CHECK_FALSE(compiled<double>(fmt::format("value {} inf", rel), nan));
    CHECK_FALSE(compiled<double>(fmt::format("value {} nan", rel), 1.0));
    CHECK_FALSE(compiled<std::int8_t>(fmt::format("value {} nan", rel), 1));
  }
  CHECK(compiled<double>("value != 1", nan));
  CHECK(compiled<std::int8_t>("value != nan", 1));
  CHECK(compiled<double>("isnan(value)", nan));
  CHECK(compiled<float>("isnan ( value )", -std::nanf("1")));
  CHECK_FALSE(compiled<double>("isnan(value)", 1.0));
  CHECK_FALSE(compiled<std::uint8_t>("isnan(value)", 1));
}

TEST_CASE("operators, their words and their precedence") {
  CHECK(compiled<int>("value == 1 or value == 2 and value == 3", 1));
  CHECK_FALSE(compiled<int>("(value == 1 or value == 2) and value == 3", 1));
  CHECK(compiled<int>("value == 1 || value == 2 && value == 3", 1));
  CHECK_FALSE(compiled<int>("not value == 1 and value == 1", 1));
  CHECK(compiled<int>("not (value == 2 and value == 1)", 1));
  CHECK(compiled<int>("!(value==2)&&!!value==1", 1));
  CHECK(compiled<int>("((value)) >= ((1))", 1));
  CHECK(compiled<int>("  \t value>-  5 ", -4));
  CHECK(compiled<int>("value == 0x10 or value == +1e1", 16));
  CHECK(compiled<int>("value == .5e1", 5));
  CHECK(compiled<int>("value > 3", 3, /*invert=*/true));
  CHECK(compiled<int>("value = 3 AND Not value <> 3 Or value == 4", 3));
  CHECK(compiled<int>("value in (1, 0x3, -5)", -5));
  CHECK_FALSE(compiled<int>("value not in (1, 3)", 3));
  CHECK(compiled<int>("value between 3 and 4 and value not between 4 and 5", 3));
  for (const int x : {0, 1, 2, 3, 4, 5, 6, 7}) {
    const bool a = (x & 1) != 0, b = (x & 2) != 0, c = (x & 4) != 0;
    const auto with = [&](std::string text) {
      for (const auto& [name, is_set] : {std::pair{'A', a}, {'B', b}, {'C', c}})
        for (std::size_t at; (at = text.find(name)) != std::string::npos;)
          text.replace(at, 1, is_set ? "(1 == value)" : "(value != 1)");
      return compiled<int>(text, 1);
    };
    CHECK(with("A && B || C") == ((a && b) || c));
    CHECK(with("A || B && !C") == (a || (b && !c)));
    CHECK(with("!(A || !(B && C)) || A && C") == (!(a || !(b && c)) || (a && c)));
  }
}

TEST_CASE("mistakes say what and where") {
  const auto check = [](const std::string& text, const std::string& what, int column) {
    const std::string message = message_of(text);
    CAPTURE(text);
    CAPTURE(message);
    CHECK(message.find(what) != std::string::npos);
    CHECK(message.find(fmt::format("(column {})", column)) != std::string::npos);
    CHECK(message.ends_with("\n  " + std::string(static_cast<std::size_t>(column - 1), ' ') + "^"));
  };
  check("", "empty", 1);
  check("   ", "empty", 4);
  check("valu > 1", "unknown name 'valu': the only column is value", 1);
  check("value > 1 and Value > 2", "unknown name 'Value'", 15);
  check("1 < value < 3", "do not chain", 11);
  check("value & 1", "'&&'", 7);
  check("value", "not a condition", 1);
  check("value > 1 and 3", "a condition is needed here", 15);
  check("not value", "a condition is needed here", 5);
  check("value > ", "missing here", 9);
  check("value > and", "before 'and'", 9);
  check("value > 12abc", "not a number", 9);
  check("value > 1e", "not a number", 9);
  check("value > 0x", "not a number", 9);
  check("value > 0x10000000000000000", "64 bits", 9);
  check("value > 1 2", "expected an operator", 11);
  check("value > 1)", "never opened", 10);
  check("(value > 1", "never closed", 1);
  check("value > (value > 1)", "this is a condition", 9);
  check("isnan value", "expected an operator", 7);
  check("value > 1 ; 2", "expected an operator", 11);
  check("value > ;", "not ';'", 9);
}

TEST_CASE("the caret counts characters, not bytes") {
  CHECK(message_of("value > \xc3\xa4").find("'\xc3\xa4'") != std::string::npos);
  CHECK(message_of("\xc3\xa4 > 1").ends_with("\n  ^"));
}

TEST_CASE("limits are errors, and what is within them works") {
  const auto chain = [](std::size_t comparisons) {
    std::string text = "value == 0";
    for (std::size_t i = 1; i < comparisons; ++i) text += fmt::format(" or value == {}", i);
    return text;
  };
  const std::size_t most = (app::item_predicate_steps + 1) / 2;  // n comparisons and n - 1 operators
  CHECK(compiled<int>(chain(most), static_cast<int>(most - 1)));
  CHECK_FALSE(compiled<int>(chain(most), static_cast<int>(most)));
  CHECK_FALSE(app::as_where_expression(app::parse_row_condition(chain(most + 1))).has_value());  // rows can

  // Parentheses to the right leave conditions pending.
  const auto tower = [](std::size_t height) {
    std::string text = "value == 1";
    for (std::size_t i = 1; i < height; ++i) text = "value == 0 or (" + text + ")";
    return text;
  };
  CHECK(app::parse_where(tower(app::predicate_stack_bits)).depth == app::predicate_stack_bits);
  CHECK_FALSE(app::as_where_expression(app::parse_row_condition(tower(app::predicate_stack_bits + 1))).has_value());
  CHECK(compiled<int>(tower(app::predicate_stack_bits), 1));
  CHECK_FALSE(compiled<int>(tower(app::predicate_stack_bits), 2));

  CHECK(message_of(std::string(100000, '(')).find("nesting") != std::string::npos);
  CHECK(message_of(std::string(100000, '!')).find("nesting") != std::string::npos);
}
