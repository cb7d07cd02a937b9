// SPDX-License-Identifier: Apache-2.0
// Keys of rows on made-up columns: the order that they stand for, whoever sorts by them, and the
// check that must catch a liar.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "table_sort/repeated_rows.hpp"
#include "table_sort/row_keys.hpp"
#include "table_sort/verify_table.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace ballot;
using namespace ballot::app;

// Two columns of text, as they stand: "text", and "number" of whatever type is asked for.
class two_columns final : public table {
 public:
  two_columns(std::vector<std::string> texts, std::vector<std::string> numbers)
      : texts_(std::move(texts)), numbers_(std::move(numbers)) {}
  const std::string& name() const override { return name_; }
  std::uint64_t rows() const override { return texts_.size(); }
  std::uint64_t bytes() const override { return 0; }
  std::span<const std::byte> row(std::uint64_t i) const override { return std::as_bytes(std::span(texts_[i])); }
  std::string header(std::uint64_t) const override { return {}; }
  bool has_column(std::string_view name) const override { return name == "text" || name == "number"; }
  std::string columns_in_words() const override { return "text, number"; }
  table_column column(const std::string& name, const requested_type& requested) const override {
    const auto& fields = name == "text" ? texts_ : numbers_;
    return parse_column({name, rows(), [&](std::uint64_t row) { return field_bytes{fields[row]}; }, name_,
                         [](std::uint64_t row) { return row + 1; }},
                        requested);
  }

 private:
  std::string name_ = "made up";
  std::vector<std::string> texts_, numbers_;
};

std::vector<std::uint64_t> order_of(const row_keys& keys, std::uint64_t rows) {
  std::vector<std::uint64_t> order(rows);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) {
    for (const key_column& column : keys.columns())
      if (column[a] != column[b]) return column[a] < column[b];
    return false;
  });
  keys.break_ties(order);
  return order;
}

}  // namespace

TEST_CASE("texts that agree in their first bytes are told apart, and the next column only where they are equal") {
  std::mt19937 random(11);
  std::vector<std::string> texts, numbers;
  for (int i = 0; i < 3000; ++i) {
    std::string text = random() % 9 == 0 ? "" : "common beginning ";
    if (!text.empty())
      for (std::uint32_t n = random() % 14; n > 0; --n) text += "ab\xff"[random() % 3];
    texts.push_back(text);
    numbers.push_back(random() % 5 == 0 ? "" : std::to_string(static_cast<int>(random() % 7) - 3));
  }
  const two_columns data(texts, numbers);
  for (const direction way : {direction::ascending, direction::descending}) {
    const sort_key by[] = {{"text", {}, way}, {"number", {}, direction::descending}};
    const row_keys keys(data, by);
    const auto order = order_of(keys, data.rows());
    std::vector<std::uint64_t> expected(data.rows());
    std::iota(expected.begin(), expected.end(), std::uint64_t{0});
    std::stable_sort(expected.begin(), expected.end(), [&](std::uint64_t a, std::uint64_t b) {
      if (texts[a].empty() != texts[b].empty()) return texts[b].empty();
      if (texts[a] != texts[b]) return (texts[a] < texts[b]) == (way == direction::ascending);
      if (numbers[a].empty() != numbers[b].empty()) return numbers[b].empty();
      return !numbers[a].empty() && std::stoi(numbers[a]) > std::stoi(numbers[b]);
    });
    CHECK(order == expected);
    verify_order(keys.parts(), order);
  }
}

TEST_CASE("empty fields come last, whatever the type and the direction, and NaNs in front of them") {
  for (const char* type : {"u8", "i8", "u16", "u32", "i32", "u64", "i64", "f32", "f64"}) {
    const std::string word = type;
    std::vector<std::string> numbers{"", "1", "0", ""};
    if (word == "u64") numbers = {"", "18446744073709551615", "0", ""};
    if (word == "i64") numbers = {"", "9223372036854775807", "-9223372036854775808", ""};
    if (word == "u8") numbers = {"", "255", "0", ""};
    const two_columns data(std::vector<std::string>(4), numbers);
    for (const direction way : {direction::ascending, direction::descending}) {
      const sort_key by[] = {{"number", {false, dtype_named(word)}, way}};
      const row_keys keys(data, by);
      const std::vector<std::uint64_t> expected =
          way == direction::ascending ? std::vector<std::uint64_t>{2, 1, 0, 3} : std::vector<std::uint64_t>{1, 2, 0, 3};
      CHECK(order_of(keys, 4) == expected);
      verify_order(keys.parts(), expected);
    }
  }
  const two_columns floats(std::vector<std::string>(6), {"", "nan", "0", "-0", "-nan", "inf"});
  for (const direction way : {direction::ascending, direction::descending}) {
    const sort_key by[] = {{"number", {}, way}};
    const row_keys keys(floats, by);
    CHECK(order_of(keys, 6) == (way == direction::ascending ? std::vector<std::uint64_t>{2, 3, 5, 1, 4, 0}
                                                            : std::vector<std::uint64_t>{5, 2, 3, 1, 4, 0}));
    CHECK(keys.equal(2, 3));
    CHECK(keys.equal(1, 4));
    CHECK_FALSE(keys.equal(0, 1));
    const sort_key by_bits[] = {{"number", {}, way, true}};
    const row_keys exact(floats, by_bits);
    const auto order = order_of(exact, 6);
    CHECK_FALSE(exact.equal(2, 3));
    CHECK(order.back() == 0);
    verify_order(exact.parts(), order);
  }
}

