// SPDX-License-Identifier: Apache-2.0
// What every run, and every run over a column of numbers, is to do: made of the options once, before any work. What
// remains is what only the input's own header can say (its type, its columns).
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

namespace ballot::app {

struct run_plan {
  std::string input;   // "-" is standard input
  std::string output;  // "-" is standard output
  engine_name engine = engine_name::automatic;
  bool verify = false;
  report_style style = report_style::automatic;
  bool dry_run = false;
};

struct column_plan : run_plan {
  format input_format{};
  format output_format{};
  std::optional<dtype> type;  // as the user said it
};

// All of these throw usage_error.
run_plan plan_run(const run_options& options);  // all but the output
column_plan plan_column(const column_options& options);

void require_input(const run_options& options);
std::optional<dtype> parse_dtype(const std::string& name);  // of --dtype; empty: none
// Without -o the output is standard output, which must not be a terminal where the result is binary.
std::string parse_output(const run_options& options, bool is_text);
[[noreturn]] void throw_unknown_format(const std::string& name, std::string_view known);
// For an input whose format is neither given nor in its name.
[[noreturn]] void throw_no_format(const std::string& input, std::string_view known);
[[noreturn]] void throw_raw_without_type(const std::string& input);

}  // namespace ballot::app
