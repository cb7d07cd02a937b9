// SPDX-License-Identifier: Apache-2.0
// Checks of an order of rows that share no code with the sort. They compare the columns as numbers
// and texts, on one thread. All throw verification_failure.
#pragma once

#include <ballot/core/namespace.hpp>

#include "table_sort/row_keys.hpp"

#include <cstdint>
#include <span>

namespace ballot::app {

// Checks that every row appears once, that none belongs before its predecessor, and that equal rows
// keep their order.
void verify_order(std::span<const row_keys::part> by, std::span<const std::uint64_t> rows);

// Below, equal to or above 0 if row a comes before, equals or comes after row b. The rows may be of
// two tables with the same columns.
int compare_rows(std::span<const row_keys::part> by_a, std::uint64_t a, std::span<const row_keys::part> by_b,
                 std::uint64_t b);

bool rows_are_equal(std::span<const row_keys::part> by, std::uint64_t a, std::uint64_t b);

}  // namespace ballot::app
