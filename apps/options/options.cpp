#include "options/options.hpp"

#include "base/failure.hpp"
#include "files/output_name.hpp"
#include "options/table_options.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

namespace ballot::app {

const char* const output_help = R"(
Output
  Without -o the result goes to standard output. Only where that is a terminal and the result is binary there is nothing
  sensible to do: that is an error, and -o - insists. The report goes to standard error, --quiet leaves it out.
  A file takes the place of an older one when it is complete: a run that fails, is interrupted or is killed leaves the old
  file as it was, and nothing else, where the file system has files without names (O_TMPFILE). Pipes and devices are
  written to directly.

Exit status
  0 done; 1 failed (files, GPU, verification); 2 the command line is wrong.)";

namespace {

constexpr auto formats_help = R"(
Formats
  A file's extension tells: .npy (NumPy, one-dimensional, little-endian), .txt (text), .raw or .bin (raw, needs --dtype).
  Another extension needs --format; standard input without --format is text. The output's format is that of its
  extension, else that of --output-format, else the input's; both together have to agree.
  Text is one number a line. Blank lines are skipped and the report counts them, blanks around a number and CRLF are
  tolerated, floats are written as the shortest text that reads back as the same number. Without --dtype text is i64.
)";

format require_format(const std::string& name, std::string_view names) {
  if (const auto f = format_named(name)) return *f;
  throw usage_error(fmt::format("unknown format '{}': {}", name, names));
}

}  // namespace

engine_name require_engine(const std::string& name) {
  if (name == "auto") return engine_name::automatic;
  if (name == "cuda") return engine_name::cuda;
  if (name == "cpu") return engine_name::cpu;
  throw usage_error(fmt::format("unknown engine '{}': auto, cuda, cpu", name));
}

void require_input(const run_options& options) {
  if (options.input.empty()) throw usage_error("INPUT is missing: a file, or - for standard input");
}

std::string require_output(const run_options& options, bool is_text) {
  if (options.output.empty() && !is_text && isatty(STDOUT_FILENO) != 0)
    throw usage_error("binary output to a terminal: say -o FILE, or -o - to insist");
  return options.output.empty() ? "-" : options.output;
}

void add_input_and_output(CLI::App& command, run_options& options) {
  command.add_option("INPUT", options.input, "the file to read (needed); - is standard input")->type_name("");
  command.add_option("-o,--output", options.output, "the file to write; - is standard output (the default)")
      ->type_name("OUTPUT");
}

void add_column_options(CLI::App& command, column_options& options) {
  add_input_and_output(command, options);
  command.add_option("--format", options.input_format, "the input's format, where its extension does not tell")
      ->type_name("raw|npy|text|csv|tsv|lines|records|sosd");
  command
      .add_option("--output-format", options.output_format, "the output's format, where its extension does not tell")
      ->type_name("raw|npy|text");
  command.add_option("--dtype", options.type, "the type of the items: u8..u64, i8..i64, f32, f64")->type_name("TYPE");
  add_engine_and_report(command, options);
  command.footer(std::string(formats_help) + tables_help + output_help);
}

void add_engine_and_report(CLI::App& command, run_options& options) {
  command.add_option("--engine", options.engine, "what does the work; auto takes the GPU if it is usable")
      ->type_name("auto|cuda|cpu");
  command.add_flag("--verify", options.verify,
                   "check the result, on the CPU and independently of the engine,\nbefore the output is replaced "
                   "(a pipe has received it by then: the exit status tells)");
  auto* json = command.add_flag("--json", options.json, "report as one JSON object");
  command.add_flag("-q,--quiet", options.quiet, "no report")->excludes(json);
}

column_plan plan_for(const column_options& options) {
  column_plan plan{};
  plan.engine = require_engine(options.engine);
  if (!options.type.empty()) {
    plan.type = dtype_named(options.type);
    if (!plan.type) throw usage_error(fmt::format("unknown dtype '{}': {}", options.type, dtype_names));
  }
  if (!options.input_format.empty()) {
    plan.input_format = require_format(options.input_format, every_format_name);
  } else if (const auto f = format_of_extension(options.input)) {
    plan.input_format = *f;
  } else if (options.input == "-") {
    plan.input_format = format::text;
  } else {
    throw usage_error(
        fmt::format("{}: the name does not tell the format: say --format ({})", options.input, every_format_name));
  }
  plan.output_format = !options.output_format.empty() ? require_format(options.output_format, format_names)
                                                      : format_of_extension(options.output).value_or(plan.input_format);
  require_name_fits(options.output, plan.output_format);
  plan.output = require_output(options, plan.output_format == format::text);
  if (plan.input_format == format::raw && !plan.type)
    throw usage_error(fmt::format("{}: raw data does not tell its type: say --dtype ({})", options.input, dtype_names));
  return plan;
}

}  // namespace ballot::app
