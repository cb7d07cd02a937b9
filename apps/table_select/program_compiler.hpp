// SPDX-License-Identifier: Apache-2.0
// A checked condition as a row_program, which the CPU evaluates: any number of steps, texts and
// expressions. Parts that fit a predicate become one (predicate_compiler.hpp). The nodes of a
// condition are in the order in which a stack machine evaluates them, so nothing here recurses.
#pragma once

#include "conditions/condition_values.hpp"
#include "table_select/bound_condition.hpp"
#include "table_select/predicate_compiler.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace ballot::app {

// Compiles the nodes from begin_[root] to root into a program. Parts that fit a predicate become
// one.
class bound_condition::program_compiler {
 public:
  program_compiler(const bound_condition& of, std::size_t root)
      : of_(of), begin_(of.begin_[root]), root_(root), roles_(root + 1 - begin_) {}

  row_program compile() {
    find_roles();
    for (std::size_t i = begin_; i <= root_; ++i) {
      if (const std::size_t whole = second_operand_of_[i - begin_]; whole != 0) narrow(whole);
      if (roles_[i - begin_] == role::operand) continue;
      if (roles_[i - begin_] == role::predicate) push_truth({program_op::predicate, predicate_of_[i - begin_]});
      else add(i);
    }
    return std::move(program_);
  }

 private:
  enum class role : std::uint8_t { condition, operand, predicate };
  static constexpr std::size_t most_nodes = 4 * row_predicate_steps;  // more are no predicate for sure

  const condition_node& node(std::size_t place) const { return of_.condition_.nodes[place]; }

  void find_roles() {
    predicate_of_.resize(roles_.size());
    second_operand_of_.resize(roles_.size());
    for (std::size_t i = root_ + 1; i-- > begin_;) {
      if (roles_[i - begin_] == role::operand) continue;
      const bool is_small = i - of_.begin_[i] < most_nodes;
      if (is_small && !of_.needs_cpu_[i] && node(i).kind != condition_kind::is_empty) {
        predicate_compiler compiler(of_, i);
        if (compiler.compile() && compiler.truths.empty()) {
          roles_[i - begin_] = role::predicate;
          predicate_of_[i - begin_] = program_.predicates.size();
          program_.predicates.push_back(compiler.predicate);
        }
      }
      const bool is_operator = of_.is_operator_of_conditions(node(i)) && roles_[i - begin_] == role::condition;
      if (!is_operator) {
        for (std::size_t inside = of_.begin_[i]; inside < i; ++inside) roles_[inside - begin_] = role::operand;
      } else if (operands_of(node(i)) == 2 && of_.needs_cpu_[node(i).right]) {
        second_operand_of_[of_.begin_[node(i).right] - begin_] = i;
      }
    }
  }

  // The second operand of `whole` comes next.
  void narrow(std::size_t whole) {
    narrows_.push_back({whole, program_.steps.size()});
    program_.narrow_depth = std::max(program_.narrow_depth, narrows_.size());
    program_.steps.push_back(
        {node(whole).kind == condition_kind::conjunction ? program_op::narrow_to_true : program_op::narrow_to_false});
  }

  void push_truth(const program_step& step) {
    program_.steps.push_back(step);
    program_.truth_depth = std::max(program_.truth_depth, ++truths_);
  }
  void push_number(const program_step& step) {
    program_.steps.push_back(step);
    program_.number_depth = std::max(program_.number_depth, ++numbers_);
  }
  void push_text(const program_step& step) {
    program_.steps.push_back(step);
    program_.text_depth = std::max(program_.text_depth, ++texts_);
  }
  void push_constant_text(std::string_view text) {
    push_text({program_op::push_text, program_.texts.size()});
    program_.texts.push_back(text);
  }

  void add(std::size_t place) {
    const condition_node& n = node(place);
    switch (n.kind) {
      case condition_kind::conjunction:
      case condition_kind::disjunction: {
        program_step step{n.kind == condition_kind::conjunction ? program_op::conjunction : program_op::disjunction};
        step.narrowed = !narrows_.empty() && narrows_.back().whole == place;
        --truths_;
        program_.steps.push_back(step);
        if (!step.narrowed) return;
        program_.steps[narrows_.back().step].index = program_.steps.size();
        narrows_.pop_back();
        return;
      }
      case condition_kind::negation:
        program_.steps.push_back({program_op::negation});
        return;
      case condition_kind::compare:
        return compare(n.left, n.rel, n.right);
      case condition_kind::between:
        compare(n.left, relation::greater_equal, n.right);
        compare(n.left, relation::less_equal, n.third);
        --truths_;
        program_.steps.push_back({program_op::conjunction});
        return;
      case condition_kind::is_nan:
        values(n.left, false);
        --numbers_;
        return push_truth({program_op::is_nan});
      case condition_kind::is_empty: {
        program_step step{program_op::is_empty};
        step.column = &of_.column_of(n.left);
        return push_truth(step);
      }
      case condition_kind::in_list:
        return in_list(n);
      case condition_kind::contains:
        return test_texts(n, program_op::contains);
      case condition_kind::starts_with:
        return test_texts(n, program_op::starts_with);
      case condition_kind::ends_with:
        return test_texts(n, program_op::ends_with);
      case condition_kind::like:
        program_.likes.emplace_back(n.name, n.escape);
        return test_text(n, {program_op::like, program_.likes.size() - 1});
      case condition_kind::matches:
        program_.expressions.emplace_back(n.name);
        return test_text(n, {program_op::matches, program_.expressions.size() - 1});
      default:
        return;
    }
  }

