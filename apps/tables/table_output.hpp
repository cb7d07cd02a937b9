// SPDX-License-Identifier: Apache-2.0
// The output of a run over a table: rows, row numbers, or a count.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/phase_clock.hpp"
#include "columns/format.hpp"
#include "files/output_file.hpp"
#include "tables/output_columns.hpp"
#include "tables/table.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace ballot::app {

enum class table_result { rows, row_numbers, count };

struct table_output {
  table_result result = table_result::rows;
  format number_format = format::text;             // of row numbers
  std::optional<conversion_request> conversion{};  // of rows; none: they are written as they are
  // Where the conversion has to infer the types of columns: from the rows that are written alone,
  // because the others may not have been read.
  bool infers_from_written = false;
  std::string directory{};  // for a temporary file
};

// Writes what `output` says about the rows `chosen` of the table, and commits the file.
void write_result(const table_output& output, const table_request& source, const table& from,
                  std::span<const std::uint64_t> chosen, output_file& to, phase_clock& clock);

// The count as a line of text.
void write_count(std::uint64_t count, output_file& to);

}  // namespace ballot::app
