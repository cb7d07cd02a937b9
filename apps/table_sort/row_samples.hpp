// SPDX-License-Identifier: Apache-2.0
// Some rows of sorted runs, kept in memory: by them the runs are cut into slices (row_slices.hpp).
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/host_buffer.hpp"
#include "tables/table.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace ballot::app {

class row_samples {
 public:
  // So many bytes of memory for the samples, about.
  explicit row_samples(std::uint64_t memory) : memory_(memory) {}

  struct sample {
    std::uint64_t offset = 0, rows_before = 0;  // in its run
  };
  struct run {
    std::vector<sample> samples;  // that of the first row first
    host_buffer sampled;          // the rows themselves
    std::uint64_t bytes = 0, rows = 0;
    std::uint64_t next = 0;     // the offset of the next sample
    std::uint64_t spacing = 0;  // bytes from one to the next
  };

  // The bytes of all runs together. If that is not known, half of them are assumed to exist.
  void expect(std::uint64_t bytes) { expected_ = bytes; }
  bool knows_bytes() const { return expected_ != 0; }
  // Bytes from one sample to the next in a run that begins now, of rows of so many bytes.
  std::uint64_t spacing(std::uint64_t row_bytes) const;
  // It stays where it is. One thread begins runs.
  run& begin_run(std::uint64_t bytes);
  // The next rows of a run. Threads may do it at once, each for its own.
  void add(const written_batch& rows, run& to);
  void clear();
  // The rows of all samples, run by run; the runs keep none.
  host_buffer take_rows();

  const std::deque<run>& runs() const { return runs_; }
  // Too few rows longer than that are sampled.
  std::uint64_t longest_row() const { return memory_ / 512; }

 private:
  // Samples closer than that save little: a read takes as long.
  static constexpr std::uint64_t least_spacing = 1024, share_of_long_rows = 64;
  std::uint64_t memory_, expected_ = 0;
  std::uint64_t bytes_ = 0;                                // of runs that have begun
  std::atomic<std::uint64_t> count_ = 0, of_samples_ = 0;  // samples, and the bytes of their rows
  std::deque<run> runs_;
};

}  // namespace ballot::app
