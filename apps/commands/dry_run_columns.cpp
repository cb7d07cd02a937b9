// SPDX-License-Identifier: Apache-2.0
// --dry-run of sort and compact on columns of numbers.
#include "commands/dry_run.hpp"

#include "commands/memory_forecast.hpp"
#include "external_sort/run_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace ballot::app {
namespace {

// How many items a file has, where it tells that before all is read.
void count_items(forecast_input& in, const column_plan& plan) {
  in.items = open_source(in.path, plan.input_format, plan.type)->count();
  if (!in.items) in.note = "how many is known only when they are read";
}

// A column of numbers: its type, and its counts where the files tell. Nothing is read of a pipe.
std::optional<dtype> look_at_column(forecast& to, const column_plan& plan) {
  forecast_input in = look_at_input(plan.input, name_of(plan.input_format));
  std::optional<dtype> type = plan.type;
  forecast others;
  add_more_inputs(others, in, plan.more_inputs, name_of(plan.input_format));
  if (in.note.empty()) {
    const auto column = open_sources(plan.inputs(), plan.input_format, plan.type);
    type = column->type();
    to.items = column->count();
    count_items(in, plan);
    for (forecast_input& other : others.inputs) {
      count_items(other, plan);
      other.content = "items, read behind it";
    }
  } else if (!type && plan.input_format == format::text) {
    type = dtype::i64;
  }
  in.content = fmt::format("{} items", type ? name_of(*type) : "numbers");
  to.inputs.push_back(in);
  to.inputs.insert(to.inputs.end(), others.inputs.begin(), others.inputs.end());
  return type;
}

}  // namespace

forecast forecast_of(const column_sort_plan& plan) {
  const engine_choice engine = engine_for(plan);
  forecast f = begin_forecast("sort", engine);
  const auto type = look_at_column(f, plan);
  if (type) {
    const sort_request request{*type, plan.order, plan.bits.of(*type), plan.argsort};
    const std::uint64_t item = size_of(*type), memory = plan.limits.memory();
    const std::uint64_t most = std::max<std::uint64_t>(1, engine.chosen->sort_capacity(request, memory));
    if (const auto count = f.items) {
      const bool fits = *count <= most || plan.argsort;
      f.memory_bytes = memory_of_sort(request, *engine.chosen, *count, fits, plan);
      f.temporary_bytes = fits ? 0 : *count * item;
    }
  }
  if (!plan.argsort) add_runs(f, plan.limits.directory);
  f.steps.push_back(fmt::format("sort, {}", plan.order == direction::descending ? "largest first" : "smallest first"));
  add_output(f, plan.output,
             plan.argsort ? fmt::format("positions, u64, {}", name_of(plan.output_format))
                          : fmt::format("{} items, {}", type ? name_of(*type) : "the", name_of(plan.output_format)));
  return f;
}

forecast forecast_of(const column_compact_plan& plan) {
  const engine_choice engine = choose_engine(plan.engine);
  forecast f = begin_forecast("compact", engine);
  const auto type = look_at_column(f, plan);
  if (type && f.items) f.memory_bytes = memory_of_compact(plan, *type, *engine.chosen, *f.items);
  add_flags(f, plan.flags);
  f.steps.push_back(!plan.condition && !plan.flags ? "keep the items"
                    : plan.condition
                        ? (plan.invert ? "keep the items for which the condition is false"
                                       : "keep the items for which the condition is true")
                        : (plan.invert ? "keep the items whose flag is 0" : "keep the items whose flag is not 0"));
  if (plan.top) f.steps.push_back(fmt::format("the first {} items", *plan.top));
  add_output(f, plan.output, fmt::format("{} items, {}", type ? name_of(*type) : "the", name_of(plan.output_format)));
  return f;
}

}  // namespace ballot::app
