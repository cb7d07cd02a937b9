// SPDX-License-Identifier: Apache-2.0
// The k largest of u64 keys, and a tenth of all of f32 keys (top_k_of.cuh).
#include <ballot/core/namespace.hpp>

#include "top_k_of.cuh"

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

void add_top_k_types(std::vector<operation>& all) {
  all.push_back(largest<std::uint64_t>("top_k_u64_5000", keys<std::uint64_t>(parse_key_spread("uniform")),
                                       [](std::uint64_t) { return std::uint64_t{5'000}; }));
  all.push_back(largest<float>("top_k_f32_tenth:normal", keys<float>(parse_key_spread("normal")),
                               [](std::uint64_t n) { return n / 10; }));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
