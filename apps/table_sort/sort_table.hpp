// Rows of a table in the order of keys.
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
  bool unique = false;                // of rows with equal keys only the first
  std::optional<std::uint64_t> most;  // no more rows than that
  bool verify = false;
};

// The numbers of the rows (u64) in the order asked for; stable. What the columns are that it goes by is added to `types`.
// Throws verification_failure.
host_buffer sort_rows(const table& of, const row_sort& wanted, engine& worker, phase_clock& clock,
                      std::vector<column_type>* types = nullptr);

}  // namespace ballot::app
