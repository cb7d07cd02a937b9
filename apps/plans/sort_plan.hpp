// SPDX-License-Identifier: Apache-2.0
// The plan of one `ballot sort`.
#pragma once

#include <ballot/core/namespace.hpp>

#include "external_sort/run_limits.hpp"
#include "plans/run_plan.hpp"
#include "plans/table_plan.hpp"

#include <ballot/core/key_order.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ballot::app {

struct sort_options {
  column_options column;
  table_options rows;
  std::optional<std::uint64_t> top;
  bool descending = false;
  bool argsort = false;
  std::string bits;
  std::uint64_t memory = 0;  // bytes; 0: not given
  std::string run_directory;
  std::optional<std::uint64_t> gpus;
};

// LO:HI of --bits. An end that is left out is that of the type, which may be known only from the
// input.
struct bits_option {
  std::string text;
  std::optional<int> low, high;

  bit_range of(dtype type) const;  // throws usage_error where the type has no such bits
};

struct column_sort_plan : column_plan {
  direction order = direction::ascending;
  bits_option bits;
  bool argsort = false;
  run_limits limits;
  int gpus = 0;  // of --gpus; 0: not given
};

// The columns of the keys, and types that are not given, are known only from the table's header and
// its fields.
struct table_sort_plan : table_plan {
  std::vector<std::string> keys;  // COLUMN[:TYPE][:asc|:desc], the most significant first
  direction order = direction::ascending;
  bool unique = false;
  bool group_count = false;
  std::optional<std::uint64_t> top;
  run_limits limits;
  int gpus = 0;
};

using sort_plan = std::variant<column_sort_plan, table_sort_plan>;

sort_plan plan_sort(const sort_options& options);  // throws usage_error

}  // namespace ballot::app
