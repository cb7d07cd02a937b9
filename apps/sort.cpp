// ballot sort
#include "commands.hpp"
#include "common/failure.hpp"
#include "common/options.hpp"
#include "common/run.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <memory>
#include <string_view>

namespace ballot::app {
namespace {

struct sort_options {
  column_options column;
  bool descending = false;
  bool argsort = false;
  std::string bits;
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

void run_sort(const sort_options& options, report& facts) {
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
  sort_column(request, *engine.chosen, *in, *out, file, options.column.verify, engine.reason, facts, clock);
  print_report(facts, clock, options.column.style());
}

}  // namespace

command_run add_sort(CLI::App& app) {
  const auto options = std::make_shared<sort_options>();
  CLI::App& command = *app.add_subcommand("sort", "sort a column of numbers");
  command.description(
      "Sorts a column of numbers. Floats go -inf < ... < -0 < +0 < ... < +inf, and every NaN comes last, in both "
      "directions.");
  add_column_options(command, options->column);
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
  return {[options](report& facts) { run_sort(*options, facts); }, [options] { return options->column.style(); }};
}

}  // namespace ballot::app
