// SPDX-License-Identifier: Apache-2.0
#include "table_select/row_program.hpp"

#include "base/letters.hpp"
#include "engines/cpu/masks.hpp"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace ballot::app {
namespace {

using byte = std::uint8_t;
constexpr std::size_t block = cpu::mask_block;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// One for all rows, or one for each row of the block.
struct block_of_texts {
  const std::string_view* items = nullptr;  // null: the constant
  std::string_view constant;
  std::vector<std::string_view> made;
  std::string characters;  // of those that were made

  std::string_view operator[](std::size_t i) const { return items == nullptr ? constant : items[i]; }
};

template <class F>
void fill(byte* to, const byte* open, std::size_t count, const F& is_true) {
  if (open == nullptr)
    for (std::size_t i = 0; i < count; ++i) to[i] = is_true(i);
  else
    for (std::size_t i = 0; i < count; ++i) to[i] = open[i] != 0 && is_true(i);
}

template <class T, class F>
void compare(relation rel, std::size_t count, const T& a, const T& b, const F& set) {
  switch (rel) {
    case relation::less:
      return set(count, [&](std::size_t i) { return a[i] < b[i]; });
    case relation::less_equal:
      return set(count, [&](std::size_t i) { return a[i] <= b[i]; });
    case relation::greater:
      return set(count, [&](std::size_t i) { return a[i] > b[i]; });
    case relation::greater_equal:
      return set(count, [&](std::size_t i) { return a[i] >= b[i]; });
    case relation::equal:
      return set(count, [&](std::size_t i) { return a[i] == b[i]; });
    case relation::not_equal:
      return set(count, [&](std::size_t i) { return a[i] != b[i]; });
  }
}

void load(const table_column& column, std::uint64_t first, std::size_t count, double* to) {
  visit_dtype(column.type, [&]<class T>(std::type_identity<T>) {
    const T* const from = column.numbers.as<T>().data() + first;
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<double>(from[i]);
  });
  if (column.empty.empty()) return;
  for (std::size_t i = 0; i < count; ++i)
    if (column.empty[first + i] != 0) to[i] = nan;
}

// The remainder of a division has the sign of the dividend, and is less than the divisor. So it is
// exact as a double up to 2^53.
void load_modulo(const program_step& step, std::uint64_t first, std::size_t count, double* to) {
  const table_column& column = *step.column;
  visit_dtype(column.type, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T>) {
      const T* const from = column.numbers.as<T>().data() + first;
      using wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
      // The sign of the divisor does not matter. A divisor beyond the type leaves every item as it
      // is, except the smallest i64 by 2^63.
      const __int128 divisor = step.divisor < 0 ? -step.divisor : step.divisor;
      if (divisor > std::numeric_limits<wide>::max()) {
        for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<double>(static_cast<__int128>(from[i]) % divisor);
        return;
      }
      const auto by = static_cast<wide>(divisor);
      for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<double>(static_cast<wide>(from[i]) % by);
    }
  });
  if (column.empty.empty()) return;
  for (std::size_t i = 0; i < count; ++i)
    if (column.empty[first + i] != 0) to[i] = nan;
}

class evaluator {
 public:
  explicit evaluator(const row_program& program)
      : program_(program),
        numbers_(program.number_depth * block),
        truths_(program.truth_depth * block),
        open_(program.narrow_depth * block),
        texts_(program.text_depth) {}

  void evaluate(std::uint64_t first, std::size_t count, byte* to) {
    first_ = first;
    count_ = count;
    number_count_ = text_count_ = truth_count_ = open_count_ = 0;
    for (std::size_t at = 0; at < program_.steps.size();) at = run(at);
    std::memcpy(to, truth(1), count);
  }

 private:
  double* number(std::size_t from_top) { return numbers_.data() + (number_count_ - from_top) * block; }
  byte* truth(std::size_t from_top) { return truths_.data() + (truth_count_ - from_top) * block; }
  block_of_texts& text(std::size_t from_top) { return texts_[text_count_ - from_top]; }
  const byte* open() const { return open_count_ == 0 ? nullptr : open_.data() + (open_count_ - 1) * block; }

