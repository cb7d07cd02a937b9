// SPDX-License-Identifier: Apache-2.0
// An external sort of a table: it need not fit into memory.
//
//     input     | a batch, as large as fits | a batch | ...      (table_batches.hpp)
//     types     of key columns, if they are inferred: from the first batch; if a later one shows
//               that they are others, the runs are made again
//     runs      each batch is sorted like a table in memory, and its rows are stored
//               (sorted_runs.hpp)
//     output    the runs are cut into slices that fit (row_slices.hpp), and each slice is sorted
//               like a batch; where rows are long for the memory, the runs are merged row by row
//               (merge_runs.hpp), read in small batches
//
// The memory limit covers the rows that are held, their keys, the sort's own memory, and all
// buffers, but not the program itself. A pipe that must be read twice is copied to a temporary
// file.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/kept_pages.hpp"
#include "base/progress.hpp"
#include "engines/engine.hpp"
#include "external_sort/run_limits.hpp"
#include "external_sort/sorted_runs.hpp"
#include "files/temporary_file.hpp"
#include "table_sort/merge_check.hpp"
#include "table_sort/parallel_runs.hpp"
#include "table_sort/row_slices.hpp"
#include "table_sort/sort_table.hpp"
#include "tables/table_batches.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace ballot::app {

// The limits of a batch that is sorted by these keys.
batch_limits limits_of_sorted_batch(std::uint64_t memory_bytes, std::span<const sort_key> keys, engine& worker);

class table_run_sorter {
 public:
  using writer = std::function<void(std::span<const std::byte>)>;

  // `file` stands behind `header`. Keeps references to all arguments.
  table_run_sorter(const file_table& header, input_file& file, const row_sort& wanted, engine& worker,
                   const run_limits& limits, phase_clock& clock);

  // Reads the input and stores sorted runs. If the input is a single batch, returns it unsorted
  // instead. seen: called with the batches that are sorted into runs, each once, in their order.
  std::unique_ptr<file_table> make_runs(std::function<void(const file_table&)> seen = {});

  // After make_runs(): facts about the input, and the result.
  std::uint64_t rows() const { return rows_; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t blank_lines() const { return blank_lines_; }
  std::uint64_t runs() const { return run_count_; }
  std::span<const column_type> types() const { return types_; }  // of the key columns
  // With their types, if the input was more than a batch.
  const std::vector<sort_key>& keys() const { return keys_; }
  // The number of rows of the result, if known before the merge.
  std::optional<std::uint64_t> count() const;
  // Writes the result and returns its number of rows. Call once. Throws verification_failure.
  std::uint64_t merge(const writer& write);

 private:
  bool infers_types() const;
  // The types that the first batch shows, if there are types to infer; the keys have them from now
  // on. A pipe is then kept, for the case that they turn out to be others.
  std::optional<key_types> types_of_first(const file_table& first, bool is_pipe, std::optional<temporary_file>& kept);
  // The keys have these types from now on.
  void settle(const key_types& types);
  void take_types(const std::optional<key_types>& types);
  void forget_runs();
  // If nothing is checked, and without a GPU: several batches at a time. The types are inferred
  // meanwhile.
  std::unique_ptr<file_table> make_runs_in_parallel();
  // False where the types are others than those known before.
  bool sort_in_parallel(table_batch_reader& batches, std::unique_ptr<file_table> first, std::size_t at_once,
                        key_types* types, temporary_file* copy);
  void count(const file_table& batch);
  std::size_t most_at_once() const;
  std::size_t at_once_after(const file_table& batch, std::uint64_t all_bytes) const;
  // The same, one batch at a time. All rows are seen in any case.
  bool sort_into_runs(table_batch_reader& batches, std::unique_ptr<file_table> first, key_types* types,
                      temporary_file* copy);
  void sort_batch(const file_table& batch);
  // Merges the runs first to last - 1. The last merge includes the row without a line end.
  std::uint64_t merge_some(const sorted_runs& runs, std::size_t first, std::size_t last, bool is_last,
                           const writer& write);
  std::uint64_t merge_in_slices(const slice_limits& limits, std::size_t at_once, const writer& write);
  std::size_t written_at_once() const {
    return static_cast<std::size_t>(std::min<std::uint64_t>(memory_ / 32, 8 << 20));
  }
  std::size_t written_by_each(std::size_t at_once) const {
    return static_cast<std::size_t>(std::min<std::uint64_t>(memory_ / 32 / at_once, 256 << 10));
  }
  // For batches and slices that come one after the other. An input that is one batch would only
  // hold on to them.
  void begin_runs() {
    constexpr std::uint64_t share_of_kept_pages = 16, most = 64 << 20;
    keep_pages(static_cast<std::size_t>(std::min(memory_ / share_of_kept_pages, most)));
    runs_.emplace(limits_.directory);
  }
  std::uint64_t smallest_buffer() const { return 4 * largest_row_; }

  const file_table& header_;
  input_file& file_;
  row_sort wanted_;
  std::vector<sort_key> keys_;
  std::vector<column_type> types_;
  engine& worker_;
  const run_limits& limits_;
  phase_clock& clock_;
  std::uint64_t memory_;
  batch_limits batch_;
  progress shown_;
  std::optional<sorted_runs> runs_;
  row_samples samples_;
  std::vector<std::byte> row_without_end_;  // the input's last row, which is a run of its own
  std::uint64_t rows_ = 0, bytes_ = 0, blank_lines_ = 0, run_count_ = 0, largest_row_ = 0;
  std::optional<merge_check> check_;
  std::function<void(const file_table&)> seen_;
};

}  // namespace ballot::app
