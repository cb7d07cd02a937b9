// SPDX-License-Identifier: Apache-2.0
// Checks the rows that go to a file after a sort, by these bytes alone. They are read as the file's
// reader would read them, and their keys are made anew. No row may come before its predecessor.
// Compares as verify_table.hpp does.
#pragma once

#include <ballot/core/namespace.hpp>

#include "table_sort/row_keys.hpp"
#include "tables/file_table.hpp"
#include "verification/multiset_checksum.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace ballot::app {

class written_rows_check {
 public:
  // The types of the keys must be known. unique: no two rows have equal keys. Keeps a reference to
  // `header`.
  written_rows_check(const file_table& header, std::vector<sort_key> keys, bool unique)
      : header_(header), keys_(std::move(keys)), unique_(unique) {}

  // The next rows as they are written, whole ones.
  void add(std::span<const std::byte> rows);
  // All rows have been written. Throws verification_failure unless they are as many.
  void require_count(std::uint64_t rows) const;
  // And unless they are these rows of a table.
  void require_rows(const table& of, std::span<const std::uint64_t> chosen) const;

 private:
  const file_table& header_;
  std::vector<sort_key> keys_;
  bool unique_;
  multiset_checksum written_;
  std::uint64_t count_ = 0;
  std::unique_ptr<file_table> last_;  // the last rows that were added
  std::vector<row_keys::part> parts_of_last_;
};

}  // namespace ballot::app
