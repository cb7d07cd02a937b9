// SPDX-License-Identifier: Apache-2.0
// Exclusive sums. Thrust's scan is CUB's with a wrapper, so it does not run for itself.
#include <ballot/core/namespace.hpp>

#include "scan_of.cuh"

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

void add_scans(std::vector<operation>& all) {
  all.push_back(exclusive_scan_of<std::int32_t>("i32"));
  all.push_back(exclusive_scan_of<std::int64_t>("i64"));
  all.push_back(exclusive_scan_of<float>("f32"));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
