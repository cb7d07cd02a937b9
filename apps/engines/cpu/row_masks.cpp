// SPDX-License-Identifier: Apache-2.0
// Conditions on rows, block by block: the stack of numbers is one of blocks of doubles, that of
// truths one of blocks of bytes. No two operations on numbers are in one loop, so the compiler
// fuses none, and the bits are those of a row alone.
#include "engines/cpu/clones.hpp"
#include "engines/cpu/masks.hpp"

#include <limits>
#include <type_traits>
#include <vector>

namespace ballot::app::cpu {
namespace {

using byte = std::uint8_t;

template <class T, class Wide>
BALLOT_APP_CLONES void widen(const T* from, std::size_t count, Wide* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<Wide>(from[i]);
}

template <class Wide>
void load(const row_column& column, std::uint64_t first, std::size_t count, Wide* to) {
  visit_dtype(column.type,
              [&]<class T>(std::type_identity<T>) { widen(static_cast<const T*>(column.data) + first, count, to); });
}

// Empty fields: 1 or 0 in the mask, or NaN as a number.
void set_empty(const row_column& column, std::uint64_t first, std::size_t count, bool truth, byte* mask) {
  if (column.empty == nullptr) return;
  for (std::size_t i = 0; i < count; ++i) mask[i] = column.empty[first + i] != 0 ? byte{truth} : mask[i];
}
void set_empty(const row_column& column, std::uint64_t first, std::size_t count, double* numbers) {
  if (column.empty == nullptr) return;
  for (std::size_t i = 0; i < count; ++i)
    if (column.empty[first + i] != 0) numbers[i] = std::numeric_limits<double>::quiet_NaN();
}

template <class T>
BALLOT_APP_CLONES void compare(const T* a, relation rel, const T* b, std::size_t count, byte* to) {
  switch (rel) {
    case relation::less:
      for (std::size_t i = 0; i < count; ++i) to[i] = a[i] < b[i];
      return;
    case relation::less_equal:
      for (std::size_t i = 0; i < count; ++i) to[i] = a[i] <= b[i];
      return;
    case relation::greater:
      for (std::size_t i = 0; i < count; ++i) to[i] = a[i] > b[i];
      return;
    case relation::greater_equal:
      for (std::size_t i = 0; i < count; ++i) to[i] = a[i] >= b[i];
      return;
    case relation::equal:
      for (std::size_t i = 0; i < count; ++i) to[i] = a[i] == b[i];
      return;
    case relation::not_equal:
      break;
  }
  for (std::size_t i = 0; i < count; ++i) to[i] = a[i] != b[i];
}

BALLOT_APP_CLONES void calculate(row_op op, double* a, const double* b, std::size_t count) {
  if (op == row_op::add)
    for (std::size_t i = 0; i < count; ++i) a[i] += b[i];
  else if (op == row_op::subtract)
    for (std::size_t i = 0; i < count; ++i) a[i] -= b[i];
  else if (op == row_op::multiply)
    for (std::size_t i = 0; i < count; ++i) a[i] *= b[i];
  else
    for (std::size_t i = 0; i < count; ++i) a[i] /= b[i];
}

struct blocks {
  std::vector<double> numbers = std::vector<double>(row_predicate_numbers * mask_block);
  std::vector<byte> truths = std::vector<byte>(predicate_stack_bits * mask_block);
  std::vector<std::uint64_t> integers = std::vector<std::uint64_t>(mask_block);
};

// A comparison of a column with a constant of one of the three wide types.
template <class Wide>
void compare_with(const row_column& column, const row_step& step, std::uint64_t first, std::size_t count, Wide* values,
                  byte* to) {
  load(column, first, count, values);
  item_predicate<Wide> single{};
  single.size = 1;
  single.ops[0] = step.test;
  single.constants[0] = __builtin_bit_cast(Wide, step.constant);
  mask_items(single, values, count, to);
}

void compare_constant(const row_column& column, const row_step& step, std::uint64_t first, std::size_t count,
                      blocks& room, byte* to) {
  void* const values = room.integers.data();
  if (column.type >= dtype::f32) compare_with(column, step, first, count, static_cast<double*>(values), to);
  else if (column.type >= dtype::i8) compare_with(column, step, first, count, static_cast<std::int64_t*>(values), to);
  else compare_with(column, step, first, count, static_cast<std::uint64_t*>(values), to);
  set_empty(column, first, count, step.test == item_op::not_equal || step.test == item_op::always, to);
}

__extension__ typedef __int128 wide_integer;

void load_integers(const row_column& column, std::uint64_t first, std::size_t count, wide_integer* to) {
  visit_dtype(column.type, [&]<class T>(std::type_identity<T>) {
    for (std::size_t i = 0; i < count; ++i)
      to[i] = static_cast<wide_integer>(static_cast<const T*>(column.data)[first + i]);
  });
}

void compare_columns(const row_column& a, const row_column& b, relation rel, std::uint64_t first, std::size_t count,
                     byte* to) {
  wide_integer of_a[mask_block], of_b[mask_block];
  load_integers(a, first, count, of_a);
  load_integers(b, first, count, of_b);
  compare(of_a, rel, of_b, count, to);
  set_empty(a, first, count, rel == relation::not_equal, to);
  set_empty(b, first, count, rel == relation::not_equal, to);
}

}  // namespace

void mask_rows(const row_predicate& predicate, std::uint64_t first, std::size_t count, std::uint8_t* mask) {
  thread_local blocks room;
  std::size_t numbers = 0, truths = 0;
  const auto number = [&](std::size_t from_top) { return room.numbers.data() + (numbers - from_top) * mask_block; };
  const auto truth = [&](std::size_t from_top) { return room.truths.data() + (truths - from_top) * mask_block; };
  for (std::uint32_t s = 0; s < predicate.size; ++s) {
    const row_step& step = predicate.steps[s];
    const row_column& column = predicate.columns[step.column];
    switch (step.op) {
      case row_op::compare_constant:
        ++truths;
        compare_constant(column, step, first, count, room, truth(1));
        break;
      case row_op::compare_columns:
        ++truths;
        compare_columns(column, predicate.columns[step.other], step.rel, first, count, truth(1));
        break;
      case row_op::truth:
        ++truths;
        mask_flags(static_cast<const byte*>(column.data) + first, count, false, truth(1));
        break;
      case row_op::push_column:
        ++numbers;
        load(column, first, count, number(1));
        set_empty(column, first, count, number(1));
        break;
      case row_op::push_constant:
        ++numbers;
        for (std::size_t i = 0; i < count; ++i) number(1)[i] = __builtin_bit_cast(double, step.constant);
        break;
      case row_op::negate:
        for (std::size_t i = 0; i < count; ++i) number(1)[i] = -number(1)[i];
        break;
      case row_op::add:
      case row_op::subtract:
      case row_op::multiply:
      case row_op::divide:
        calculate(step.op, number(2), number(1), count);
        --numbers;
        break;
      case row_op::compare_numbers:
        ++truths;
        compare(number(2), step.rel, number(1), count, truth(1));
        numbers -= 2;
        break;
      case row_op::is_nan:
        ++truths;
        compare(number(1), relation::not_equal, number(1), count, truth(1));
        --numbers;
        break;
      case row_op::conjunction:
        for (std::size_t i = 0; i < count; ++i) truth(2)[i] &= truth(1)[i];
        --truths;
        break;
      case row_op::disjunction:
        for (std::size_t i = 0; i < count; ++i) truth(2)[i] |= truth(1)[i];
        --truths;
        break;
      case row_op::negation:
        for (std::size_t i = 0; i < count; ++i) truth(1)[i] ^= 1;
        break;
    }
  }
  mask_flags(truth(1), count, predicate.invert, mask);
}

}  // namespace ballot::app::cpu
