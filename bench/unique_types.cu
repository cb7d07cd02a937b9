// SPDX-License-Identifier: Apache-2.0
// The first item of each run of five bytes, and of five u64. Neighbouring runs of bytes are equal in
// one case of 256.
#include <ballot/core/namespace.hpp>

#include "segments.hpp"
#include "unique_of.cuh"

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

void add_unique_types(std::vector<operation>& all) {
  all.push_back(first_of_runs<std::uint8_t>("unique_u8:runs_of_5", in_runs<std::uint8_t>(5), 0.2));
  all.push_back(first_of_runs<std::uint64_t>("unique_u64:runs_of_5", in_runs<std::uint64_t>(5), 0.2));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
