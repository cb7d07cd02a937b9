// SPDX-License-Identifier: Apache-2.0
// Conditions by blocks and compaction on all cores, against the predicate of one item or row.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "engines/cpu/compact.hpp"
#include "where.hpp"

#include <tbb/global_control.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

namespace ballot::app::test_cpu_masks {
namespace {

const std::size_t sizes[] = {0, 1, 2, 63, 64, 2047, 2048, 2049, 16'383, 16'384, 40'001, 200'003};

template <class T>
std::vector<T> numbers(std::size_t size) {
  std::mt19937_64 random(size);
  std::vector<T> items(size);
  for (T& item : items) item = static_cast<T>(static_cast<T>(random() % 100) - static_cast<T>(random() % 2 * 20));
  if constexpr (std::is_floating_point_v<T>)
    for (std::size_t i = 0; i < size; i += 5) items[i] = std::numeric_limits<T>::quiet_NaN();
  return items;
}

template <class T>
void check_items(const std::string& text) {
  const where_expression where = parse_where(text);
  for (const bool invert : {false, true}) {
    const auto predicate = compile_item_predicate<T>(where, invert);
    for (const std::size_t size : sizes) {
      const auto items = numbers<T>(size);
      std::vector<std::size_t> expected, found(size);
      for (std::size_t i = 0; i < size; ++i)
        if (predicate(items[i])) expected.push_back(i);
      const std::size_t kept = cpu::compact_items(
          size,
          [&](std::size_t first, std::size_t count, std::uint8_t* mask) {
            cpu::mask_items(predicate, items.data() + first, count, mask);
          },
          [](std::size_t i) { return i; }, found.data());
      found.resize(kept);
      CHECK(found == expected);
    }
  }
}

TEST_CASE("Conditions on items, by blocks") {
  for (const std::size_t threads : {1u, 4u, 8u}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    for (const char* text :
         {"value > 10", "value <= 50 and not (value == 12 or isnan(value))", "isnan(value) or value < 3",
          "value > 1e30", "value >= -1e30 and value != 40", "not value > 10.5"}) {
      check_items<std::uint8_t>(text);
      check_items<std::int16_t>(text);
      check_items<std::uint32_t>(text);
      check_items<std::int64_t>(text);
      check_items<float>(text);
      check_items<double>(text);
    }
  }
}

TEST_CASE("Conditions on rows, by blocks") {
  constexpr std::size_t rows = 10'007;
  const auto floats = numbers<float>(rows);
  const auto signed_numbers = numbers<std::int32_t>(rows);
  const auto unsigned_numbers = numbers<std::uint64_t>(rows);
  std::vector<std::uint8_t> empty(rows), truths(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    empty[i] = i % 11 == 3;
    truths[i] = i % 3 == 0 ? 4 : 0;
  }
  std::mt19937_64 random(1);
  int tried = 0;
  while (tried < 300) {
    row_predicate predicate{};
    predicate.columns[0] = {floats.data(), tried % 2 == 0 ? empty.data() : nullptr, dtype::f32};
    predicate.columns[1] = {signed_numbers.data(), tried % 3 == 0 ? empty.data() : nullptr, dtype::i32};
    predicate.columns[2] = {unsigned_numbers.data(), nullptr, dtype::u64};
    predicate.columns[3] = {truths.data(), nullptr, dtype::u8};
    predicate.column_count = 4;
    predicate.invert = random() % 2 != 0;
    // Random steps that keep to the stacks, until one truth is left.
    std::size_t depth = 0, pending = 0;
    const auto add = [&](row_op op, std::uint8_t column = 0, std::uint8_t other = 0) {
      row_step step{op, column, other};
      step.test = static_cast<item_op>(random() % 6);
      step.rel = static_cast<relation>(random() % 6);
      const double constant = static_cast<double>(random() % 60) - 10;
      const bool is_double = op == row_op::push_constant || column == 0;
      step.constant = is_double ? __builtin_bit_cast(std::uint64_t, constant)
                                : static_cast<std::uint64_t>(static_cast<std::int64_t>(constant));
      predicate.steps[predicate.size++] = step;
    };
    while (predicate.size < 30) {
      const auto which = random() % 8;
      if (which == 0) add(row_op::compare_constant, static_cast<std::uint8_t>(random() % 3)), ++depth;
      else if (which == 1) add(row_op::compare_columns, 1, 2), ++depth;
      else if (which == 2) add(row_op::truth, 3), ++depth;
      else if (which == 3 && pending < row_predicate_numbers)
        add(row_op::push_column, static_cast<std::uint8_t>(random() % 3)), ++pending;
      else if (which == 4 && pending < row_predicate_numbers) add(row_op::push_constant), ++pending;
      else if (which == 5 && pending >= 2)
        add(static_cast<row_op>(static_cast<int>(row_op::add) + static_cast<int>(random() % 4))), --pending;
      else if (which == 6 && pending >= 2) add(row_op::compare_numbers), pending -= 2, ++depth;
      else if (which == 7 && pending >= 1)
        add(random() % 2 ? row_op::negate : row_op::is_nan),
            predicate.steps[predicate.size - 1].op == row_op::is_nan ? (--pending, ++depth) : 0;
      if (depth >= 2 && random() % 2) add(random() % 2 ? row_op::conjunction : row_op::disjunction), --depth;
      else if (depth >= 1 && random() % 4 == 0) add(row_op::negation);
    }
    while (depth >= 2) add(row_op::conjunction), --depth;
    if (depth == 0) continue;
    ++tried;
    std::vector<std::uint8_t> mask(rows);
    bool is_right = true;
    for (std::size_t first = 0; first < rows; first += cpu::mask_block) {
      const std::size_t count = std::min(cpu::mask_block, rows - first);
      cpu::mask_rows(predicate, first, count, mask.data() + first);
    }
    for (std::size_t row = 0; row < rows; ++row) is_right &= mask[row] == predicate(row);
    CHECK(is_right);
  }
}

}  // namespace
}  // namespace ballot::app::test_cpu_masks
