// SPDX-License-Identifier: Apache-2.0
// Any bytes as a condition, for columns and for tables: a program, or a usage_error with a place.
#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "conditions/row_condition.hpp"
#include "conditions/where_expression.hpp"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ballot::app;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const where_expression where = parse_where(text);
    evaluate(where, literal(1.5));
  } catch (const usage_error&) {
  }
  try {
    const row_condition condition = parse_row_condition(text);
    for (std::size_t i = 0; i < condition.nodes.size(); ++i) {
      const condition_node& node = condition.nodes[i];
      if (node.position > size || (i != 0 && (node.left >= i || node.right >= i))) std::abort();
    }
  } catch (const usage_error&) {
  }
  return 0;
}
