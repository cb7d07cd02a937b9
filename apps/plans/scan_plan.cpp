// SPDX-License-Identifier: Apache-2.0
#include "plans/scan_plan.hpp"

#include "base/failure.hpp"
#include "files/output_name.hpp"

#include <fmt/format.h>

namespace ballot::app {
namespace {

row_direction parse_direction(const std::string& name) {
  if (name == "forward") return row_direction::forward;
  if (name == "backward") return row_direction::backward;
  if (name == "both") return row_direction::forward_then_backward;
  throw usage_error(fmt::format("unknown direction '{}': forward, backward, both", name));
}

array_request plan_request(const scan_options& options) {
  array_request request{options.input, array_format::text, parse_dtype(options.type), options.length};
  if (!options.format.empty()) {
    const auto named = array_format_named(options.format);
    if (!named) throw_unknown_format(options.format, array_format_names);
    request.format = *named;
  } else if (const auto found = array_format_of_extension(options.input)) {
    request.format = *found;
  } else if (options.input != "-") {
    throw_no_format(options.input, array_format_names);
  }
  if (request.format == array_format::raw && !request.type) throw_raw_without_type(options.input);
  return request;
}

}  // namespace

row_accumulator accumulate_option::of(dtype type) const {
  if (name.empty() || (type == dtype::f64 && name == "double")) return row_accumulator::item;
  if (type != dtype::f32)
    throw usage_error(fmt::format("--accumulate {} is for f32, and the items are {}", name, name_of(type)));
  return name == "float"    ? row_accumulator::item
         : name == "double" ? row_accumulator::float64
                            : row_accumulator::double_float;
}

scan_plan plan_scan(const scan_options& options) {
  require_input(options);
  scan_plan plan{plan_run(options), plan_request(options), parse_direction(options.direction), {options.accumulate}};
  const std::string& sum = options.accumulate;
  if (!sum.empty() && sum != "float" && sum != "double-float" && sum != "double")
    throw usage_error(fmt::format("--accumulate {}: use float, double-float or double", sum));
  if (!have_same_extension(options.output, options.input)) require_extension(options.output, plan.request.format);
  plan.output = parse_output(options, is_text(plan.request.format));
  return plan;
}

}  // namespace ballot::app
