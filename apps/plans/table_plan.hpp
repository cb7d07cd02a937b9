// SPDX-License-Identifier: Apache-2.0
// The plan of a run over a table, whatever it makes of the rows.
#pragma once

#include <ballot/core/namespace.hpp>

#include "options/table_options.hpp"
#include "plans/run_plan.hpp"
#include "tables/table.hpp"
#include "tables/table_output.hpp"

namespace ballot::app {

struct table_plan : run_plan {
  table_request request;
  table_output result;
};

// Whether the run is over a table and not over a column of numbers. The reason is the format,
// options that only tables have (`asks_for_rows`), or the items of an .npy: they are not plain
// numbers, or, if `looks_into_npy`, are rows.
bool is_table_run(const column_options& options, bool asks_for_rows, bool looks_into_npy);

table_plan plan_table(const column_options& options, const table_options& rows);  // throws usage_error

}  // namespace ballot::app
