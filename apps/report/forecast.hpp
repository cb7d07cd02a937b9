// SPDX-License-Identifier: Apache-2.0
// Prints on standard output what a run would do (--dry-run).
#pragma once

#include <ballot/core/namespace.hpp>

#include "report/report.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ballot::app {

struct forecast_input {
  std::string path, format;
  std::optional<std::uint64_t> bytes;  // of the file, as it lies there
  std::optional<std::uint64_t> items;  // of this file, where that is known without a run
  std::string content;                 // "u32 items", "rows", in words
  std::string note{};                  // why something is not known
};

struct forecast_output {
  std::string path, content;
  std::optional<std::uint64_t> replaces;  // the bytes of a file that is there
};

struct forecast {
  std::string command;
  std::vector<forecast_input> inputs;
  std::optional<std::uint64_t> items;  // of all inputs together, where that is known without a run
  std::vector<compared_column> columns;
  std::string engine, engine_reason, device;
  int processes = 1;
  std::optional<std::uint64_t> memory_bytes;     // of a process, about; none: not known before the run
  std::optional<std::uint64_t> temporary_bytes;  // 0: no runs; none: not known before the run
  std::string temporary_directory;               // where runs would be
  std::vector<forecast_output> outputs;
  std::vector<std::string> steps;  // what else is done, in words
};

void print_forecast(const forecast& f, report_style style);

}  // namespace ballot::app
