// SPDX-License-Identifier: Apache-2.0
// The options that subcommands share, as they stand on the command line. A plan (plans/) is made of
// them once, with all checks.
#pragma once

#include <ballot/core/namespace.hpp>

#include "report/report.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ballot::app {

// The options of every run.
struct run_options {
  std::string input;
  std::string output;  // empty: not given
  std::string engine = "auto";
  std::optional<std::uint64_t> compression_level;
  bool verify = false;
  bool json = false;
  bool quiet = false;
  bool report = false;
  bool dry_run = false;

  report_style style() const {
    return json     ? report_style::json
           : quiet  ? report_style::none
           : report ? report_style::human
                    : report_style::automatic;
  }
};

void add_input_and_output(CLI::App& command, run_options& options);
void add_engine_and_report(CLI::App& command, run_options& options);
extern const char* const output_help;  // the end of a subcommand's help

// The options of a run over a column.
struct column_options : run_options {
  std::vector<std::string> more_inputs;  // behind the first
  std::string input_format, output_format, type;
};

void add_column_options(CLI::App& command, column_options& options);

}  // namespace ballot::app
