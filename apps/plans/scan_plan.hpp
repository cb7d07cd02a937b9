// SPDX-License-Identifier: Apache-2.0
// The plan of one `ballot scan`.
#pragma once

#include <ballot/core/namespace.hpp>

#include "arrays/array_file.hpp"
#include "engines/engine.hpp"
#include "plans/run_plan.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace ballot::app {

struct scan_options : run_options {
  std::string format, type, direction = "forward", accumulate;
  std::optional<std::uint64_t> length;
};

// The word of --accumulate. Its meaning depends on the type of the items, which may be known only
// from the input.
struct accumulate_option {
  std::string name;  // empty: the type of the items

  row_accumulator of(dtype type) const;  // throws usage_error where it is not for the type
};

struct scan_plan : run_plan {
  array_request request;
  row_direction direction = row_direction::forward;
  accumulate_option accumulate;
};

scan_plan plan_scan(const scan_options& options);  // throws usage_error

}  // namespace ballot::app
