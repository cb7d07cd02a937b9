// SPDX-License-Identifier: Apache-2.0
#include "plans/compact_plan.hpp"

#include "base/failure.hpp"
#include "files/output_name.hpp"

#include <utility>

namespace ballot::app {
namespace {

void require_one_standard_input(const compact_options& options) {
  if (options.flags == "-" && options.column.input == "-")
    throw usage_error("the input and its flags cannot both be read from standard input");
}

column_compact_plan plan_column_compact(const compact_options& options) {
  if (options.where.has_value() == options.flags.has_value())
    throw usage_error("compact needs one of --where and --flags");
  std::optional<where_expression> where;
  if (options.where) where = parse_where(*options.where);
  column_compact_plan plan{plan_column(options.column), std::move(where), options.flags, options.invert};
  require_one_standard_input(options);
  return plan;
}

table_compact_plan plan_table_compact(const compact_options& options) {
  if (options.where && options.flags) throw usage_error("compact needs one of --where and --flags");
  if (!options.where && !options.flags && !options.rows.unique)
    throw usage_error("compact needs one of --where and --flags, or --unique");
  if (!options.rows.by.empty() && !options.rows.unique)
    throw usage_error("--by goes with --unique: it names the columns to compare");
  table_compact_plan plan{plan_table(options.column, options.rows),
                          {},
                          options.flags,
                          options.invert,
                          options.rows.unique,
                          options.rows.by,
                          options.mask,
                          format_of_extension(options.mask).value_or(format::raw)};
  plan.result.directory = directory_for_runs({}, plan.output);
  require_one_standard_input(options);
  if (plan.mask == "-" && plan.output == "-")
    throw usage_error("the rows and their mask cannot both be written to standard output");
  require_extension(plan.mask, {".npy", ".raw", ".bin"}, "one byte per row");
  if (options.where) plan.where = parse_row_condition(*options.where);
  return plan;
}

}  // namespace

compact_plan plan_compact(const compact_options& options) {
  require_inputs(options.column);
  const bool asks_for_rows = options.rows.asks_for_rows() || options.rows.indices || !options.mask.empty();
  if (is_table_run(options.column, asks_for_rows, true)) return plan_table_compact(options);
  return plan_column_compact(options);
}

}  // namespace ballot::app
