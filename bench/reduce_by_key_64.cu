// SPDX-License-Identifier: Apache-2.0
// Sums of doubles by u64 keys, in runs of 8.
#include <ballot/core/namespace.hpp>

#include "reduce_by_key_of.cuh"
#include "segments.hpp"

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

void add_wide_reduce_by_key(std::vector<operation>& all) {
  all.push_back(
      sums_by_key<std::uint64_t, double>("reduce_by_key_u64_f64:runs_of_8", in_runs<std::uint64_t>(8), 0.125));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
