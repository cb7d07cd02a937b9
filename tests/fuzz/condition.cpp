// SPDX-License-Identifier: Apache-2.0
// Any bytes as a condition: a tree whose operands come before their operators, or a usage_error
// with a place.
#include <ballot/core/namespace.hpp>

#include "base/date_format.hpp"
#include "base/failure.hpp"
#include "conditions/like_pattern.hpp"
#include "conditions/row_condition.hpp"
#include "conditions/where_expression.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ballot::app;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const row_condition condition = parse_row_condition(text);
    std::size_t pending = 0;
    for (std::size_t i = 0; i < condition.nodes.size(); ++i) {
      const condition_node& node = condition.nodes[i];
      const auto operands = static_cast<std::size_t>(operands_of(node));
      if (node.position > size || operands > pending) std::abort();
      pending += 1 - operands;
      for (const std::size_t operand : {node.left, node.right, node.third})
        if (i != 0 && operand >= i) std::abort();
      if (node.kind == condition_kind::in_list) {
        const condition_list& list = condition.lists.at(node.list);
        if (list.numbers.empty() == list.texts.empty()) std::abort();
      }
      if (node.kind == condition_kind::like) like_pattern(node.name, node.escape).matches(text);
      if (node.kind == condition_kind::column_as_date) date_format check(node.format);
    }
    if (pending != 1) std::abort();
    const auto begin = beginnings_of(condition.nodes);
    if (begin.back() != 0) std::abort();
    if (const auto where = as_where_expression(condition)) evaluate(*where, literal(1.5));
  } catch (const usage_error&) {
  }
  return 0;
}
