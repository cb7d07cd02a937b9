// SPDX-License-Identifier: Apache-2.0
#include "table_select/bound_condition.hpp"
#include "base/failure.hpp"
#include "base/text.hpp"
#include "conditions/condition_lexer.hpp"
#include "conditions/condition_values.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <utility>

namespace ballot::app {
namespace {

template <class F>
std::vector<std::uint8_t> truth_of_rows(std::uint64_t rows, const F& is_selected) {
  std::vector<std::uint8_t> truth(rows);
  tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, rows, 1 << 14), [&](const auto& range) {
    for (std::uint64_t row = range.begin(); row != range.end(); ++row) truth[row] = is_selected(row);
  });
  return truth;
}

// A constant in the kind of a column's type, as the program holds it.
template <class T>
row_step bound_step(relation rel, const literal& constant) {
  const bound_comparison<T> bound = bind_comparison<T>(rel, constant);
  row_step step{row_op::compare_constant};
  step.test = bound.op;
  step.constant = __builtin_bit_cast(std::uint64_t, bound.constant);
  return step;
}

}  // namespace

bound_condition::bound_condition(const row_condition& condition, const table& of) : condition_(condition), table_(of) {
  const condition_node& whole = condition.nodes.back();
  if (kind_of(whole) != value_kind::condition)
    throw_condition_error(condition.text, whole.position,
                          "this is not a condition: compare it, for example with > 10 or == \"text\"");
  compile(whole);
}

bound_condition::entry& bound_condition::entry_of(const condition_node& node) {
  for (entry& known : entries_)
    if (is_of(known, node)) return known;
  if (!table_.has_column(node.name))
    throw_condition_error(condition_.text, node.position,
                          fmt::format("{} has no column {}: the columns are {}", table_.name(), in_quotes(node.name),
                                      table_.columns_in_words()));
  const requested_type requested{node.kind == condition_kind::column_as_text, node.type};
  return entries_.emplace_back(entry{node.name, requested, table_.column(node.name, requested), -1});
}

const bound_condition::entry& bound_condition::entry_of(const condition_node& node) const {
  return *std::find_if(entries_.begin(), entries_.end(), [&](const entry& known) { return is_of(known, node); });
}

bool bound_condition::is_of(const entry& known, const condition_node& node) {
  return known.name == node.name && known.requested.type == node.type &&
         known.requested.as_text == (node.kind == condition_kind::column_as_text);
}

void bound_condition::add_types(std::vector<column_type>& to) const {
  for (const entry& known : entries_) to.push_back(known.column);
}

bool bound_condition::is_text_comparison(const condition_node& a, const condition_node& b) {
  return kind_of(a) == value_kind::text || kind_of(b) == value_kind::text;
}

bound_condition::value_kind bound_condition::kind_of(const condition_node& node) {
  switch (node.kind) {
    case condition_kind::text:
      return value_kind::text;
    case condition_kind::column_as_text:
    case condition_kind::column: {
      const table_column& column = entry_of(node).column;
      return column.is_missing ? value_kind::missing : column.is_text ? value_kind::text : value_kind::number;
    }
    case condition_kind::number:
    case condition_kind::negate:
    case condition_kind::add:
    case condition_kind::subtract:
    case condition_kind::multiply:
    case condition_kind::divide:
      return value_kind::number;
    default:
      break;
  }
  return value_kind::condition;
}

// As a message says it: "city holds text (cities.csv:2: 'Boston')".
std::string bound_condition::description_of(const condition_node& node) {
  const value_kind kind = kind_of(node);
  if (node.kind == condition_kind::column) {
    const table_column& column = entry_of(node).column;
    if (kind == value_kind::missing) return fmt::format("{} holds nothing", node.name);
    if (kind == value_kind::number) return fmt::format("{} holds numbers", node.name);
    return fmt::format("{} holds text{}", node.name, column.why_text.empty() ? "" : " (" + column.why_text + ")");
  }
  return kind == value_kind::text     ? "this is a text"
         : kind == value_kind::number ? "this is a number"
                                      : "this is a condition";
}

void bound_condition::require_number(const condition_node& node) {
  if (const value_kind kind = kind_of(node); kind == value_kind::number || kind == value_kind::missing) return;
  throw_condition_error(condition_.text, node.position, description_of(node) + ", but a number is needed here");
}

void bound_condition::compile(const condition_node& node) {
  const auto condition_in = [&](const condition_node& operand) {
    if (kind_of(operand) != value_kind::condition)
      throw_condition_error(condition_.text, operand.position,
                            description_of(operand) + ", but a condition is needed here: compare it");
    compile(operand);
  };
  const auto number_in = [&](const condition_node& operand) {
    require_number(operand);
    compile(operand);
  };
  row_step step{};
  switch (node.kind) {
    case condition_kind::conjunction:
    case condition_kind::disjunction:
      condition_in(left(node));
      condition_in(right(node));
      return emit({node.kind == condition_kind::conjunction ? row_op::conjunction : row_op::disjunction});
    case condition_kind::negation:
      condition_in(left(node));
      return emit({row_op::negation});
    case condition_kind::compare:
      return compile_comparison(node);
    case condition_kind::is_nan:
      number_in(left(node));
      return emit({row_op::is_nan});
    case condition_kind::is_empty: {
      const table_column& column = entry_of(left(node)).column;
      return emit({row_op::truth, add_truth(truth_of_rows(table_.rows(), [&](std::uint64_t row) {
                     return column.is_text ? column.texts[row].empty() : column.is_empty(row);
                   }))});
    }
    case condition_kind::number:
      step.op = row_op::push_constant;
      step.constant = __builtin_bit_cast(std::uint64_t, as_double(node.constant));
      return emit(step);
    case condition_kind::column:
      return emit({row_op::push_column, slot_of(node)});
    case condition_kind::negate:
      number_in(left(node));
      return emit({row_op::negate});
    case condition_kind::add:
    case condition_kind::subtract:
    case condition_kind::multiply:
    case condition_kind::divide:
      number_in(left(node));
      number_in(right(node));
      return emit({node.kind == condition_kind::add        ? row_op::add
                   : node.kind == condition_kind::subtract ? row_op::subtract
                   : node.kind == condition_kind::multiply ? row_op::multiply
                                                           : row_op::divide});
    case condition_kind::text:
    case condition_kind::column_as_text:
      break;  // only compile_comparison comes across them
  }
}

