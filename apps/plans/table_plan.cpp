// SPDX-License-Identifier: Apache-2.0
#include "plans/table_plan.hpp"

#include "base/failure.hpp"
#include "base/text.hpp"
#include "columns/npy.hpp"
#include "files/output_name.hpp"

#include <fmt/format.h>

#include <utility>

namespace ballot::app {
namespace {

constexpr std::pair<std::string_view, table_format> by_name[] = {
    {"csv", table_format::csv},         {"tsv", table_format::csv},   {"lines", table_format::lines},
    {"records", table_format::records}, {"sosd", table_format::sosd}, {"raw", table_format::raw},
    {"npy", table_format::npy},         {"text", table_format::text}};

bool is_tab_separated(const column_options& options) {
  return options.input_format.empty() ? options.input.ends_with(".tsv") : options.input_format == "tsv";
}

std::optional<table_format> format_of(const column_options& options) {
  if (!options.input_format.empty()) {
    for (const auto& [name, value] : by_name)
      if (name == options.input_format) return value;
    return std::nullopt;
  }
  if (options.input.ends_with(".csv") || options.input.ends_with(".tsv")) return table_format::csv;
  if (const auto f = format_of_extension(options.input))
    return *f == format::raw ? table_format::raw : *f == format::npy ? table_format::npy : table_format::text;
  return std::nullopt;
}

bool has_rows_only(table_format f) {
  return f != table_format::raw && f != table_format::npy && f != table_format::text;
}

char delimiter_of(const column_options& options, const table_options& rows) {
  if (rows.delimiter.empty()) return is_tab_separated(options) ? '\t' : ',';
  if (rows.delimiter == "\\t" || rows.delimiter == "tab") return '\t';
  if (rows.delimiter.size() != 1 || rows.delimiter == "\"" || rows.delimiter == "\n" || rows.delimiter == "\r")
    throw usage_error(
        fmt::format("--delimiter {}: use one ASCII character other than a quote or a line end, or the word tab",
                    in_quotes(rows.delimiter)));
  return rows.delimiter[0];
}

bool is_text(table_format f) { return f == table_format::csv || f == table_format::lines || f == table_format::text; }

// Rows are written as they came.
void require_rows_extension(const column_options& options, const table_request& request) {
  if (have_same_extension(options.output, options.input)) return;
  const std::string rows =
      fmt::format("rows in the format of {}", options.input == "-" ? "standard input" : options.input);
  switch (request.format) {
    case table_format::csv:
      return request.delimiter == '\t' ? require_extension(options.output, {".tsv"}, rows)
                                       : require_extension(options.output, {".csv"}, rows);
    case table_format::lines:
    case table_format::text:
      return require_extension(options.output, {".txt"}, rows);
    case table_format::npy:
      return require_extension(options.output, {".npy"}, rows);
    case table_format::records:
    case table_format::raw:
      return require_extension(options.output, {".raw", ".bin"}, rows);
    case table_format::sosd:
      return require_extension(options.output, {}, rows);
  }
}

// What the numbers of rows are written as: the extension or --output-format tells, else what goes with the input.
format format_of_numbers(const column_options& options, table_format input) {
  if (!options.output_format.empty()) {
    const auto named = format_named(options.output_format);
    if (!named) throw_unknown_format(options.output_format, format_names);
    return *named;
  }
  return format_of_extension(options.output)
      .value_or(input == table_format::npy ? format::npy
                : is_text(input)           ? format::text
                                           : format::raw);
}

table_format parse_table_format(const column_options& options, const table_options& rows) {
  const auto given = format_of(options);
  if (!options.input_format.empty() && !given) throw_unknown_format(options.input_format, every_format_name);
  if (rows.record_bytes) {
    if (given && *given != table_format::raw && *given != table_format::records)
      throw usage_error(fmt::format("--record-bytes contradicts the format of {}", options.input));
    return table_format::records;
  }
  if (given == table_format::records) throw usage_error("--format records needs --record-bytes N");
  if (given) return *given;
  if (!rows.delimiter.empty()) return table_format::csv;
  if (options.input == "-") return table_format::text;
  throw_no_format(options.input, every_format_name);
}

table_request plan_request(const column_options& options, const table_options& rows) {
  table_request request{};
  request.path = options.input;
  request.type = parse_dtype(options.type);
  request.format = parse_table_format(options, rows);
  const bool is_csv = request.format == table_format::csv;
  if (!rows.delimiter.empty() && !is_csv) throw usage_error("--delimiter is for CSV (--format csv)");
  if (!rows.nulls.empty() && !is_csv) throw usage_error("--null is for CSV (--format csv)");
  if (request.type && (is_csv || request.format == table_format::lines || request.format == table_format::records))
    throw usage_error(fmt::format("--dtype is for a single column of numbers: use --by COLUMN:{}", options.type));
  if (request.format == table_format::raw && !request.type) throw_raw_without_type(options.input);
  request.nulls = rows.nulls;
  request.delimiter = delimiter_of(options, rows);
  request.record_bytes = rows.record_bytes;
  return request;
}

}  // namespace

bool is_table_run(const column_options& options, bool asks_for_rows, bool looks_into_npy) {
  if (asks_for_rows) return true;
  const auto f = format_of(options);
  if (f && has_rows_only(*f)) return true;
  if (!looks_into_npy || f != table_format::npy || options.input == "-") return false;
  try {
    input_file file(options.input);
    if (!file.remaining()) return false;  // a pipe: what is read from it is gone
    const npy_header header = read_npy_header(file);
    return header.structured || header.shape.size() > 1;
  } catch (const failure&) {
    return false;  // the run reads it again and reports what is wrong
  }
}

table_plan plan_table(const column_options& options, const table_options& rows) {
  table_plan plan{plan_run(options), plan_request(options, rows), {}};
  if (rows.group_count && (rows.unique || rows.indices))
    throw usage_error(
        fmt::format("--group-count and {} contradict each other", rows.unique ? "--unique" : "--indices"));
  if (rows.indices && rows.count) throw usage_error("--indices and --count contradict each other");
  table_output& output = plan.result;
  output.result = rows.count ? table_result::count : rows.indices ? table_result::row_numbers : table_result::rows;
  if (output.result == table_result::row_numbers)
    output.number_format = format_of_numbers(options, plan.request.format);
  else if (!options.output_format.empty() && options.output_format != options.input_format)
    throw usage_error("--output-format is for --indices: rows are written in the format of the input");
  bool writes_text = true;
  switch (output.result) {
    case table_result::rows:
      require_rows_extension(options, plan.request);
      writes_text = is_text(plan.request.format);
      break;
    case table_result::row_numbers:
      require_extension(options.output, output.number_format);
      writes_text = output.number_format == format::text;
      break;
    case table_result::count:
      require_extension(options.output, format::text);
      break;
  }
  plan.output = parse_output(options, writes_text);
  return plan;
}

}  // namespace ballot::app
