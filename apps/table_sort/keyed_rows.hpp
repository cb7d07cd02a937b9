// SPDX-License-Identifier: Apache-2.0
// The rows of a batch with their sort keys, comparable with the rows of other batches, for the
// merge of runs.
#pragma once

#include <ballot/core/namespace.hpp>

#include "table_sort/row_keys.hpp"
#include "tables/table.hpp"

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ballot::app {

class keyed_rows : public std::enable_shared_from_this<keyed_rows> {
 public:
  // The key columns must have the same type in all batches: `requested` gives it where a table
  // would infer it.
  keyed_rows(std::unique_ptr<const table> rows, std::span<const sort_key> keys);

  const table& rows() const { return *rows_; }
  std::span<const row_keys::part> parts() const { return parts_; }
  // An integer in the order of the rows. If two are equal, the columns decide.
  std::uint64_t first_key(std::uint64_t row) const { return leading_keys_[row]; }

 private:
  std::unique_ptr<const table> rows_;
  std::vector<row_keys::part> parts_;
  std::vector<std::uint64_t> leading_keys_;
};

// A row of a batch.
struct keyed_row {
  std::uint64_t first_key = 0;
  const keyed_rows* batch = nullptr;
  std::uint64_t row = 0;

  std::span<const std::byte> bytes() const { return batch->rows().row(row); }
  std::strong_ordering operator<=>(const keyed_row& other) const;
};

}  // namespace ballot::app