  template <class F>
  void to_numbers(const F& f) {
    double* const a = number(1);
    for (std::size_t i = 0; i < count_; ++i) a[i] = f(a[i]);
  }
  template <class F>
  void two_numbers(const F& f) {
    double* const a = number(2);
    const double* const b = number(1);
    for (std::size_t i = 0; i < count_; ++i) a[i] = f(a[i], b[i]);
    --number_count_;
  }
  // A truth of the texts on top, which are taken away.
  template <class F>
  void truth_of_texts(std::size_t taken, const F& f) {
    ++truth_count_;
    fill(truth(1), open(), count_, f);
    text_count_ -= taken;
  }

  void change_letters(letters wanted) {
    block_of_texts& top = text(1);
    const std::string_view* const from = top.items;
    spare_.clear();  // what is changed may be in top.characters
    if (from == nullptr) {
      append_in(wanted, top.constant, spare_);
      std::swap(top.characters, spare_);
      top.constant = top.characters;
      return;
    }
    ends_.resize(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      if (open() == nullptr || open()[i] != 0) append_in(wanted, from[i], spare_);
      ends_[i] = spare_.size();
    }
    std::swap(top.characters, spare_);
    top.made.resize(block);
    for (std::size_t i = 0, begin = 0; i < count_; begin = ends_[i++])
      top.made[i] = std::string_view(top.characters).substr(begin, ends_[i] - begin);
    top.items = top.made.data();
  }

  std::size_t narrow(std::size_t at, bool to_true) {
    const program_step& step = program_.steps[at];
    const byte* const before = open();
    const byte* const known = truth(1);
    byte* const after = open_.data() + open_count_ * block;
    byte any = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      after[i] = static_cast<byte>((known[i] == byte{to_true}) & (before == nullptr ? 1 : before[i]));
      any |= after[i];
    }
    if (any == 0) return step.index;
    ++open_count_;
    return at + 1;
  }

  std::size_t run(std::size_t at);
  void run_numbers(const program_step& step);
  void run_texts(const program_step& step);

  const row_program& program_;
  std::uint64_t first_ = 0;
  std::size_t count_ = 0;
  std::vector<double> numbers_;
  std::vector<byte> truths_, open_;
  std::vector<block_of_texts> texts_;
  std::vector<std::size_t> ends_;
  std::string spare_;
  std::size_t number_count_ = 0, text_count_ = 0, truth_count_ = 0, open_count_ = 0;
};

void evaluator::run_numbers(const program_step& step) {
  switch (step.op) {
    case program_op::push_column:
      ++number_count_;
      return load(*step.column, first_, count_, number(1));
    case program_op::modulo_of_column:
      ++number_count_;
      return load_modulo(step, first_, count_, number(1));
    case program_op::push_constant:
      ++number_count_;
      std::fill_n(number(1), count_, step.constant);
      return;
    case program_op::negate:
      return to_numbers([](double a) { return -a; });
    case program_op::absolute:
      return to_numbers([](double a) { return std::fabs(a); });
    case program_op::add:
      return two_numbers([](double a, double b) { return a + b; });
    case program_op::subtract:
      return two_numbers([](double a, double b) { return a - b; });
    case program_op::multiply:
      return two_numbers([](double a, double b) { return a * b; });
    case program_op::divide:
      return two_numbers([](double a, double b) { return a / b; });
    case program_op::modulo:
      return two_numbers([](double a, double b) { return std::fmod(a, b); });
    case program_op::least:
      return two_numbers([](double a, double b) { return std::fmin(a, b); });
    case program_op::greatest:
      return two_numbers([](double a, double b) { return std::fmax(a, b); });
    default:
      break;
  }
}

void evaluator::run_texts(const program_step& step) {
  switch (step.op) {
    case program_op::push_text_column:
      text(1).items = step.column->texts.data() + first_;
      return;
    case program_op::push_text:
      text(1).items = nullptr;
      text(1).constant = program_.texts[step.index];
      return;
    case program_op::compare_texts:
      ++truth_count_;
      compare(step.rel, count_, text(2), text(1),
              [&](std::size_t count, const auto& holds) { fill(truth(1), open(), count, holds); });
      text_count_ -= 2;
      return;
    case program_op::contains:
      return truth_of_texts(2, [&](std::size_t i) { return text(2)[i].find(text(1)[i]) != std::string_view::npos; });
    case program_op::starts_with:
      return truth_of_texts(2, [&](std::size_t i) { return text(2)[i].starts_with(text(1)[i]); });
    case program_op::ends_with:
      return truth_of_texts(2, [&](std::size_t i) { return text(2)[i].ends_with(text(1)[i]); });
    case program_op::in_texts: {
      const text_set& set = program_.text_sets[step.index];
      return truth_of_texts(1, [&](std::size_t i) { return set.has(text(1)[i]); });
    }
    case program_op::like: {
      const like_pattern& pattern = program_.likes[step.index];
      return truth_of_texts(1, [&](std::size_t i) { return pattern.matches(text(1)[i]); });
    }
    case program_op::matches: {
      const regular_expression& pattern = program_.expressions[step.index];
      return truth_of_texts(1, [&](std::size_t i) { return pattern.is_in(text(1)[i]); });
    }
    default:
      break;
  }
}

