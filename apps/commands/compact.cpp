// SPDX-License-Identifier: Apache-2.0
// ballot compact
#include "commands/commands.hpp"

#include "base/failure.hpp"
#include "commands/dry_run.hpp"
#include "commands/run.hpp"
#include "files/input_file.hpp"
#include "options/number_option.hpp"
#include "plans/compact_plan.hpp"
#include "table_select/select_first_rows.hpp"
#include "table_select/select_in_pieces.hpp"
#include "table_select/select_rows.hpp"
#include "table_sort/row_groups.hpp"
#include "tables/joined_files.hpp"
#include "tables/table_batches.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
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
  ballot compact trips.csv --where "line in ('S1', 'S2') and stop like 'Haupt%' and delay between 1 and 5"
  ballot compact trips.csv --where "day:date(%d.%m.%Y) >= '2024-12-31' and lower(stop) matches '(north|south)$'"
  ballot compact access.log --format lines --where "line contains 'error'" --top 10

Conditions
  Columns have names, in backticks if the name is more than a word, or numbers (#2). The one column of an array of
  numbers is called value, that of --format lines is called line. Texts are in quotes ("..." or '...').
  Operators, in capital or small letters: and, or, not; < <= > >= == != (also = <>); + - * / %; x in (1, 2),
  x between 1 and 5, s contains t, s starts with t, s ends with t, s like 'A_c%' (also with escape '!'),
  s matches 'a+$' (RE2, anywhere in the text); not in, not like, ...; column is missing (or null, or empty), is not
  missing. In the pattern of like, a backslash makes the next character an ordinary one.
  Functions: abs, min, max, length (in characters), lower, upper, isnan(x), isempty(column), and text(column), which has
  the fields of a column of numbers as they are in the file.
  Types: k:i64 gives the type of column k. A field that is not such a number is then an error. k:text is text(k).
  column:date(FORMAT) is a column of dates; ballot sort --help has the formats. It is compared with dates in quotes, in
  the same format or as 2024-12-31 23:59:59. So are columns of dates and instants of Parquet, Arrow and .npy
  (datetime64).
  Precision: comparisons of a column with a constant, and of integers, are exact. Arithmetic is in double precision, and
  / does not round to integers. % of a column of integers by an integer is exact, and has the sign of the column.
  Texts are compared byte by byte. lower and upper know the letters of Unicode.
  A missing number makes a comparison false, except != and those with not. min and max skip it. In a column of numbers
  it is a NaN. A missing text is an empty one. In an empty column all fields are missing.
  Terms with texts, %, abs, min, max, length or long lists, and conditions of more than 64 steps, are evaluated on the
  CPU, whatever the engine is.
)";

// Not committed: the mask and the rows replace their old files when both are complete.
void write_mask(const table_compact_plan& plan, std::uint64_t rows, std::span<const std::uint64_t> chosen,
                output_file& to, phase_clock& clock) {
  write_column(*make_sink(to, plan.mask_format, dtype::u8), dtype::u8, mask_of(rows, chosen).bytes(), clock);
}

// The selected rows as groups, with their counts. Returns the number of groups.
std::uint64_t write_groups(const table_compact_plan& plan, const file_table& header, const table& from,
                           std::span<const std::uint64_t> chosen, std::vector<sort_key> keys, output_file& file,
                           phase_clock& clock) {
  settle_types(keys, from);
  const auto& conversion = plan.result.conversion;
  grouped_output out(header, conversion ? plan.result.directory : std::string(), conversion ? &*conversion : nullptr,
                     &plan.request);
  const bool writes_rows = plan.result.result == table_result::rows;
  if (writes_rows) out.begin(file);
  row_groups groups(
      header, {std::move(keys), plan.top.value_or(~std::uint64_t{0}), plan.verify},
      [&](std::span<const std::byte> rows) {
        if (writes_rows) out.write(rows, file);
      },
      clock);
  write_batches(from, chosen, std::size_t{8} << 20, [&](const written_batch& rows) { groups.add(rows.bytes); });
  const std::uint64_t count = groups.finish();
  if (writes_rows) {
    out.finish(count, file);
  } else {
    write_count(count, file);
    file.commit();
  }
  return count;
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
  const bool is_more = plan.condition && !plan.where;
  compact_column(request, is_more ? &*plan.condition : nullptr, plan.top, *engine.chosen, *in, *out, file, plan.verify,
                 facts, clock);
  print_report(facts, clock, plan.style);
}

