// SPDX-License-Identifier: Apache-2.0
// Sorts in one captured graph, replayed with other data and another length, which only the device
// knows; one replay has keys in order, whose passes the device skips.
#include <ballot/segmented_sort.cuh>
#include <ballot/sort.cuh>
#include <ballot/sort_by.cuh>
#include <ballot/sort_ping_pong.cuh>

#include "support/step.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

using namespace ballot;
using test::guarded;

namespace contract_replay_sorts {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 5000;

struct low_half {
  __host__ __device__ std::uint16_t operator()(u32 x) const { return static_cast<std::uint16_t>(x); }
};

TEST_CASE("replay: sorts, of as many items as the device says") {
  const std::vector<u32> begin{0, 100, 100, 150};
  const std::vector<u32> end_of_first{40, 100, 149, 4700};
  const guarded<u32> offsets(begin), first_ends(end_of_first);
  guarded<u32> in(n), sorted(n), order(n), a(n), b(n), by_half(n), of_segments(n);
  guarded<u32> with_gaps(n), c(n), d(n), e(n), f(n);
  guarded<u64> length(1);
  const test::exact_scratch scratch(
      std::max({sort_scratch_bytes<u32>(n), argsort_scratch_bytes<u32, u32>(n), sort_ping_pong_scratch_bytes<u32>(n),
                sort_by_scratch_bytes<std::uint16_t, u32>(n), segmented_sort_scratch_bytes<u32>(n)}));
  std::vector<u32> items(n);
  std::size_t there = 0;
  int at = 0;
  test::replay_with_new_data(
      [&](unsigned seed) {
        std::mt19937 random(seed);
        for (u32& x : items) x = static_cast<u32>(random());
        if (seed == 2) std::sort(items.begin(), items.end());
        there = n - 500 * seed;
        in.write(items), a.write(items), c.write(items), length.write({there});
        with_gaps.fill_dirt();
      },
      [&] {
        const exec gpu = scratch.where();
        const counted now{in, length.data()};
        sort(gpu, now, sorted, {.direction = direction::descending});
        argsort(gpu, now, order);
        at = sort_ping_pong(gpu, counted{a, length.data()}, b, {.bits = {0, 24}});
        sort_by(gpu, now, low_half{}, by_half);
        segmented_sort(gpu, now, offsets, of_segments);
        segmented_sort(gpu, now, begins_and_ends{offsets, first_ends}, with_gaps);
        segmented_sort_ping_pong(gpu, counted{c, length.data()}, offsets, d);
        segmented_sort_pairs_ping_pong(gpu, counted{c, length.data()}, in, offsets, e, f);
      },
      [&] {
        const auto check = [&](const guarded<u32>& found, auto&& rearrange) {
          std::vector<u32> want(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(there)), all = found.read();
          rearrange(want);
          all.resize(there);
          CHECK(all == want);
        };
        check(sorted, [](auto& v) { std::sort(v.begin(), v.end(), std::greater{}); });
        check(order, [&](auto& v) {
          std::iota(v.begin(), v.end(), 0u);
          std::stable_sort(v.begin(), v.end(), [&](u32 x, u32 y) { return items[x] < items[y]; });
        });
        check(at == 0 ? a : b, [](auto& v) {
          std::stable_sort(v.begin(), v.end(), [](u32 x, u32 y) { return (x & 0xffffffu) < (y & 0xffffffu); });
        });
        check(by_half, [](auto& v) {
          std::stable_sort(v.begin(), v.end(), [](u32 x, u32 y) { return low_half{}(x) < low_half{}(y); });
        });
        const auto got = with_gaps.read();
        for (std::size_t s = 0, i = 0; s < begin.size(); ++s) {
          for (; i < begin[s]; ++i) REQUIRE(test::is_dirt(got[i]));
          const std::size_t end = std::min<std::size_t>(end_of_first[s], there);
          std::vector<u32> want(items.begin() + begin[s], items.begin() + static_cast<std::ptrdiff_t>(end));
          std::sort(want.begin(), want.end());
          for (const u32 x : want) REQUIRE(got[i++] == x);
        }
        for (const guarded<u32>* found : {&of_segments, &d, &e, &f})
          check(*found, [&](auto& v) {
            for (std::size_t s = 0; s < begin.size(); ++s) {
              const std::size_t end = s + 1 < begin.size() ? begin[s + 1] : there;
              std::sort(v.begin() + begin[s], v.begin() + static_cast<std::ptrdiff_t>(end));
            }
          });
      });
}

}  // namespace contract_replay_sorts
