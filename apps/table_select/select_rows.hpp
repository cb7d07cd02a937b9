// Rows of a table that a condition or flags select, and of those the ones that do not repeat the row in front.
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
  bool unique = false;             // drop rows whose keys are those of the selected row in front
  std::span<const sort_key> keys;  // of unique; none: whole rows
  bool verify = false;
};

// The numbers of the rows (u64), ascending. What the columns are that it goes by is added to `types`. Throws
// verification_failure.
host_buffer select_rows(const table& of, const row_selection& wanted, engine& worker, phase_clock& clock,
                        std::vector<column_type>* types = nullptr);

// 1 for each of `rows` numbers in `chosen`, else 0.
host_buffer mask_of(std::uint64_t rows, std::span<const std::uint64_t> chosen);

}  // namespace ballot::app