// The first rows alone: the rows behind them are not read.
void run_in_batches(const table_compact_plan& plan, const file_table& header, input_file& in, phase_clock& clock,
                    report& facts) {
  output_file file(plan.output, plan.compression_level);
  const engine_choice engine = choose_engine(plan.engine);
  record_engine(engine, facts);
  row_selection wanted;
  wanted.where = plan.where ? &*plan.where : nullptr;
  wanted.invert = plan.invert;
  wanted.verify = plan.verify;
  first_rows found;
  record_verification(plan.verify, facts,
                      [&] { found = select_first_rows(header, in, wanted, *plan.top, *engine.chosen, clock); });
  record_columns(found.types, facts);
  facts.count = found.rows_read;
  facts.table_bytes = found.bytes_read;
  facts.blank_lines = found.blank_lines;
  facts.count_out = found.numbers.size();
  std::vector<std::uint64_t> all(found.numbers.size());
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  const bool writes_numbers = plan.result.result == table_result::row_numbers;
  write_result(plan.result, plan.request, *found.rows, writes_numbers ? found.numbers : all, file, clock);
  print_report(facts, clock, plan.style);
}

// Piece by piece while the file is read, as far as that can be done; else false, with nothing
// written. A file that is written directly gets nothing before all has been looked through.
bool run_in_pieces(const table_compact_plan& plan, const opened_table& opened, std::optional<output_file>& file,
                   report& facts, phase_clock& clock) {
  const table_result result = plan.result.result;
  host_buffer numbers;
  piecewise_selection wanted{&*plan.where, plan.invert, plan.verify};
  const auto begin = [&] {
    numbers.resize(0);
    if (!wanted.wants_rows) return;
    if (file->is_seen_when_complete()) file.emplace(plan.output, plan.compression_level);
    const std::string header = opened.header->header(0);
    file->write(std::as_bytes(std::span(header)));
  };
  const auto take = [&](std::span<const std::byte> rows, std::span<const std::uint64_t> places) {
    if (!rows.empty()) file->write(rows);
    numbers.append(std::as_bytes(places));
  };
  const auto select = [&] { return select_in_pieces(*opened.header, *opened.file, wanted, begin, take, clock); };
  std::optional<selected_in_pieces> found;
  record_verification(plan.verify, facts, [&] {
    const std::uint64_t place = opened.file->position();
    wanted.wants_rows = result == table_result::rows && file->is_seen_when_complete();
    wanted.wants_numbers = result == table_result::row_numbers;
    found = select();
    if (!found || result != table_result::rows || wanted.wants_rows) return;
    opened.file->seek_back_to(place);
    wanted.wants_rows = true;
    wanted.first_piece_bytes = found->first_piece_bytes;  // an attempt that fails would have written rows
    found = select();
    if (!found) throw failure(fmt::format("{}: it changed while it was read", opened.header->name()));
  });
  if (!found) return false;
  facts.count = found->rows;
  facts.table_bytes = found->bytes;
  facts.blank_lines = found->blank_lines;
  facts.count_out = found->selected;
  record_columns(found->types, facts);
  if (result == table_result::row_numbers)
    write_column(*make_sink(*file, plan.result.number_format, dtype::u64), dtype::u64, numbers.bytes(), clock);
  else if (result == table_result::count) write_count(found->selected, *file);
  scoped_phase writing(clock, phase::write);
  file->commit();
  return true;
}

