// SPDX-License-Identifier: Apache-2.0
// Selects rows of a table by a condition or by flags, and drops selected rows that repeat the
// selected row before them.
#pragma once

#include <ballot/core/namespace.hpp>

#include "engines/engine.hpp"
#include "table_select/bound_condition.hpp"
#include "table_sort/row_keys.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace ballot::app {

struct row_selection {
  const row_condition* where = nullptr;  // either this
  source* flags = nullptr;               // or this, or neither: every row
  bool invert = false;
  bool unique = false;             // drop rows whose keys equal those of the selected row before
  std::span<const sort_key> keys;  // of unique; none: whole rows
  bool verify = false;
};

// The selected row numbers (u64), ascending. Adds the types of the columns used to `types`. Throws
// verification_failure.
host_buffer select_rows(const table& of, const row_selection& wanted, engine& worker, phase_clock& clock,
                        std::vector<column_type>* types = nullptr);

// A byte per row: 1 for the rows in `chosen`, else 0.
host_buffer mask_of(std::uint64_t rows, std::span<const std::uint64_t> chosen);

}  // namespace ballot::app
