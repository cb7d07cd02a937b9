// SPDX-License-Identifier: Apache-2.0
// ballot sort
#include "base/failure.hpp"
#include "commands/commands.hpp"
#include "commands/dry_run.hpp"
#include "commands/run.hpp"
#include "commands/sort_by_processes.hpp"
#include "options/number_option.hpp"
#include "plans/sort_plan.hpp"
#include "processes/process_group.hpp"
#include "table_sort/row_groups.hpp"
#include "table_sort/sort_table.hpp"
#include "table_sort/sort_table_in_runs.hpp"
#include "table_sort/write_merged.hpp"
#include "table_sort/written_rows_check.hpp"
#include "tables/joined_files.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace ballot::app {
namespace {

constexpr auto sort_examples = R"(
Order
  Floats go -inf < ... < -0 < +0 < ... < +inf, and every NaN comes last, in both directions. Rows with equal keys keep
  their order.

Examples
  ballot sort samples.npy -o sorted.npy                                # a column of numbers
  ballot sort huge.raw --dtype u64 --memory 16G -o sorted.raw          # larger than the memory
  ballot sort cities.csv --by state --by population:desc -o by_state.csv
  ballot sort cities.csv --by population:desc --top 10                 # the header and ten rows
  ballot sort keys.raw --dtype u64 --gpus 8 -o sorted.raw              # by eight GPUs
  mpirun -n 8 ballot sort keys.raw --dtype u64 -o sorted.raw           # by eight processes, a GPU each
  zcat trips.csv.gz | ballot sort - --format csv --by begin --memory 8G -o sorted.csv
  ballot sort log.txt --format lines --unique -o lines.txt
  ballot sort records.bin --record-bytes 100 --by 0:10 -o sorted.bin   # gensort's
  ballot sort points.npy --by z --by x:desc --indices -o order.npy     # fields z and x of an array of structures
  ballot sort trips.csv --by 'day:date(%d.%m.%Y %H:%M)' --by line:natural -o by_day.csv
  ballot sort access.log --format lines --group-count                  # like sort | uniq -c
  ballot sort trips.parquet --by begin:desc --columns begin,fare -o trips.csv

Orders of texts: COLUMN:ORDER; of lines, line:ORDER
  natural           digits count as numbers: file9 before file10
  version           file names with version numbers, as in sort -V
  nocase            as if in capital letters, as in sort -f; also COLUMN:natural:nocase, COLUMN:version:nocase
  locale            the order of the environment's locale, or of a named one: locale(de_DE.UTF-8). The order is that of
                    strxfrm. Texts that differ only in blanks and punctuation may come in another order than in sort
  date(FORMAT)      dates, by %Y %y %m %b %B %d %e %j %a %A %H %I %p %M %S %f %z %s %F %T %R %D, as in strptime. Parts
                    that the format leaves out are those of 2000-01-01 00:00:00 UTC. A field that is no such date is an
                    error. An empty field, or a word of --null, is missing
  Each order may be followed by :desc. --unique and --group-count use it, too, to tell which rows are equal.
)";

template <class Plan>
engine_choice choose(const Plan& plan) {
  if (plan.gpus != 0) return {make_gpus_engine(plan.gpus), "requested"};
  return choose_engine(plan.engine);
}

void run(const column_sort_plan& plan, report& facts) {
  phase_clock clock;
  record_inputs(plan.more_inputs.size(), facts);
  const auto in = open_sources(plan.inputs(), plan.input_format, plan.type);
  facts.type = in->type();
  const sort_request request{in->type(), plan.order, plan.bits.of(in->type()), plan.argsort};
  output_file file(plan.output, plan.compression_level);
  const auto out = make_sink(file, plan.output_format, request.argsort ? dtype::u64 : request.type);
  const engine_choice engine = choose(plan);
  record_engine(engine, facts);
  sort_column(request, *engine.chosen, *in, *out, file, plan.verify, plan.limits, facts, clock);
  print_report(facts, clock, plan.style);
}

std::vector<sort_key> require_keys(const file_table& header, const table_sort_plan& plan) {
  auto keys = parse_sort_keys(header, plan.keys, plan.order);
  if (keys.empty())
    throw usage_error(fmt::format("{}: no column to sort by: use --by COLUMN: the columns are {}", header.name(),
                                  header.columns_in_words()));
  for (const sort_key& key : keys) (void)key.column_of(header);  // throws where the type cannot be
  return keys;
}

