// SPDX-License-Identifier: Apache-2.0
#include <ballot/core/namespace.hpp>

#include "merge_of.cuh"

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

void add_double_merge(std::vector<operation>& all) {
  all.push_back(merge_of<double>("f64", keys<double>(parse_key_spread("uniform"))));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
