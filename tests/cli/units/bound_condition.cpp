// SPDX-License-Identifier: Apache-2.0
// Conditions on rows: the program that engines run against the tree evaluated plainly, on random
// conditions.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "table_select/bound_condition.hpp"

#include <fmt/format.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace ballot::app;

constexpr std::uint64_t row_count = 200;

// Columns a (i64, some empty), b (u64), c (f64, some empty and NaN), d (f32), s and t (text).
class made_up final : public table {
 public:
  made_up() {
    std::mt19937_64 random(5);
    const auto pick = [&](std::initializer_list<const char*> from) {
      return std::string(from.begin()[random() % from.size()]);
    };
    for (std::uint64_t row = 0; row < row_count; ++row) {
      fields_[0].push_back(
          pick({"", "-9223372036854775808", "9223372036854775807", "9223372036854775806", "-1", "0", "3"}));
      fields_[1].push_back(pick({"18446744073709551615", "9223372036854775808", "0", "3", "4"}));
      fields_[2].push_back(pick({"", "nan", "inf", "-inf", "0.1", "3", "-4.5", "9223372036854775807"}));
      fields_[3].push_back(pick({"0.1", "3", "-1e30"}));
      fields_[4].push_back(pick({"", "a", "b", "ab"}));
      fields_[5].push_back(pick({"a", "b", "abc"}));
    }
  }
  const std::string& name() const override { return name_; }
  std::uint64_t rows() const override { return row_count; }
  std::uint64_t bytes() const override { return 0; }
  std::span<const std::byte> row(std::uint64_t) const override { return {}; }
  std::string header(std::uint64_t) const override { return {}; }
  bool has_column(std::string_view name) const override { return name.size() == 1 && names.find(name) < names.size(); }
  std::string columns_in_words() const override { return "a, b, c, d, s, t"; }
  table_column column(const std::string& name, const requested_type& requested) const override {
    const auto& fields = fields_[names.find(name)];
    requested_type meant = requested;
    if (name == "d" && !requested.as_text) meant.type = dtype::f32;
    return parse_column({name, row_count, [&](std::uint64_t row) { return field_bytes{fields[row]}; }, name_,
                         [](std::uint64_t row) { return row; }},
                        meant);
  }

 private:
  static constexpr std::string_view names = "abcdst";
  std::string name_ = "made up";
  std::vector<std::string> fields_[6];
};

class random_condition {
 public:
  explicit random_condition(unsigned seed) : random_(seed) {}
  std::string condition(int depth) {
    if (depth == 0 || random_() % 4 == 0) return comparison();
    switch (random_() % 4) {
      case 0:
        return fmt::format("not {}", condition(depth - 1));
      case 1:
        return fmt::format("{} and {}", condition(depth - 1), condition(depth - 1));
      case 2:
        return fmt::format("{} or {}", condition(depth - 1), condition(depth - 1));
      default:
        return fmt::format("({})", condition(depth - 1));
    }
  }

 private:
  std::string pick(std::initializer_list<const char*> from) { return from.begin()[random_() % from.size()]; }
  std::string comparison() {
    const std::string rel = pick({" < ", " <= ", " > ", " >= ", " == ", " != "});
    const std::string no = pick({"", "", "not "});
    switch (random_() % 14) {
      case 8:
        return fmt::format("{} {}{} {}", text(1), no, pick({"contains", "starts with", "ENDS WITH"}), text(1));
      case 9:
        return fmt::format("{} {}like {}", text(1), no,
                           pick({"'a%'", "'%b'", "'_'", "'%_b%'", "'A!_%' escape '!'", "'%'", "''", "'a\\%b'"}));
      case 10:
        return fmt::format("{} {}matches {}", text(1), no, pick({"'^a'", "'b$'", "'^[a-c]{2,}$'", "'.'", "'(?i)A'"}));
      case 11:
        return random_() % 2 == 0
                   ? fmt::format("{} {}in ('a', 'AB', \"\")", text(1), no)
                   : fmt::format("{} {}in ({}, {}, {})", number(1), no, constant(), constant(),
                                 constant() + pick({"", ", 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16"}));
      case 12:
        return random_() % 2 == 0 ? fmt::format("{} {}between {} and {}", text(1), no, text(0), text(1))
                                  : fmt::format("{} {}between {} and {}", number(1), no, number(0), number(1));
      case 13:
        return pick({"a", "s", "c", "b"}) + " is " + no + pick({"null", "MISSING", "empty"});
      case 0:
        return pick({"s", "t", "text(a)"}) + rel + pick({"'a'", "\"ab\"", "t", "s", "text(c)"});
      case 1:
        return fmt::format("isnan({})", number(1));
      case 2:
        return fmt::format("isempty({})", pick({"a", "b", "c", "s"}));
      case 3:
        return pick({"a", "b", "c", "d"}) + rel + constant();
      case 4:
        return constant() + rel + pick({"a", "b", "c", "d"});
      case 5:
        return pick({"a", "b", "c"}) + rel + pick({"a", "b", "d"});
      default:
        return number(2) + rel + number(1);
    }
  }
  std::string constant() {
    return pick({"3", "-1", "0.1", "9223372036854775807", "-9223372036854775808", "18446744073709551615", "nan", "-inf",
                 "2.5"});
  }
  std::string text(int depth) {
    if (depth != 0 && random_() % 3 == 0) return fmt::format("{}({})", pick({"lower", "UPPER"}), text(depth - 1));
    return pick({"s", "t", "text(a)", "text(c)", "s", "lower('AB')"});
  }
  std::string number(int depth) {
    if (depth == 0) return random_() % 2 == 0 ? constant() : pick({"a", "b", "c", "d"});
    switch (random_() % 5) {
      case 0:
        return fmt::format("abs({})", number(depth - 1));
      case 1:
        return fmt::format("{}({}, {})", pick({"min", "max"}), number(depth - 1), number(0));
      case 2:
        return fmt::format("length({})", text(1));
      default:
        break;
    }
    return fmt::format("{}({} {} {})", pick({"", "-"}), number(depth - 1), pick({"+", "-", "*", "/", "%"}),
                       number(depth - 1));
  }

