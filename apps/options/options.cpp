// SPDX-License-Identifier: Apache-2.0
#include "options/options.hpp"

#include "options/number_option.hpp"
#include "options/table_options.hpp"

#include <CLI/CLI.hpp>

namespace ballot::app {

const char* const output_help = R"(
Output
  Without -o the result goes to standard output. A binary result is not written to a terminal unless you say -o -.
  The report goes to standard error; --quiet turns it off. A job on less than 16 MiB is reported only on a terminal, or
  with --report or --json. For collide the size is 16 bytes for each object and step. NO_COLOR turns colours off.
  A new file replaces an old one only when it is complete. A run that fails, is interrupted or is killed leaves the old
  file as it was. It leaves no other file behind, if the file system has unnamed files (O_TMPFILE). Files that several
  processes write (mpirun) have a name meanwhile, .ballot-* in the same folder: if such a run is killed, it may stay.
  Pipes and devices are written to directly.

Exit status
  0 success; 1 failure (files, GPU, verification); 2 wrong command line.)";

namespace {

constexpr auto formats_help = R"(
Formats
  The extension gives the format: .npy (NumPy, one-dimensional), .txt (text), .raw or .bin (raw, needs --dtype). Other
  files need --format. Standard input is text unless --format is given. The output has the format of its extension or of
  --output-format, which must agree. If neither is given, it has the format of the input.
  Each of these may be compressed, with .gz or .zst behind it: in.csv.gz, out.npy.zst. Compressed input without the
  extension, as on standard input, is recognised by its first bytes, except raw data, records and SOSD. Output is
  compressed on all cores. --memory does not include the memory for that, nor the window of a .zst (up to 128 MiB,
  usually 8).
  Text has one number a line. Blank lines are skipped and counted in the report. Spaces around a number and CRLF are
  accepted. Floats are written as the shortest text that reads back as the same number. Without --dtype, text is i64.
)";

}  // namespace

namespace {

void add_output(CLI::App& command, run_options& options) {
  command.add_option("-o,--output", options.output, "the file to write; - is standard output (the default)")
      ->type_name("OUTPUT");
  add_number_option(
      command, "--compression-level", options.compression_level,
      "how strongly to compress an output whose name ends in .gz\n(1 to 9, default 6) or .zst (1 to 19, default 3)",
      {.least = 1, .most = 19})
      .type_name("N");
}

}  // namespace

void add_input_and_output(CLI::App& command, run_options& options) {
  command.add_option("INPUT", options.input, "the file to read (required); - is standard input")->type_name("");
  add_output(command, options);
}

void add_column_options(CLI::App& command, column_options& options) {
  command
      .add_option_function<std::vector<std::string>>(
          "INPUT",
          [&options](const std::vector<std::string>& paths) {
            options.input = paths.front();
            options.more_inputs.assign(paths.begin() + 1, paths.end());
          },
          "the file to read (required); - is standard input. Several files\nof one format and with the same header "
          "are read as one")
      ->type_name("");
  add_output(command, options);
  command.add_option("--format", options.input_format, "the input's format, if its extension does not give it")
      ->type_name("raw|npy|text|csv|tsv|jsonl|lines|records|sosd|arrow|parquet");
  command
      .add_option("--output-format", options.output_format, "the output's format, if its extension does not give it")
      ->type_name("raw|npy|text|csv|tsv|jsonl|arrow|arrows|parquet");
  command.add_option("--dtype", options.type, "the type of the items: u8..u64, i8..i64, f32, f64")->type_name("TYPE");
  add_engine_and_report(command, options);
  command.footer(std::string(formats_help) + tables_help + output_help);
}

void add_engine_and_report(CLI::App& command, run_options& options) {
  command
      .add_option("--engine", options.engine,
                  "where to compute. auto: on the GPU if it is usable. With several\nprocesses: on their GPUs if one "
                  "of them has a usable GPU")
      ->type_name("auto|cuda|cpu");
  command.add_flag("--verify", options.verify,
                   "check the result on the CPU, independently of the engine,\nbefore the output file is replaced. "
                   "A pipe has already received\nthe output by then, so look at the exit status");
  auto* json = command.add_flag("--json", options.json, "print the report as one JSON object");
  auto* quiet = command.add_flag("-q,--quiet", options.quiet, "print no report")->excludes(json);
  command
      .add_flag("--report", options.report,
                "print the report also for a small job (less than 16 MiB) whose\nstandard error is not a terminal")
      ->excludes(quiet)
      ->excludes(json);
  command.add_flag("--dry-run", options.dry_run,
                   "write nothing; say what the run would read, which types and engine\nit would use, how much memory "
                   "and disk space for sorted runs it\nwould need, and what it would write");
}

}  // namespace ballot::app
