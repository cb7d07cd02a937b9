// SPDX-License-Identifier: Apache-2.0
// Reductions in one captured graph, replayed with other data and another length, which only the
// device knows. There are more items than one block takes, so that the results of several blocks
// have to be added.
#include <ballot/reduce.cuh>

#include "support/replayed_calls.hpp"

#include <numeric>

using namespace ballot;
using test::replayed_calls;

namespace contract_replay_reductions {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 100'000;

// The first operand, if there is one: does not commute.
struct first_of_two {
  __host__ __device__ u64 operator()(u64 a, u64 b) const { return a != 0 ? a : b; }
};

struct by_low_bits {
  __host__ __device__ bool operator()(u32 a, u32 b) const { return a % 4096 < b % 4096; }
};

TEST_CASE("replay: reductions, of as many items as the device says") {
  replayed_calls calls(n);
  const auto& in = calls.input<u32>(n, [](u32 random) { return random / 2 + 1; });
  const std::size_t scratch = reduce_scratch_bytes<u64>(n), of_pairs = reduce_scratch_bytes<indexed<u32>>(n);

  auto &of_all = calls.output<u64>(1), &first = calls.output<u64>(1);
  calls.add(
      "sum", scratch, [&](const exec& gpu) { sum(gpu, calls.now(in), of_all.data()); },
      [&] {
        const auto items = calls.items(in);
        calls.leaves(of_all, std::accumulate(items.begin(), items.end(), u64{0}));
      });
  calls.add(
      "reduce", scratch, [&](const exec& gpu) { reduce(gpu, calls.now(in), 0, first_of_two{}, first.data()); },
      [&] { calls.leaves(first, calls.there() == 0 ? 0 : in.items[0]); });

  auto &least = calls.output<u32>(1), &most = calls.output<u32>(1);
  calls.add(
      "minimum_of", reduce_scratch_bytes<u32>(n),
      [&](const exec& gpu) { minimum_of(gpu, calls.now(in), least.data()); },
      [&] {
        const auto items = calls.items(in);
        calls.leaves(least, items.empty() ? ~0u : *std::min_element(items.begin(), items.end()));
      });
  calls.add(
      "maximum_of", reduce_scratch_bytes<u32>(n), [&](const exec& gpu) { maximum_of(gpu, calls.now(in), most.data()); },
      [&] {
        const auto items = calls.items(in);
        calls.leaves(most, items.empty() ? 0 : *std::max_element(items.begin(), items.end()));
      });

  auto &where_least = calls.output<indexed<u32>>(1), &where_most = calls.output<indexed<u32>>(1);
  auto &where_low = calls.output<indexed<u32>>(1), &where_high = calls.output<indexed<u32>>(1);
  const auto points_at = [&](const test::guarded<indexed<u32>>& found, auto&& find) {
    const indexed<u32> result = found.read()[0];
    const auto items = calls.items(in);
    if (items.empty()) {
      CHECK(result.index == no_index);
      return;
    }
    const auto at = find(items.begin(), items.end());
    CHECK(result.index == static_cast<u64>(at - items.begin()));
    CHECK(result.value == *at);
  };
  calls.add(
      "arg_min", of_pairs, [&](const exec& gpu) { arg_min(gpu, calls.now(in), where_least.data()); },
      [&] { points_at(where_least, [](auto begin, auto end) { return std::min_element(begin, end); }); });
  calls.add(
      "arg_max", of_pairs, [&](const exec& gpu) { arg_max(gpu, calls.now(in), where_most.data()); },
      [&] { points_at(where_most, [](auto begin, auto end) { return std::max_element(begin, end); }); });
  calls.add(
      "arg_min by a comparison", of_pairs,
      [&](const exec& gpu) { arg_min(gpu, calls.now(in), by_low_bits{}, where_low.data()); },
      [&] { points_at(where_low, [](auto begin, auto end) { return std::min_element(begin, end, by_low_bits{}); }); });
  calls.add(
      "arg_max by a comparison", of_pairs,
      [&](const exec& gpu) { arg_max(gpu, calls.now(in), by_low_bits{}, where_high.data()); },
      [&] { points_at(where_high, [](auto begin, auto end) { return std::max_element(begin, end, by_low_bits{}); }); });
  calls.replay();
}

}  // namespace contract_replay_reductions