  std::mt19937 random_;
};

}  // namespace

TEST_CASE("programs mean what the trees mean") {
  const made_up data;
  int compiled = 0, kept = 0;
  for (unsigned seed = 0; seed < 4000; ++seed) {
    const std::string text = random_condition(seed).condition(2);
    INFO(std::string(text));
    const row_condition condition = parse_row_condition(text);
    const bound_condition bound(condition, data), by_cpu(condition, data, true);
    row_predicate inverted = bound.predicate();
    inverted.invert = true;
    ++compiled;
    for (std::uint64_t row = 0; row < row_count; ++row) {
      const bool expected = bound.evaluate(row);
      kept += expected;
      REQUIRE(bound.predicate()(row) == expected);
      REQUIRE(inverted(row) != expected);
      REQUIRE(by_cpu.predicate()(row) == expected);
    }
  }
  CHECK(compiled == 4000);
  CHECK(kept > 100 * compiled / 4);  // neither always nor never true
  CHECK(kept < 150 * compiled);
}

TEST_CASE("conditions of thousands of terms") {
  const made_up data;
  std::string numbers = "a == 7", texts = "s == 'x'", both = "a == 7", sum = "0";
  for (int i = 0; i < 5000; ++i) {
    numbers += fmt::format(" or a == {}", i == 4000 ? 3 : 100 + i);
    texts += fmt::format(" and s != '{}'", i == 3999 ? "ab" : fmt::format("w{}", i));
    both += i % 2 == 0 ? fmt::format(" or s == 'w{}'", i) : fmt::format(" or b < {}", i == 4001 ? 4 : -i);
    sum += " + 1";
  }
  std::string deep = "a == 3";
  for (int i = 0; i < 95; ++i) deep = fmt::format("(a == {} or s != 'w{}' and not {})", 100 + i, i, deep);
  const std::string with_list = "a in (" + sum.substr(0, 1) + [] {
    std::string list;
    for (int i = 0; i < 5000; ++i) list += fmt::format(", {}", i * 3 - 9);
    return list;
  }() + ")";
  for (const std::string& text : {numbers, "not (" + texts + ")", both, sum + " == 5000 and a == 3", deep, with_list}) {
    const row_condition condition = parse_row_condition(text);
    for (const bool cpu_alone : {false, true}) {
      const bound_condition bound(condition, data, cpu_alone);
      std::uint64_t kept = 0;
      for (std::uint64_t row = 0; row < row_count; ++row) {
        kept += bound.predicate()(row);
        if (row % 20 == 0) CHECK(bound.predicate()(row) == bound.evaluate(row));
      }
      CHECK(kept != 0);
    }
  }
}

TEST_CASE("what is left of a division of integers is exact") {
  const made_up data;
  const auto kept = [&](const std::string& text) {
    const row_condition condition = parse_row_condition(text);
    const bound_condition bound(condition, data);
    std::uint64_t count = 0;
    for (std::uint64_t row = 0; row < row_count; ++row) count += bound.predicate()(row);
    return count;
  };
  for (const auto& [left, right] : {std::pair{"a % 10 == 7", "a == 9223372036854775807"},
                                    {"a % 10 == -8", "a == -9223372036854775808"},
                                    {"a % 9223372036854775807 == -1", "a == -9223372036854775808 or a == -1"},
                                    {"b % 10 == 5", "b == 18446744073709551615"},
                                    {"b % -10 == 8", "b == 9223372036854775808"},
                                    {"a % 0 == 0", "a != a and a == a"},
                                    {"isnan(a % 3)", "isempty(a)"},
                                    {"c % 2 == -0.5", "c == -4.5"}})
    CHECK_MESSAGE(kept(left) == kept(right), std::string(left));
  CHECK(kept("a % 10 == 7") != 0);
}

