// SPDX-License-Identifier: Apache-2.0
// gather and scatter in a captured graph, replayed with other data and another length, which only
// the device knows.
#include <ballot/gather.cuh>

#include "support/replayed_calls.hpp"

#include <numeric>

using namespace ballot;
using test::replayed_calls;

namespace contract_replay_gather {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 5'000;

TEST_CASE("replay: gather and scatter, of as many indices as the device says") {
  replayed_calls calls(n);
  const auto& in = calls.input<u32>(n, [](u32 random) { return random; });
  const auto& at = calls.filled<u32>(n, [](std::vector<u32>& items, std::mt19937& random) {
    std::iota(items.begin(), items.end(), 5u);  // the last ones lie outside
    std::shuffle(items.begin(), items.end(), random);
  });
  auto& gathered = calls.output<u32>();
  auto& scattered = calls.output<u32>();
  auto& outside = calls.output<u64>(2);
  calls.add(
      "gather, scatter", 0,
      [&](const exec& gpu) {
        gather(gpu, in.device, calls.now(at), gathered, outside.data());
        scatter(gpu, in.device, calls.now(at), scattered, outside.data() + 1);
      },
      [&] {
        const auto got = gathered.read(), to = scattered.read();
        const auto indices = calls.items(at);
        u64 left_out = 0;
        bool same = true;
        for (std::size_t i = 0; i < indices.size(); ++i) {
          if (indices[i] >= n) ++left_out;
          else same &= got[i] == in.items[indices[i]] && to[indices[i]] == in.items[i];
        }
        CHECK(same);
        calls.leaves(outside, std::vector<u64>{left_out, left_out});
      });
  calls.replay();
}

}  // namespace contract_replay_gather
