// SPDX-License-Identifier: Apache-2.0
// The k largest of u32 keys (top_k_of.cuh); ours also sorted, as `ballot_sorted`.
#include <ballot/core/namespace.hpp>

#include "top_k_of.cuh"

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

using T = std::uint32_t;

operation largest_of_u32(std::uint64_t k, const std::string& spread) {
  operation task = largest<T>("top_k_" + std::to_string(k) + (spread == "uniform" ? "" : ":" + spread),
                              keys<T>(parse_key_spread(spread)), [=](std::uint64_t) { return k; });
#if BALLOT_BENCH_IS_TOOLKIT
  task.contenders.push_back(
      named("ballot_sorted",
            by_ballot([=](std::uint64_t n) { return top_k_scratch_bytes<T>(n, k); },
                      [=](const auto& gpu, const arrays& a) { top_k(gpu, in<T>(a), k, std::span(a.out<T>(), k)); })));
#endif
  return task;
}

}  // namespace

void add_top_k(std::vector<operation>& all) {
  for (const std::uint64_t k : {10, 1'000, 100'000, 10'000'000}) all.push_back(largest_of_u32(k, "uniform"));
  for (const char* spread : {"0.201", "few:1"}) all.push_back(largest_of_u32(1'000, spread));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