// A table of three rows: n with nothing in it, k with numbers, s with texts.
class with_nothing final : public table {
 public:
  const std::string& name() const override { return name_; }
  std::uint64_t rows() const override { return 3; }
  std::uint64_t bytes() const override { return 0; }
  std::span<const std::byte> row(std::uint64_t) const override { return {}; }
  std::string header(std::uint64_t) const override { return {}; }
  bool has_column(std::string_view name) const override { return name == "n" || name == "k" || name == "s"; }
  std::string columns_in_words() const override { return "n, k, s"; }
  table_column column(const std::string& name, const requested_type& requested) const override {
    static constexpr const char* fields[][3] = {{"", " ", ""}, {"1", "", "3"}, {"a", "", "c"}};
    const auto& of_column = fields[name == "n" ? 0 : name == "k" ? 1 : 2];
    return parse_column({name, 3, [&](std::uint64_t row) { return field_bytes{of_column[row]}; }, name_,
                         [](std::uint64_t row) { return row + 2; }},
                        requested);
  }

 private:
  std::string name_ = "made up";
};

TEST_CASE("a column with nothing in it is missing, as a number and as a text") {
  const with_nothing data;
  const auto kept = [&](const std::string& text) {
    const row_condition condition = parse_row_condition(text);
    const bound_condition bound(condition, data);
    std::string rows;
    for (std::uint64_t row = 0; row < 3; ++row) {
      INFO(std::string(text));
      CHECK(bound.predicate()(row) == bound.evaluate(row));
      if (bound.predicate()(row)) rows += std::to_string(row);
    }
    return rows;
  };
  for (const char* no :
       {"n > 1", "n <= 1", "n == 1", "1 < n", "n == n", "n < k", "k == n", "n + 1 > 0", "-n < 5", "n == 'a'", "n > 'a'",
        "s == n and not isempty(s)", "not isempty(n)", "not isnan(n)", "n:i64 > 1", "n:text == 'a'"})
    CHECK_MESSAGE(kept(no) == "", std::string(no));
  for (const char* yes :
       {"n != 1", "n != n", "isempty(n)", "isnan(n)", "n != 'a'", "n == ''", "'b' > n", "text(n) < 'a'"})
    CHECK_MESSAGE(kept(yes) == "012", std::string(yes));
  CHECK(kept("s == n") == "1");
  CHECK(kept("k:i64 > 1") == "2");
  CHECK(kept("k:f32 / 2 == 0.5 or k:u8 == 3") == "02");
  CHECK(kept("k:text == '3' or `k`:text == '1'") == "02");
  CHECK_THROWS_AS(kept("s:i64 > 1"), failure);
  CHECK_THROWS_AS(kept("n:i64 == 'a'"), usage_error);  // it is said to be numbers
  for (const char* wrong : {"k: > 1", "k:i65 > 1", "k:i64:i64 > 1", "text(k:i64) == '1'", "k:'i64' > 1"})
    CHECK_THROWS_AS_MESSAGE(kept(wrong), usage_error, std::string(wrong));
}

TEST_CASE("operators bind as they do elsewhere") {
  const made_up data;
  const auto holds_for_all = [&](const std::string& text) {
    const row_condition condition = parse_row_condition(text);
    const bound_condition bound(condition, data);
    for (std::uint64_t row = 0; row < row_count; ++row)
      if (!bound.predicate()(row)) return false;
    return true;
  };
  for (const char* text : {"2 + 3 * 4 == 14",
                           "(2 + 3) * 4 == 20",
                           "10 - 4 - 3 == 3",
                           "16 / 4 / 2 == 2",
                           "-2 * -3 == 6",
                           "- (2 + 1) == -3",
                           "1 == 1 or 1 == 2 and 1 == 2",
                           "not 1 == 2 and 1 == 1",
                           "not (1 == 1 and 1 == 2)",
                           "!(1 > 2) && 2 > 1 || 1 > 2",
                           "1-1 == 0",
                           "2e1+1 == 21",
                           "1 / 0 > 1e300",
                           "not (0 / 0 == 0 / 0)",
                           "0 / 0 != 0 / 0",
                           "s >= ''",
                           "b >= 0",
                           "`b` >= 0",
                           "a == a or isempty(a)",
                           "0x10 == 16",
                           "+5 == 5"})
    CHECK_MESSAGE(holds_for_all(text), std::string(text));
}

TEST_CASE("what is wrong with a condition has a place") {
  const made_up data;
  const auto place_of = [&](const std::string& text) {
    try {
      const row_condition condition = parse_row_condition(text);
      const bound_condition bound(condition, data);
    } catch (const usage_error& problem) {
      const std::string message = problem.what();
      return static_cast<int>(message.size() - message.rfind('\n')) - 3;
    }
    return 0;
  };
  CHECK(place_of("a > 1 and s > 2") == 15);
  CHECK(place_of("a > 'x'") == 5);
  CHECK(place_of("nowhere > 1") == 1);
  CHECK(place_of("a > 1 b") == 7);
  CHECK(place_of("+a > 1") == 1);
  CHECK(place_of("a > (1 and 2)") == 6);
  CHECK(place_of("(a > 1") == 1);
  CHECK(place_of("s") == 1);
  CHECK(place_of("a > 1 or") == 9);
}
