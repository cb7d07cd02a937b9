// SPDX-License-Identifier: Apache-2.0
// ballot compact
#include "commands/commands.hpp"
#include "commands/dry_run.hpp"
#include "commands/run.hpp"
#include "plans/compact_plan.hpp"
#include "table_select/select_rows.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace ballot::app {
namespace {

constexpr auto compact_examples = R"(
Examples
  ballot compact samples.npy --where 'value > 0 and value != 7' -o kept.npy      # a column of numbers
  ballot compact points.npy --flags is_inside.npy -o inside.npy
  ballot compact cities.csv --where 'state == "NY" and north / east > 0.6' -o ny.csv
  ballot compact strikes.csv --where '`Cost Total $` > 1e6 and not isempty(Species)' --count
  ballot compact events.csv --unique --by user --by page -o changes.csv          # like uniq, by two columns

Conditions on tables
  Columns are written by name (between backticks if it is more than a word) or by number (#2). Texts stand between
  quotes ("..." or '...'). Operators: < <= > >= == !=; + - * /; and, or, not. Functions: isnan(x), isempty(column), and
  text(column), which is a column of numbers as the file has it.
  A column and a constant are compared exactly, and so are integers; arithmetic is in double precision. Texts are
  compared by bytes. A missing field of a column of numbers is a NaN; in an empty column every field is missing. k:i64
  gives the type of column k: a field that is not such a number is an error. k:text is text(k).
)";

void write_mask(const table_compact_plan& plan, std::uint64_t rows, std::span<const std::uint64_t> chosen,
                phase_clock& clock) {
  output_file file(plan.mask);
  write_column(*make_sink(file, plan.mask_format, dtype::u8), dtype::u8, mask_of(rows, chosen).bytes(), clock);
  scoped_phase writing(clock, phase::write);
  file.commit();
}

void run(const column_compact_plan& plan, report& facts) {
  phase_clock clock;
  record_inputs(plan.more_inputs.size(), facts);
  const auto in = open_sources(plan.inputs(), plan.input_format, plan.type);
  facts.type = in->type();
  compact_request request{in->type(), plan.where ? &*plan.where : nullptr, nullptr, plan.invert};
  std::unique_ptr<source> flags;
  if (plan.flags) {
    flags = open_flags(*plan.flags);
    request.flags = flags.get();
    if (flags->count() && in->count()) require_one_flag_per_item(*flags, *flags->count(), *in->count());
  }
  output_file file(plan.output, plan.compression_level);
  const auto out = make_sink(file, plan.output_format, request.type);
  const engine_choice engine = choose_engine(plan.engine);
  record_engine(engine, facts);
  compact_column(request, *engine.chosen, *in, *out, file, plan.verify, facts, clock);
  print_report(facts, clock, plan.style);
}

void run(const table_compact_plan& plan, report& facts) {
  phase_clock clock;
  record_inputs(plan.request.more_paths.size(), facts);
  const auto from = open_table(plan.request, clock);
  facts.count = from->rows();
  facts.table_bytes = from->bytes();
  facts.blank_lines = from->blank_lines();
  std::unique_ptr<source> flags;
  if (plan.flags) flags = open_flags(*plan.flags);
  std::vector<sort_key> keys;
  for (const std::string& text : plan.keys) keys.push_back(parse_sort_key(text, *from, direction::ascending));
  output_file file(plan.output, plan.compression_level);
  const engine_choice engine = choose_engine(plan.engine);
  record_engine(engine, facts);
  const row_selection wanted{
      plan.where ? &*plan.where : nullptr, flags.get(), plan.invert, plan.unique, keys, plan.verify};
  host_buffer rows;
  std::vector<column_type> types;
  record_verification(plan.verify, facts, [&] { rows = select_rows(*from, wanted, *engine.chosen, clock, &types); });
  record_columns(types, facts);
  const std::span<const std::uint64_t> chosen = std::as_const(rows).as<std::uint64_t>();
  facts.count_out = chosen.size();
  if (!plan.mask.empty()) write_mask(plan, from->rows(), chosen, clock);
  write_result(plan.result, plan.request, *from, chosen, file, clock);
  print_report(facts, clock, plan.style);
}

void run_compact(const compact_options& options, report& facts) {
  const compact_plan plan = plan_compact(options);
  std::visit(
      [&](const auto& kind) {
        if (kind.dry_run) return print_forecast(forecast_of(kind), kind.style);
        record_files(kind, facts);
        run(kind, facts);
      },
      plan);
}

}  // namespace

command_run add_compact(CLI::App& app) {
  const auto options = std::make_shared<compact_options>();
  CLI::App& command = *app.add_subcommand(
      "compact", "keep the items, or the rows of a table, that a condition or flags select, in their order");
  add_column_options(command, options->column);
  auto* where =
      command
          .add_option_function<std::string>(
              "--where", [options](const std::string& text) { options->where = text; },
              "keep the items for which this is true, for example\nvalue > 10 and not (value == 12 or isnan(value)).\n"
              "Comparisons are exact; with NaN only != is true.\nFor tables: columns by name, see below")
          ->type_name("EXPRESSION");
  command
      .add_option_function<std::string>(
          "--flags", [options](const std::string& path) { options->flags = path; },
          "keep the items (rows) whose flag is not 0: one byte per\nitem, raw or .npy (u1, b1)")
      ->type_name("FILE")
      ->excludes(where);
  command.add_flag("--invert", options->invert, "keep the other items (rows) instead");
  add_by_option(command, options->rows, "with --unique: compare this column, not the whole row;\nmay be repeated");
  command.add_flag("--unique", options->rows.unique, "drop rows that equal the selected row before them");
  command.add_option("--mask", options->mask, "write a byte per row, 1 if it is kept, else 0: raw or .npy")
      ->type_name("FILE");
  add_table_options(command, options->rows);
  command.footer(compact_examples + command.get_footer());
  return {[options](report& facts) { run_compact(*options, facts); }, [options] { return options->column.style(); }};
}

}  // namespace ballot::app
