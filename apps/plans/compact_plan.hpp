// SPDX-License-Identifier: Apache-2.0
// The plan of one `ballot compact`.
#pragma once

#include <ballot/core/namespace.hpp>

#include "conditions/row_condition.hpp"
#include "conditions/where_expression.hpp"
#include "plans/run_plan.hpp"
#include "plans/table_plan.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ballot::app {

struct compact_options {
  column_options column;
  table_options rows;
  std::optional<std::string> where, flags;
  std::string mask;
  bool invert = false;
  std::optional<std::uint64_t> top;
};

struct column_compact_plan : column_plan {
  std::optional<row_condition> condition;  // this
  std::optional<where_expression> where;   // also as such, if it is one
  std::optional<std::string> flags;        // or this: a file
  bool invert = false;
  std::optional<std::uint64_t> top;
};

struct table_compact_plan : table_plan {
  std::optional<row_condition> where;  // this
  std::optional<std::string> flags;    // or this, or neither: every row
  bool invert = false;
  bool unique = false;
  bool group_count = false;
  std::optional<std::uint64_t> top;
  std::vector<std::string> keys;  // of unique and group_count, COLUMN[:TYPE]; none: whole rows
  std::string mask;               // a file; empty: none
  format mask_format = format::raw;
};

// Whether rows are selected each by itself, by a condition, and written as they are.
bool selects_rows_alone(const table_compact_plan& plan);
// Whether only the first of such rows are wanted, so that the others need not be read.
bool selects_first_rows(const table_compact_plan& plan);

using compact_plan = std::variant<column_compact_plan, table_compact_plan>;

compact_plan plan_compact(const compact_options& options);  // throws usage_error

}  // namespace ballot::app
