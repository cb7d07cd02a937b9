// SPDX-License-Identifier: Apache-2.0
#include "plans/sort_plan.hpp"

#include "base/failure.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace ballot::app {
namespace {

bits_option parse_bits(const std::string& text) {
  if (text.empty()) return {};
  const std::string_view whole = text;
  const auto number_in = [&](std::string_view digits) -> std::optional<int> {
    if (digits.empty()) return std::nullopt;
    int value = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || value < 0)
      throw usage_error(fmt::format("--bits {}: expected LO:HI, for example 0:16", text));
    return value;
  };
  const std::size_t colon = whole.find(':');
  if (colon == std::string_view::npos)
    throw usage_error(fmt::format("--bits {}: expected LO:HI, for example 0:16", text));
  return {text, number_in(whole.substr(0, colon)), number_in(whole.substr(colon + 1))};
}

run_limits plan_limits(const sort_options& options, const run_plan& plan) {
  return {options.memory, directory_for_runs(options.run_directory, plan.output),
          plan.style == report_style::human || plan.style == report_style::automatic};
}

direction order_of(const sort_options& options) {
  return options.descending ? direction::descending : direction::ascending;
}

int gpus_of(const sort_options& options) {
  if (!options.gpus) return 0;
  if (options.column.engine == "cpu") throw usage_error("--gpus and --engine cpu do not go together");
  return static_cast<int>(*options.gpus);
}

column_sort_plan plan_column_sort(const sort_options& options, bool argsort) {
  column_sort_plan plan{
      plan_column(options.column), order_of(options), parse_bits(options.bits), argsort, {}, gpus_of(options)};
  plan.limits = plan_limits(options, plan);
  return plan;
}

table_sort_plan plan_table_sort(const sort_options& options, bool row_numbers) {
  if (!options.bits.empty()) throw usage_error("--bits is for a single column of numbers, not for rows");
  table_options rows = options.rows;
  if (row_numbers && !rows.indices) rows.indices_option = "--argsort";
  rows.indices = row_numbers;
  table_sort_plan plan{plan_table(options.column, rows),
                       rows.by,
                       order_of(options),
                       rows.unique,
                       rows.group_count,
                       options.top,
                       {},
                       gpus_of(options)};
  plan.limits = plan_limits(options, plan);
  plan.result.directory = plan.limits.directory;
  return plan;
}

}  // namespace

bit_range bits_option::of(dtype type) const {
  const int width = static_cast<int>(8 * size_of(type));
  const bit_range bits{low.value_or(0), high.value_or(width)};
  if (bits.low >= bits.high || bits.high > width)
    throw usage_error(
        fmt::format("--bits {}: {} has bits 0:{}, and LO must be less than HI", text, name_of(type), width));
  return bits;
}

sort_plan plan_sort(const sort_options& options) {
  require_inputs(options.column);
  const bool row_numbers = options.argsort || options.rows.indices;
  if (row_numbers && (options.memory != 0 || !options.run_directory.empty()))
    throw usage_error("--memory and --runs-in do not go with --argsort and --indices, which sort in memory");
  if (is_table_run(options.column, options.rows.asks_for_rows() || options.top, false))
    return plan_table_sort(options, row_numbers);
  return plan_column_sort(options, row_numbers);
}

}  // namespace ballot::app
