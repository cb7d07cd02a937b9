// SPDX-License-Identifier: Apache-2.0
// Sorts the rows of a table in memory.
#pragma once

#include <ballot/core/namespace.hpp>

#include "engines/engine.hpp"
#include "table_sort/row_keys.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ballot::app {

struct row_sort {
  std::span<const sort_key> keys;     // the first the most significant
  bool unique = false;                // keep only the first of rows with equal keys
  std::optional<std::uint64_t> most;  // at most so many rows
  bool verify = false;
};

// The row numbers (u64) in the requested order; stable. Adds the types of the key columns to
// `types`. Throws verification_failure.
host_buffer sort_rows(const table& of, const row_sort& wanted, engine& worker, phase_clock& clock,
                      std::vector<column_type>* types = nullptr);

}  // namespace ballot::app
