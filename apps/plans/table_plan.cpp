// SPDX-License-Identifier: Apache-2.0
#include "plans/table_plan.hpp"

#include "base/failure.hpp"
#include "base/text.hpp"
#include "columnar/library.hpp"
#include "columns/npy.hpp"
#include "columns/npy_type.hpp"
#include "files/compression.hpp"
#include "files/output_name.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace ballot::app {
namespace {

constexpr std::pair<std::string_view, table_format> by_name[] = {
    {"csv", table_format::csv},          {"tsv", table_format::csv},         {"lines", table_format::lines},
    {"jsonl", table_format::json_lines}, {"records", table_format::records}, {"sosd", table_format::sosd},
    {"raw", table_format::raw},          {"npy", table_format::npy},         {"text", table_format::text},
    {"arrow", table_format::arrow},      {"arrows", table_format::arrow},    {"feather", table_format::arrow},
    {"parquet", table_format::parquet}};

bool is_tab_separated(const column_options& options) {
  return options.input_format.empty() ? without_compression(options.input).ends_with(".tsv")
                                      : options.input_format == "tsv";
}

std::optional<table_format> format_of(const column_options& options) {
  if (!options.input_format.empty()) {
    for (const auto& [name, value] : by_name)
      if (name == options.input_format) return value;
    return std::nullopt;
  }
  const std::string_view input = without_compression(options.input);
  if (input.ends_with(".csv") || input.ends_with(".tsv")) return table_format::csv;
  if (input.ends_with(".jsonl") || input.ends_with(".ndjson")) return table_format::json_lines;
  const std::string_view extension = extension_of(options.input);
  if (extension == ".parquet") return table_format::parquet;
  if (extension == ".arrow" || extension == ".arrows" || extension == ".feather") return table_format::arrow;
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

bool is_text(table_format f) {
  return f == table_format::csv || f == table_format::lines || f == table_format::text || f == table_format::json_lines;
}

// The format of rows that the output's extension, or --output-format, names.
std::optional<converted_format> converted_format_of(const column_options& options, bool& is_tab_separated) {
  const std::string extension =
      options.output_format.empty() ? std::string(extension_of(options.output)) : "." + options.output_format;
  is_tab_separated = extension == ".tsv";
  if (extension == ".csv" || extension == ".tsv") return converted_format::csv;
  if (extension == ".jsonl" || extension == ".ndjson") return converted_format::json_lines;
  if (extension == ".npy") return converted_format::npy;
  if (extension == ".arrow" || extension == ".feather") return converted_format::arrow;
  if (extension == ".arrows") return converted_format::arrow_stream;
  if (extension == ".parquet") return converted_format::parquet;
  return std::nullopt;
}

// The reader of a pipe expects a stream, not a file.
converted_format as_arrow(const column_options& options) {
  const bool is_stream = options.output.empty() || options.output == "-" || options.input_format == "arrows" ||
                         (options.input_format.empty() && extension_of(options.input) == ".arrows");
  return is_stream ? converted_format::arrow_stream : converted_format::arrow;
}

std::optional<converted_format> as_converted(const column_options& options, table_format f) {
  if (f == table_format::arrow) return as_arrow(options);
  if (f == table_format::parquet) return converted_format::parquet;
  if (f == table_format::csv) return converted_format::csv;
  if (f == table_format::json_lines) return converted_format::json_lines;
  if (f == table_format::npy) return converted_format::npy;
  return std::nullopt;
}

// The format that rows are converted to; nothing where they are written as they came.
std::optional<conversion_request> plan_conversion(const column_options& options, const table_options& rows,
                                                  const table_request& source) {
  // As lines, for example, and the name is the input's kind.
  if (rows.columns.empty() && options.output_format.empty() && !is_columnar(source.format) &&
      have_same_extension(options.output, options.input))
    return std::nullopt;
  bool is_tab_separated = false;
  const auto same = as_converted(options, source.format);
  auto wanted = converted_format_of(options, is_tab_separated);
  const bool has_extension = wanted.has_value();
  if (!wanted) wanted = same;
  if (!wanted) {
    if (rows.columns.empty()) return std::nullopt;
    throw usage_error(
        "--columns: this format has no columns to choose from: write .csv, .tsv, .jsonl, .npy, .arrow or .parquet "
        "(-o, --output-format)");
  }
  conversion_request made{*wanted, source.delimiter, rows.columns};
  if (*wanted == converted_format::csv) {
    if (has_extension && (source.format != table_format::csv || rows.delimiter.empty()))
      made.delimiter = is_tab_separated ? '\t' : ',';
    if (is_tab_separated && !rows.delimiter.empty() && source.delimiter != '\t')
      throw usage_error(fmt::format("--delimiter {} contradicts the output, whose fields are separated by tabs",
                                    in_quotes(rows.delimiter)));
    if (source.format == table_format::csv && made.delimiter == source.delimiter && rows.columns.empty())
      return std::nullopt;
  } else if (wanted == same && rows.columns.empty() && !is_columnar(source.format)) {
    return std::nullopt;
  }
  return made;
}

// Whether --output-format names what rows are anyway.
bool converts_to_itself(const column_options& options, const table_request& source) {
  bool is_tab_separated = false;
  const auto named = converted_format_of(options, is_tab_separated);
  return named && named == as_converted(options, source.format);
}

void require_conversion_extension(const column_options& options, const conversion_request& wanted) {
  switch (wanted.format) {
    case converted_format::csv:
      return require_extension(options.output, {".csv", ".tsv"}, "CSV");
    case converted_format::json_lines:
      return require_extension(options.output, {".jsonl", ".ndjson"}, "JSON Lines");
    case converted_format::npy:
      return require_extension(options.output, {".npy"}, ".npy");
    case converted_format::arrow:
      return require_extension(options.output, {".arrow", ".feather"}, "an Arrow file");
    case converted_format::arrow_stream:
      return require_extension(options.output, {".arrows"}, "an Arrow stream");
    case converted_format::parquet:
      return require_extension(options.output, {".parquet"}, "Parquet");
  }
}

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
    case table_format::json_lines:
      return require_extension(options.output, {".jsonl", ".ndjson"}, rows);
    case table_format::npy:
      return require_extension(options.output, {".npy"}, rows);
    case table_format::records:
    case table_format::raw:
      return require_extension(options.output, {".raw", ".bin"}, rows);
    case table_format::sosd:
    case table_format::arrow:
    case table_format::parquet:
      return require_extension(options.output, {}, rows);
  }
}

