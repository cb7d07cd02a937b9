// SPDX-License-Identifier: Apache-2.0
// Checks a merge of rows that were sorted and checked before. No row comes before its predecessor,
// and equal rows stay in the order of their runs. The output consists of the input's rows. Compares
// as verify_table.hpp does, and not with the merge's own comparison. All throw
// verification_failure.
#pragma once

#include <ballot/core/namespace.hpp>

#include "table_sort/keyed_rows.hpp"
#include "verification/multiset_checksum.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace ballot::app {

class merge_check {
 public:
  // Adds a row that will be merged.
  void add_input(std::span<const std::byte> row) { add(row, in_); }

  // Begins a merge of other runs.
  void begin() { previous_.reset(); }
  // Checks the next merged row, which comes from `run`. `is_kept`: not dropped as a repeat of the
  // last kept row.
  void check_output(const keyed_row& row, std::size_t run, bool is_kept, bool unique);
  // All rows of the input must have been merged. The kept rows are the input of the next pass.
  void end_of_pass();

 private:
  static void add(std::span<const std::byte> row, multiset_checksum& to);

  multiset_checksum in_, out_, kept_;
  std::shared_ptr<const keyed_rows> previous_;
  std::uint64_t previous_row_ = 0, rows_out_ = 0;
  std::size_t previous_run_ = 0;
};

}  // namespace ballot::app
