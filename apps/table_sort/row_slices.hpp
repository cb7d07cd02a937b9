// SPDX-License-Identifier: Apache-2.0
// Sorted runs of rows cut into slices that fit into memory, for their merge.
//
// A cut is a sampled row: before it comes what is below it, and of its equals what is in an earlier run, or before it
// in its own. So every slice has as much as is wanted, however many rows are equal, and a slice's rows, in the order of
// the runs, need a stable sort to be the next piece of the output. Columns: external_sort/slices.hpp.
#pragma once

#include <ballot/core/namespace.hpp>

#include "engines/engine.hpp"
#include "external_sort/sorted_runs.hpp"
#include "table_sort/keyed_rows.hpp"
#include "table_sort/row_samples.hpp"
#include "tables/file_table.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace ballot::app {

struct slice_limits {
  std::uint64_t bytes = 0;        // for rows and what is made of them
  std::uint64_t bytes_a_row = 0;  // of that, beside the row itself
};

class row_slices {
 public:
  // `last_row`: a run of its own behind the others, or nothing. Keeps references.
  row_slices(const file_table& header, const sorted_runs& runs, const row_samples& samples,
             std::span<const std::byte> last_row, std::span<const sort_key> keys, const slice_limits& limits,
             engine& worker, phase_clock& clock);

  // The next slice as a table; null after the last. ends(): the bytes of it at which its runs end.
  std::unique_ptr<file_table> next();
  // Takes the memory of a slice that is not needed any more, for the next one.
  void reuse(std::unique_ptr<file_table> used) { spare_ = std::move(used->buffer()); }
  std::span<const std::uint64_t> ends() const { return ends_; }

  // Whether so many runs can be cut so finely.
  static bool can_cut(const row_samples& samples, std::uint64_t largest_row, const slice_limits& limits);

 private:
  struct sampled_row {
    std::size_t run, index;  // in the samples of its run
  };
  struct gap {
    std::uint64_t begin, end;
  };
  void choose_cuts(const slice_limits& limits);
  std::vector<std::uint64_t> places_of(std::size_t cut) const;
  std::uint64_t place_in(std::size_t run, std::size_t cut) const;
  std::unique_ptr<file_table> rows_of(const gap& bytes, std::size_t run) const;
  std::uint64_t bytes_of(std::size_t run) const;

  const file_table& header_;
  const sorted_runs& runs_;
  const row_samples& samples_;
  std::span<const std::byte> last_row_;
  std::span<const sort_key> keys_;
  std::vector<sampled_row> sampled_;         // as they are in the table of samples
  std::vector<std::uint64_t> order_, rank_;  // of the samples: by their keys, and where each is in that
  std::shared_ptr<const keyed_rows> sampled_rows_;
  std::vector<std::size_t> cuts_;  // samples
  std::size_t next_cut_ = 0;
  std::vector<std::uint64_t> at_, ends_;  // bytes of each run that were in slices; of the slice
  bool ended_ = false;
  host_buffer spare_;
};

}  // namespace ballot::app
