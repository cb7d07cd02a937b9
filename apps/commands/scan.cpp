// SPDX-License-Identifier: Apache-2.0
// ballot scan
#include "arrays/array_file.hpp"
#include "commands/commands.hpp"
#include "commands/dry_run.hpp"
#include "commands/run.hpp"
#include "files/output_file.hpp"
#include "options/number_option.hpp"
#include "plans/scan_plan.hpp"
#include "verification/verify_scan.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace ballot::app {
namespace {

constexpr auto scan_help = R"(
Examples
  ballot scan counts.npy -o totals.npy                       # each row (the last axis) becomes its cumulative sums
  ballot scan section.segy -o summed.segy --direction both --accumulate double-float
  ballot scan samples.raw --dtype f32 --length 1000 -o -     # rows of 1000
  seq 10 | ballot scan -                                     # 1 3 6 10 ...

Formats
  .npy              arrays of any shape and byte order. Arrays in Fortran order are written in C order. f16 is summed as
                    f32, timedelta64 as i64 (NaT is an error)
  .segy, .sgy       SEG-Y up to revision 2.1, big-endian, samples of every format except 4. Integers of 3 bytes are
                    summed as integers of 4. Headers and trailers are copied byte for byte. All traces must have the
                    same length and the same number of headers
  .txt, .raw, .bin  one row, or rows of --length items
  The output has the input's format and type.

Sums
  Integers wrap. Floats are rounded to the items' type after every item. A sum in f32 loses low bits on long rows.
  Of sums in double-float (two floats, about 48 bits) and in double, only the results are rounded. With --direction
  both, the rounded forward sums are summed backward. The same rows give the same bits on every run. The two engines
  may differ in the last bits.
)";

void run_scan(const scan_plan& plan, report& facts) {
  if (plan.dry_run) return print_forecast(forecast_of(plan), plan.style);
  phase_clock clock;
  record_files(plan, facts);
  const auto file = open_array(plan.request);
  output_file out(plan.output, plan.compression_level);
  const engine_choice engine = choose_engine(plan.engine);
  record_engine(engine, facts);

  array_rows data = file->read(clock);
  facts.type = data.type;
  facts.count = data.items.size() / size_of(data.type);
  facts.rows = data.rows;
  facts.blank_lines = data.blank_lines;
  const scan_request scan{data.type, data.rows, data.length, plan.direction, plan.accumulate.of(data.type)};
  host_buffer before;
  if (plan.verify) before.append(data.items.bytes());
  engine.chosen->scan(scan, data.items.bytes(), clock);
  record_verification(plan.verify, facts, [&] {
    if (!plan.verify) return;
    scoped_phase checking(clock, phase::verify);
    verify_scan(scan, before.bytes(), data.items.bytes());
  });
  file->write(out, data.items.bytes(), clock);
  {
    scoped_phase writing(clock, phase::write);
    out.commit();
  }
  print_report(facts, clock, plan.style);
}

}  // namespace

command_run add_scan(CLI::App& app) {
  const auto options = std::make_shared<scan_options>();
  CLI::App& command = *app.add_subcommand("scan", "cumulative sums along the rows of an array or a seismic section");
  add_input_and_output(command, *options);
  command.add_option("--format", options->format, "the format, if the name does not give it")
      ->type_name("raw|npy|text|segy");
  command.add_option("--dtype", options->type, "the type of the items (raw, text): u8..u64, i8..i64, f32, f64")
      ->type_name("TYPE");
  add_number_option(command, "--length", options->length, "raw, text: items per row (default: everything is one row)",
                    {.least = 1})
      .type_name("N");
  command.add_option("--direction", options->direction, "both: sum forward, then sum the results backward")
      ->type_name("forward|backward|both");
  command
      .add_option("--accumulate", options->accumulate,
                  "the type that f32 is summed in (default: the type of the items)")
      ->type_name("float|double-float|double");
  add_engine_and_report(command, *options);
  command.footer(std::string(scan_help) + output_help);
  return {[options](report& facts) { run_scan(plan_scan(*options), facts); }, [options] { return options->style(); }};
}

}  // namespace ballot::app