// Returns the step to go on with.
std::size_t evaluator::run(std::size_t at) {
  const program_step& step = program_.steps[at];
  switch (step.op) {
    case program_op::push_text_column:
    case program_op::push_text:
      ++text_count_;
      run_texts(step);
      break;
    case program_op::lower:
    case program_op::upper:
      change_letters(step.op == program_op::lower ? letters::small : letters::capital);
      break;
    case program_op::length: {
      ++number_count_;
      for (std::size_t i = 0; i < count_; ++i) number(1)[i] = static_cast<double>(characters_in(text(1)[i]));
      --text_count_;
      break;
    }
    case program_op::predicate:
      ++truth_count_;
      cpu::mask_rows(program_.predicates[step.index], first_, count_, truth(1));
      break;
    case program_op::is_empty:
      ++truth_count_;
      if (step.column->is_text)
        fill(truth(1), nullptr, count_, [&](std::size_t i) { return step.column->texts[first_ + i].empty(); });
      else fill(truth(1), nullptr, count_, [&](std::size_t i) { return step.column->is_empty(first_ + i); });
      break;
    case program_op::compare_numbers: {
      ++truth_count_;
      const double *const a = number(2), *const b = number(1);
      compare(step.rel, count_, a, b,
              [&](std::size_t count, const auto& holds) { fill(truth(1), nullptr, count, holds); });
      number_count_ -= 2;
      break;
    }
    case program_op::is_nan:
      ++truth_count_;
      fill(truth(1), nullptr, count_, [&](std::size_t i) { return std::isnan(number(1)[i]); });
      --number_count_;
      break;
    case program_op::in_numbers: {
      const word_set& set = program_.word_sets[step.index];
      ++truth_count_;
      fill(truth(1), open(), count_, [&](std::size_t i) {  // -0 becomes 0
        return set.has(__builtin_bit_cast(std::uint64_t, number(1)[i] + 0.0));
      });
      --number_count_;
      break;
    }
    case program_op::in_column: {
      const word_set& set = program_.word_sets[step.index];
      ++truth_count_;
      visit_dtype(step.column->type, [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_integral_v<T>) {
          const T* const from = step.column->numbers.as<T>().data() + first_;
          fill(truth(1), open(), count_, [&](std::size_t i) {
            return !step.column->is_empty(first_ + i) && set.has(static_cast<std::uint64_t>(from[i]));
          });
        }
      });
      break;
    }
    case program_op::conjunction:
    case program_op::disjunction: {
      byte* const a = truth(2);
      const byte* const b = truth(1);
      if (step.op == program_op::conjunction)
        for (std::size_t i = 0; i < count_; ++i) a[i] &= b[i];
      else
        for (std::size_t i = 0; i < count_; ++i) a[i] |= b[i];
      --truth_count_;
      open_count_ -= step.narrowed;
      break;
    }
    case program_op::negation:
      for (std::size_t i = 0; i < count_; ++i) truth(1)[i] ^= 1;
      break;
    case program_op::narrow_to_true:
    case program_op::narrow_to_false:
      return narrow(at, step.op == program_op::narrow_to_true);
    default:
      if (step.op < program_op::length) run_numbers(step);
      else run_texts(step);
  }
  return at + 1;
}

}  // namespace

std::vector<std::uint8_t> row_program::truth_of_rows(std::uint64_t rows) const {
  std::vector<std::uint8_t> truth(static_cast<std::size_t>(rows));
  tbb::enumerable_thread_specific<evaluator> evaluators([&] { return evaluator(*this); });
  tbb::parallel_for(std::uint64_t{0}, (rows + block - 1) / block, [&](std::uint64_t b) {
    const std::uint64_t first = b * block;
    evaluators.local().evaluate(first, static_cast<std::size_t>(std::min<std::uint64_t>(block, rows - first)),
                                truth.data() + first);
  });
  return truth;
}

}  // namespace ballot::app
