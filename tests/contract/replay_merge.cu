// SPDX-License-Identifier: Apache-2.0
// merge in a captured graph, replayed with other data and another length, which only the device
// knows.
#include <ballot/merge.cuh>

#include "support/replayed_calls.hpp"

using namespace ballot;
using test::replayed_calls;

namespace contract_replay_merge {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 9000;

struct is_greater {
  BALLOT_HOST_DEVICE bool operator()(u32 a, u32 b) const { return a > b; }
};

template <bool Descending>
void sort_items(std::vector<u32>& items, std::mt19937& random, u32 below) {
  for (u32& item : items) item = static_cast<u32>(random()) % below;
  if (Descending) std::sort(items.begin(), items.end(), is_greater{});
  else std::sort(items.begin(), items.end());
}

// Values: the key, and which range it is from.
TEST_CASE("replay: merge, of as many items as the device says") {
  replayed_calls calls(n);
  const auto up = [](std::vector<u32>& items, std::mt19937& random) { sort_items<false>(items, random, 3000); };
  const auto down = [](std::vector<u32>& items, std::mt19937& random) { sort_items<true>(items, random, 3000); };
  const auto& a = calls.filled<u32>(n, up);
  const auto& b = calls.filled<u32>(n, up);
  const auto& c = calls.filled<u32>(n, down);
  const auto& d = calls.filled<u32>(n, down);
  auto& out = calls.output<u32>(2 * n);
  auto& by_out = calls.output<u32>(2 * n);
  auto& keys_out = calls.output<u32>(2 * n);
  auto& values_out = calls.output<u32>(2 * n);
  auto& by_keys_out = calls.output<u32>(2 * n);
  auto& by_values_out = calls.output<u32>(2 * n);
  const auto merged = [&](const auto& first, const auto& second, auto before) {
    const auto x = calls.items(first), y = calls.items(second);
    std::vector<u32> all(x.size() + y.size());
    std::merge(x.begin(), x.end(), y.begin(), y.end(), all.begin(), before);
    return all;
  };
  const std::size_t bytes = merge_scratch_bytes<u32>(2 * n);
  calls.add(
      "merge", bytes, [&](const exec& gpu) { merge(gpu, calls.now(a), calls.now(b), out); },
      [&] { calls.leaves(out, merged(a, b, std::less{})); });
  calls.add(
      "merge by a comparison", bytes,
      [&](const exec& gpu) { merge(gpu, calls.now(c), calls.now(d), is_greater{}, by_out); },
      [&] { calls.leaves(by_out, merged(c, d, is_greater{})); });
  calls.add(
      "merge_pairs", bytes,
      [&](const exec& gpu) { merge_pairs(gpu, calls.now(a), a.device, calls.now(b), b.device, keys_out, values_out); },
      [&] {
        calls.leaves(keys_out, merged(a, b, std::less{}));
        calls.leaves(values_out, merged(a, b, std::less{}));
      });
  calls.add(
      "merge_pairs by a comparison", bytes,
      [&](const exec& gpu) {
        merge_pairs(gpu, calls.now(c), c.device, calls.now(d), d.device, is_greater{}, by_keys_out, by_values_out);
      },
      [&] {
        calls.leaves(by_keys_out, merged(c, d, is_greater{}));
        calls.leaves(by_values_out, merged(c, d, is_greater{}));
      });
  calls.replay();
}

}  // namespace contract_replay_merge
