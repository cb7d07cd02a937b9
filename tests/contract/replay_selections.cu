// SPDX-License-Identifier: Apache-2.0
// Selections in one captured graph, replayed with other data and another length, which only the
// device knows.
#include <ballot/compact.cuh>
#include <ballot/count_if.cuh>
#include <ballot/multisplit.cuh>
#include <ballot/split.cuh>
#include <ballot/split_in_place.cuh>
#include <ballot/unique.cuh>

#include "support/step.hpp"

#include <algorithm>
#include <random>

using namespace ballot;
using test::guarded;

namespace contract_replay_selections {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 6000;

struct is_odd {
  __host__ __device__ bool operator()(u32 x) const { return x % 2 != 0; }
};
struct remainder {
  __host__ __device__ u32 operator()(u32 x) const { return x % 3; }
};

TEST_CASE("replay: selections, of as many items as the device says") {
  guarded<u32> in(n), kept(n), indices(n), first(n), second(n), both(n), in_place(n), by_remainder(n), heads(n);
  guarded<u64> length(1), counts(6), offsets(4);
  const test::exact_scratch scratch(std::max({compact_scratch_bytes<u32>(n), compact_indices_scratch_bytes<u32, u32>(n),
                                              split_scratch_bytes<u32>(n), split_in_place_scratch_bytes<u32>(n),
                                              multisplit_scratch_bytes<u32>(n, 3), unique_scratch_bytes<u32>(n)}));
  std::vector<u32> items(n);
  std::size_t there = 0;
  test::replay_with_new_data(
      [&](unsigned seed) {
        std::mt19937 random(seed);
        for (u32& x : items) x = static_cast<u32>(random()) % 4;
        there = n - 1111 * seed;
        in.write(items), in_place.write(items), length.write({there});
      },
      [&] {
        const exec gpu = scratch.where();
        const counted now{in, length.data()};
        u64* const count = counts.data();
        compact(gpu, now, is_odd{}, kept, count);
        compact_indices(gpu, now, is_odd{}, indices, count + 1);
        split(gpu, now, is_odd{}, first, second, count + 2);
        split(gpu, now, is_odd{}, both, count + 3);
        count_if(gpu, now, is_odd{}, count + 4);
        multisplit(gpu, now, remainder{}, 3, by_remainder, offsets);
        unique(gpu, now, heads, count + 5);
        split_in_place(gpu, counted{in_place, length.data()}, is_odd{}, counts.data());
      },
      [&] {
        items.resize(there);
        std::vector<u32> odd, even, at, grouped, runs = items;
        for (u32 i = 0; i < there; ++i) (is_odd{}(items[i]) ? odd : even).push_back(items[i]);
        for (u32 i = 0; i < there; ++i)
          if (is_odd{}(items[i])) at.push_back(i);
        std::vector<u32> split_whole = odd;
        split_whole.insert(split_whole.end(), even.begin(), even.end());
        std::vector<u64> begins{0};
        for (u32 r = 0; r < 3; ++r) {
          for (const u32 x : items)
            if (remainder{}(x) == r) grouped.push_back(x);
          begins.push_back(grouped.size());
        }
        runs.erase(std::unique(runs.begin(), runs.end()), runs.end());

        const auto begins_with = [](const guarded<u32>& found, const std::vector<u32>& want) {
          std::vector<u32> all = found.read();
          all.resize(want.size());
          return all == want;
        };
        CHECK(counts.read() ==
              std::vector<u64>{odd.size(), odd.size(), odd.size(), odd.size(), odd.size(), runs.size()});
        CHECK(begins_with(kept, odd));
        CHECK(begins_with(indices, at));
        CHECK(begins_with(first, odd));
        CHECK(begins_with(second, even));
        CHECK(begins_with(both, split_whole));
        CHECK(begins_with(in_place, split_whole));
        CHECK(offsets.read() == begins);
        CHECK(begins_with(by_remainder, grouped));
        CHECK(begins_with(heads, runs));
        items.resize(n);
      });
}

}  // namespace contract_replay_selections
