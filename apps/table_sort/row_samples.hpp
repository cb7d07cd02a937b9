// SPDX-License-Identifier: Apache-2.0
// Some rows of sorted runs, kept in memory: by them the runs are cut into slices (row_slices.hpp).
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/host_buffer.hpp"
#include "tables/table.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace ballot::app {

class row_samples {
 public:
  // About one row of `spacing` bytes. Of long rows fewer are kept: they would fill the memory.
  explicit row_samples(std::uint64_t spacing) : spacing_(spacing) {}

  struct sample {
    std::uint64_t offset = 0, rows_before = 0;  // in its run
  };
  struct run {
    std::vector<sample> samples;  // that of the first row first
    host_buffer sampled;          // the rows themselves
    std::uint64_t bytes = 0, rows = 0;
    std::uint64_t next = 0;  // the offset of the next sample
  };

  // It stays where it is.
  run& begin_run() { return runs_.emplace_back(); }
  // The next rows of a run. Threads may do it at once, each for its own.
  void add(const written_batch& rows, run& to) const;
  void clear() { runs_.clear(); }

  const std::deque<run>& runs() const { return runs_; }
  std::uint64_t spacing() const { return spacing_; }

 private:
  static constexpr std::uint64_t share_of_long_rows = 64;
  std::uint64_t spacing_;
  std::deque<run> runs_;
};

}  // namespace ballot::app
