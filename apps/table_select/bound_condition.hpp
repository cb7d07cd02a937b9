// SPDX-License-Identifier: Apache-2.0
// A condition bound to the columns of a table, and compiled to a predicate on its rows.
#pragma once

#include <ballot/core/namespace.hpp>

#include "conditions/row_condition.hpp"
#include "conditions/row_predicate.hpp"
#include "table_select/row_program.hpp"
#include "tables/table.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::app {

// A condition with the columns that it looks at.
class bound_condition {
 public:
  // Reads the columns. Terms that only the CPU can evaluate (texts; numbers by %, abs, min, max,
  // length, or in long lists) are evaluated here, on all cores. So is the whole condition if a
  // row_predicate has no room for it. cpu_alone: one such term is enough for the whole condition,
  // because no engine would be quicker with the rest. Throws usage_error (with the position) if
  // types do not fit or columns are missing. Keeps a reference to `of`. known: the types of the
  // columns as another part of the same table has them (add_types); a field that does not fit is an
  // error.
  bound_condition(const row_condition& condition, const table& of, bool cpu_alone = false,
                  const std::vector<column_type>* known = nullptr);
  bound_condition(const bound_condition&) = delete;
  bound_condition& operator=(const bound_condition&) = delete;

  const row_predicate& predicate() const { return predicate_; }
  void add_types(std::vector<column_type>& to) const;  // of the columns
  // Evaluates the tree for a row. Slow: predicates are checked against it.
  bool evaluate(std::uint64_t row) const;

 private:
  // `missing`: an empty column, which serves as numbers or as text, whichever it is compared with.
  enum class value_kind : std::uint8_t { condition, number, text, date, missing };
  struct entry {
    const condition_node* of;
    table_column column;
    bool is_fraction = false;  // of dates
  };
  struct value;  // of the evaluation of a row
  class predicate_compiler;
  class program_compiler;

  const condition_node& left(const condition_node& node) const { return condition_.nodes[node.left]; }
  const condition_node& right(const condition_node& node) const { return condition_.nodes[node.right]; }
  static bool is_column(const condition_node& node) {
    return node.kind == condition_kind::column || node.kind == condition_kind::column_as_text ||
           node.kind == condition_kind::column_as_date;
  }
  bool is_operator_of_conditions(const condition_node& node) const {
    return node.kind == condition_kind::conjunction || node.kind == condition_kind::disjunction ||
           node.kind == condition_kind::negation;
  }
  const table_column& column_of(std::size_t place) const { return entries_[entry_of_[place]].column; }
  // Compares numbers exactly: a column with a constant, or two columns of integers.
  bool is_column_with_constant(std::size_t a, std::size_t b) const;
  bool are_columns_of_integers(std::size_t a, std::size_t b) const;
  bool are_texts(std::size_t a, std::size_t b) const {
    return kinds_[a] == value_kind::text || kinds_[b] == value_kind::text;
  }

  // bound_condition.cpp: the columns, and what is wrong with their types.
  void read_column(std::size_t place, const std::vector<column_type>* known);
  void check(std::size_t place);
  void check_operands(std::size_t place);
  void check_comparison(std::size_t place, std::size_t a, std::size_t b);
  void check_list(std::size_t place);
  // condition_dates.cpp
  bool take_date(std::size_t date, std::size_t constant);
  bool is_time(std::size_t place) const;
  bool take_time(std::size_t time, std::size_t constant);
  __int128 time_constant(std::size_t time, std::string_view text, std::size_t position) const;
  std::int64_t date_constant(std::size_t date, std::string_view text, std::size_t position) const;
  std::string description_of(std::size_t place) const;
  void require_number(std::size_t place) const;
  void require_text(std::size_t place) const;
  void require_condition(std::size_t place) const;
  bool needs_cpu(std::size_t place) const;
  [[noreturn]] void fail(std::size_t place, std::string_view what) const;

  // compile_condition.cpp, with the compilers in headers of their names
  void compile(bool cpu_alone);
  row_program program_of(std::size_t place) const;
  std::vector<std::uint8_t> emptiness_of(std::size_t place) const;

  row_condition condition_;
  const table& table_;
  std::deque<entry> entries_;
  std::vector<std::size_t> begin_, entry_of_;  // of each node
  std::vector<value_kind> kinds_;
  std::vector<bool> needs_cpu_;  // whether a term of the node does
  std::deque<std::vector<std::uint8_t>> truths_;
  row_predicate predicate_{};
};

}  // namespace ballot::app
