// SPDX-License-Identifier: Apache-2.0
// top_k in a captured graph, replayed with other data and another length, which only the device
// knows.
#include <ballot/top_k.cuh>

#include "support/replayed_calls.hpp"

#include <numeric>

using namespace ballot;
using test::replayed_calls;

namespace contract_replay_top_k {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 20'000;

// Of few items, by a sample, by digits.
TEST_CASE("replay: top_k, of as many keys as the device says") {
  for (const std::size_t k : {std::size_t{700}, std::size_t{12'000}}) {
    replayed_calls calls(n);
    const auto& in = calls.input<u32>(n, [](u32 random) { return random % 5'000; });
    const auto& values = calls.input<u64>(n, [](u32 random) { return u64{random} << 20; });
    auto& keys_out = calls.output<u32>(k);
    auto& pair_keys = calls.output<u32>(k);
    auto& values_out = calls.output<u64>(k);
    auto& indices = calls.output<u32>(k);
    auto& count = calls.output<u64>(3);
    const auto order = [&] {
      const std::vector<u32> keys = calls.items(in);
      std::vector<u32> all(keys.size());
      std::iota(all.begin(), all.end(), 0u);
      std::stable_sort(all.begin(), all.end(), [&](u32 a, u32 b) { return keys[a] > keys[b]; });
      all.resize(std::min(k, all.size()));
      return all;
    };
    const auto keys_of = [&] {
      std::vector<u32> keys;
      for (const u32 at : order()) keys.push_back(in.items[at]);
      return keys;
    };
    calls.add(
        "top_k", top_k_scratch_bytes<u32>(n, k),
        [&](const exec& gpu) { top_k(gpu, calls.now(in), k, keys_out, count.data()); },
        [&] { calls.leaves(keys_out, keys_of()); });
    calls.add(
        "top_k_pairs", top_k_pairs_scratch_bytes<u32, u64>(n, k),
        [&](const exec& gpu) {
          top_k_pairs(gpu, calls.now(in), values.device, k, pair_keys, values_out, count.data() + 1);
        },
        [&] {
          std::vector<u64> want;
          for (const u32 at : order()) want.push_back(values.items[at]);
          calls.leaves(pair_keys, keys_of());
          calls.leaves(values_out, want);
        });
    calls.add(
        "top_k_indices", top_k_indices_scratch_bytes<u32, u32>(n, k),
        [&](const exec& gpu) { top_k_indices(gpu, calls.now(in), k, indices, count.data() + 2); },
        [&] {
          calls.leaves(indices, order());
          calls.leaves(count, std::vector<u64>(3, order().size()));
        });
    calls.replay();
  }
}

}  // namespace contract_replay_top_k
