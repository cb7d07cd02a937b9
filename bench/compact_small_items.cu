// SPDX-License-Identifier: Apache-2.0
#include <ballot/core/namespace.hpp>

#include "compact_of.cuh"

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

void add_small_item_compactions(std::vector<operation>& all) {
  add_compactions_of<std::uint8_t>(all, "u8");
  add_compactions_of<three_floats>(all, "three_floats");
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
