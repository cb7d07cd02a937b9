#include "options/table_options.hpp"

#include "base/failure.hpp"
#include "base/text.hpp"
#include "columns/npy.hpp"
#include "files/output_name.hpp"
#include "options/number_option.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <utility>

namespace ballot::app {

const char* const tables_help = R"(
Tables
  .csv and .tsv (RFC 4180, with a header; --delimiter for others; columns by name, or by place: #1 is the first),
  --format lines (whole lines, compared by bytes), .npy of two dimensions (columns 0, 1, ...) or of structures (fields by
  name), --record-bytes N (--format records: rows of N bytes, columns OFFSET:LENGTH or OFFSET:TYPE), --format sosd. Rows
  travel whole, quotes and all, and come out in the format they came in. Lines that end in nothing get a line end, blank
  lines of a CSV are left out and counted. A CSV's header is shorter than 16 MiB.
  A column of text is a column of numbers if all its fields are, but for missing ones (empty, or --null NA): integers of 64
  bits if all are such, else f64. COLUMN:TYPE and COLUMN:text say what it is; else the report says what was made of it, and
  which field decided that. Texts, dates too, are compared by bytes. Missing fields and NaNs come last, ascending and
  descending. Rows whose keys compare equal keep their order: -0 and 0, too, unlike in a single column of numbers.
)";

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

bool is_table_alone(table_format f) {
  return f != table_format::raw && f != table_format::npy && f != table_format::text;
}

char delimiter_of(const column_options& options, const table_options& rows) {
  if (rows.delimiter.empty()) return is_tab_separated(options) ? '\t' : ',';
  if (rows.delimiter == "\\t" || rows.delimiter == "tab") return '\t';
  if (rows.delimiter.size() != 1 || rows.delimiter == "\"" || rows.delimiter == "\n" || rows.delimiter == "\r")
    throw usage_error(fmt::format("--delimiter {}: one character of ASCII that is no quote and no line end, or tab",
                                  in_quotes(rows.delimiter)));
  return rows.delimiter[0];
}

bool is_text(table_format f) { return f == table_format::csv || f == table_format::lines || f == table_format::text; }

// Rows are written as they came.
void require_name_fits_rows(const column_options& options, const table_request& request) {
  if (have_same_extension(options.output, options.input)) return;
  const std::string rows =
      fmt::format("rows of {} as they are", options.input == "-" ? "standard input" : options.input);
  switch (request.format) {
    case table_format::csv:
      return request.delimiter == '\t' ? require_name_fits(options.output, {".tsv"}, rows)
                                       : require_name_fits(options.output, {".csv"}, rows);
    case table_format::lines:
    case table_format::text:
      return require_name_fits(options.output, {".txt"}, rows);
    case table_format::npy:
      return require_name_fits(options.output, {".npy"}, rows);
    case table_format::records:
    case table_format::raw:
      return require_name_fits(options.output, {".raw", ".bin"}, rows);
    case table_format::sosd:
      return require_name_fits(options.output, {}, rows);
  }
}

// What the numbers of rows are written as: the extension or --output-format tells, else what goes with the input.
format format_of_numbers(const column_options& options, table_format input) {
  if (!options.output_format.empty()) {
    const auto named = format_named(options.output_format);
    if (!named) throw usage_error(fmt::format("unknown format '{}': {}", options.output_format, format_names));
    return *named;
  }
  return format_of_extension(options.output)
      .value_or(input == table_format::npy ? format::npy
                : is_text(input)           ? format::text
                                           : format::raw);
}

}  // namespace

