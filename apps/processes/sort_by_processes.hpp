// SPDX-License-Identifier: Apache-2.0
// Sorts of one file by several processes: each reads its part, and writes its part of the result.
// Collective.
//
//     process 0    reads items 0 to n/2    | sorted over all processes,  | writes places 0 to n/2
//     process 1    reads items n/2 to n    | each keeps n/2              | writes places n/2 to n
//
// With `verify` each process checks its own part and the border to the one before it, and all
// together that no item was lost.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/phase_clock.hpp"
#include "columns/format.hpp"
#include "engines/engine.hpp"
#include "processes/part_files.hpp"
#include "processes/part_sorter.hpp"
#include "table_sort/row_keys.hpp"
#include "tables/file_table.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace ballot::app {

struct column_file {
  std::string input, output;
  format input_format{}, output_format{};
  std::optional<dtype> type;  // as the user said it
  bool verify = false;
};

// What a process opens before anything is read. Not collective. Throws what the sort would throw.
struct opened_column {
  dtype type{};
  std::unique_ptr<input_file> in;
  std::optional<part_reader> reader;
};
opened_column open_column_of_processes(const column_file& files);
part_reader open_rows_of_processes(const file_table& header, const input_file& in, std::span<const sort_key> keys,
                                   bool verify);

// A column; raw and .npy. `request_for`: makes the request, by the column's type. Returns the
// number of items.
std::uint64_t sort_column_by_processes(const process_group& group, part_sorter& by, const column_file& files,
                                       const std::function<sort_request(dtype)>& request_for, phase_clock& clock);

// Rows of one size: records, and .npy with fields. `header`: the table without its rows; `in` is
// behind it. Returns the number of rows.
std::uint64_t sort_rows_by_processes(const process_group& group, part_sorter& by, const file_table& header,
                                     const input_file& in, std::span<const sort_key> keys, const std::string& output,
                                     bool verify, phase_clock& clock);

}  // namespace ballot::app
