// ballot compact
#include "commands.hpp"
#include "common/failure.hpp"
#include "common/options.hpp"
#include "common/run.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

namespace ballot::app {
namespace {

struct compact_options {
  column_options column;
  std::string where, flags;
  bool has_where = false, has_flags = false;
  bool invert = false;
};

void run_compact(const compact_options& options, report& facts) {
  phase_clock clock;
  if (options.has_where == options.has_flags) throw usage_error("compact needs one of --where and --flags");
  where_expression where;
  if (options.has_where) where = parse_where(options.where);
  const column_plan plan = plan_for(options.column);
  if (options.flags == "-" && options.column.input == "-")
    throw usage_error("standard input cannot be both the column and its flags");
  facts.input = options.column.input;
  facts.output = plan.output;
  const auto in = open_source(options.column.input, plan.input_format, plan.type);
  facts.type = in->type();
  compact_request request{in->type(), options.has_where ? &where : nullptr, nullptr, options.invert};
  std::unique_ptr<source> flags;
  if (options.has_flags) {
    flags = open_flags(options.flags);
    request.flags = flags.get();
    if (flags->count() && in->count()) require_one_flag_per_item(*flags, *flags->count(), *in->count());
  }
  output_file file(plan.output);
  const auto out = make_sink(file, plan.output_format, request.type);
  const engine_choice engine = choose_engine(plan.engine);
  compact_column(request, *engine.chosen, *in, *out, file, options.column.verify, engine.reason, facts, clock);
  print_report(facts, clock, options.column.style());
}

}  // namespace

command_run add_compact(CLI::App& app) {
  const auto options = std::make_shared<compact_options>();
  CLI::App& command = *app.add_subcommand("compact", "keep the items that a condition or flags select, in their order");
  add_column_options(command, options->column);
  auto* where =
      command
          .add_option_function<std::string>(
              "--where",
              [options](const std::string& text) {
                options->where = text;
                options->has_where = true;
              },
              "keep the items for which this is true, for example\nvalue > 10 and not (value == 12 or isnan(value)).\n"
              "Comparisons are exact; with NaN only != is true")
          ->type_name("EXPRESSION");
  command
      .add_option_function<std::string>(
          "--flags",
          [options](const std::string& path) {
            options->flags = path;
            options->has_flags = true;
          },
          "keep the items whose flag is not 0: one byte an item, raw or .npy (u1, b1)")
      ->type_name("FILE")
      ->excludes(where);
  command.add_flag("--invert", options->invert, "keep the others");
  return {[options](report& facts) { run_compact(*options, facts); }, [options] { return options->column.style(); }};
}

}  // namespace ballot::app
