// SPDX-License-Identifier: Apache-2.0
// The operations of the grid. Compiled once for each release of CUB (peer.hpp).
#include <ballot/core/namespace.hpp>

#include "all_operations.hpp"

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

std::vector<operation> grid_operations_with_peers(bool quick) {
  key_spreads spreads;
  for (const distribution& one : distributions)
    if (one.quick || !quick) spreads.push_back(parse_key_spread(one.name));
  std::vector<operation> all;
  add_key_sorts_32(all, spreads);
  add_key_sorts_64(all, spreads);
  add_float_sorts(all, spreads);
  add_double_sorts(all, spreads);
  add_pair_sorts(all, spreads);
  add_wide_pair_sorts(all, spreads);
  add_bit_range_sorts(all, spreads);
  add_wide_bit_range_sorts(all, spreads);
  add_argsorts(all, spreads);
  add_segmented_sorts(all);
  add_segmented_pair_sorts(all);
  add_multisplits(all);
  add_scans(all);
  add_wide_scans(all);
  add_maximum_scan(all);
  add_ranks(all);
  add_segmented_scans(all);
  add_reductions(all);
  add_struct_reductions(all);
  add_count_if(all);
  add_share_compactions(all);
  add_small_item_compactions(all);
  add_wide_item_compactions(all);
  add_selections(all);
  add_share_splits(all);
  add_flag_bits(all);
  add_runs(all);
  add_unique_types(all);
  add_histogram(all);
  add_top_k(all);
  add_top_k_types(all);
  add_batched_top_k(all);
  add_merge(all);
  add_double_merge(all);
  add_search(all);
  add_gather(all);
  add_segmented_reduce(all);
  add_row_reductions(all);
  add_reduce_by_key(all);
  add_wide_reduce_by_key(all);
  add_views(all);
  return all;
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