TEST_CASE("the check catches orders that are wrong") {
  const two_columns data({"b", "a", "a", "c"}, {"1", "1", "1", "1"});
  const sort_key by[] = {{"text", {}, direction::ascending}};
  const row_keys keys(data, by);
  using rows = std::vector<std::uint64_t>;
  CHECK_NOTHROW(verify_order(keys.parts(), rows{1, 2, 0, 3}));
  for (const rows& wrong : {rows{1, 2, 3, 0}, rows{2, 1, 0, 3}, rows{1, 1, 0, 3}, rows{1, 2, 0, 4}})
    CHECK_THROWS_AS(verify_order(keys.parts(), wrong), verification_failure);
  const auto equal = [&](std::uint64_t a, std::uint64_t b) { return rows_are_equal(keys.parts(), a, b); };
  const rows all{1, 2, 0, 3};
  CHECK_NOTHROW(verify_repeats_dropped(all, rows{1, 0, 3}, equal));
  for (const rows& wrong : {rows{1, 2, 0, 3}, rows{2, 0, 3}, rows{1, 0}, rows{1, 3, 0}})
    CHECK_THROWS_AS(verify_repeats_dropped(all, wrong, equal), verification_failure);
}

TEST_CASE("which field decides what a column is, and whether it is mixed") {
  struct expectation {
    std::vector<std::string> fields;
    const char* type;
    std::uint64_t row;  // from 1; 0: none decides
    bool is_mixed = false;
  };
  const std::string beyond = "18446744073709551615";
  for (const auto& [fields, type, row, is_mixed] :
       std::initializer_list<expectation>{{{"1", "-2"}, "i64", 0},
                                          {{"", ""}, "missing", 0},
                                          {{"1", beyond, beyond}, "u64", 2},
                                          {{"1", "2.5", "3.5"}, "f64", 2},
                                          {{"-1", "1", beyond}, "f64", 3},
                                          {{beyond, "1", "-1"}, "f64", 3},
                                          {{beyond, "-1", "1.5"}, "f64", 2},
                                          {{beyond, "1.5", "-1"}, "f64", 2},
                                          {{"1", "x", "y"}, "text", 2, true},
                                          {{"x", "y", "1"}, "text", 1, true},
                                          {{"", "x", ""}, "text", 2, false},
                                          {{"-", "+", ".", "nano", "info"}, "text", 1, false}}) {
    INFO(fields[0], ", ", fields[1]);
    const auto check = [&, &type = type, &row = row, &is_mixed = is_mixed](const column_type& column) {
      CHECK(column.in_words() == type);
      CHECK(column.is_inferred);
      CHECK(column.is_mixed == is_mixed);
      CHECK((column.decided_by ? column.decided_by->line : 0) == row);
    };
    check(two_columns(std::vector<std::string>(fields.size()), fields).column("number", {}));
    // In batches, one field each, it is the same.
    type_inference found;
    for (std::uint64_t i = 0; i < fields.size(); ++i)
      found.add({"number", 1, [&, &fields = fields](std::uint64_t) { return field_bytes{fields[i]}; }, "file",
                 [i](std::uint64_t) { return i + 1; }});
    check(found.type_of("number"));
  }
  const table_column declared = two_columns({""}, {"1"}).column("number", {false, dtype::u8});
  CHECK(!declared.is_inferred);
}

TEST_CASE("what a column is, its fields say") {
  const auto column_of = [](std::vector<std::string> fields, const requested_type& requested = {}) {
    const std::size_t rows = fields.size();
    return two_columns(std::vector<std::string>(rows), std::move(fields)).column("number", requested);
  };
  const auto type_of = [&](std::vector<std::string> fields) {
    const table_column column = column_of(std::move(fields));
    return column.in_words();
  };
  CHECK(type_of({"1", " -2 ", "", "+3"}) == "i64");
  CHECK(type_of({"1", "18446744073709551615"}) == "u64");
  CHECK(type_of({"-1", "18446744073709551615"}) == "f64");
  CHECK(type_of({"1", "18446744073709551616"}) == "f64");
  CHECK(type_of({"1", "1.5"}) == "f64");
  CHECK(type_of({"inf", "NaN"}) == "f64");
  CHECK(type_of({"1", "1e999"}) == "text");
  CHECK(type_of({"1", "x"}) == "text");
  CHECK(type_of({"2024-01-31"}) == "text");
  CHECK(type_of({"", " \t"}) == "missing");
  CHECK(type_of({}) == "missing");
  CHECK(column_of({"1", "x", "y"}).why_text == "made up:2: 'x'");
  CHECK_THROWS_AS(column_of({"1", "x"}, {false, dtype::u8}), failure);
  CHECK_THROWS_AS(column_of({"256"}, {false, dtype::u8}), failure);
  const table_column nothing = column_of({"", " "});
  CHECK(!nothing.is_text);
  CHECK(nothing.empty == std::vector<std::uint8_t>{1, 1});
  CHECK(column_of({"7", ""}, {true, std::nullopt}).empty == std::vector<std::uint8_t>{0, 1});
}