void bound_condition::compile_comparison(const condition_node& node) {
  const condition_node& a = left(node);
  const condition_node& b = right(node);
  for (const condition_node* side : {&a, &b})
    if (kind_of(*side) == value_kind::condition)
      throw_condition_error(condition_.text, side->position,
                            "this is a condition: only numbers and texts can be compared");
  const bool is_mismatch = (kind_of(a) == value_kind::text && kind_of(b) == value_kind::number) ||
                           (kind_of(a) == value_kind::number && kind_of(b) == value_kind::text);
  if (is_mismatch) {
    const condition_node& column = is_column(a) ? a : b;
    const condition_node& other = is_column(a) ? b : a;
    std::string advice = "compare numbers with numbers and texts with texts";
    if (column.kind == condition_kind::column && kind_of(column) == value_kind::number)
      advice = fmt::format("compare it with a number, or text({}) with a text", column.name);
    else if (column.kind == condition_kind::column) advice = "compare it with a text in quotes";
    if (other.kind == condition_kind::text && table_.has_column(other.name))
      advice = fmt::format("is the column `{}` meant? Names go between backticks, texts between quotes", other.name);
    throw_condition_error(condition_.text, other.position, fmt::format("{}: {}", description_of(column), advice));
  }
  if (is_text_comparison(a, b)) {
    if (!is_column(a) && !is_column(b))
      throw_condition_error(condition_.text, node.position, "two texts: one of them should be a column");
    return emit({row_op::truth, add_truth(truth_of_rows(table_.rows(), [&](std::uint64_t row) {
                   return texts_hold(text_of(a, row), node.rel, text_of(b, row));
                 }))});
  }
  if ((is_column(a) && b.kind == condition_kind::number) || (is_column(b) && a.kind == condition_kind::number)) {
    const condition_node& column = is_column(a) ? a : b;
    const literal& constant = is_column(a) ? b.constant : a.constant;
    const relation rel = is_column(a) ? node.rel : mirrored(node.rel);
    const dtype type = entry_of(column).column.type;
    row_step step = !is_integer(type)                         ? bound_step<double>(rel, constant)
                    : type >= dtype::i8 && type <= dtype::i64 ? bound_step<std::int64_t>(rel, constant)
                                                              : bound_step<std::uint64_t>(rel, constant);
    step.column = slot_of(column);
    return emit(step);
  }
  row_step step{row_op::compare_numbers};
  step.rel = node.rel;
  if (is_column(a) && is_column(b) && is_integer(entry_of(a).column.type) && is_integer(entry_of(b).column.type)) {
    step.op = row_op::compare_columns;
    step.column = slot_of(a);
    step.other = slot_of(b);
    return emit(step);
  }
  compile(a);
  compile(b);
  emit(step);
}

void bound_condition::emit(const row_step& step) {
  switch (step.op) {
    case row_op::compare_constant:
    case row_op::compare_columns:
    case row_op::truth:
      ++truth_bits_;
      break;
    case row_op::push_column:
    case row_op::push_constant:
      ++numbers_;
      break;
    case row_op::add:
    case row_op::subtract:
    case row_op::multiply:
    case row_op::divide:
      --numbers_;
      break;
    case row_op::compare_numbers:
      numbers_ -= 2;
      ++truth_bits_;
      break;
    case row_op::is_nan:
      --numbers_;
      ++truth_bits_;
      break;
    case row_op::conjunction:
    case row_op::disjunction:
      --truth_bits_;
      break;
    case row_op::negate:
    case row_op::negation:
      break;
  }
  if (predicate_.size == row_predicate_steps)
    throw_condition_error(condition_.text, 0,
                          fmt::format("too long: at most {} operations together", row_predicate_steps));
  if (numbers_ > static_cast<int>(row_predicate_numbers) || truth_bits_ > static_cast<int>(predicate_stack_bits))
    throw_condition_error(
        condition_.text, 0,
        fmt::format("too deep: at most {} numbers and {} conditions can be pending; parentheses further "
                    "left need fewer",
                    row_predicate_numbers, predicate_stack_bits));
  predicate_.steps[predicate_.size++] = step;
}

std::uint8_t bound_condition::add_column(const row_column& column) {
  if (predicate_.column_count == row_predicate_columns)
    throw_condition_error(condition_.text, 0,
                          fmt::format("too many: at most {} columns and comparisons of texts", row_predicate_columns));
  predicate_.columns[predicate_.column_count] = column;
  return static_cast<std::uint8_t>(predicate_.column_count++);
}

std::uint8_t bound_condition::slot_of(const condition_node& column) {
  entry& known = entry_of(column);
  if (known.slot < 0)
    known.slot = add_column({known.column.numbers.data(),
                             known.column.empty.empty() ? nullptr : known.column.empty.data(), known.column.type});
  return static_cast<std::uint8_t>(known.slot);
}

std::uint8_t bound_condition::add_truth(std::vector<std::uint8_t> truth) {
  return add_column({truths_.emplace_back(std::move(truth)).data(), nullptr, dtype::u8});
}

}  // namespace ballot::app
