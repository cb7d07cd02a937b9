// Sorts a table that need not fit into memory.
//
//     input     | a batch, as much as fits | a batch | ...       (table_batches.hpp)
//     types     of the columns that are sorted by, where what is in them says it: all of the input is looked at first
//     runs      each batch sorted as a table of its own is, and kept as rows (sorted_runs.hpp)
//     output    the runs merged (merge_runs.hpp), read in small batches whose rows are compared as a table's are
//
// Of the memory there is, this counts the rows that are held, the keys made of them, what sorts those, and all buffers: not
// the program itself. A pipe that has to be read twice is kept in a file without a name meanwhile.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/progress.hpp"
#include "engines/engine.hpp"
#include "external_sort/run_limits.hpp"
#include "external_sort/sorted_runs.hpp"
#include "files/temporary_file.hpp"
#include "table_sort/merge_check.hpp"
#include "table_sort/sort_table.hpp"
#include "tables/table_batches.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace ballot::app {

class table_run_sorter {
 public:
  using writer = std::function<void(std::span<const std::byte>)>;

  // `file` stands behind `front`. Everything is referred to.
  table_run_sorter(const file_table& header, input_file& file, const row_sort& wanted, engine& worker,
                   const run_limits& limits, phase_clock& clock);

  // Reads the input, up to sorted runs; or only its one batch, where it is no more, which is then returned, and nothing has
  // been done to it.
  std::unique_ptr<file_table> make_runs();

  // Then: what is known now, and the result.
  std::uint64_t rows() const { return rows_; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t blank_lines() const { return blank_lines_; }
  std::uint64_t runs() const { return run_count_; }
  std::span<const column_type> types() const { return types_; }  // of the columns that are sorted by
  // How many rows the result has, where that is known before it is made.
  std::optional<std::uint64_t> count() const;
  // Makes the result, row after row, and returns how many there are. Once. Throws verification_failure.
  std::uint64_t merge(const writer& write);

 private:
  bool infers_types() const;
  // From all of the input, the batch first; what is read is copied where there is something to copy it to.
  void infer_types(table_batch_reader& batches, std::unique_ptr<file_table> batch, temporary_file* copy);
  void sort_into_runs(table_batch_reader& batches, std::unique_ptr<file_table> batch);
  void sort_batch(const file_table& batch);
  // Merges the runs first to last - 1. The last merge has the row without a line end, too.
  std::uint64_t merge_some(const sorted_runs& runs, std::size_t first, std::size_t last, bool is_last,
                           const writer& write);
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
  std::vector<std::byte> row_without_end_;  // the input's last one: a run of its own
  std::uint64_t rows_ = 0, bytes_ = 0, blank_lines_ = 0, run_count_ = 0, largest_row_ = 0;
  std::optional<merge_check> check_;
};

}  // namespace ballot::app
