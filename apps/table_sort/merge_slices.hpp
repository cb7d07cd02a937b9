// SPDX-License-Identifier: Apache-2.0
// Writes slices of sorted runs (row_slices.hpp), each sorted, one after the other. While one is
// written, others are read and sorted.
#pragma once

#include <ballot/core/namespace.hpp>

#include "table_sort/merge_check.hpp"
#include "table_sort/row_slices.hpp"
#include "table_sort/sort_table.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace ballot::app {

class slice_writer {
 public:
  // at_once: how many slices are in memory; 1 if there is a check. check: null where nothing is
  // verified. bytes_a_row: the memory that the sort of a slice takes for each row.
  slice_writer(const file_table& header, const row_sort& wanted, engine& worker, phase_clock& clock,
               std::size_t batch_bytes, merge_check* check, std::size_t at_once, std::uint64_t bytes_a_row)
      : header_(header),
        wanted_(wanted),
        worker_(worker),
        clock_(clock),
        batch_bytes_(batch_bytes),
        check_(check),
        at_once_(check != nullptr ? 1 : at_once),
        bytes_a_row_(bytes_a_row) {}

  // Returns the number of rows written.
  std::uint64_t operator()(const row_slices& slices, const std::function<void(std::span<const std::byte>)>& write);

 private:
  struct sorted_slice {
    std::size_t number = 0;
    std::vector<std::uint64_t> begins, ends;        // bytes of each run
    std::unique_ptr<file_table> rows;               // null where there are none
    std::vector<std::uint64_t> ends_of_runs;        // in these
    host_buffer order;                              // of all of them
    host_buffer in_order;                           // the rows themselves, or nothing; then they are not in the table
    std::shared_ptr<const keyed_rows> first, last;  // of the order, where repeats are dropped
    std::size_t bytes_of_first = 0;
  };
  void read(const row_slices& slices, sorted_slice& to) const;
  void sort(sorted_slice& of) const;
  // Copies short rows into their order while other slices are sorted: who writes has to wait for
  // the slices before.
  void gather(sorted_slice& of) const;
  void choose_and_write(sorted_slice& of, const std::function<void(std::span<const std::byte>)>& write);
  // Whether a slice's first row repeats the last one that was written.
  bool repeats_last(const keyed_rows& first) const;
  std::shared_ptr<const keyed_rows> single(const table& slice, std::uint64_t row) const;
  void verify(std::unique_ptr<file_table>& slice, std::span<const std::uint64_t> ends,
              std::span<const std::uint64_t> kept);

  const file_table& header_;
  row_sort wanted_;
  engine& worker_;
  phase_clock& clock_;
  std::size_t batch_bytes_;
  merge_check* check_;
  std::size_t at_once_;
  std::uint64_t bytes_a_row_;
  std::atomic<std::uint64_t> left_ = 0;         // rows that may still be written; who reads looks whether there are any
  std::uint64_t count_ = 0;                     // rows that were chosen
  std::shared_ptr<const keyed_rows> last_;      // the last row written, where repeats are dropped
  std::shared_ptr<const keyed_rows> verified_;  // the slice, where it is verified: owns it
};

}  // namespace ballot::app
