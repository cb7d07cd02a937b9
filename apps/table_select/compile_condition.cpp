// SPDX-License-Identifier: Apache-2.0
// A checked condition as a predicate and columns of truths (predicate_compiler.hpp), whose truths
// come from programs (program_compiler.hpp). A condition that does not fit into a predicate becomes
// one column of truths.
#include "table_select/bound_condition.hpp"
#include "table_select/predicate_compiler.hpp"
#include "table_select/program_compiler.hpp"

#include <tbb/parallel_for.h>

namespace ballot::app {

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
