// SPDX-License-Identifier: Apache-2.0
// Everything that is measured. A new operation is a function here and a line in operations.cpp.
#pragma once

#include <ballot/core/namespace.hpp>

#include "inputs.hpp"
#include "operation.hpp"
#include "peer.hpp"

#include <vector>

namespace ballot::bench {

// Sorts are there once for each spread of keys.
using key_spreads = std::vector<key_spread>;

// With peers, compiled once for each of them (peer.hpp).
inline namespace BALLOT_BENCH_PEER {
void add_scans(std::vector<operation>& all);
void add_small_scans(std::vector<operation>& all);
void add_wide_scans(std::vector<operation>& all);
void add_scan_variants(std::vector<operation>& all);
void add_ranks(std::vector<operation>& all);
void add_segmented_scans(std::vector<operation>& all);
void add_blockwise_scans(std::vector<operation>& all);
void add_batched_scans(std::vector<operation>& all);
void add_reductions(std::vector<operation>& all);
void add_compactions(std::vector<operation>& all);
void add_selections(std::vector<operation>& all);
void add_runs(std::vector<operation>& all);
void add_splits(std::vector<operation>& all);
void add_batched_top_k(std::vector<operation>& all);
void add_search(std::vector<operation>& all);
void add_gather(std::vector<operation>& all);
void add_merge(std::vector<operation>& all);
void add_top_k(std::vector<operation>& all);
void add_histogram(std::vector<operation>& all);
void add_segmented_reduce(std::vector<operation>& all);
void add_reduce_by_key(std::vector<operation>& all);
void add_multisplits(std::vector<operation>& all);
void add_key_sorts_32(std::vector<operation>& all, const key_spreads& spreads);
void add_key_sorts_64(std::vector<operation>& all, const key_spreads& spreads);
void add_pair_sorts(std::vector<operation>& all, const key_spreads& spreads);
void add_value_sorts(std::vector<operation>& all);
void add_argsorts(std::vector<operation>& all, const key_spreads& spreads);
void add_segmented_sorts(std::vector<operation>& all);

// In the grid alone (grid.hpp).
void add_float_sorts(std::vector<operation>& all, const key_spreads& spreads);
void add_double_sorts(std::vector<operation>& all, const key_spreads& spreads);
void add_wide_pair_sorts(std::vector<operation>& all, const key_spreads& spreads);
void add_bit_range_sorts(std::vector<operation>& all, const key_spreads& spreads);
void add_wide_bit_range_sorts(std::vector<operation>& all, const key_spreads& spreads);
void add_share_compactions(std::vector<operation>& all);
void add_share_splits(std::vector<operation>& all);
void add_small_item_compactions(std::vector<operation>& all);
void add_wide_item_compactions(std::vector<operation>& all);
void add_flag_bits(std::vector<operation>& all);
void add_maximum_scan(std::vector<operation>& all);
void add_struct_reductions(std::vector<operation>& all);
void add_count_if(std::vector<operation>& all);
void add_unique_types(std::vector<operation>& all);
void add_top_k_types(std::vector<operation>& all);
void add_double_merge(std::vector<operation>& all);
void add_row_reductions(std::vector<operation>& all);
void add_wide_reduce_by_key(std::vector<operation>& all);
void add_segmented_pair_sorts(std::vector<operation>& all);
void add_views(std::vector<operation>& all);
}  // namespace BALLOT_BENCH_PEER

// Without: compiled once.
void add_vector_sum_ladder(std::vector<operation>& all);
void add_blockwise_scan_ladder(std::vector<operation>& all);
void add_chapter_blocks(std::vector<operation>& all);
void add_chapter_warps(std::vector<operation>& all);
void add_chapter_selections(std::vector<operation>& all);
void add_chapter_sorts(std::vector<operation>& all);
void add_survey(std::vector<operation>& all);

}  // namespace ballot::bench
