// SPDX-License-Identifier: Apache-2.0
// A checked condition as a row_predicate: at most row_predicate_steps steps on at most
// row_predicate_columns columns, which the GPU evaluates, too. Terms that only the CPU can evaluate
// become columns of truths. The nodes of a condition are in the order in which a stack machine
// evaluates them, so nothing here recurses.
#pragma once

#include "conditions/condition_values.hpp"
#include "table_select/bound_condition.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace ballot::app {

// A constant in the kind of a column's type, as the program holds it.
template <class T>
row_step bound_step(relation rel, const literal& constant) {
  const bound_comparison<T> bound = bind_comparison<T>(rel, constant);
  row_step step{row_op::compare_constant};
  step.test = bound.op;
  step.constant = __builtin_bit_cast(std::uint64_t, bound.constant);
  return step;
}

inline row_step bound_step(dtype type, relation rel, const literal& constant) {
  return !is_integer(type)                         ? bound_step<double>(rel, constant)
         : type >= dtype::i8 && type <= dtype::i64 ? bound_step<std::int64_t>(rel, constant)
                                                   : bound_step<std::uint64_t>(rel, constant);
}

// Compiles the nodes from begin_[root] to root into a predicate; says so where there is no room.
class bound_condition::predicate_compiler {
 public:
  predicate_compiler(const bound_condition& of, std::size_t root) : of_(of), begin_(of.begin_[root]), root_(root) {}

  bool compile() {
    const std::vector<role> roles = roles_of_nodes();
    for (std::size_t i = begin_; i <= root_ && fits_; ++i) {
      if (roles[i - begin_] == role::operand) continue;
      if (roles[i - begin_] == role::on_cpu) emit({row_op::truth, truth_column(i)});
      else add(i);
    }
    return fits_;
  }

  row_predicate predicate{};
  // A term that has to become a column of truths.
  struct truth {
    std::uint8_t slot;
    std::size_t place;
  };
  std::vector<truth> truths;

 private:
  enum class role : std::uint8_t { condition, operand, on_cpu };

  std::vector<role> roles_of_nodes() const {
    std::vector<role> roles(root_ + 1 - begin_, role::condition);
    for (std::size_t i = root_ + 1; i-- > begin_;) {
      const condition_node& node = of_.condition_.nodes[i];
      if (roles[i - begin_] == role::operand) continue;
      const bool is_operator = of_.is_operator_of_conditions(node);
      // Operators whose operands all need the CPU are left to it, too.
      const bool all =
          of_.needs_cpu_[i] &&
          (!is_operator || (of_.needs_cpu_[node.left] && (operands_of(node) == 1 || of_.needs_cpu_[node.right])));
      if (!all && is_operator) continue;
      if (all || node.kind == condition_kind::is_empty) roles[i - begin_] = role::on_cpu;
      for (std::size_t inside = of_.begin_[i]; inside < i; ++inside) roles[inside - begin_] = role::operand;
    }
    return roles;
  }

  void add(std::size_t place) {
    const condition_node& node = of_.condition_.nodes[place];
    switch (node.kind) {
      case condition_kind::conjunction:
        return emit({row_op::conjunction});
      case condition_kind::disjunction:
        return emit({row_op::disjunction});
      case condition_kind::negation:
        return emit({row_op::negation});
      case condition_kind::compare:
        return compare(node.left, node.rel, node.right);
      case condition_kind::between:
        compare(node.left, relation::greater_equal, node.right);
        compare(node.left, relation::less_equal, node.third);
        return emit({row_op::conjunction});
      case condition_kind::is_nan:
        numbers(node.left);
        return emit({row_op::is_nan});
      case condition_kind::in_list: {
        const std::vector<literal>& list = of_.condition_.lists[node.list].numbers;
        for (std::size_t i = 0; i < list.size() && fits_; ++i) {
          compare_constant(node.left, relation::equal, list[i]);
          if (i != 0) emit({row_op::disjunction});
        }
        return;
      }
      default:
        return;
    }
  }

