// SPDX-License-Identifier: Apache-2.0
#include "commands/dry_run.hpp"

#include "base/failure.hpp"
#include "commands/run.hpp"
#include "external_sort/run_limits.hpp"
#include "table_select/bound_condition.hpp"
#include "table_select/select_in_pieces.hpp"
#include "table_sort/row_keys.hpp"
#include "tables/joined_files.hpp"
#include "tables/table_batches.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

namespace ballot::app {
namespace {

constexpr auto not_read = "not read: bytes that are read from a pipe are gone";

// Bytes that sort and compact hold of a row beside its text: where it begins and ends, its number.
constexpr std::uint64_t bytes_a_row = 24;

template <class Plan>
engine_choice engine_for(const Plan& plan) {
  if (plan.gpus != 0) return {make_gpus_engine(plan.gpus), "requested"};
  return choose_engine(plan.engine);
}

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

// Files that are read behind the first. If one is a pipe, none is read.
void add_more_inputs(forecast& to, forecast_input& first, const std::vector<std::string>& paths,
                     std::string_view format) {
  for (const std::string& path : paths) {
    forecast_input in = look_at_input(path, format);
    in.content = "read behind it";
    if (first.note.empty()) first.note = in.note;
    to.inputs.push_back(std::move(in));
  }
}

// A column of numbers: its type, and its count where the file tells. Nothing is read of a pipe.
std::optional<dtype> look_at_column(forecast& to, const column_plan& plan) {
  forecast_input in = look_at_input(plan.input, name_of(plan.input_format));
  std::optional<dtype> type = plan.type;
  forecast others;
  add_more_inputs(others, in, plan.more_inputs, name_of(plan.input_format));
  if (in.note.empty()) {
    const auto column = open_sources(plan.inputs(), plan.input_format, plan.type);
    type = column->type();
    in.items = column->count();
    if (!in.items) in.note = "how many is known only when they are read";
  } else if (!type && plan.input_format == format::text) {
    type = dtype::i64;
  }
  in.content = fmt::format("{} items", type ? name_of(*type) : "numbers");
  to.inputs.push_back(in);
  to.inputs.insert(to.inputs.end(), others.inputs.begin(), others.inputs.end());
  return type;
}

// The columns that a sort compares, or that rows must differ in: from their fields where nothing
// gives their types. Reads the file then, batch by batch.
struct looked_at_table {
  std::optional<std::uint64_t> rows;
  std::uint64_t bytes = 0;  // decompressed
  std::vector<column_type> types;
};

bool is_unknown(const sort_key& key) { return key.requested.is_unspecified(); }

looked_at_table look_at_rows(const file_table& header, input_file& file, std::vector<sort_key> keys,
                             const batch_limits& limits) {
  looked_at_table found;
  std::vector<type_inference> inference(keys.size());
  std::uint64_t rows = 0;
  table_batch_reader batches(header, file, limits);
  while (!batches.ended()) {
    const auto batch = batches.next();
    rows += batch->rows();
    found.bytes += batch->bytes();
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (is_unknown(keys[i]) && !inference[i].is_settled()) batch->infer_type(keys[i].column, inference[i]);
  }
  found.rows = rows;
  for (std::size_t i = 0; i < keys.size(); ++i)
    found.types.push_back(header.infers_types() && is_unknown(keys[i])
                              ? inference[i].type_of(keys[i].column)
                              : static_cast<column_type>(keys[i].column_of(header)));
  return found;
}

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

void add_flags(forecast& to, const std::optional<std::string>& flags) {
  if (!flags) return;
  forecast_input in = look_at_input(*flags, "");
  in.content = "flags, a byte each";
  to.inputs.push_back(in);
}

}  // namespace

forecast begin_forecast(const char* command, const engine_choice& engine) {
  forecast f;
  f.command = command;
  f.engine = engine.chosen->name();
  f.engine_reason = engine.reason;
  f.device = engine.chosen->device();
  return f;
}

forecast_input look_at_input(const std::string& path, std::string_view format) {
  forecast_input in;
  in.path = path;
  in.format = format;
  if (path == "-") {
    in.note = not_read;
    return in;
  }
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) throw_errno(path);
  if (access(path.c_str(), R_OK) != 0) throw_errno(path);
  if (S_ISDIR(status.st_mode)) throw_errno(path, EISDIR);
  if (S_ISREG(status.st_mode)) in.bytes = static_cast<std::uint64_t>(status.st_size);
  else in.note = not_read;
  return in;
}

