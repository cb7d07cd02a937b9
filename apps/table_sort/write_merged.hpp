// SPDX-License-Identifier: Apache-2.0
// Writes the result of a table that was sorted in runs.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/phase_clock.hpp"
#include "files/output_file.hpp"
#include "table_sort/sort_table_in_runs.hpp"
#include "tables/row_conversion.hpp"
#include "tables/table_output.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace ballot::app {

// Merges the runs, writes what `output` says, and commits the file. Returns the number of rows in
// the result. `directory` is for a temporary file. A format whose header has the count needs one if
// the count is known only after the merge. seen: called with the rows as they are written, if they
// are written unchanged. types: of the input's columns, where rows are converted; null: those of the
// rows that are written.
std::uint64_t write_merged(const table_output& output, const table_request& source, const file_table& header,
                           table_run_sorter& from, const std::string& directory, output_file& to, phase_clock& clock,
                           const std::function<void(std::span<const std::byte>)>& seen, const inferred_columns* types);

}  // namespace ballot::app
