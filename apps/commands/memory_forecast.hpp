// SPDX-License-Identifier: Apache-2.0
// About how much memory a run takes beside the program itself, from what is held at a time. How
// many items a condition selects is not known: where memory depends on it, it is the most.
#pragma once

#include <ballot/core/namespace.hpp>

#include "engines/engine.hpp"
#include "plans/compact_plan.hpp"
#include "plans/sort_plan.hpp"

#include <cstddef>
#include <cstdint>

namespace ballot::app {

// Of `count` items. fits: they are sorted without runs.
std::uint64_t memory_of_sort(const sort_request& request, engine& worker, std::uint64_t count, bool fits,
                             const column_sort_plan& plan);
std::uint64_t memory_of_compact(const column_compact_plan& plan, dtype type, const engine& worker, std::uint64_t count);

struct row_amount {
  std::uint64_t rows = 0, bytes = 0;  // of the table
  std::size_t columns = 0;            // that are compared, or that conditions look at
};

// Of a table in memory as a whole. writes_rows: and not their numbers, or how many they are.
std::uint64_t memory_of_sorted_rows(const row_amount& of, bool writes_rows);
std::uint64_t memory_of_selected_rows(const row_amount& of, bool writes_rows);

}  // namespace ballot::app
