// SPDX-License-Identifier: Apache-2.0
#include <ballot/core/namespace.hpp>

#include "compact_of.cuh"

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

void add_wide_item_compactions(std::vector<operation>& all) {
  add_compactions_of<two_doubles>(all, "two_doubles");
  add_compactions_of<eight_words>(all, "eight_words");
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