void add_output(forecast& to, const std::string& path, std::string content) {
  forecast_output out{path, std::move(content), {}};
  struct stat status {};
  if (path != "-" && stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) throw_errno(path, EISDIR);
    if (access(path.c_str(), W_OK) != 0) throw_errno(path);
    if (S_ISREG(status.st_mode)) out.replaces = static_cast<std::uint64_t>(status.st_size);
  } else if (path != "-") {
    const std::string folder = parent_folder(path);
    if (access(folder.c_str(), W_OK | X_OK) != 0) throw_errno(path);
  }
  to.outputs.push_back(std::move(out));
}

void add_types(forecast& to, std::span<const column_type> types) {
  report recorded;
  record_columns(types, recorded);
  to.columns = std::move(recorded.columns);
}

forecast forecast_of(const column_sort_plan& plan) {
  const engine_choice engine = engine_for(plan);
  forecast f = begin_forecast("sort", engine);
  const auto type = look_at_column(f, plan);
  if (type) {
    const sort_request request{*type, plan.order, plan.bits.of(*type), plan.argsort};
    const std::uint64_t item = size_of(*type), memory = plan.limits.memory();
    const std::uint64_t most = std::max<std::uint64_t>(1, engine.chosen->sort_capacity(request, memory));
    if (const auto count = f.inputs.front().items) {
      const bool fits = *count <= most || plan.argsort;
      // In proportion to what the limit holds.
      f.memory_bytes = fits ? static_cast<std::uint64_t>(static_cast<double>(memory) * static_cast<double>(*count) /
                                                         static_cast<double>(most))
                            : memory;
      f.memory_bytes = std::max(*f.memory_bytes, std::min(memory, *count * item));
      f.temporary_bytes = fits ? 0 : *count * item;
    }
  }
  if (!plan.argsort) f.temporary_directory = plan.limits.directory;
  f.steps.push_back(fmt::format("sort, {}", plan.order == direction::descending ? "largest first" : "smallest first"));
  add_output(f, plan.output,
             plan.argsort ? fmt::format("positions, u64, {}", name_of(plan.output_format))
                          : fmt::format("{} items, {}", type ? name_of(*type) : "the", name_of(plan.output_format)));
  return f;
}

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
    batch_limits limits;
    limits.bytes = std::min<std::uint64_t>(memory / 4, std::uint64_t{256} << 20);
    limits.longest_row = limits.bytes;
    const looked_at_table found = look_at_rows(*header, *opened.file, keys, limits);
    in.items = found.rows;
    add_types(f, found.types);
    for (const sort_key& key : keys)
      by += fmt::format("{}{}{}", by.empty() ? " by " : ", ", key.column,
                        key.order == direction::descending ? " (largest first)" : "");
    const std::uint64_t a_row = bytes_a_row + 2 * sizeof(std::uint64_t) * keys.size();
    const std::uint64_t needed = found.bytes + *in.items * a_row;
    f.memory_bytes = in_memory ? needed : std::min(needed, memory);
    f.temporary_bytes = in_memory || needed <= memory ? 0 : found.bytes;
  }
  f.inputs.push_back(in);
  f.inputs.insert(f.inputs.end(), others.inputs.begin(), others.inputs.end());
  if (!in_memory) f.temporary_directory = plan.limits.directory;
  f.steps.push_back(fmt::format("sort{}{}{}", by,
                                plan.unique        ? ", of equal rows the first"
                                : plan.group_count ? ", of equal rows the first and their number"
                                                   : "",
                                plan.top ? fmt::format(", the first {} rows", *plan.top) : ""));
  add_output(f, plan.output, content_of(plan.result, name_of_format(plan.request.format)));
  return f;
}

