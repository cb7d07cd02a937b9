// SPDX-License-Identifier: Apache-2.0
// --verify of a sort in runs must catch a merge that lies: each of these is wrong in one way.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "table_sort/keyed_rows.hpp"
#include "table_sort/merge_check.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace ballot;
using namespace ballot::app;

// Rows that are texts, of one column, "text".
class texts final : public table {
 public:
  explicit texts(std::vector<std::string> rows) : rows_(std::move(rows)) {}
  const std::string& name() const override { return name_; }
  std::uint64_t rows() const override { return rows_.size(); }
  std::uint64_t bytes() const override { return 0; }
  std::span<const std::byte> row(std::uint64_t i) const override { return std::as_bytes(std::span(rows_[i])); }
  std::string header(std::uint64_t) const override { return {}; }
  bool has_column(std::string_view name) const override { return name == "text"; }
  std::string columns_in_words() const override { return "text"; }
  table_column column(const std::string& name, const requested_type&) const override {
    // By the first letter alone, so that rows that are not the same can be equal.
    return parse_column(
        {name, rows(), [&](std::uint64_t row) { return field_bytes{std::string_view(rows_[row]).substr(0, 1)}; },
         "made up", [](std::uint64_t row) { return row + 1; }},
        {true, std::nullopt});
  }

 private:
  std::string name_ = "made up";
  std::vector<std::string> rows_;
};

struct merged_row {
  std::size_t run;
  std::uint64_t row;
  bool is_kept = true;
};

const std::vector<std::vector<std::string>> two_runs = {{"a1", "b1", "b2"}, {"a2", "b3", "c"}};

// Whether a merge of the two runs that gives these rows passes.
bool passes(const std::vector<merged_row>& merged, bool unique = false) {
  const std::vector<sort_key> keys = {{"text", {true, std::nullopt}, direction::ascending, false}};
  std::vector<std::shared_ptr<const keyed_rows>> runs;
  merge_check check;
  for (const auto& run : two_runs) {
    runs.push_back(std::make_shared<const keyed_rows>(std::make_unique<const texts>(run), keys));
    for (const std::string& row : run) check.add_input(std::as_bytes(std::span(row)));
  }
  try {
    check.begin();
    for (const merged_row& m : merged)
      check.check_output({runs[m.run]->first_key(m.row), runs[m.run].get(), m.row}, m.run, m.is_kept, unique);
    check.end_of_pass();
    return true;
  } catch (const verification_failure&) {
    return false;
  }
}

}  // namespace

TEST_CASE("merge check: a stable merge passes") {
  CHECK(passes({{0, 0}, {1, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}}));
  CHECK(passes({{0, 0}, {1, 0, false}, {0, 1}, {0, 2, false}, {1, 1, false}, {1, 2}}, true));
}

TEST_CASE("merge check: errors are caught") {
  SUBCASE("order") { CHECK_FALSE(passes({{0, 0}, {1, 0}, {0, 1}, {0, 2}, {1, 2}, {1, 1}})); }
  SUBCASE("equal rows of two runs have changed places") {
    CHECK_FALSE(passes({{1, 0}, {0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}}));
  }
  SUBCASE("a row is missing") { CHECK_FALSE(passes({{0, 0}, {1, 0}, {0, 1}, {1, 1}, {1, 2}})); }
  SUBCASE("a row is there twice") { CHECK_FALSE(passes({{0, 0}, {0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}})); }
  SUBCASE("an equal row is kept") {
    CHECK_FALSE(passes({{0, 0}, {1, 0, true}, {0, 1}, {0, 2, false}, {1, 1, false}, {1, 2}}, true));
  }
  SUBCASE("a row is dropped that equals none") {
    CHECK_FALSE(passes({{0, 0}, {1, 0, false}, {0, 1, false}, {0, 2, false}, {1, 1, false}, {1, 2}}, true));
  }
}

TEST_CASE("keyed rows: compared across batches as within one") {
  const std::vector<sort_key> keys = {{"text", {true, std::nullopt}, direction::descending, false}};
  const auto a =
      std::make_shared<const keyed_rows>(std::make_unique<const texts>(std::vector<std::string>{"x", ""}), keys);
  const auto b =
      std::make_shared<const keyed_rows>(std::make_unique<const texts>(std::vector<std::string>{"y", "x", ""}), keys);
  const auto row = [](const auto& batch, std::uint64_t i) { return keyed_row{batch->first_key(i), batch.get(), i}; };
  CHECK((row(b, 0) <=> row(a, 0)) < 0);
  CHECK((row(b, 1) <=> row(a, 0)) == 0);
  CHECK((row(b, 2) <=> row(a, 0)) > 0);  // an empty field comes last, descending too
  CHECK((row(b, 2) <=> row(a, 1)) == 0);
}
