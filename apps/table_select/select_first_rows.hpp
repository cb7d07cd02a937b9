// SPDX-License-Identifier: Apache-2.0
// The first rows that a condition selects. The file is read batch by batch, and not behind the last
// of them.
#pragma once

#include <ballot/core/namespace.hpp>

#include "table_select/select_rows.hpp"
#include "tables/file_table.hpp"
#include "tables/table_batches.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace ballot::app {

// Whether a batch is enough to evaluate a condition on its rows. It is not if the type of a column
// depends on all fields of the column. where: null: all rows are selected.
bool can_select_in_batches(const file_table& header, const row_condition* where);

// The batches in which it is read: many rows, of any length.
batch_limits limits_of_first_rows();

struct first_rows {
  std::unique_ptr<file_table> rows;  // the selected ones alone
  std::vector<std::uint64_t> numbers;
  std::vector<column_type> types;
  std::uint64_t rows_read = 0, bytes_read = 0, blank_lines = 0;
};

// `file` stands behind its header. Throws what select_rows throws.
first_rows select_first_rows(const file_table& header, input_file& file, const row_selection& wanted,
                             std::uint64_t most, engine& worker, phase_clock& clock);

}  // namespace ballot::app