// The rows of groups, as they are sorted, with their counts. Returns the number of groups.
std::uint64_t write_groups(const table_sort_plan& plan, const file_table& header, const table* whole,
                           std::span<const std::uint64_t> order, std::span<const column_type> types,
                           table_run_sorter& sorted, output_file& file, phase_clock& clock) {
  grouping by{sorted.keys(), plan.top.value_or(~std::uint64_t{0}), plan.verify};
  if (whole != nullptr) settle_types(by.keys, types);
  const auto& conversion = plan.result.conversion;
  grouped_output out(header, plan.limits.directory, conversion ? &*conversion : nullptr, &plan.request);
  const bool writes_rows = plan.result.result == table_result::rows;
  if (writes_rows) out.begin(file);
  row_groups groups(
      header, std::move(by),
      [&](std::span<const std::byte> rows) {
        if (writes_rows) out.write(rows, file);
      },
      clock);
  if (whole != nullptr)
    write_batches(*whole, order, std::size_t{8} << 20, [&](const written_batch& rows) { groups.add(rows.bytes); });
  else sorted.merge([&](std::span<const std::byte> rows) { groups.add(rows); });
  const std::uint64_t count = groups.finish();
  if (writes_rows) {
    out.finish(count, file);
  } else {
    write_count(count, file);
    file.commit();
  }
  return count;
}

// The rows of a table in this order, as they are, with a check of what is written.
void write_checked(const table_sort_plan& plan, const file_table& header, const table& whole,
                   std::span<const std::uint64_t> order, std::span<const column_type> types, output_file& file,
                   phase_clock& clock) {
  std::vector<sort_key> keys = require_keys(header, plan);
  settle_types(keys, types);
  written_rows_check check(header, std::move(keys), plan.unique);
  scoped_phase writing(clock, phase::write);
  const std::string front = whole.header(order.size());
  file.write(std::as_bytes(std::span(front)));
  write_batches(whole, order, std::size_t{8} << 20, [&](const written_batch& rows) {
    {
      scoped_phase checking(clock, phase::verify);
      check.add(rows.bytes);
    }
    file.write(rows.bytes);
  });
  check.require_rows(whole, order);
  file.commit();
}

void run(const table_sort_plan& plan, report& facts) {
  phase_clock clock;
  record_inputs(plan.request.more_paths.size(), facts);
  const std::uint64_t memory = plan.limits.memory();
  const auto opened = open_table_files(plan.request, memory / longest_row_share, memory);
  const auto& header = opened.header;
  input_file& in = *opened.file;
  const auto keys = require_keys(*header, plan);
  if (plan.group_count) (void)header->counted_header(0);  // throws where there is no room for a count
  output_file file(plan.output, plan.compression_level);
  const engine_choice engine = choose(plan);
  record_engine(engine, facts);
  const row_sort wanted{keys, plan.unique, plan.group_count ? std::nullopt : plan.top, plan.verify};
  const bool in_memory = plan.result.result == table_result::row_numbers;
  std::uint64_t count_out = 0;
  std::vector<column_type> types;
  record_verification(plan.verify, facts, [&] {
    table_run_sorter sorted(*header, in, wanted, *engine.chosen, plan.limits, clock);
    // If not all rows are written, the types of the columns are still those of all.
    std::optional<inferred_columns> of_input;
    if (plan.result.conversion && (plan.unique || plan.top))
      of_input = row_conversion::columns_to_infer(*plan.result.conversion, plan.request, *header);
    const auto look = [&](const file_table& batch) { of_input->look_at(batch); };
    const auto whole =
        in_memory
            ? read_table(*header, in, clock)
            : std::unique_ptr<table>(sorted.make_runs(of_input ? look : std::function<void(const file_table&)>()));
    if (plan.group_count) {
      const host_buffer order = whole ? sort_rows(*whole, wanted, *engine.chosen, clock, &types) : host_buffer();
      count_out = write_groups(plan, *header, whole.get(), order.as<std::uint64_t>(), types, sorted, file, clock);
      if (!whole) facts.runs = sorted.runs();
    } else if (!whole) {
      std::optional<written_rows_check> check;
      const auto see = [&](std::span<const std::byte> rows) {
        scoped_phase checking(clock, phase::verify);
        if (!check) check.emplace(*header, sorted.keys(), plan.unique);
        check->add(rows);
      };
      count_out = write_merged(plan.result, plan.request, *header, sorted, plan.limits.directory, file, clock,
                               plan.verify ? see : std::function<void(std::span<const std::byte>)>(),
                               of_input ? &*of_input : nullptr);
      facts.runs = sorted.runs();
    } else {
      const host_buffer order = sort_rows(*whole, wanted, *engine.chosen, clock, &types);
      count_out = order.size() / sizeof(std::uint64_t);
      if (plan.verify && plan.result.result == table_result::rows && !plan.result.conversion)
        write_checked(plan, *header, *whole, order.as<std::uint64_t>(), types, file, clock);
      else write_result(plan.result, plan.request, *whole, order.as<std::uint64_t>(), file, clock);
    }
    record_columns(whole ? types : sorted.types(), facts);
    facts.count = whole ? whole->rows() : sorted.rows();
    facts.table_bytes = whole ? whole->bytes() : sorted.bytes();
    facts.blank_lines = whole ? whole->blank_lines() : sorted.blank_lines();
  });
  if (plan.unique || plan.top || plan.group_count) facts.count_out = count_out;
  print_report(facts, clock, plan.style);
}

