// The options of runs over tables, which sort and compact share.
#pragma once

#include <ballot/core/namespace.hpp>

#include "options/options.hpp"
#include "table_sort/row_keys.hpp"
#include "table_sort/sort_table_in_runs.hpp"
#include "tables/table.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::app {

struct table_options {
  std::vector<std::string> by;
  std::string delimiter;
  std::vector<std::string> nulls;
  std::optional<std::uint64_t> record_bytes;
  bool unique = false;
  bool indices = false;
  bool count = false;

  // Whether anything was asked for that a column alone cannot do.
  bool asks_for_rows() const {
    return !by.empty() || !delimiter.empty() || !nulls.empty() || record_bytes || unique || count;
  }
};

void add_by_option(CLI::App& command, table_options& options, const char* what);
void add_table_options(CLI::App& command, table_options& options);

enum class table_result { rows, indices, count };

struct table_plan {
  table_request request;
  std::string output;
  engine_name engine;
  table_result result;
  format numbers = format::text;  // of row numbers
};

// Whether the run is over a table and not over a column of numbers: by the format, by what is asked for (`asks_for_rows`),
// or (where `looks_into_npy`) because the .npy has rows.
bool is_table_run(const column_options& options, bool asks_for_rows, bool looks_into_npy);

// Throws usage_error.
table_plan plan_for_table(const column_options& options, const table_options& rows);

// What rows were compared by, for the report; a column that was looked at twice is told once.
void tell_columns(std::span<const column_type> columns, report& facts);

std::vector<sort_key> parse_sort_keys(const table& of, const std::vector<std::string>& by, direction order);

// Writes what the plan says, of the rows chosen, and commits.
void write_result(const table_plan& plan, const table& from, std::span<const std::uint64_t> chosen, output_file& to,
                  phase_clock& clock);

// The same of rows that are merged from runs; returns how many there are. `directory`: for what has to be kept meanwhile.
std::uint64_t write_result(const table_plan& plan, const table& front, table_in_runs& from,
                           const std::string& directory, output_file& to, phase_clock& clock);

extern const char* const tables_help;  // the formats of tables, for a subcommand's help

}  // namespace ballot::app
