// SPDX-License-Identifier: Apache-2.0
#include "plans/run_plan.hpp"

#include "base/failure.hpp"
#include "files/compression.hpp"
#include "files/output_file.hpp"
#include "files/output_name.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace ballot::app {
namespace {

engine_name parse_engine(const std::string& name) {
  if (name == "auto") return engine_name::automatic;
  if (name == "cuda") return engine_name::cuda;
  if (name == "cpu") return engine_name::cpu;
  throw usage_error(fmt::format("unknown engine '{}': auto, cuda, cpu", name));
}

std::optional<int> parse_level(const run_options& options) {
  if (!options.compression_level) return std::nullopt;
  const compression kind = compression_of_extension(options.output);
  if (kind == compression::none)
    throw usage_error("--compression-level is for an output whose name ends in .gz or .zst");
  const auto level = static_cast<int>(*options.compression_level);
  if (const level_range levels = levels_of(kind); level > levels.most)
    throw usage_error(
        fmt::format("--compression-level {}: {} has {} to {}", level, name_of(kind), levels.least, levels.most));
  return level;
}

format parse_format(const std::string& name, std::string_view known) {
  if (const auto found = format_named(name)) return *found;
  throw_unknown_format(name, known);
}

format input_format_of(const column_options& options) {
  if (!options.input_format.empty()) return parse_format(options.input_format, every_format_name);
  if (const auto found = format_of_extension(options.input)) return *found;
  if (options.input == "-") return format::text;
  throw_no_format(options.input, every_format_name);
}

}  // namespace

void throw_unknown_format(const std::string& name, std::string_view known) {
  throw usage_error(fmt::format("unknown format '{}': {}", name, known));
}

void throw_no_format(const std::string& input, std::string_view known) {
  if (input != "-" && access(input.c_str(), F_OK) != 0) throw_errno(input);
  throw usage_error(fmt::format("{}: the file name does not give the format: use --format ({})", input, known));
}

void throw_raw_without_type(const std::string& input) {
  throw usage_error(fmt::format("{}: raw data needs a type: use --dtype ({})", input, dtype_names));
}

void require_input(const run_options& options) {
  if (options.input.empty()) throw usage_error("INPUT is missing: a file, or - for standard input");
}

// Beside the output, which needs as much room; for a pipe where temporary files usually go.
std::string directory_for_runs(const std::string& given, const std::string& output) {
  if (!given.empty()) {
    std::error_code unknown;  // then it is none that can be used
    if (!std::filesystem::is_directory(given, unknown))
      throw usage_error(fmt::format("--runs-in {}: not a directory", given));
    return given;
  }
  // By another name of an open descriptor (/dev/stdout) the folder would be /dev, even if the
  // descriptor is a regular file.
  if (auto folder = output_file::folder_of(output)) return *std::move(folder);
  const char* const named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

std::optional<dtype> parse_dtype(const std::string& name) {
  if (name.empty()) return std::nullopt;
  const auto type = dtype_named(name);
  if (!type) throw usage_error(fmt::format("unknown dtype '{}': {}", name, dtype_names));
  return type;
}

std::string parse_output(const run_options& options, bool is_text) {
  if (options.output.empty() && !is_text && isatty(STDOUT_FILENO) != 0)
    throw usage_error("the result is binary and would go to the terminal: use -o FILE, or -o - to write it anyway");
  return options.output.empty() ? "-" : options.output;
}

run_plan plan_run(const run_options& options) {
  return {options.input,  {}, parse_engine(options.engine), parse_level(options), options.verify, options.style(),
          options.dry_run};
}

std::vector<std::string> column_plan::inputs() const {
  std::vector<std::string> all{input};
  all.insert(all.end(), more_inputs.begin(), more_inputs.end());
  return all;
}

void require_inputs(const column_options& options) {
  require_input(options);
  const auto from_pipe = std::count(options.more_inputs.begin(), options.more_inputs.end(), "-");
  if (from_pipe + (options.input == "-" ? 1 : 0) > 1) throw usage_error("standard input is given twice");
  if (!options.input_format.empty()) return;
  for (const std::string& other : options.more_inputs)
    if (!extension_of(other).empty() && !extension_of(options.input).empty() &&
        !have_same_extension(other, options.input))
      throw usage_error(fmt::format("{} and {}: the extensions differ: files of one format are read as one (--format)",
                                    options.input, other));
}

column_plan plan_column(const column_options& options) {
  column_plan plan{plan_run(options), {}, {}, options.more_inputs, {}};
  plan.type = parse_dtype(options.type);
  plan.input_format = input_format_of(options);
  plan.output_format = !options.output_format.empty() ? parse_format(options.output_format, format_names)
                                                      : format_of_extension(options.output).value_or(plan.input_format);
  require_extension(options.output, plan.output_format);
  plan.output = parse_output(options, plan.output_format == format::text);
  if (plan.input_format == format::raw && !plan.type) throw_raw_without_type(options.input);
  return plan;
}

}  // namespace ballot::app
