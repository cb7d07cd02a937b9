// SPDX-License-Identifier: Apache-2.0
// batched_top_k in a captured graph, replayed with other data and other rows, which only the device
// knows.
#include <ballot/batched_top_k.cuh>

#include "support/replayed_calls.hpp"

#include <numeric>

using namespace ballot;
using test::replayed_calls;

namespace contract_replay_batched_top_k {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 9'000, rows = 12, k = 100;

TEST_CASE("replay: batched_top_k, of rows that the device knows") {
  replayed_calls calls(n);
  const auto& in = calls.input<u32>(n, [](u32 random) { return random % 3'000; });
  const auto& offsets = calls.filled<u32>(rows + 1, [](std::vector<u32>& items, std::mt19937& random) {
    for (u32& item : items) item = static_cast<u32>(random()) % (n + 1);
    std::sort(items.begin(), items.end());
  });
  auto& keys_out = calls.output<u32>(rows * k);
  auto& pair_keys = calls.output<u32>(rows * k);
  auto& values_out = calls.output<u32>(rows * k);
  auto& indices = calls.output<u32>(rows * k);
  auto& counts = calls.output<u32>(rows);
  const auto check = [&](const auto& found, const auto& item_of) {
    const auto got = found.read();
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t begin = std::min<std::size_t>(offsets.items[r], calls.there()),
                        end = std::min<std::size_t>(offsets.items[r + 1], calls.there());
      std::vector<u32> order(end - begin);
      std::iota(order.begin(), order.end(), 0u);
      std::stable_sort(order.begin(), order.end(),
                       [&](u32 a, u32 b) { return in.items[begin + a] > in.items[begin + b]; });
      order.resize(std::min(k, order.size()));
      bool same = counts.read()[r] == order.size();
      for (std::size_t i = 0; i < order.size(); ++i) same &= got[r * k + i] == item_of(begin, order[i]);
      for (std::size_t i = order.size(); i < k; ++i) same &= test::is_dirt(got[r * k + i]);
      CHECK(same);
    }
  };
  const auto key_of = [&](std::size_t begin, u32 at) { return in.items[begin + at]; };
  calls.add(
      "batched_top_k", 0,
      [&](const exec& gpu) { batched_top_k(gpu, calls.now(in), offsets.device, k, keys_out, counts); },
      [&] { check(keys_out, key_of); });
  calls.add(
      "batched_top_k_pairs", batched_top_k_pairs_scratch_bytes(rows, k),
      [&](const exec& gpu) {
        batched_top_k_pairs(gpu, calls.now(in), in.device, offsets.device, k, pair_keys, values_out);
      },
      [&] { check(pair_keys, key_of), check(values_out, key_of); });
  calls.add(
      "batched_top_k_indices", batched_top_k_indices_scratch_bytes<u32>(rows, k),
      [&](const exec& gpu) { batched_top_k_indices(gpu, calls.now(in), offsets.device, k, indices); },
      [&] { check(indices, [](std::size_t, u32 at) { return at; }); });
  calls.replay();
}

}  // namespace contract_replay_batched_top_k
