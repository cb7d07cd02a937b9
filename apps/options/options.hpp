// The options that subcommands share.
#pragma once

#include <ballot/core/namespace.hpp>

#include "columns/format.hpp"
#include "engines/engine.hpp"
#include "report/report.hpp"

#include <memory>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace ballot::app {

// Of every run, as they stand on the command line.
struct run_options {
  std::string input;
  std::string output;  // empty: not given
  std::string engine = "auto";
  bool verify = false;
  bool json = false;
  bool quiet = false;

  report_style style() const { return json ? report_style::json : quiet ? report_style::none : report_style::human; }
};

void add_input_and_output(CLI::App& command, run_options& options);
void add_engine_and_report(CLI::App& command, run_options& options);
void require_input(const run_options& options);       // throws usage_error
engine_name require_engine(const std::string& name);  // throws usage_error
// Without -o the output goes to standard output, which must not be a terminal where it is binary. Throws usage_error.
std::string require_output(const run_options& options, bool is_text);
extern const char* const output_help;  // the end of a subcommand's help

// Of a run over a column.
struct column_options : run_options {
  std::string input_format, output_format, type;
};

void add_column_options(CLI::App& command, column_options& options);

// As they are meant. Throws usage_error.
struct column_plan {
  std::string output;  // "-" is standard output
  format input_format;
  format output_format;
  std::optional<dtype> type;
  engine_name engine;
};

column_plan plan_for(const column_options& options);

}  // namespace ballot::app
