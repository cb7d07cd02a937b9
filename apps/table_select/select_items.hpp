// SPDX-License-Identifier: Apache-2.0
// Conditions on a column of numbers that are more than a where_expression: evaluated as those on a
// table with one column.
#pragma once

#include <ballot/core/namespace.hpp>

#include "conditions/row_condition.hpp"
#include "engines/engine.hpp"

namespace ballot::app {

// Throws usage_error where the condition is none on a column of numbers, "value".
void require_item_condition(const row_condition& condition);

struct item_condition {
  const row_condition* where;
  bool invert = false;
  bool verify = false;
};

// Reads all of `in` and writes the items for which the condition is true. The caller calls
// finish(). Throws verification_failure.
item_counts select_items(const item_condition& wanted, engine& worker, source& in, sink& out, phase_clock& clock);

}  // namespace ballot::app