// The format of the numbers of rows. The extension or --output-format says it; else it goes with
// the input.
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
  if (request.type && (is_csv || request.format == table_format::lines || request.format == table_format::records ||
                       request.format == table_format::json_lines || is_columnar(request.format)))
    throw usage_error(fmt::format("--dtype is for a single column of numbers: use --by COLUMN:{}", options.type));
  if (request.format == table_format::raw && !request.type) throw_raw_without_type(options.input);
  if (rows.no_header && !is_csv) throw usage_error("--no-header is for CSV (--format csv)");
  request.has_header = !rows.no_header;
  request.more_paths = options.more_inputs;
  request.nulls = rows.nulls;
  request.delimiter = delimiter_of(options, rows);
  request.record_bytes = rows.record_bytes;
  return request;
}

// Before anything is read: the library for it may be missing.
void require_library(const table_plan& plan) {
  if (is_columnar(plan.request.format)) (void)arrow_library(plan.request.path);
  else if (plan.result.conversion && is_columnar(plan.result.conversion->format)) (void)arrow_library(plan.output);
}

table_plan make_table_plan(const column_options& options, const table_options& rows) {
  table_plan plan{plan_run(options), plan_request(options, rows), {}};
  if (rows.group_count && (rows.unique || rows.indices))
    throw usage_error(
        fmt::format("--group-count and {} contradict each other", rows.unique ? "--unique" : rows.indices_option));
  if (rows.indices && rows.count)
    throw usage_error(fmt::format("{} and --count contradict each other", rows.indices_option));
  if (rows.count && !options.output_format.empty() && options.output_format != "text")
    throw usage_error(
        fmt::format("--output-format {} and --count contradict each other: a count is text", options.output_format));
  table_output& output = plan.result;
  output.result = rows.count ? table_result::count : rows.indices ? table_result::row_numbers : table_result::rows;
  if (output.result == table_result::row_numbers)
    output.number_format = format_of_numbers(options, plan.request.format);
  else if (!rows.columns.empty() && output.result == table_result::count)
    throw usage_error("--columns and --count contradict each other");
  if (!rows.columns.empty() && output.result == table_result::row_numbers)
    throw usage_error(fmt::format("--columns and {} contradict each other", rows.indices_option));
  if (output.result == table_result::rows) output.conversion = plan_conversion(options, rows, plan.request);
  plan.request.used.written = rows.columns;
  plan.request.used.of_keys = rows.by;
  plan.request.used.all = (output.result == table_result::rows && rows.columns.empty()) ||
                          ((rows.unique || rows.group_count) && rows.by.empty());
  if (rows.group_count && output.conversion && !(is_columnar(plan.request.format) && rows.columns.empty()))
    throw usage_error(
        "--group-count writes rows in the format of the input, with all columns: convert them by another run");
  if (output.result == table_result::rows && !output.conversion && !options.output_format.empty() &&
      options.output_format != options.input_format && !converts_to_itself(options, plan.request))
    throw_unknown_format(options.output_format, "of rows: csv, tsv, jsonl, npy, arrow, arrows, parquet");
  bool writes_text = true;
  switch (output.result) {
    case table_result::rows:
      if (output.conversion) {
        require_conversion_extension(options, *output.conversion);
        writes_text = output.conversion->format == converted_format::csv ||
                      output.conversion->format == converted_format::json_lines;
        break;
      }
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

}  // namespace

bool is_table_run(const column_options& options, bool asks_for_rows, bool looks_into_npy) {
  bool is_tab_separated = false;
  if (asks_for_rows) return true;
  if (const auto written = converted_format_of(options, is_tab_separated); written && written != converted_format::npy)
    return true;
  const auto f = format_of(options);
  if (f && has_rows_only(*f)) return true;
  // Bytes that are read from a pipe are gone.
  std::error_code unknown;
  if (f != table_format::npy || !std::filesystem::is_regular_file(options.input, unknown)) return false;
  try {
    input_file file(options.input);
    const npy_header header = read_npy_header(file);
    if (header.structured || header.shape.size() > 1) return looks_into_npy;
    const npy_type type = npy_type_of(header.descr);
    return !type.is_native() && type.kind != npy_type::other;
  } catch (const failure&) {
    return false;  // the run reads it again and reports what is wrong
  }
}

table_plan plan_table(const column_options& options, const table_options& rows) {
  table_plan plan = make_table_plan(options, rows);
  require_library(plan);
  return plan;
}

}  // namespace ballot::app
