// SPDX-License-Identifier: Apache-2.0
// The report of a run, printed on standard error.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/dtype.hpp"
#include "base/phase_clock.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ballot::app {

// `automatic`: for people, where standard error is a terminal or the job is not small (is_small).
enum class report_style { automatic, human, json, none };

// A table column that rows were compared by.
struct compared_column {
  std::string name, type;
  bool is_inferred = false;  // from its fields
  bool is_mixed = false;     // text, although some fields are numbers
  std::uint64_t line = 0;    // inferred: of the field that decided it; 0: none did
  std::string text{};
};

// A number of a command's own. Without one there is a reason why.
using detail = std::variant<std::uint64_t, double, std::string>;

struct report {
  std::string command;
  std::string engine, engine_reason, device;
  std::string input, output;
  std::optional<dtype> type;
  std::uint64_t count = 0;
  std::string counted = "items";
  std::optional<std::uint64_t> table_bytes;  // of the file, where the items are rows of a table
  std::optional<std::uint64_t> rows;         // where the items are in rows
  std::uint64_t blank_lines = 0;             // of a text, skipped
  std::optional<std::uint64_t> count_out;    // where it can differ from `count`
  std::optional<std::uint64_t> runs;         // where the input did not fit into memory
  std::vector<compared_column> columns;
  std::optional<bool> verified;
  // For commands that are not about a column of items: their own numbers, and one line about them
  // for people.
  std::vector<std::pair<std::string, detail>> details;
  std::string summary;
  std::uint64_t detail_bytes = 0;  // the work of such a command, for is_small
};

// A job on less than 16 MiB: of items, of the file of a table, of objects times steps (16 bytes
// each).
bool is_small(const report& r);

void print_report(const report& r, const phase_clock& clock, report_style style);

// A failed run: one line for people, or one JSON object with what is known so far.
void print_failure(const report& r, const std::string& message, report_style style);

}  // namespace ballot::app
