// SPDX-License-Identifier: Apache-2.0
// A condition bound to the columns of a table, and compiled to a predicate on its rows.
#pragma once

#include <ballot/core/namespace.hpp>

#include "conditions/row_condition.hpp"
#include "conditions/row_predicate.hpp"
#include "tables/table.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::app {

// A condition with the columns that it looks at.
class bound_condition {
 public:
  // Reads the columns and evaluates comparisons of texts. Throws usage_error (with the position) if types do not fit or
  // columns are missing. Keeps a reference to `condition`.
  bound_condition(const row_condition& condition, const table& of);

  const row_predicate& predicate() const { return predicate_; }
  void add_types(std::vector<column_type>& to) const;  // of the columns
  // Evaluates the tree for a row. Slow: predicates are checked against it.
  bool evaluate(std::uint64_t row) const { return truth_of(condition_.nodes.back(), row); }

 private:
  // `missing`: an empty column, which serves as numbers or as text, whichever it is compared with.
  enum class value_kind : std::uint8_t { condition, number, text, missing };
  struct entry {
    std::string name;
    requested_type requested;
    table_column column;
    int slot;  // in the predicate; -1: none yet
  };

  const condition_node& left(const condition_node& node) const { return condition_.nodes[node.left]; }
  const condition_node& right(const condition_node& node) const { return condition_.nodes[node.right]; }
  bool is_column(const condition_node& node) const {
    return node.kind == condition_kind::column || node.kind == condition_kind::column_as_text;
  }
  static bool is_of(const entry& known, const condition_node& node);
  entry& entry_of(const condition_node& node);
  const entry& entry_of(const condition_node& node) const;
  value_kind kind_of(const condition_node& node);
  bool is_text_comparison(const condition_node& a, const condition_node& b);
  std::string description_of(const condition_node& node);
  void require_number(const condition_node& node);

  void compile(const condition_node& node);
  void compile_comparison(const condition_node& node);
  void emit(const row_step& step);
  std::uint8_t slot_of(const condition_node& column);
  std::uint8_t add_truth(std::vector<std::uint8_t> truth);
  std::uint8_t add_column(const row_column& column);

  std::string_view text_of(const condition_node& node, std::uint64_t row) const;
  literal number_of(const condition_node& node, std::uint64_t row) const;
  bool truth_of(const condition_node& node, std::uint64_t row) const;

  const row_condition& condition_;
  const table& table_;
  std::deque<entry> entries_;
  std::deque<std::vector<std::uint8_t>> truths_;
  row_predicate predicate_{};
  int numbers_ = 0, truth_bits_ = 0;  // pending
};

}  // namespace ballot::app
