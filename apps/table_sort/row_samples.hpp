// SPDX-License-Identifier: Apache-2.0
// Some rows of sorted runs, kept in memory: by them the runs are cut into slices (row_slices.hpp).
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/host_buffer.hpp"
#include "tables/table.hpp"

#include <cstddef>
#include <cstdint>
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
    std::uint64_t bytes = 0, rows = 0;
  };

  void begin_run() {
    runs_.emplace_back();
    next_ = 0;
  }
  void add(const written_batch& rows);  // to the run begun last

  const std::vector<run>& runs() const { return runs_; }
  const host_buffer& rows() const { return rows_; }  // the sampled rows, run by run
  std::uint64_t spacing() const { return spacing_; }

 private:
  static constexpr std::uint64_t share_of_long_rows = 64;
  std::uint64_t spacing_, next_ = 0;  // the offset of the next sample
  std::vector<run> runs_;
  host_buffer rows_;
};

}  // namespace ballot::app
