// SPDX-License-Identifier: Apache-2.0
#include "plans/compact_plan.hpp"

#include "base/failure.hpp"
#include "base/text.hpp"
#include "files/output_file.hpp"
#include "files/output_name.hpp"
#include "table_select/select_items.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace ballot::app {
namespace {

void require_one_standard_input(const compact_options& options) {
  if (options.flags == "-" && options.column.input == "-")
    throw usage_error("the input and its flags cannot both be read from standard input");
}

column_compact_plan plan_column_compact(const compact_options& options) {
  if (options.where && options.flags) throw usage_error("compact needs one of --where and --flags");
  if (!options.where && !options.flags && !options.top) throw usage_error("compact needs one of --where and --flags");
  std::optional<row_condition> condition;
  std::optional<where_expression> where;
  if (options.where) {
    condition = parse_row_condition(*options.where);
    require_item_condition(*condition);
    where = as_where_expression(*condition);
  }
  column_compact_plan plan{
      plan_column(options.column), std::move(condition), std::move(where), options.flags, options.invert, options.top};
  require_one_standard_input(options);
  return plan;
}

bool name_one_file(const std::string& a, const std::string& b) {
  std::error_code unknown;  // then they are compared as they are written
  const auto resolved = [&](const std::string& path) { return std::filesystem::weakly_canonical(path, unknown); };
  return !is_standard_output(a) && !is_standard_output(b) && (a == b || resolved(a) == resolved(b));
}

table_compact_plan plan_table_compact(const compact_options& options) {
  if (options.where && options.flags) throw usage_error("compact needs one of --where and --flags");
  const bool compares_rows = options.rows.unique || options.rows.group_count;
  if (!options.where && !options.flags && !compares_rows && !options.top)
    throw usage_error("compact needs one of --where and --flags, or --unique, --group-count or --top");
  if (!options.rows.by.empty() && !compares_rows)
    throw usage_error("--by goes with --unique and --group-count: it names the columns to compare");
  if (options.rows.group_count && !options.mask.empty())
    throw usage_error("--group-count and --mask contradict each other");
  table_compact_plan plan{plan_table(options.column, options.rows),
                          {},
                          options.flags,
                          options.invert,
                          options.rows.unique,
                          options.rows.group_count,
                          options.top,
                          options.rows.by,
                          options.mask,
                          format_of_extension(options.mask).value_or(format::raw)};
  plan.result.directory = directory_for_runs({}, plan.output);
  plan.result.infers_from_written = options.top.has_value();
  require_one_standard_input(options);
  if (is_standard_output(plan.mask) && is_standard_output(plan.output))
    throw usage_error("the rows and their mask cannot both be written to standard output");
  if (!plan.mask.empty() && name_one_file(plan.mask, plan.output))
    throw usage_error(fmt::format("--mask and -o both write {}", in_quotes(plan.mask)));
  require_extension(plan.mask, {".npy", ".raw", ".bin"}, "one byte per row");
  if (options.where) plan.where = parse_row_condition(*options.where);
  if (plan.where)
    for (const condition_node& node : plan.where->nodes)
      if (!node.name.empty()) plan.request.used.named.push_back(node.name);  // more than columns: no harm
  return plan;
}

}  // namespace

bool selects_rows_alone(const table_compact_plan& plan) {
  return plan.where && !plan.flags && !plan.unique && !plan.group_count && !plan.top && plan.mask.empty() &&
         !plan.result.conversion;
}

bool selects_first_rows(const table_compact_plan& plan) {
  return plan.top && plan.mask.empty() && !plan.flags && !plan.unique && !plan.group_count;
}

compact_plan plan_compact(const compact_options& options) {
  require_inputs(options.column);
  if (options.invert && !options.where && !options.flags)
    throw usage_error("--invert goes with --where and --flags: it keeps what they do not select");
  const bool asks_for_rows = options.rows.asks_for_rows() || options.rows.indices || !options.mask.empty();
  if (is_table_run(options.column, asks_for_rows, true)) return plan_table_compact(options);
  return plan_column_compact(options);
}

}  // namespace ballot::app
