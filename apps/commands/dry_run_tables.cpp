// SPDX-License-Identifier: Apache-2.0
// --dry-run of sort and compact on tables.
#include "commands/dry_run.hpp"

#include "base/failure.hpp"
#include "commands/memory_forecast.hpp"
#include "table_select/bound_condition.hpp"
#include "table_select/select_first_rows.hpp"
#include "table_select/select_in_pieces.hpp"
#include "table_sort/row_keys.hpp"
#include "table_sort/sort_table_in_runs.hpp"
#include "tables/joined_files.hpp"
#include "tables/table_batches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace ballot::app {
namespace {

// Of a table that is only looked at, so much is enough at a time.
constexpr std::uint64_t looked_at_together = std::uint64_t{4} << 20;

std::string_view name_of_format(table_format f) {
  switch (f) {
    case table_format::csv:
      return "CSV";
    case table_format::json_lines:
      return "JSON Lines";
    case table_format::lines:
      return "lines";
    case table_format::npy:
      return "npy";
    case table_format::records:
      return "records";
    case table_format::sosd:
      return "SOSD";
    case table_format::text:
      return "text";
    case table_format::raw:
      return "raw";
    case table_format::arrow:
      return "Arrow";
    case table_format::parquet:
      return "Parquet";
  }
  return "";
}

// The columns that a sort compares, or that rows must differ in: from their fields where nothing
// gives their types. Reads the file then, batch by batch.
struct looked_at_table {
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;  // decompressed
  std::vector<column_type> types;
};

bool is_unknown(const sort_key& key) { return key.requested.is_unspecified(); }

looked_at_table look_at_rows(const file_table& header, input_file& file, std::vector<sort_key> keys,
                             batch_limits limits) {
  limits.enough = looked_at_together;
  looked_at_table found;
  std::vector<type_inference> inference(keys.size());
  table_batch_reader batches(header, file, limits);
  while (!batches.ended()) {
    auto batch = batches.next();
    found.rows += batch->rows();
    found.bytes += batch->bytes();
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (is_unknown(keys[i]) && !inference[i].is_settled()) batch->infer_type(keys[i].column, inference[i]);
    batches.reuse(std::move(batch));
  }
  for (std::size_t i = 0; i < keys.size(); ++i)
    found.types.push_back(header.infers_types() && is_unknown(keys[i])
                              ? inference[i].type_of(keys[i].column)
                              : static_cast<column_type>(keys[i].column_of(header)));
  return found;
}

bool writes_rows(const table_output& output) { return output.result == table_result::rows; }

std::string content_of(const table_output& output, std::string_view format) {
  if (output.result == table_result::count) return "the number of rows";
  if (output.result == table_result::row_numbers) return fmt::format("row numbers, {}", name_of(output.number_format));
  if (output.conversion) {
    const std::string_view columns = output.conversion->columns.empty() ? "all columns" : "some of the columns";
    switch (output.conversion->format) {
      case converted_format::csv:
        return fmt::format("rows, {}, as CSV", columns);
      case converted_format::json_lines:
        return fmt::format("rows, {}, as JSON Lines", columns);
      case converted_format::npy:
        return fmt::format("rows, {}, as npy", columns);
      case converted_format::arrow:
        return fmt::format("rows, {}, as an Arrow file", columns);
      case converted_format::arrow_stream:
        return fmt::format("rows, {}, as an Arrow stream", columns);
      case converted_format::parquet:
        return fmt::format("rows, {}, as Parquet", columns);
    }
  }
  return fmt::format("rows, {}, as they are written in the input", format);
}

// The run reads until it has enough rows. How many that takes is known only then.
void look_at_first_rows(forecast& to, forecast_input& in, const table_compact_plan& plan, const opened_table& opened) {
  const batch_limits limits = limits_of_first_rows();
  table_batch_reader batches(*opened.header, *opened.file, limits);
  const auto first = batches.next();
  std::vector<column_type> types;
  if (plan.where) bound_condition(*plan.where, *first).add_types(types);
  add_types(to, types);
  const std::uint64_t kept = std::min(*plan.top, first->rows());
  to.memory_bytes = memory_of_selected_rows({first->rows() + kept, first->bytes(), types.size()}, false);
  if (batches.ended()) {
    to.items = first->rows();
    return;
  }
  *to.memory_bytes += limits.chunk();
  in.note = "how many is known only when they are read";
}

void look_at_whole(forecast& to, const table_compact_plan& plan, const opened_table& opened) {
  phase_clock clock;
  const auto from = read_table(*opened.header, *opened.file, clock);
  to.items = from->rows();
  std::vector<column_type> types;
  if (plan.where) bound_condition(*plan.where, *from).add_types(types);
  std::vector<sort_key> keys;
  for (const std::string& text : plan.keys) keys.push_back(parse_sort_key(text, *from, direction::ascending));
  for (const sort_key& key : keys) types.push_back(key.column_of(*from));
  add_types(to, types);
  to.memory_bytes = memory_of_selected_rows({from->rows(), from->bytes(), types.size()}, writes_rows(plan.result));
}

// As the run does it, without what it writes. False where the run reads the whole table instead.
bool look_at_pieces(forecast& to, const table_compact_plan& plan, const opened_table& opened) {
  phase_clock clock;
  const piecewise_selection wanted{
      .where = &*plan.where, .invert = plan.invert, .wants_rows = false, .wants_numbers = false};
  const auto found = select_in_pieces(
      *opened.header, *opened.file, wanted, [] {}, [](auto, auto) {}, clock);
  if (!found) return false;
  to.items = found->rows;
  add_types(to, found->types);
  to.memory_bytes =
      std::min(memory_of_pieces(),
               memory_of_selected_rows({found->rows, found->bytes, found->types.size()}, writes_rows(plan.result)));
  if (plan.result.result == table_result::row_numbers) *to.memory_bytes += found->selected * sizeof(std::uint64_t);
  return true;
}

// In the way in which the run reads the table, which says what is in memory at a time.
void look_at_selected(forecast& to, forecast_input& in, const table_compact_plan& plan, const engine& worker) {
  constexpr auto unlimited = batch_limits::unlimited;
  const opened_table opened = open_table_files(plan.request, unlimited, unlimited);
  if (plan.group_count) (void)opened.header->counted_header(0);  // throws where there is no room for a count
  if (selects_first_rows(plan) && can_select_in_batches(*opened.header, plan.where ? &*plan.where : nullptr))
    return look_at_first_rows(to, in, plan, opened);
  if (selects_rows_alone(plan) && can_select_in_pieces(*opened.header, *opened.file) && worker.sorts_in_host_memory() &&
      look_at_pieces(to, plan, opened))
    return;
  look_at_whole(to, plan, opened);
}

}  // namespace

