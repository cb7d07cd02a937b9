// SPDX-License-Identifier: Apache-2.0
// The operations of ballot_bench that have peers. Compiled once for each release of CUB (peer.hpp).
#include <ballot/core/namespace.hpp>

#include "all_operations.hpp"

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

std::vector<operation> operations_with_peers(const key_spreads& spreads) {
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
  add_compactions(all);
  add_selections(all);
  add_runs(all);
  add_splits(all);
  add_batched_top_k(all);
  add_search(all);
  add_gather(all);
  add_merge(all);
  add_top_k(all);
  add_histogram(all);
  add_segmented_reduce(all);
  add_reduce_by_key(all);
  add_multisplits(all);
  add_key_sorts_32(all, spreads);
  add_key_sorts_64(all, spreads);
  add_pair_sorts(all, spreads);
  add_value_sorts(all);
  add_argsorts(all, spreads);
  add_segmented_sorts(all);
  return all;
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