  void test_text(const condition_node& n, const program_step& step) {
    values(n.left, true);
    --texts_;
    push_truth(step);
  }
  void test_texts(const condition_node& n, program_op op) {
    values(n.left, true);
    values(n.right, true);
    texts_ -= 2;
    push_truth({op});
  }

  void compare(std::size_t a, relation rel, std::size_t b) {
    program_step step{program_op::compare_numbers};
    step.rel = rel;
    if (of_.are_texts(a, b)) {
      values(a, true);
      values(b, true);
      texts_ -= 2;
      step.op = program_op::compare_texts;
      return push_truth(step);
    }
    values(a, false);
    values(b, false);
    numbers_ -= 2;
    push_truth(step);
  }

  void in_list(const condition_node& n) {
    const condition_list& list = of_.condition_.lists[n.list];
    if (list.numbers.empty()) {
      program_.text_sets.emplace_back(list.texts);
      return test_text(n, {program_op::in_texts, program_.text_sets.size() - 1});
    }
    const bool is_column_of_integers = of_.is_column(node(n.left)) && is_integer(of_.column_of(n.left).type);
    const dtype type = is_column_of_integers ? of_.column_of(n.left).type : dtype::f64;
    std::vector<std::uint64_t> words;
    for (const literal& constant : list.numbers) {
      const row_step bound = bound_step(type, relation::equal, constant);
      if (bound.test != item_op::equal) continue;  // no number of the type
      words.push_back(is_column_of_integers
                          ? bound.constant
                          : __builtin_bit_cast(std::uint64_t, __builtin_bit_cast(double, bound.constant) + 0.0));
    }
    program_step step{program_op::in_numbers, program_.word_sets.size()};
    program_.word_sets.emplace_back(words);
    if (is_column_of_integers) {
      step.op = program_op::in_column;
      step.column = &of_.column_of(n.left);
      return push_truth(step);
    }
    values(n.left, false);
    --numbers_;
    push_truth(step);
  }

  // Numbers or texts, as the nodes have them; a column of nothing at the root is what is wanted.
  void values(std::size_t root, bool wants_text) {
    const std::size_t begin = of_.begin_[root];
    std::vector<bool> is_text(root + 1 - begin), is_known(root + 1 - begin);
    is_text[root - begin] = wants_text;
    for (std::size_t i = begin; i <= root; ++i) {
      if (operands_of(node(i)) == 0) continue;
      is_text[node(i).left - begin] = node(i).kind == condition_kind::length || node(i).kind == condition_kind::lower ||
                                      node(i).kind == condition_kind::upper;
      if (is_modulo_of_column(i)) is_known[node(i).left - begin] = is_known[node(i).right - begin] = true;
    }
    for (std::size_t i = begin; i <= root; ++i)
      if (!is_known[i - begin]) push_value(i, is_text[i - begin]);
  }

  bool is_modulo_of_column(std::size_t place) const {
    const condition_node& n = node(place);
    if (n.kind != condition_kind::modulo || !of_.is_column_with_constant(n.left, n.right)) return false;
    const auto* const divisor = std::get_if<__int128>(&node(n.right).constant);
    return divisor != nullptr && *divisor != 0 && is_integer(of_.column_of(n.left).type);
  }

  void push_value(std::size_t place, bool is_text) {
    const condition_node& n = node(place);
    program_step step{program_op::push_column};
    switch (n.kind) {
      case condition_kind::text:
        return push_constant_text(n.name);
      case condition_kind::number:
        step.op = program_op::push_constant;
        step.constant = as_double(n.constant);
        return push_number(step);
      case condition_kind::column:
      case condition_kind::column_as_text:
      case condition_kind::column_as_date:
        step.column = &of_.column_of(place);
        if (!is_text) return push_number(step);
        if (step.column->is_missing) return push_constant_text({});
        step.op = program_op::push_text_column;
        return push_text(step);
      case condition_kind::lower:
      case condition_kind::upper:
        step.op = n.kind == condition_kind::lower ? program_op::lower : program_op::upper;
        program_.steps.push_back(step);
        return;
      case condition_kind::length:
        --texts_;
        return push_number({program_op::length});
      case condition_kind::negate:
      case condition_kind::absolute:
        step.op = n.kind == condition_kind::negate ? program_op::negate : program_op::absolute;
        program_.steps.push_back(step);
        return;
      case condition_kind::modulo:
        if (is_modulo_of_column(place)) {
          step.op = program_op::modulo_of_column;
          step.column = &of_.column_of(n.left);
          step.divisor = std::get<__int128>(node(n.right).constant);
          return push_number(step);
        }
        step.op = program_op::modulo;
        break;
      case condition_kind::add:
        step.op = program_op::add;
        break;
      case condition_kind::subtract:
        step.op = program_op::subtract;
        break;
      case condition_kind::multiply:
        step.op = program_op::multiply;
        break;
      case condition_kind::divide:
        step.op = program_op::divide;
        break;
      case condition_kind::least:
        step.op = program_op::least;
        break;
      default:
        step.op = program_op::greatest;
    }
    --numbers_;
    program_.steps.push_back(step);
  }

  struct pending_narrow {
    std::size_t whole, step;
  };

  const bound_condition& of_;
  std::size_t begin_, root_;
  std::vector<role> roles_;
  std::vector<std::size_t> predicate_of_, second_operand_of_;  // the operator; 0: none is there
  std::vector<pending_narrow> narrows_;
  std::size_t numbers_ = 0, texts_ = 0, truths_ = 0;
  row_program program_;
};

}  // namespace ballot::app
