// SPDX-License-Identifier: Apache-2.0
// reduce_by_key in a captured graph, replayed with other data and another length, which only the device knows.
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
  const auto& in = calls.input<u32>(n, [](u32 random) { return random % 4 == 0 ? 0u - 5u : random; });
  auto& out = calls.output<u32>();
  auto& count = calls.output<u64>(1);
  calls.add(
      "reduce_by_key", reduce_by_key_scratch_bytes<u32>(n),
      [&](const exec& gpu) { reduce_by_key(gpu, calls.now(in), 5u, out, count.data()); },
      [&] {
        std::vector<u32> want = calls.items(in);
        for (u32& x : want) x += 5;
        calls.leaves(out, want);
        calls.leaves(count, want.size() - static_cast<std::size_t>(std::count(want.begin(), want.end(), 0u)));
      });
  calls.replay();
}

}  // namespace contract_replay_reduce_by_key