forecast forecast_of(const table_sort_plan& plan) {
  const engine_choice engine = engine_for(plan);
  forecast f = begin_forecast("sort", engine);
  forecast_input in = look_at_input(plan.input, name_of_format(plan.request.format));
  const std::uint64_t memory = plan.limits.memory();
  const bool in_memory = plan.result.result == table_result::row_numbers;
  in.content = "rows";
  std::string by;
  forecast others;
  add_more_inputs(others, in, plan.request.more_paths, in.format);
  if (in.note.empty()) {
    const auto opened = open_table_files(plan.request, memory / longest_row_share, memory);
    const auto& header = opened.header;
    const auto keys = parse_sort_keys(*header, plan.keys, plan.order);
    if (keys.empty())
      throw usage_error(fmt::format("{}: no column to sort by: use --by COLUMN: the columns are {}", header->name(),
                                    header->columns_in_words()));
    for (const sort_key& key : keys) (void)key.column_of(*header);
    if (plan.group_count) (void)header->counted_header(0);  // throws where there is no room for a count
    batch_limits limits = limits_of_sorted_batch(memory, keys, *engine.chosen);
    if (in_memory) limits.bytes = limits.longest_row = batch_limits::unlimited / 2;  // as read_table() has it
    const looked_at_table found = look_at_rows(*header, *opened.file, keys, limits);
    f.items = found.rows;
    add_types(f, found.types);
    for (const sort_key& key : keys)
      by += fmt::format("{}{}{}", by.empty() ? " by " : ", ", key.column,
                        key.order == direction::descending ? " (largest first)" : "");
    const bool fits =
        in_memory || (found.rows <= limits.rows && found.bytes + found.rows * limits.bytes_a_row <= limits.room());
    const std::uint64_t needed =
        memory_of_sorted_rows({found.rows, found.bytes, keys.size()}, writes_rows(plan.result));
    f.memory_bytes = in_memory ? needed : fits ? std::min(needed, memory) : memory;
    f.temporary_bytes = fits ? 0 : found.bytes;
  }
  if (others.inputs.empty()) in.items = f.items;  // rows of several files are counted together
  f.inputs.push_back(in);
  f.inputs.insert(f.inputs.end(), others.inputs.begin(), others.inputs.end());
  if (!in_memory) add_runs(f, plan.limits.directory);
  f.steps.push_back(fmt::format("sort{}{}{}", by,
                                plan.unique        ? ", of equal rows the first"
                                : plan.group_count ? ", of equal rows the first and their number"
                                                   : "",
                                plan.top ? fmt::format(", the first {} rows", *plan.top) : ""));
  add_output(f, plan.output, content_of(plan.result, name_of_format(plan.request.format)));
  return f;
}

forecast forecast_of(const table_compact_plan& plan) {
  const engine_choice engine = choose_engine(plan.engine);
  forecast f = begin_forecast("compact", engine);
  forecast_input in = look_at_input(plan.input, name_of_format(plan.request.format));
  in.content = "rows";
  forecast others;
  add_more_inputs(others, in, plan.request.more_paths, in.format);
  if (in.note.empty()) look_at_selected(f, in, plan, *engine.chosen);
  if (others.inputs.empty()) in.items = f.items;  // rows of several files are counted together
  f.inputs.push_back(in);
  f.inputs.insert(f.inputs.end(), others.inputs.begin(), others.inputs.end());
  add_flags(f, plan.flags);
  if (plan.where)
    f.steps.push_back(plan.invert ? "keep the rows for which the condition is false"
                                  : "keep the rows for which the condition is true");
  if (plan.flags)
    f.steps.push_back(plan.invert ? "keep the rows whose flag is 0" : "keep the rows whose flag is not 0");
  if (plan.unique) f.steps.push_back("drop rows that equal the selected row before them");
  if (plan.group_count) f.steps.push_back("of neighbouring equal rows the first and their number");
  if (plan.top) f.steps.push_back(fmt::format("the first {} rows", *plan.top));
  add_output(f, plan.output, content_of(plan.result, name_of_format(plan.request.format)));
  if (!plan.mask.empty()) add_output(f, plan.mask, "a byte for each row");
  return f;
}

}  // namespace ballot::app
