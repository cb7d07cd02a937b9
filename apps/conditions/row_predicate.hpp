// SPDX-License-Identifier: Apache-2.0
// A condition compiled for the columns of a table: a predicate of fixed size on row numbers, which
// a kernel takes by value. The GPU and the CPU run this same code, so they select the same rows.
//
//     population > 50000 and not (north - south < 0.5)
//
//     compare 0 >= 50001            truth   1
//     push 1, push 2, subtract      numbers d
//     push 0.5, compare_numbers <   truth   1 0
//     negation, conjunction         truth   1
//
// A column and a constant are compared as i64, u64 or double, whichever holds the column's type;
// the constant was converted before. Two integer columns are compared as integers. So these
// comparisons do not round. Arithmetic is in double precision, and its results are compared as
// doubles. An empty field is a NaN. Comparisons of texts were evaluated before: their results are a
// column of bytes.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

#include "base/dtype.hpp"
#include "conditions/item_predicate.hpp"

#include <cstddef>
#include <cstdint>

namespace ballot::app {

inline constexpr std::size_t row_predicate_steps = 64;
inline constexpr std::size_t row_predicate_columns = 16;
inline constexpr std::size_t row_predicate_numbers = 8;  // of arithmetic, pending at a time

enum class row_op : std::uint8_t {
  compare_constant,  // column, test, constant
  compare_columns,   // column, other, rel: integers
  truth,             // column of bytes
  push_column,
  push_constant,
  negate,
  add,
  subtract,
  multiply,
  divide,
  compare_numbers,  // rel
  is_nan,
  conjunction,
  disjunction,
  negation
};

struct row_step {
  row_op op;
  std::uint8_t column = 0;
  std::uint8_t other = 0;
  item_op test = item_op::never;
  relation rel = relation::less;
  std::uint64_t constant = 0;  // the bits of an int64, uint64 or double
};

struct row_column {
  const void* data = nullptr;
  const std::uint8_t* empty = nullptr;  // null where no field is
  dtype type = dtype::u8;
};

struct row_predicate {
  row_step steps[row_predicate_steps];
  row_column columns[row_predicate_columns];
  std::uint32_t size = 0;
  std::uint32_t column_count = 0;
  bool invert = false;  // select the rows that the condition rejects

  BALLOT_HOST_DEVICE bool operator()(std::uint64_t row) const {
    double numbers[row_predicate_numbers];
    std::uint32_t top = 0;    // of the numbers
    std::uint32_t truth = 0;  // a stack of bits, the top is bit 0
    const auto push = [&](bool value) { truth = truth << 1 | static_cast<std::uint32_t>(value); };
    for (std::uint32_t i = 0; i < size; ++i) {
      const row_step step = steps[i];
      switch (step.op) {
        case row_op::compare_constant:
          push(compare_constant(columns[step.column], step, row));
          break;
        case row_op::compare_columns:
          push(compare_columns(columns[step.column], columns[step.other], step.rel, row));
          break;
        case row_op::truth:
          push(static_cast<const std::uint8_t*>(columns[step.column].data)[row] != 0);
          break;
        case row_op::push_column:
          numbers[top++] = number_at(columns[step.column], row);
          break;
        case row_op::push_constant:
          numbers[top++] = __builtin_bit_cast(double, step.constant);
          break;
        case row_op::negate:
          numbers[top - 1] = -numbers[top - 1];
          break;
        case row_op::add:
          --top;
          numbers[top - 1] += numbers[top];
          break;
        case row_op::subtract:
          --top;
          numbers[top - 1] -= numbers[top];
          break;
        case row_op::multiply:
          --top;
          numbers[top - 1] *= numbers[top];
          break;
        case row_op::divide:
          --top;
          numbers[top - 1] /= numbers[top];
          break;
        case row_op::compare_numbers:
          top -= 2;
          push(holds_of(step.rel, numbers[top], numbers[top + 1]));
          break;
        case row_op::is_nan:
          --top;
          push(numbers[top] != numbers[top]);
          break;
        // The top two bits become one: the other bits shift down, and the result takes bit 0.
        case row_op::conjunction:
          truth = (truth >> 1 & ~1u) | (truth >> 1 & truth & 1u);
          break;
        case row_op::disjunction:
          truth = (truth >> 1 & ~1u) | ((truth >> 1 | truth) & 1u);
          break;
        case row_op::negation:
          truth ^= 1u;
          break;
      }
    }
    return ((truth & 1u) != 0) != invert;
  }

