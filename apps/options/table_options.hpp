// SPDX-License-Identifier: Apache-2.0
// The options for tables, which sort and compact share, as they stand on the command line.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ballot::app {

struct table_options {
  std::vector<std::string> by;
  std::string delimiter;
  std::vector<std::string> nulls;
  std::vector<std::string> columns;
  std::optional<std::uint64_t> record_bytes;
  bool no_header = false;
  bool unique = false;
  bool indices = false;
  const char* indices_option = "--indices";  // or another one that asks for the same
  bool count = false;
  bool group_count = false;

  // Whether anything was asked for that a column alone cannot do.
  bool asks_for_rows() const {
    return !by.empty() || !delimiter.empty() || !nulls.empty() || record_bytes || unique || count || group_count ||
           no_header || !columns.empty();
  }
};

void add_by_option(CLI::App& command, table_options& options, const char* what);
void add_table_options(CLI::App& command, table_options& options);

extern const char* const tables_help;  // the formats of tables, for a subcommand's help

}  // namespace ballot::app
