// SPDX-License-Identifier: Apache-2.0
#include "plans/run_plan.hpp"

#include "base/failure.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace ballot::app {
namespace {

engine_name parse_engine(const std::string& name) {
  if (name == "auto") return engine_name::automatic;
  if (name == "cuda") return engine_name::cuda;
  if (name == "cpu") return engine_name::cpu;
  throw usage_error(fmt::format("unknown engine '{}': auto, cuda, cpu", name));
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
  throw usage_error(fmt::format("{}: the file name does not give the format: use --format ({})", input, known));
}

void throw_raw_without_type(const std::string& input) {
  throw usage_error(fmt::format("{}: raw data needs a type: use --dtype ({})", input, dtype_names));
}

void require_input(const run_options& options) {
  if (options.input.empty()) throw usage_error("INPUT is missing: a file, or - for standard input");
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
  return {options.input, {}, parse_engine(options.engine), options.verify, options.style(), options.dry_run};
}

column_plan plan_column(const column_options& options) {
  column_plan plan{plan_run(options), {}, {}, {}};
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
