// SPDX-License-Identifier: Apache-2.0
// Conditions on a column of numbers, for the tests of what engines make of them.
#pragma once

#include <ballot/core/namespace.hpp>

#include "conditions/row_condition.hpp"
#include "conditions/where_expression.hpp"
#include "table_select/select_items.hpp"

#include <string_view>

namespace ballot::app {

inline where_expression parse_where(std::string_view text) {
  const row_condition condition = parse_row_condition(text);
  require_item_condition(condition);
  return as_where_expression(condition).value();
}

}  // namespace ballot::app
