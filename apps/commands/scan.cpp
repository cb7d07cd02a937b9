// ballot scan
#include "arrays/array_file.hpp"
#include "base/failure.hpp"
#include "commands/commands.hpp"
#include "commands/run.hpp"
#include "files/output_file.hpp"
#include "files/output_name.hpp"
#include "options/number_option.hpp"
#include "options/options.hpp"
#include "verification/verify_scan.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <optional>

namespace ballot::app {
namespace {

constexpr auto scan_help = R"(
Examples
  ballot scan counts.npy -o totals.npy                       # each row (the last axis) becomes its cumulative sums
  ballot scan section.segy -o summed.segy --direction both --accumulate double-float
  ballot scan samples.raw --dtype f32 --length 1000 -o -     # rows of 1000
  seq 10 | ballot scan -                                     # 1 3 6 10 ...

Formats
  .npy: little-endian arrays in C order, any shape. .segy, .sgy: SEG-Y up to revision 2.1, big-endian, with IBM or IEEE
  floats of 4 bytes; headers and trailers are kept byte for byte. Traces have to be of one length and to have equally many
  headers. .txt, .raw, .bin: one row, or rows of --length items.
  The output has the input's format and type.

Sums
  Integers wrap. Floats are rounded to the items' type once an item: a sum that is accumulated in f32 loses low bits on
  long rows; double-float (two floats, about 48 bits) and double do not, to within the last rounding. With --direction
  both the forward sums, rounded, are summed backward. For the same length the same bits come out on every run; the two
  engines may differ in the last bits.
)";

struct scan_options : run_options {
  std::string format, type, direction = "forward", accumulate;
  std::optional<std::uint64_t> length;
};

row_direction require_direction(const std::string& name) {
  if (name == "forward") return row_direction::forward;
  if (name == "backward") return row_direction::backward;
  if (name == "both") return row_direction::forward_then_backward;
  throw usage_error(fmt::format("unknown direction '{}': forward, backward, both", name));
}

// Without --accumulate: the type of the items.
row_accumulator require_accumulator(const std::string& name, dtype type) {
  if (name.empty()) return row_accumulator::item;
  if (name != "float" && name != "double-float" && name != "double")
    throw usage_error(fmt::format("--accumulate {}: float, double-float or double", name));
  if (type == dtype::f64 && name == "double") return row_accumulator::item;
  if (type != dtype::f32)
    throw usage_error(fmt::format("--accumulate {} is for f32, and the items are {}", name, name_of(type)));
  return name == "float"    ? row_accumulator::item
         : name == "double" ? row_accumulator::float64
                            : row_accumulator::double_float;
}

rows_request request_of(const scan_options& options) {
  rows_request request{options.input, rows_format::text, std::nullopt, options.length};
  require_input(options);
  if (!options.type.empty()) {
    request.type = dtype_named(options.type);
    if (!request.type) throw usage_error(fmt::format("unknown dtype '{}': {}", options.type, dtype_names));
  }
  if (!options.format.empty()) {
    const auto named = rows_format_named(options.format);
    if (!named) throw usage_error(fmt::format("unknown format '{}': {}", options.format, rows_format_names));
    request.format = *named;
  } else if (const auto told = rows_format_of_extension(options.input)) {
    request.format = *told;
  } else if (options.input != "-") {
    throw usage_error(
        fmt::format("{}: the name does not tell the format: say --format ({})", options.input, rows_format_names));
  }
  return request;
}

void run_scan(const scan_options& options, report& facts) {
  phase_clock clock;
  const rows_request request = request_of(options);
  const engine_name wanted_engine = require_engine(options.engine);
  const row_direction direction = require_direction(options.direction);
  require_accumulator(options.accumulate, dtype::f32);  // a word that means nothing is an error before anything is read
  if (!have_same_extension(options.output, options.input)) require_name_fits(options.output, request.format);
  const std::string output = require_output(options, is_text(request.format));
  facts.input = options.input;
  facts.output = output;
  const auto file = open_rows(request);
  output_file out(output);
  const engine_choice engine = choose_engine(wanted_engine);
  introduce(*engine.chosen, engine.reason, facts);

  rows_of_items data = file->read(clock);
  facts.type = data.type;
  facts.count = data.items.size() / size_of(data.type);
  facts.rows = data.rows;
  facts.blank_lines = data.blank_lines;
  const scan_request scan{data.type, data.rows, data.length, direction,
                          require_accumulator(options.accumulate, data.type)};
  host_buffer before;
  if (options.verify) before.append(data.items.bytes());
  engine.chosen->scan(scan, data.items.bytes(), clock);
  noting_the_verdict(options.verify, facts, [&] {
    if (!options.verify) return;
    scoped_phase checking(clock, phase::verify);
    verify_scan(scan, before.bytes(), data.items.bytes());
  });
  file->write(out, data.items.bytes(), clock);
  {
    scoped_phase writing(clock, phase::write);
    out.commit();
  }
  print_report(facts, clock, options.style());
}

}  // namespace

command_run add_scan(CLI::App& app) {
  const auto options = std::make_shared<scan_options>();
  CLI::App& command = *app.add_subcommand("scan", "cumulative sums along the rows of an array or a seismic section");
  add_input_and_output(command, *options);
  command.add_option("--format", options->format, "the format, where the name does not tell")
      ->type_name("raw|npy|text|segy");
  command.add_option("--dtype", options->type, "the type of the items (raw, text): u8..u64, i8..i64, f32, f64")
      ->type_name("TYPE");
  add_number_option(command, "--length", options->length, "raw, text: items a row; without, everything is one row",
                    {.least = 1})
      .type_name("N");
  command.add_option("--direction", options->direction, "both: the forward sums are summed backward")
      ->type_name("forward|backward|both");
  command
      .add_option("--accumulate", options->accumulate, "what sums of f32 are taken in; without, the type of the items")
      ->type_name("float|double-float|double");
  add_engine_and_report(command, *options);
  command.footer(std::string(scan_help) + output_help);
  return {[options](report& facts) { run_scan(*options, facts); }, [options] { return options->style(); }};
}

}  // namespace ballot::app
