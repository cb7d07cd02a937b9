#include "options/options.hpp"

#include "options/table_options.hpp"

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

}  // namespace

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

}  // namespace ballot::app
