// Everything that is measured. A new operation is a function here and a line in all_operations.
#pragma once

#include <ballot/core/namespace.hpp>

#include "inputs.hpp"
#include "operation.hpp"

#include <vector>

namespace ballot::bench {

// Sorts are there once for each spread of keys.
using key_spreads = std::vector<key_spread>;

void add_scans(std::vector<operation>& all);
void add_small_scans(std::vector<operation>& all);
void add_wide_scans(std::vector<operation>& all);
void add_scan_variants(std::vector<operation>& all);
void add_ranks(std::vector<operation>& all);
void add_segmented_scans(std::vector<operation>& all);
void add_blockwise_scans(std::vector<operation>& all);
void add_batched_scans(std::vector<operation>& all);
void add_reductions(std::vector<operation>& all);
void add_vector_sum_ladder(std::vector<operation>& all);
void add_blockwise_scan_ladder(std::vector<operation>& all);
void add_chapter_blocks(std::vector<operation>& all);
void add_chapter_warps(std::vector<operation>& all);
void add_chapter_selections(std::vector<operation>& all);
void add_chapter_sorts(std::vector<operation>& all);
void add_compactions(std::vector<operation>& all);
void add_selections(std::vector<operation>& all);
void add_runs(std::vector<operation>& all);
void add_splits(std::vector<operation>& all);
void add_multisplits(std::vector<operation>& all);
void add_key_sorts_32(std::vector<operation>& all, const key_spreads& spreads);
void add_key_sorts_64(std::vector<operation>& all, const key_spreads& spreads);
void add_pair_sorts(std::vector<operation>& all, const key_spreads& spreads);
void add_value_sorts(std::vector<operation>& all);
void add_argsorts(std::vector<operation>& all, const key_spreads& spreads);
void add_segmented_sorts(std::vector<operation>& all);
void add_survey(std::vector<operation>& all);

inline std::vector<operation> all_operations(const key_spreads& spreads) {
  std::vector<operation> all;
  add_scans(all);
  add_small_scans(all);
  add_wide_scans(all);
  add_scan_variants(all);
  add_ranks(all);
  add_segmented_scans(all);
  add_blockwise_scans(all);
  add_batched_scans(all);
  add_reductions(all);
  add_vector_sum_ladder(all);
  add_blockwise_scan_ladder(all);
  add_chapter_blocks(all);
  add_chapter_warps(all);
  add_chapter_selections(all);
  add_chapter_sorts(all);
  add_compactions(all);
  add_selections(all);
  add_runs(all);
  add_splits(all);
  add_multisplits(all);
  add_key_sorts_32(all, spreads);
  add_key_sorts_64(all, spreads);
  add_pair_sorts(all, spreads);
  add_value_sorts(all);
  add_argsorts(all, spreads);
  add_segmented_sorts(all);
  add_survey(all);
  return all;
}

}  // namespace ballot::bench