  void compare(std::size_t a, relation rel, std::size_t b) {
    if (of_.is_column_with_constant(a, b)) return compare_constant(a, rel, of_.condition_.nodes[b].constant);
    if (of_.is_column_with_constant(b, a)) return compare_constant(b, mirrored(rel), of_.condition_.nodes[a].constant);
    row_step step{row_op::compare_numbers};
    step.rel = rel;
    if (of_.are_columns_of_integers(a, b)) {
      step.op = row_op::compare_columns;
      step.column = slot_of(a);
      step.other = slot_of(b);
      return emit(step);
    }
    numbers(a);
    numbers(b);
    emit(step);
  }

  void compare_constant(std::size_t column, relation rel, const literal& constant) {
    row_step step = bound_step(of_.column_of(column).type, rel, constant);
    step.column = slot_of(column);
    emit(step);
  }

  void numbers(std::size_t root) {
    for (std::size_t i = of_.begin_[root]; i <= root && fits_; ++i) {
      const condition_node& node = of_.condition_.nodes[i];
      row_step step{};
      switch (node.kind) {
        case condition_kind::number:
          step.op = row_op::push_constant;
          step.constant = __builtin_bit_cast(std::uint64_t, as_double(node.constant));
          break;
        case condition_kind::negate:
          step.op = row_op::negate;
          break;
        case condition_kind::add:
          step.op = row_op::add;
          break;
        case condition_kind::subtract:
          step.op = row_op::subtract;
          break;
        case condition_kind::multiply:
          step.op = row_op::multiply;
          break;
        case condition_kind::divide:
          step.op = row_op::divide;
          break;
        default:
          step.op = row_op::push_column;
          step.column = slot_of(i);
      }
      emit(step);
    }
  }

  void emit(const row_step& step) {
    switch (step.op) {
      case row_op::compare_constant:
      case row_op::compare_columns:
      case row_op::truth:
        ++pending_truths_;
        break;
      case row_op::push_column:
      case row_op::push_constant:
        ++pending_numbers_;
        break;
      case row_op::add:
      case row_op::subtract:
      case row_op::multiply:
      case row_op::divide:
        --pending_numbers_;
        break;
      case row_op::compare_numbers:
        pending_numbers_ -= 2;
        ++pending_truths_;
        break;
      case row_op::is_nan:
        --pending_numbers_;
        ++pending_truths_;
        break;
      case row_op::conjunction:
      case row_op::disjunction:
        --pending_truths_;
        break;
      case row_op::negate:
      case row_op::negation:
        break;
    }
    if (predicate.size == row_predicate_steps || pending_numbers_ > static_cast<int>(row_predicate_numbers) ||
        pending_truths_ > static_cast<int>(predicate_stack_bits))
      fits_ = false;
    if (fits_) predicate.steps[predicate.size++] = step;
  }

  std::uint8_t add_column(const row_column& column) {
    if (predicate.column_count == row_predicate_columns) {
      fits_ = false;
      return 0;
    }
    predicate.columns[predicate.column_count] = column;
    return static_cast<std::uint8_t>(predicate.column_count++);
  }
  std::uint8_t slot_of(std::size_t place) {
    const std::size_t wanted = of_.entry_of_[place];
    for (const auto& [known, slot] : slots_)
      if (known == wanted) return slot;
    const table_column& column = of_.column_of(place);
    const std::uint8_t slot =
        add_column({column.numbers.data(), column.empty.empty() ? nullptr : column.empty.data(), column.type});
    slots_.emplace_back(wanted, slot);
    return slot;
  }
  std::uint8_t truth_column(std::size_t place) {
    const std::uint8_t slot = add_column({nullptr, nullptr, dtype::u8});
    truths.push_back({slot, place});
    return slot;
  }

  const bound_condition& of_;
  std::size_t begin_, root_;
  std::vector<std::pair<std::size_t, std::uint8_t>> slots_;
  int pending_numbers_ = 0, pending_truths_ = 0;
  bool fits_ = true;
};

}  // namespace ballot::app
