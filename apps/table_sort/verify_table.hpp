// Checks of an order of rows that share no code with what made it: from the columns as they were read, by comparing
// numbers as numbers and texts as texts, on one thread. All throw verification_failure.
#pragma once

#include <ballot/core/namespace.hpp>

#include "table_sort/row_keys.hpp"

#include <cstdint>
#include <span>

namespace ballot::app {

// Every row is there once, none belongs before the one in front of it, and equal ones are as they were.
void verify_order(std::span<const row_keys::part> by, std::span<const std::uint64_t> rows);

// Below, at or above 0 where row a is before, equal to or behind row b; of one table or of two with the same columns.
int compare_rows(std::span<const row_keys::part> by_a, std::uint64_t a, std::span<const row_keys::part> by_b,
                 std::uint64_t b);

bool rows_are_equal(std::span<const row_keys::part> by, std::uint64_t a, std::uint64_t b);

}  // namespace ballot::app