 private:
  static BALLOT_HOST_DEVICE bool is_signed(dtype type) { return type >= dtype::i8 && type <= dtype::i64; }
  static BALLOT_HOST_DEVICE bool is_floating(dtype type) { return type >= dtype::f32; }
  static BALLOT_HOST_DEVICE bool is_empty(const row_column& column, std::uint64_t row) {
    return column.empty != nullptr && column.empty[row] != 0;
  }

  template <class T>
  static BALLOT_HOST_DEVICE T item(const row_column& column, std::uint64_t row) {
    return static_cast<const T*>(column.data)[row];
  }
  static BALLOT_HOST_DEVICE std::int64_t signed_at(const row_column& column, std::uint64_t row) {
    switch (column.type) {
      case dtype::i8:
        return item<std::int8_t>(column, row);
      case dtype::i16:
        return item<std::int16_t>(column, row);
      case dtype::i32:
        return item<std::int32_t>(column, row);
      default:
        return item<std::int64_t>(column, row);
    }
  }
  static BALLOT_HOST_DEVICE std::uint64_t unsigned_at(const row_column& column, std::uint64_t row) {
    switch (column.type) {
      case dtype::u8:
        return item<std::uint8_t>(column, row);
      case dtype::u16:
        return item<std::uint16_t>(column, row);
      case dtype::u32:
        return item<std::uint32_t>(column, row);
      default:
        return item<std::uint64_t>(column, row);
    }
  }
  static BALLOT_HOST_DEVICE double floating_at(const row_column& column, std::uint64_t row) {
    return column.type == dtype::f32 ? static_cast<double>(item<float>(column, row)) : item<double>(column, row);
  }
  static BALLOT_HOST_DEVICE double number_at(const row_column& column, std::uint64_t row) {
    if (is_empty(column, row)) return __builtin_nan("");
    if (is_floating(column.type)) return floating_at(column, row);
    return is_signed(column.type) ? static_cast<double>(signed_at(column, row))
                                  : static_cast<double>(unsigned_at(column, row));
  }

  template <class T>
  static BALLOT_HOST_DEVICE bool holds_of(relation rel, T a, T b) {
    switch (rel) {
      case relation::less:
        return a < b;
      case relation::less_equal:
        return a <= b;
      case relation::greater:
        return a > b;
      case relation::greater_equal:
        return a >= b;
      case relation::equal:
        return a == b;
      case relation::not_equal:
        break;
    }
    return a != b;
  }

  template <class T>
  static BALLOT_HOST_DEVICE bool passes(item_op test, T value, T constant) {
    switch (test) {
      case item_op::less_equal:
        return value <= constant;
      case item_op::greater_equal:
        return value >= constant;
      case item_op::equal:
        return value == constant;
      case item_op::not_equal:
        return value != constant;
      default:
        return test == item_op::always;
    }
  }

  static BALLOT_HOST_DEVICE bool compare_constant(const row_column& column, const row_step& step, std::uint64_t row) {
    // As with NaN, only != holds: it is "always" where no number of the type is the constant.
    if (is_empty(column, row)) return step.test == item_op::not_equal || step.test == item_op::always;
    if (is_floating(column.type))
      return passes(step.test, floating_at(column, row), __builtin_bit_cast(double, step.constant));
    if (is_signed(column.type))
      return passes(step.test, signed_at(column, row), static_cast<std::int64_t>(step.constant));
    return passes(step.test, unsigned_at(column, row), step.constant);
  }

  static BALLOT_HOST_DEVICE bool compare_columns(const row_column& a, const row_column& b, relation rel,
                                                 std::uint64_t row) {
    if (is_empty(a, row) || is_empty(b, row)) return rel == relation::not_equal;
    const bool a_negative = is_signed(a.type) && signed_at(a, row) < 0;
    const bool b_negative = is_signed(b.type) && signed_at(b, row) < 0;
    if (a_negative != b_negative) return holds_of(rel, a_negative ? 0 : 1, b_negative ? 0 : 1);
    // Both have one sign, so their 64 bits are in order as they are.
    const std::uint64_t of_a = is_signed(a.type) ? static_cast<std::uint64_t>(signed_at(a, row)) : unsigned_at(a, row);
    const std::uint64_t of_b = is_signed(b.type) ? static_cast<std::uint64_t>(signed_at(b, row)) : unsigned_at(b, row);
    return holds_of(rel, of_a, of_b);
  }
};

}  // namespace ballot::app
