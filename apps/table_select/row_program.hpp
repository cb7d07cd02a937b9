// SPDX-License-Identifier: Apache-2.0
// A condition on rows as steps for the CPU, of any number: texts, and what a row_predicate has no
// room for. It is evaluated block by block on all cores, a step at a time for all rows of a block.
// Numbers, texts and truths are on stacks of blocks.
//
//     s contains 'x' and (k % 2 == 1 or lower(s) == t)
//
//     push_text_column s, push_text "x", contains        truths  1
//     narrow_to_true                                     the rows that are true so far; where none is, on to the end
//     modulo_of_column k 2, push_constant 1, compare     truths  1 2
//     narrow_to_false                                    of those, the ones that are not true yet
//     push_text_column s, lower, push_text_column t, compare_texts, disjunction, conjunction
//
// Terms with texts look only at the rows that are still open.
#pragma once

#include <ballot/core/namespace.hpp>

#include "conditions/like_pattern.hpp"
#include "conditions/regular_expression.hpp"
#include "conditions/row_predicate.hpp"
#include "table_select/value_sets.hpp"
#include "tables/column.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

namespace ballot::app {

enum class program_op : std::uint8_t {
  // numbers
  push_column,
  push_constant,
  modulo_of_column,  // a column of integers by an integer: exact
  negate,
  add,
  subtract,
  multiply,
  divide,
  modulo,
  absolute,
  least,
  greatest,
  length,  // of a text
  // texts
  push_text_column,
  push_text,
  lower,
  upper,
  // truths
  predicate,
  is_empty,
  compare_numbers,
  is_nan,
  in_numbers,
  in_column,  // a column of integers
  compare_texts,
  contains,
  starts_with,
  ends_with,
  in_texts,
  like,
  matches,
  conjunction,
  disjunction,
  negation,
  narrow_to_true,
  narrow_to_false
};

struct program_step {
  program_op op;
  std::size_t index = 0;  // of what the step needs; of narrow: the step to go to where no row is left
  relation rel = relation::less;
  double constant = 0;
  const table_column* column = nullptr;
  __int128 divisor = 0;
  bool narrowed = false;  // of conjunction and disjunction: a narrow is undone
};

class row_program {
 public:
  std::vector<program_step> steps;
  std::deque<row_predicate> predicates;
  std::vector<std::string_view> texts;
  std::deque<word_set> word_sets;
  std::deque<text_set> text_sets;
  std::deque<like_pattern> likes;
  std::deque<regular_expression> expressions;
  std::size_t number_depth = 0, text_depth = 0, truth_depth = 0, narrow_depth = 0;  // of the stacks

  // A byte for each row, 1 or 0.
  std::vector<std::uint8_t> truth_of_rows(std::uint64_t rows) const;
};

}  // namespace ballot::app
