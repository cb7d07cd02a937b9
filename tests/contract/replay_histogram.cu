// SPDX-License-Identifier: Apache-2.0
// histogram in a captured graph, replayed with other data and another length, which only the device
// knows.
#include <ballot/histogram.cuh>

#include "support/replayed_calls.hpp"

using namespace ballot;
using test::replayed_calls;

namespace contract_replay_histogram {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 9000;

TEST_CASE("replay: histogram, of as many items as the device says") {
  replayed_calls calls(n);
  const auto& in = calls.input<u32>(n, [](u32 random) { return random; });
  auto& counts = calls.output<u64>(200);
  auto& outside = calls.output<u64>(1);
  calls.add(
      "histogram", 0,
      [&](const exec& gpu) {
        histogram(gpu, calls.now(in), key_digit{24, 8}, counts, outside.data());
      },
      [&] {
        std::vector<u64> want(256);
        for (const u32 x : calls.items(in)) ++want[x >> 24];
        std::size_t dropped = 0;
        for (std::size_t bin = 200; bin < 256; ++bin) dropped += want[bin];
        want.resize(200);
        calls.leaves(counts, want);
        calls.leaves(outside, dropped);
      });
  calls.replay();
}

}  // namespace contract_replay_histogram
