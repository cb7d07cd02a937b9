// SPDX-License-Identifier: Apache-2.0
// Sorted runs of rows cut into slices that fit into memory, for their merge.
//
// A cut is a sampled row. Rows below it come before it. So do its equals in earlier runs, and those
// before it in its own run. So every slice has the wanted size, however many rows are equal. A
// stable sort of a slice's rows, in the order of the runs, gives the next piece of the output.
// Columns: external_sort/slices.hpp.
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
  // `last_row`: a run of its own behind the others, or nothing. Takes the rows of the samples;
  // keeps references.
  row_slices(const file_table& header, const sorted_runs& runs, row_samples& samples,
             std::span<const std::byte> last_row, std::span<const sort_key> keys, const slice_limits& limits,
             engine& worker, phase_clock& clock);

  std::size_t count() const { return cuts_.size() + 1; }
  std::size_t runs() const { return samples_.runs().size() + 1; }
  // The byte of each run where a slice ends; it begins where the one before it does.
  std::vector<std::uint64_t> ends_of(std::size_t slice) const;
  // A slice as a table, which is made in `memory`; null if the slice is empty. ends: the places in
  // its bytes where its runs end.
  std::unique_ptr<file_table> rows(std::span<const std::uint64_t> begins, std::span<const std::uint64_t> until,
                                   host_buffer memory, std::vector<std::uint64_t>& ends) const;

  // Whether so many runs can be cut so finely.
  static bool can_cut(const row_samples& samples, std::uint64_t largest_row, const slice_limits& limits);
  // How much is read to find where slices end, about; the more runs and slices, the more.
  static std::uint64_t bytes_read_to_cut(const row_samples& samples, const slice_limits& limits);

 private:
  struct cut {
    std::size_t run, index;  // in the samples of its run
  };
  struct gap {
    std::uint64_t begin, end;
  };
  void choose_cuts(std::span<const std::uint64_t> in_order, std::uint64_t most, const slice_limits& limits);
  std::uint64_t place_in(std::size_t run, std::size_t number) const;
  std::unique_ptr<file_table> rows_of(const gap& bytes, std::size_t run) const;
  std::uint64_t bytes_of(std::size_t run) const;

  const file_table& header_;
  const sorted_runs& runs_;
  const row_samples& samples_;
  std::span<const std::byte> last_row_;
  std::span<const sort_key> keys_;
  std::vector<std::size_t> first_sample_;  // of each run, in the table of samples
  std::vector<std::uint64_t> rank_;        // of each sample, by the keys
  std::vector<cut> cuts_;
  std::shared_ptr<const keyed_rows> rows_of_cuts_;
};

}  // namespace ballot::app
