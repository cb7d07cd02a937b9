// SPDX-License-Identifier: Apache-2.0
// The plan of every run, and of every run over a column of numbers. It is made of the options once,
// before any work. Only the facts in the input's own header remain open (its type, its columns).
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/dtype.hpp"
#include "columns/format.hpp"
#include "engines/engine.hpp"
#include "options/options.hpp"
#include "report/report.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::app {

struct run_plan {
  std::string input;   // "-" is standard input
  std::string output;  // "-" is standard output
  engine_name engine = engine_name::automatic;
  std::optional<int> compression_level;
  bool verify = false;
  report_style style = report_style::automatic;
  bool dry_run = false;
};

struct column_plan : run_plan {
  format input_format{};
  format output_format{};
  std::vector<std::string> more_inputs;  // read behind the first
  std::optional<dtype> type;             // as the user said it

  std::vector<std::string> inputs() const;  // all of them
};

// All of these throw usage_error.
run_plan plan_run(const run_options& options);  // all but the output
column_plan plan_column(const column_options& options);

void require_input(const run_options& options);
void require_inputs(const column_options& options);         // one or several, of one format
std::optional<dtype> parse_dtype(const std::string& name);  // of --dtype; empty: none
// Without -o the output is standard output, which must not be a terminal where the result is
// binary.
std::string parse_output(const run_options& options, bool is_text);
// The folder for temporary files: the directory that is given, else that of the output.
std::string directory_for_runs(const std::string& given, const std::string& output);
[[noreturn]] void throw_unknown_format(const std::string& name, std::string_view known);
// For an input whose format is neither given nor in its name.
[[noreturn]] void throw_no_format(const std::string& input, std::string_view known);
[[noreturn]] void throw_raw_without_type(const std::string& input);

}  // namespace ballot::app
