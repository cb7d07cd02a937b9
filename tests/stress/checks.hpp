// SPDX-License-Identifier: Apache-2.0
// Random calls, a function for each kind: it draws the type and the options, calls, and compares
// with what a peer does.
#pragma once

#include <ballot/core/namespace.hpp>

#include "stress/draws.cuh"

#include <ballot/core/exec.hpp>

namespace ballot::test {

void check_sort(draws& draw, const exec& where, u64 n);
void check_segmented_sort(draws& draw, const exec& where, u64 n);
void check_selection(draws& draw, const exec& where, u64 n);
void check_in_place(draws& draw, const exec& where, u64 n);
void check_buckets(draws& draw, const exec& where, u64 n);
void check_scan(draws& draw, const exec& where, u64 n);
void check_runs(draws& draw, const exec& where, u64 n);
void check_orders(draws& draw, const exec& where, u64 n);
// These draw their own lengths.
void check_rows(draws& draw, const exec& where);
void check_segments(draws& draw, const exec& where);
void check_sums(draws& draw, const exec& where);
void check_columns_and_items(draws& draw, const exec& where);

}  // namespace ballot::test