forecast forecast_of(const column_compact_plan& plan) {
  forecast f = begin_forecast("compact", choose_engine(plan.engine));
  const auto type = look_at_column(f, plan);
  if (type && f.inputs.front().items) f.memory_bytes = 2 * size_of(*type) * *f.inputs.front().items;
  add_flags(f, plan.flags);
  f.steps.push_back(!plan.condition && !plan.flags ? "keep the items"
                    : plan.condition
                        ? (plan.invert ? "keep the items for which the condition is false"
                                       : "keep the items for which the condition is true")
                        : (plan.invert ? "keep the items whose flag is 0" : "keep the items whose flag is not 0"));
  if (plan.top) f.steps.push_back(fmt::format("the first {} items", *plan.top));
  add_output(f, plan.output, fmt::format("{} items, {}", type ? name_of(*type) : "the", name_of(plan.output_format)));
  return f;
}

forecast forecast_of(const table_compact_plan& plan) {
  forecast f = begin_forecast("compact", choose_engine(plan.engine));
  forecast_input in = look_at_input(plan.input, name_of_format(plan.request.format));
  in.content = "rows";
  forecast others;
  add_more_inputs(others, in, plan.request.more_paths, in.format);
  if (in.note.empty()) {
    phase_clock clock;
    constexpr auto unlimited = std::numeric_limits<std::uint64_t>::max();
    const opened_table opened = open_table_files(plan.request, unlimited, unlimited);
    const bool is_in_pieces = selects_rows_alone(plan) && can_select_in_pieces(*opened.header, *opened.file) &&
                              choose_engine(plan.engine).chosen->sorts_in_host_memory();
    const auto from = read_table(*opened.header, *opened.file, clock);
    in.items = from->rows();
    std::vector<column_type> types;
    if (plan.where) bound_condition(*plan.where, *from).add_types(types);
    std::vector<sort_key> keys;
    for (const std::string& text : plan.keys) keys.push_back(parse_sort_key(text, *from, direction::ascending));
    for (const sort_key& key : keys) types.push_back(key.column_of(*from));
    add_types(f, types);
    f.memory_bytes = from->bytes() +
                     from->rows() * (bytes_a_row + 2 * sizeof(std::uint64_t) * std::max<std::size_t>(1, types.size()));
    if (is_in_pieces) f.memory_bytes = std::min(*f.memory_bytes, memory_of_pieces());
  }
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

forecast forecast_of(const scan_plan& plan) {
  forecast f = begin_forecast("scan", choose_engine(plan.engine));
  const auto names = [&] {
    switch (plan.request.format) {
      case array_format::npy:
        return "npy";
      case array_format::segy:
        return "SEG-Y";
      case array_format::text:
        return "text";
      case array_format::raw:
        break;
    }
    return "raw";
  }();
  forecast_input in = look_at_input(plan.input, names);
  in.content = "items";
  if (in.note.empty()) {
    // Read as the run reads it: only then are the rows of a text or of a SEG-Y file known to be
    // whole.
    phase_clock clock;
    const array_rows data = open_array(plan.request)->read(clock);
    (void)plan.accumulate.of(data.type);
    in.items = data.items.size() / size_of(data.type);
    in.content = fmt::format("{} items in {} rows of {}", name_of(data.type), data.rows, data.length);
    f.memory_bytes = (plan.request.format == array_format::segy ? 3 : 2) * data.items.size();
  }
  f.inputs.push_back(in);
  f.steps.push_back(plan.direction == row_direction::forward    ? "sum forward along the rows"
                    : plan.direction == row_direction::backward ? "sum backward along the rows"
                                                                : "sum forward, then backward, along the rows");
  add_output(f, plan.output, fmt::format("as many items, {}", names));
  return f;
}

}  // namespace ballot::app