void run_sort(const sort_options& options, report& facts) {
  if (launched_processes() > 1) return run_by_processes(options, facts);
  const sort_plan plan = plan_sort(options);
  std::visit(
      [&](const auto& kind) {
        if (kind.dry_run) return print_forecast(forecast_of(kind), kind.style);
        record_files(kind, facts);
        run(kind, facts);
      },
      plan);
}

}  // namespace

command_run add_sort(CLI::App& app) {
  const auto options = std::make_shared<sort_options>();
  CLI::App& command =
      *app.add_subcommand("sort", "sort a column of numbers, or the rows of a table by some of its columns");
  add_column_options(command, options->column);
  add_by_option(
      command, options->rows,
      "sort rows by this column; may be repeated, the first is the\nmost significant. COLUMN:desc, COLUMN:TYPE, "
      "COLUMN:text,\nCOLUMN:TYPE:desc, COLUMN:date(FORMAT), COLUMN:natural, ...:\nsee Orders below");
  command.add_flag("--unique", options->rows.unique, "keep only the first of rows with equal keys");
  add_number_option(command, "--top", options->top, "write only the first N rows of the result").type_name("N");
  add_table_options(command, options->rows);
  command.add_flag("--descending", options->descending, "largest first");
  command.add_flag("--argsort", options->argsort,
                   "write the positions of the items in sorted order (u64, from 0);\n"
                   "equal items in the order of the input");
  command
      .add_option("--bits", options->bits,
                  "compare only these bits of the key, 0 the least significant,\nHI not included; items equal in them "
                  "keep their "
                  "order.\nFor signed types and floats these are the bits of the\nunsigned integer of the same order")
      ->type_name("LO:HI");
  add_size_option(
      command, "--memory", options->memory,
      "memory for items, rows, keys and buffers, beside some 12M of the\nprogram itself: an input that does not "
      "fit is sorted in runs,\nwhich are merged "
      "(default: most of the free memory, also\nof a container, or as much as fits on the GPU). 512M, 16G: powers of "
      "1024. A row "
      "may\ntake a 16th of it. Without types (COLUMN:TYPE) a CSV is read twice.\nTo --verify a sort by --bits, "
      "all items are held in memory;\nso they are for positions (--argsort, --indices)",
      {.least = std::uint64_t{1} << 16, .most = std::uint64_t{1} << 60})
      .type_name("SIZE");
  add_number_option(command, "--gpus", options->gpus,
                    "sort by N GPUs of this host (with NCCL). What does not fit on\nall of them together is sorted in "
                    "runs; positions have to\nfit. Without it, one GPU sorts",
                    {.least = 1, .most = 128})
      .type_name("N");
  command
      .add_option("--runs-in", options->run_directory,
                  "directory for the runs, in unnamed files (default: that of the\noutput; for a pipe $TMPDIR or /tmp)")
      ->type_name("DIR");
  command.footer(sort_examples + command.get_footer());
  return {[options](report& facts) { run_sort(*options, facts); }, [options] { return options->column.style(); }};
}

}  // namespace ballot::app
