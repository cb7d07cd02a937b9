// SPDX-License-Identifier: Apache-2.0
// An external sort of a column: it need not fit into memory.
//
//     input     | as much as the engine takes at a time | as much again | ...
//     runs      each sorted by the engine, and stored in a temporary file (sorted_runs.hpp)
//     output    the runs merged (merge_runs.hpp); of equal items the earlier run's first: as stable
//               as the engine
//
// An input that fits is sorted without a file. If there are more runs than can be merged at a time,
// passes merge them into fewer first. Rows of tables: table_sort/sort_table_in_runs.hpp.
#pragma once

#include <ballot/core/namespace.hpp>

#include "engines/engine.hpp"
#include "external_sort/run_limits.hpp"

#include <cstdint>

namespace ballot::app {

struct column_runs {
  item_counts counts;
  std::uint64_t runs = 1;
};

// Like engine::sort, but not for positions (argsort).
column_runs sort_column_in_runs(const sort_request& request, engine& worker, source& in, sink& out,
                                const run_limits& limits, phase_clock& clock);

}  // namespace ballot::app
