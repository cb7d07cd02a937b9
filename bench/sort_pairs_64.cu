// SPDX-License-Identifier: Apache-2.0
#include <ballot/core/namespace.hpp>

#include "sort_pairs.cuh"

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

void add_wide_pair_sorts(std::vector<operation>& all, const key_spreads& spreads) {
  add_pair_sorts_of<std::uint64_t>(all, spreads, "sort_pairs_u64_u32");
}
void add_wide_bit_range_sorts(std::vector<operation>& all, const key_spreads& spreads) {
  add_bit_range_sorts_of<std::uint64_t>(all, spreads, "sort_pairs_u64_u32_bits");
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
