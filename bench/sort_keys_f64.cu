// SPDX-License-Identifier: Apache-2.0
#include <ballot/core/namespace.hpp>

#include "sort_keys.cuh"

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

void add_double_sorts(std::vector<operation>& all, const key_spreads& spreads) {
  add_key_sorts<double>(all, spreads, "f64");
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