void run(const table_compact_plan& plan, report& facts) {
  phase_clock clock;
  record_inputs(plan.request.more_paths.size(), facts);
  const opened_table opened = [&] {
    scoped_phase reading(clock, phase::read);
    constexpr auto unlimited = std::numeric_limits<std::uint64_t>::max();
    return open_table_files(plan.request, unlimited, unlimited);
  }();
  const file_table& header = *opened.header;
  if (plan.group_count) (void)header.counted_header(0);  // throws where there is no room for a count
  if (selects_first_rows(plan) && can_select_in_batches(header, plan.where ? &*plan.where : nullptr))
    return run_in_batches(plan, header, *opened.file, clock, facts);
  std::optional<output_file> file;
  std::optional<engine_choice> engine;
  if (selects_rows_alone(plan) && can_select_in_pieces(header, *opened.file)) {
    file.emplace(plan.output, plan.compression_level);
    engine = choose_engine(plan.engine);
    record_engine(*engine, facts);
    if (engine->chosen->sorts_in_host_memory() && run_in_pieces(plan, opened, file, facts, clock))
      return print_report(facts, clock, plan.style);
    if (file->is_seen_when_complete()) file.reset();  // what was written so far
  }
  const auto from = read_table(header, *opened.file, clock);
  facts.count = from->rows();
  facts.table_bytes = from->bytes();
  facts.blank_lines = from->blank_lines();
  std::unique_ptr<source> flags;
  if (plan.flags) flags = open_flags(*plan.flags);
  std::vector<sort_key> keys;
  for (const std::string& text : plan.keys) keys.push_back(parse_sort_key(text, *from, direction::ascending));
  if (plan.group_count && keys.empty() && !from->only_column().empty())
    keys = parse_sort_keys(*from, {}, direction::ascending);
  if (!file) file.emplace(plan.output, plan.compression_level);
  if (!engine) engine = choose_engine(plan.engine);
  record_engine(*engine, facts);
  const row_selection wanted{
      plan.where ? &*plan.where : nullptr, flags.get(), plan.invert, plan.unique, keys, plan.verify};
  host_buffer rows;
  std::vector<column_type> types;
  record_verification(plan.verify, facts, [&] { rows = select_rows(*from, wanted, *engine->chosen, clock, &types); });
  record_columns(types, facts);
  std::span<const std::uint64_t> chosen = std::as_const(rows).as<std::uint64_t>();
  if (plan.group_count) {
    record_verification(plan.verify, facts,
                        [&] { facts.count_out = write_groups(plan, header, *from, chosen, keys, *file, clock); });
    print_report(facts, clock, plan.style);
    return;
  }
  if (plan.top) chosen = chosen.first(static_cast<std::size_t>(std::min<std::uint64_t>(*plan.top, chosen.size())));
  facts.count_out = chosen.size();
  std::optional<output_file> mask;
  if (!plan.mask.empty()) write_mask(plan, from->rows(), chosen, mask.emplace(plan.mask), clock);
  write_result(plan.result, plan.request, *from, chosen, *file, clock);
  if (mask) {
    scoped_phase writing(clock, phase::write);
    mask->commit();
  }
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
  add_by_option(command, options->rows,
                "with --unique and --group-count: compare this column, not the\nwhole row; may be repeated");
  command.add_flag("--unique", options->rows.unique, "drop rows that equal the selected row before them");
  add_number_option(command, "--top", options->top,
                    "write only the first N that are selected. The rest is not read,\nunless types have to be inferred")
      .type_name("N");
  command.add_option("--mask", options->mask, "write a byte per row, 1 if it is kept, else 0: raw or .npy")
      ->type_name("FILE");
  add_table_options(command, options->rows);
  command.footer(compact_examples + command.get_footer());
  return {[options](report& facts) { run_compact(*options, facts); }, [options] { return options->column.style(); }};
}

}  // namespace ballot::app
