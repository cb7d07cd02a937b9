// SPDX-License-Identifier: Apache-2.0
#include <ballot/core/namespace.hpp>

#include "all_operations.hpp"

namespace ballot::bench {

std::vector<operation> all_operations(const key_spreads& spreads) {
  std::vector<operation> all = operations_with_peers(spreads);
#if defined(BALLOT_BENCH_HAS_NEWEST)
  add_peers(all, newest::operations_with_peers(spreads));
#endif
  add_vector_sum_ladder(all);
  add_blockwise_scan_ladder(all);
  add_chapter_blocks(all);
  add_chapter_warps(all);
  add_chapter_selections(all);
  add_chapter_sorts(all);
  add_survey(all);
  return all;
}

}  // namespace ballot::bench
