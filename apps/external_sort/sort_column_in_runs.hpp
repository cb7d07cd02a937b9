// Sorts a column that need not fit into memory.
//
//     input     | as much as the engine takes at a time | as much again | ...
//     runs      each sorted by the engine, and kept in a file without a name (sorted_runs.hpp)
//     output    the runs merged (merge_runs.hpp); of equal items the earlier run's first: as stable as the engine
//
// An input that fits is sorted without a file. Runs that are too many to be read side by side are first merged into
// fewer. Rows of tables: table_sort/sort_table_in_runs.hpp.
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

// As engine::sort; not for places (argsort).
column_runs sort_column_in_runs(const sort_request& request, engine& worker, source& in, sink& out,
                                const run_limits& limits, phase_clock& clock);

}  // namespace ballot::app
