// The options that sort and compact share.
#pragma once

#include <ballot/core/namespace.hpp>

#include "common/engine.hpp"
#include "common/formats/format.hpp"
#include "common/report.hpp"

#include <memory>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace ballot::app {

// As they stand on the command line.
struct column_options {
  std::string input;
  std::string output;  // empty: not given
  std::string input_format, output_format, type, engine = "auto";
  bool verify = false;
  bool json = false;
  bool quiet = false;

  report_style style() const { return json ? report_style::json : quiet ? report_style::none : report_style::human; }
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
