// SPDX-License-Identifier: Apache-2.0
// reduce_by_key in a captured graph, replayed with other data and another length, which only the
// device knows.
#include <ballot/reduce_by_key.cuh>

#include "support/replayed_calls.hpp"

using namespace ballot;
using test::replayed_calls;

namespace contract_replay_reduce_by_key {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 9000;

TEST_CASE("replay: reduce_by_key, of as many items as the device says") {
  replayed_calls calls(n);
  const auto& keys = calls.input<u32>(n, [](u32 random) { return random % 2; });
  const auto& values = calls.input<u32>(n, [](u32 random) { return random; });
  auto &keys_out = calls.output<u32>(), &sums = calls.output<u32>();
  auto& count = calls.output<u64>(1);
  calls.add(
      "reduce_by_key", reduce_by_key_scratch_bytes<u32, u32>(n),
      [&](const exec& gpu) { reduce_by_key(gpu, calls.now(keys), values.device, keys_out, sums, count.data()); },
      [&] {
        std::vector<u32> want_keys, want;
        for (std::size_t i = 0; i < calls.there(); ++i) {
          if (i == 0 || keys.items[i] != keys.items[i - 1]) want_keys.push_back(keys.items[i]), want.push_back(0);
          want.back() += values.items[i];
        }
        calls.leaves(keys_out, want_keys);
        calls.leaves(sums, want);
        calls.leaves(count, want.size());
      });
  calls.replay();
}

}  // namespace contract_replay_reduce_by_key