void add_by_option(CLI::App& command, table_options& options, const char* what) {
  command.add_option("--by", options.by, what)
      ->type_name("COLUMN")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

void add_table_options(CLI::App& command, table_options& options) {
  command.add_option("--delimiter", options.delimiter, "what is between the fields of a CSV; tab is a word for one")
      ->type_name("CHARACTER");
  command
      .add_option(
          "--null", options.nulls,
          "a field of a CSV that says this, as NA, is missing, as an empty one\nis; more than once: each of them")
      ->type_name("WORD")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  add_number_option(command, "--record-bytes", options.record_bytes, "the input is records of so many bytes",
                    {.least = 1})
      .type_name("N");
  command.add_flag("--indices", options.indices, "write the numbers of the rows, from 0, instead of the rows");
  command.add_flag("--count", options.count, "write only how many rows there are");
}

bool is_table_run(const column_options& options, bool asks_for_rows, bool looks_into_npy) {
  if (asks_for_rows) return true;
  const auto f = format_of(options);
  if (f && is_table_alone(*f)) return true;
  if (!looks_into_npy || f != table_format::npy || options.input == "-") return false;
  try {
    input_file file(options.input);
    if (!file.remaining()) return false;  // a pipe: what is read from it is gone
    const npy_header header = read_npy_header(file);
    return header.structured || header.shape.size() > 1;
  } catch (const failure&) {
    return false;  // whoever reads it says what is wrong
  }
}

table_plan plan_for_table(const column_options& options, const table_options& rows) {
  table_plan plan{};
  plan.engine = require_engine(options.engine);
  plan.request.path = options.input;
  if (!options.type.empty()) {
    plan.request.type = dtype_named(options.type);
    if (!plan.request.type) throw usage_error(fmt::format("unknown dtype '{}': {}", options.type, dtype_names));
  }
  const auto told = format_of(options);
  if (!options.input_format.empty() && !told)
    throw usage_error(fmt::format("unknown format '{}': {}", options.input_format, every_format_name));
  const bool is_records = rows.record_bytes && (!told || *told == table_format::raw || *told == table_format::records);
  if (rows.record_bytes && !is_records)
    throw usage_error(fmt::format("--record-bytes contradicts the format of {}", options.input));
  if (is_records) plan.request.format = table_format::records;
  else if (told) plan.request.format = *told;
  else if (!rows.delimiter.empty()) plan.request.format = table_format::csv;
  else if (options.input == "-") plan.request.format = table_format::text;
  else
    throw usage_error(
        fmt::format("{}: the name does not tell the format: say --format ({})", options.input, every_format_name));
  if (plan.request.format == table_format::records && !rows.record_bytes)
    throw usage_error("--format records needs --record-bytes N");
  if (!rows.delimiter.empty() && plan.request.format != table_format::csv)
    throw usage_error("--delimiter is for CSV (--format csv)");
  if (!rows.nulls.empty() && plan.request.format != table_format::csv)
    throw usage_error("--null is for CSV (--format csv)");
  plan.request.nulls = rows.nulls;
  if (plan.request.type && (plan.request.format == table_format::csv || plan.request.format == table_format::lines ||
                            plan.request.format == table_format::records))
    throw usage_error(fmt::format("--dtype is for a single column of numbers: say --by COLUMN:{}", options.type));
  if (plan.request.format == table_format::raw && !plan.request.type)
    throw usage_error(fmt::format("{}: raw data does not tell its type: say --dtype ({})", options.input, dtype_names));
  plan.request.delimiter = delimiter_of(options, rows);
  plan.request.record_bytes = rows.record_bytes;
  if (rows.indices && rows.count) throw usage_error("--indices and --count: one of them");
  plan.result = rows.count ? table_result::count : rows.indices ? table_result::indices : table_result::rows;
  if (plan.result == table_result::indices) plan.numbers = format_of_numbers(options, plan.request.format);
  else if (!options.output_format.empty() && options.output_format != options.input_format)
    throw usage_error("--output-format is for --indices: rows are written in the format of the input");
  if (plan.result == table_result::rows) require_name_fits_rows(options, plan.request);
  else require_name_fits(options.output, plan.result == table_result::count ? format::text : plan.numbers);
  plan.output = require_output(options, plan.result == table_result::count ||
                                            (plan.result == table_result::indices ? plan.numbers == format::text
                                                                                  : is_text(plan.request.format)));
  return plan;
}

void tell_columns(std::span<const column_type> columns, report& facts) {
  for (const column_type& column : columns) {
    compared_column told{column.name, column.in_words(), column.is_guessed, column.is_mixed};
    if (column.decided_by) {
      told.line = column.decided_by->line;
      told.text = column.decided_by->text;
    }
    const auto is_same = [&](const compared_column& other) {
      return other.name == told.name && other.type == told.type;
    };
    if (std::none_of(facts.columns.begin(), facts.columns.end(), is_same)) facts.columns.push_back(std::move(told));
  }
}

std::vector<sort_key> parse_sort_keys(const table& of, const std::vector<std::string>& by, direction order) {
  std::vector<sort_key> keys;
  for (const std::string& text : by) keys.push_back(parse_sort_key(text, of, order));
  if (keys.empty() && !of.only_column().empty()) keys.push_back({of.only_column(), {}, order, true});
  return keys;
}

namespace {

void write_count(std::uint64_t count, output_file& to) {
  const std::string line = fmt::format("{}\n", count);
  to.write(std::as_bytes(std::span(line)));
}

void write_front(const table& from, std::uint64_t rows, output_file& to) {
  const std::string front = from.front(rows);
  to.write(std::as_bytes(std::span(front)));
}

// Rows behind a front that says how many there are, which is not known before they have been merged.
std::uint64_t write_behind_count(const table& front, table_in_runs& from, const std::string& directory,
                                 output_file& to) {
  temporary_file rows(directory);
  const std::uint64_t count = from.merge([&](std::span<const std::byte> bytes) { rows.append(bytes); });
  write_front(front, count, to);
  std::vector<std::byte> piece(std::size_t{64} << 10);
  for (std::uint64_t at = 0; at < rows.size(); at += piece.size()) {
    piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), rows.size() - at)));
    rows.read(at, piece);
    to.write(piece);
  }
  return count;
}

}  // namespace

std::uint64_t write_result(const table_plan& plan, const table& front, table_in_runs& from,
                           const std::string& directory, output_file& to, phase_clock& clock) {
  std::optional<std::uint64_t> count = from.count();
  if (plan.result == table_result::count) {
    if (!count) count = from.merge([](std::span<const std::byte>) {});
    write_count(*count, to);
  } else if (const bool says_count = front.front(1) != front.front(2); !count && says_count) {
    count = write_behind_count(front, from, directory, to);
  } else {
    write_front(front, count.value_or(0), to);
    count = from.merge([&](std::span<const std::byte> rows) { to.write(rows); });
  }
  scoped_phase writing(clock, phase::write);
  to.commit();
  return *count;
}

void write_result(const table_plan& plan, const table& from, std::span<const std::uint64_t> chosen, output_file& to,
                  phase_clock& clock) {
  if (plan.result == table_result::rows) {
    write_rows(from, chosen, to, clock);
  } else if (plan.result == table_result::indices) {
    const auto out = make_sink(to, plan.numbers, dtype::u64);
    out->begin(chosen.size());
    write_all(*out, std::as_bytes(chosen), clock);
    out->finish();
  } else {
    write_count(chosen.size(), to);
  }
  scoped_phase writing(clock, phase::write);
  to.commit();
}

}  // namespace ballot::app
