// SPDX-License-Identifier: Apache-2.0
// Says what a plan would do, without doing it: a function for each plan. Inputs are opened. They
// are read if only their fields show their types (columns of a CSV without a type, traces of a
// SEG-Y file, meshes). Outputs are looked at, and not opened.
#pragma once

#include <ballot/core/namespace.hpp>

#include "plans/collide_plan.hpp"
#include "plans/compact_plan.hpp"
#include "plans/scan_plan.hpp"
#include "plans/sort_plan.hpp"
#include "report/forecast.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::app {

forecast forecast_of(const column_sort_plan& plan);
forecast forecast_of(const table_sort_plan& plan);
forecast forecast_of(const column_compact_plan& plan);
forecast forecast_of(const table_compact_plan& plan);
forecast forecast_of(const scan_plan& plan);
forecast forecast_of(const collide_plan& plan);

// Shared by these. Without a file's path ("-") nothing is read, because bytes that are read from a
// pipe are gone.
forecast begin_forecast(const char* command, const engine_choice& engine);
forecast_input look_at_input(const std::string& path, std::string_view format);
void add_output(forecast& to, const std::string& path, std::string content);
// Where runs would be. Throws failure where there are some and they cannot be made there.
void add_runs(forecast& to, const std::string& directory);
// Files that are read behind the first. If one is a pipe, none is read.
void add_more_inputs(forecast& to, forecast_input& first, const std::vector<std::string>& paths,
                     std::string_view format);
void add_flags(forecast& to, const std::optional<std::string>& flags);
void add_types(forecast& to, std::span<const column_type> types);

template <class Plan>
engine_choice engine_for(const Plan& plan) {
  if (plan.gpus != 0) return {make_gpus_engine(plan.gpus), "requested"};
  return choose_engine(plan.engine);
}

}  // namespace ballot::app
