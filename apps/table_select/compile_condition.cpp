// SPDX-License-Identifier: Apache-2.0
// A checked condition as a row_predicate, with what only the CPU can evaluate as columns of truths; and as a
// row_program. The nodes of a condition are in the order in which a stack machine evaluates them, so that neither
// recurses.
#include "base/text.hpp"
#include "conditions/condition_values.hpp"
#include "table_select/bound_condition.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ballot::app {
namespace {

// A constant in the kind of a column's type, as the program holds it.
template <class T>
row_step bound_step(relation rel, const literal& constant) {
  const bound_comparison<T> bound = bind_comparison<T>(rel, constant);
  row_step step{row_op::compare_constant};
  step.test = bound.op;
  step.constant = __builtin_bit_cast(std::uint64_t, bound.constant);
  return step;
}

row_step bound_step(dtype type, relation rel, const literal& constant) {
  return !is_integer(type)                         ? bound_step<double>(rel, constant)
         : type >= dtype::i8 && type <= dtype::i64 ? bound_step<std::int64_t>(rel, constant)
                                                   : bound_step<std::uint64_t>(rel, constant);
}

}  // namespace

// Of the nodes from begin_[root] to root, into a predicate; says so where there is no room.
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
  // What has to become columns of truths.
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

// Of the nodes from begin_[root] to root, into a program. What a predicate can take becomes one.
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

  void push_truth(program_step step) {
    program_.steps.push_back(std::move(step));
    program_.truth_depth = std::max(program_.truth_depth, ++truths_);
  }
  void push_number(program_step step) {
    program_.steps.push_back(std::move(step));
    program_.number_depth = std::max(program_.number_depth, ++numbers_);
  }
  void push_text(program_step step) {
    program_.steps.push_back(std::move(step));
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

row_program bound_condition::program_of(std::size_t place) const { return program_compiler(*this, place).compile(); }

std::vector<std::uint8_t> bound_condition::emptiness_of(std::size_t place) const {
  const table_column& column = column_of(condition_.nodes[place].left);
  std::vector<std::uint8_t> truth(static_cast<std::size_t>(table_.rows()));
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, truth.size(), 1 << 14), [&](const auto& range) {
    for (std::size_t row = range.begin(); row != range.end(); ++row)
      truth[row] = column.is_text ? column.texts[row].empty() : column.is_empty(row);
  });
  return truth;
}

void bound_condition::compile(bool cpu_alone) {
  const std::size_t root = condition_.nodes.size() - 1;
  predicate_compiler compiler(*this, root);
  if (!(cpu_alone && needs_cpu_[root]) && compiler.compile()) {
    predicate_ = compiler.predicate;
    for (const auto& [slot, place] : compiler.truths) {
      const bool is_empty = condition_.nodes[place].kind == condition_kind::is_empty;
      truths_.push_back(is_empty ? emptiness_of(place) : program_of(place).truth_of_rows(table_.rows()));
      predicate_.columns[slot].data = truths_.back().data();
    }
    return;
  }
  truths_.push_back(program_of(root).truth_of_rows(table_.rows()));
  predicate_.columns[0] = {truths_.back().data(), nullptr, dtype::u8};
  predicate_.column_count = predicate_.size = 1;
  predicate_.steps[0] = {row_op::truth};
}

}  // namespace ballot::app
