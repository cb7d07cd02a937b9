// ballot sort
#include "base/failure.hpp"
#include "commands/commands.hpp"
#include "commands/run.hpp"
#include "files/input_file.hpp"
#include "options/number_option.hpp"
#include "options/options.hpp"
#include "options/table_options.hpp"
#include "table_sort/sort_table.hpp"
#include "table_sort/sort_table_in_runs.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace ballot::app {
namespace {

constexpr auto sort_examples = R"(
Examples
  ballot sort samples.npy -o sorted.npy                                # a column of numbers
  ballot sort huge.raw --dtype u64 --memory 16G -o sorted.raw          # larger than the memory
  ballot sort cities.csv --by state --by population:desc -o by_state.csv
  ballot sort cities.csv --by population:desc --top 10                 # the header and ten rows
  zcat trips.csv.gz | ballot sort - --format csv --by begin --memory 8G -o sorted.csv
  ballot sort log.txt --format lines --unique -o lines.txt
  ballot sort records.bin --record-bytes 100 --by 0:10 -o sorted.bin   # gensort's
  ballot sort points.npy --by z --by x:desc --indices -o order.npy     # fields z and x of an array of structures
)";

struct sort_options {
  column_options column;
  table_options rows;
  std::optional<std::uint64_t> top;
  bool descending = false;
  bool argsort = false;
  std::string bits;
  std::uint64_t memory = 0;  // bytes; 0: not given
  std::string run_directory;
};

// LO:HI, either of which may be left out.
bit_range parse_bits(std::string_view text, dtype type) {
  const int width = static_cast<int>(8 * size_of(type));
  const auto number_in = [](std::string_view digits, int otherwise) {
    if (digits.empty()) return otherwise;
    int value = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc{} && end == digits.data() + digits.size() ? value : -1;
  };
  const std::size_t colon = text.find(':');
  bit_range bits;
  if (text.empty()) return {0, width};
  bits.low = colon == std::string_view::npos ? -1 : number_in(text.substr(0, colon), 0);
  bits.high = colon == std::string_view::npos ? -1 : number_in(text.substr(colon + 1), width);
  if (bits.low < 0 || bits.high < 0)
    throw usage_error(fmt::format("--bits {}: expected LO:HI, for example 0:16", text));
  if (bits.low >= bits.high || bits.high > width)
    throw usage_error(
        fmt::format("--bits {}: {} has bits 0:{}, and LO must be less than HI", text, name_of(type), width));
  return bits;
}

