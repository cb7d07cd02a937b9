// Sorts a column that need not fit into memory.
//
//     input     | as much as the engine takes at a time | as much again | ...
//     runs      each sorted by the engine, and kept in a file without a name
//     output    the runs merged; of equal items the earlier run's first, so that the whole is as stable as the engine
//
// An input that fits is sorted without a file. Runs that are too many to be read side by side are first merged into
// fewer. Knuth, The Art of Computer Programming 3, 5.4.
#pragma once

#include <ballot/core/namespace.hpp>

#include "common/engine.hpp"

#include <cstdint>
#include <string>

namespace ballot::app {

struct run_limits {
  std::uint64_t memory_bytes = 0;  // of the host, roughly; 0: most of what is free
  std::string directory;           // for runs
  bool shows_progress = false;
};

struct runs_sorted {
  item_counts counts;
  std::uint64_t runs = 1;
};

// As engine::sort; not for places (argsort).
runs_sorted sort_in_runs(const sort_request& request, engine& worker, source& in, sink& out, const run_limits& limits,
                         phase_clock& clock);

}  // namespace ballot::app
