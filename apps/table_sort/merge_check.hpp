// Checks a merge of rows that were sorted and checked before: that none comes before the one in front of it, that equal
// ones stay in the order of their runs, and that what goes in is what comes out. Compares as verify_table.hpp does, and so
// not with the merge's own comparison. All throw verification_failure.
#pragma once

#include <ballot/core/namespace.hpp>

#include "table_sort/keyed_rows.hpp"
#include "verification/multiset_checksum.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace ballot::app {

class merge_check {
 public:
  // A row that is going to be merged.
  void add_input(std::span<const std::byte> row) { add(row, in_); }

  // Another merge, of other runs.
  void begin() { previous_.reset(); }
  // The next row that comes out, of this run of the merge. `is_kept`: not dropped as equal to the one kept before it.
  void check_output(const keyed_row& row, std::size_t run, bool is_kept, bool unique);
  // All rows that went in have to be out, and those kept go in once more.
  void end_of_pass();

 private:
  static void add(std::span<const std::byte> row, multiset_checksum& to);

  multiset_checksum in_, out_, kept_;
  std::shared_ptr<const keyed_rows> previous_;
  std::uint64_t previous_row_ = 0, rows_out_ = 0;
  std::size_t previous_run_ = 0;
};

}  // namespace ballot::app