// Beside the output, which needs as much room; for a pipe where temporary files usually go.
std::string directory_for_runs(const sort_options& options, const std::string& output) {
  namespace fs = std::filesystem;
  if (!options.run_directory.empty()) {
    if (!fs::is_directory(options.run_directory))
      throw usage_error(fmt::format("--runs-in {}: not a directory", options.run_directory));
    return options.run_directory;
  }
  std::error_code ignored;
  const fs::path path(output);
  if (output != "-" && (!fs::exists(path, ignored) || fs::is_regular_file(path, ignored)))
    return path.has_parent_path() ? path.parent_path().string() : ".";
  const char* const named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

void refuse_runs_of_places(const sort_options& options) {
  if (options.memory != 0 || !options.run_directory.empty())
    throw usage_error("--memory and --runs-in: the places of items (--argsort, --indices) are sorted in memory");
}

std::unique_ptr<table> read_whole(const file_table& front, input_file& in, phase_clock& clock) {
  scoped_phase reading(clock, phase::read);
  return table_pieces(front, in, {}).next();
}

void run_table_sort(const sort_options& options, report& facts) {
  phase_clock clock;
  if (!options.bits.empty()) throw usage_error("--bits is for a single column of numbers, and not for rows");
  table_options rows = options.rows;
  rows.indices = rows.indices || options.argsort;
  if (rows.indices) refuse_runs_of_places(options);
  const table_plan plan = plan_for_table(options.column, rows);
  const run_limits limits{options.memory, directory_for_runs(options, plan.output),
                          options.column.style() == report_style::human};
  facts.input = options.column.input;
  facts.output = plan.output;
  input_file in(plan.request.path);
  const auto front = open_front(plan.request, in, limits.memory() / longest_row_share);
  const auto keys =
      parse_sort_keys(*front, options.rows.by, options.descending ? direction::descending : direction::ascending);
  if (keys.empty())
    throw usage_error(fmt::format("{}: sorted by what? Say --by COLUMN: the columns are {}", front->name(),
                                  front->columns_in_words()));
  for (const sort_key& key : keys) (void)front->column(key.column, key.wish);  // whether it can be, before any work
  output_file file(plan.output);
  const engine_choice engine = choose_engine(plan.engine);
  introduce(*engine.chosen, engine.reason, facts);
  const row_order wanted{keys, rows.unique, options.top, options.column.verify};
  std::uint64_t count_out = 0;
  std::vector<column_type> types;
  noting_the_verdict(options.column.verify, facts, [&] {
    table_in_runs sorted(*front, in, wanted, *engine.chosen, limits, clock);
    const auto whole = rows.indices ? read_whole(*front, in, clock) : std::unique_ptr<table>(sorted.make_runs());
    if (!whole) {
      count_out = write_result(plan, *front, sorted, limits.directory, file, clock);
      facts.runs = sorted.runs();
    } else {
      const host_buffer order = sort_rows(*whole, wanted, *engine.chosen, clock, &types);
      count_out = order.size() / sizeof(std::uint64_t);
      write_result(plan, *whole, order.as<std::uint64_t>(), file, clock);
    }
    tell_columns(whole ? types : sorted.types(), facts);
    facts.count = whole ? whole->rows() : sorted.rows();
    facts.table_bytes = whole ? whole->bytes() : sorted.bytes();
    facts.blank_lines = whole ? whole->blank_lines() : sorted.blank_lines();
  });
  if (rows.unique || options.top) facts.count_out = count_out;
  print_report(facts, clock, options.column.style());
}

void run_sort(const sort_options& original, report& facts) {
  require_input(original.column);
  if (is_table_run(original.column, original.rows.asks_for_rows() || original.top, false))
    return run_table_sort(original, facts);
  sort_options options = original;
  options.argsort = options.argsort || options.rows.indices;
  if (options.argsort) refuse_runs_of_places(options);
  phase_clock clock;
  const column_plan plan = plan_for(options.column);
  facts.input = options.column.input;
  facts.output = plan.output;
  const auto in = open_source(options.column.input, plan.input_format, plan.type);
  facts.type = in->type();
  const sort_request request{in->type(), options.descending ? direction::descending : direction::ascending,
                             parse_bits(options.bits, in->type()), options.argsort};
  output_file file(plan.output);
  const auto out = make_sink(file, plan.output_format, request.argsort ? dtype::u64 : request.type);
  const engine_choice engine = choose_engine(plan.engine);
  const run_limits limits{options.memory, directory_for_runs(options, plan.output),
                          options.column.style() == report_style::human};
  sort_column(request, *engine.chosen, *in, *out, file, options.column.verify, limits, engine.reason, facts, clock);
  print_report(facts, clock, options.column.style());
}

}  // namespace

command_run add_sort(CLI::App& app) {
  const auto options = std::make_shared<sort_options>();
  CLI::App& command = *app.add_subcommand("sort", "sort a column of numbers, or the rows of a table");
  command.description(
      "Sorts a column of numbers, or the rows of a table by some of its columns. Floats go -inf < ... < -0 < +0 < ... "
      "< "
      "+inf, and every NaN comes last, in both directions. Rows with equal keys keep their order.");
  add_column_options(command, options->column);
  add_by_option(
      command, options->rows,
      "sort rows by this column; more than once: the first is the\nmost significant. COLUMN:desc, COLUMN:TYPE, "
      "COLUMN:text,\nCOLUMN:TYPE:desc");
  command.add_flag("--unique", options->rows.unique, "of rows with equal keys only the first");
  add_number_option(command, "--top", options->top, "only the first N rows of the result").type_name("N");
  add_table_options(command, options->rows);
  command.add_flag("--descending", options->descending, "largest first");
  command.add_flag("--argsort", options->argsort,
                   "write the places of the items in sorted order instead (u64, from 0);\n"
                   "equal items in the order of the input");
  command
      .add_option("--bits", options->bits,
                  "compare only these bits of the key, 0 the least significant,\nHI not included; items equal in them "
                  "keep their "
                  "order.\nFor signed types and floats these are the bits of the\nunsigned integer of the same order")
      ->type_name("LO:HI");
  add_size_option(
      command, "--memory", options->memory,
      "what items, rows, keys and buffers may take: what does not fit is\nsorted in runs, which are merged "
      "(by default most of what is free,\nor as much as the GPU takes). 512M, 16G: powers of 1024. A row "
      "may\ntake a 16th of it. Without types (COLUMN:TYPE) a CSV is read twice.\nTo --verify a sort by --bits, "
      "the items are held in memory all the same;\nso they are for places (--argsort, --indices)",
      {.least = std::uint64_t{1} << 16, .most = std::uint64_t{1} << 60})
      .type_name("SIZE");
  command
      .add_option(
          "--runs-in", options->run_directory,
          "where runs are kept, in files without names (default: beside the\noutput; for a pipe $TMPDIR or /tmp)")
      ->type_name("DIR");
  command.footer(sort_examples + command.get_footer());
  return {[options](report& facts) { run_sort(*options, facts); }, [options] { return options->column.style(); }};
}

}  // namespace ballot::app
