// SPDX-License-Identifier: Apache-2.0
#include <ballot/core/namespace.hpp>

#include "sort_keys.cuh"

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

void add_key_sorts_32(std::vector<operation>& all, const key_spreads& spreads) {
  add_key_sorts<std::uint32_t>(all, spreads, "u32");
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
