// SPDX-License-Identifier: Apache-2.0
// Searches and is_sorted in a captured graph, replayed with other data and another length, which
// only the device knows.
#include <ballot/search.cuh>
#include <ballot/views.cuh>

#include "support/replayed_calls.hpp"

using namespace ballot;
using test::replayed_calls;

namespace contract_replay_search {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 9000;

struct is_less {
  BALLOT_HOST_DEVICE bool operator()(u32 a, u32 b) const { return a < b; }
};

struct below_3000 {
  BALLOT_HOST_DEVICE u32 operator()(u32 x) const { return 3000 - x; }
};

TEST_CASE("replay: searches and is_sorted, of as many items as the device says") {
  replayed_calls calls(n);
  const auto& in = calls.filled<u32>(n, [](std::vector<u32>& items, std::mt19937& random) {
    for (u32& item : items) item = static_cast<u32>(random()) % 3000;
    std::sort(items.begin(), items.end());
  });
  const auto& mixed = calls.filled<u32>(n, [](std::vector<u32>& items, std::mt19937& random) {
    const std::size_t broken = random() % n;
    for (std::size_t i = 0; i < n; ++i) items[i] = i == broken ? 0 : static_cast<u32>(i);
  });
  const auto& keys = calls.input<u32>(n, [](u32 random) { return random % 3001; });
  auto& lower = calls.output<u32>();
  auto& upper = calls.output<u32>();
  auto& lower_by = calls.output<u32>();
  auto& upper_by = calls.output<u32>();
  auto& results = calls.output<u64>(4);
  const auto found = [&](bool is_upper) {
    const auto sorted = calls.items(in);
    std::vector<u32> all;
    for (const u32 key : calls.items(keys))
      all.push_back(static_cast<u32>((is_upper ? std::upper_bound(sorted.begin(), sorted.end(), key)
                                               : std::lower_bound(sorted.begin(), sorted.end(), key)) -
                                     sorted.begin()));
    return all;
  };
  calls.add(
      "lower_bound", 0,
      [&](const exec& gpu) {
        lower_bound(gpu, calls.now(in), calls.now(keys), lower);
        lower_bound(gpu, calls.now(in), calls.now(keys), is_less{}, lower_by);
      },
      [&] { calls.leaves(lower, found(false)), calls.leaves(lower_by, found(false)); });
  calls.add(
      "upper_bound", 0,
      [&](const exec& gpu) {
        upper_bound(gpu, calls.now(in), calls.now(keys), upper);
        upper_bound(gpu, calls.now(in), calls.now(keys), is_less{}, upper_by);
      },
      [&] { calls.leaves(upper, found(true)), calls.leaves(upper_by, found(true)); });
  calls.add(
      "is_sorted", is_sorted_scratch_bytes(),
      [&](const exec& gpu) {
        is_sorted(gpu, calls.now(mixed), results.data());
        is_sorted(gpu, calls.now(mixed), is_less{}, results.data() + 1);
        is_sorted_until(gpu, calls.now(mixed), results.data() + 2);
        is_sorted_until(gpu, calls.now(mixed), is_less{}, results.data() + 3);
      },
      [&] {
        const auto items = calls.items(mixed);
        const auto until = static_cast<u64>(std::is_sorted_until(items.begin(), items.end()) - items.begin());
        const u64 whether = until == items.size() ? 1 : 0;
        calls.leaves(results, std::vector<u64>{whether, whether, until, until});
      });
  // In a view: of the last items of the range, from the end, as many as the device says.
  auto& in_view = calls.output<u32>();
  auto& of_view = calls.output<u64>(1);
  calls.add(
      "lower_bound in a view", 0,
      [&](const exec& gpu) {
        lower_bound(gpu, counted{transformed{reversed{in.device}, below_3000{}}, calls.length()}, calls.now(keys),
                    in_view);
      },
      [&] {
        std::vector<u32> sorted, all;
        for (std::size_t i = 0; i < calls.there(); ++i) sorted.push_back(3000 - in.items[n - 1 - i]);
        for (const u32 key : calls.items(keys))
          all.push_back(static_cast<u32>(std::lower_bound(sorted.begin(), sorted.end(), key) - sorted.begin()));
        calls.leaves(in_view, all);
      });
  calls.add(
      "is_sorted of a view", is_sorted_scratch_bytes(),
      [&](const exec& gpu) {
        is_sorted_until(gpu, counted{strided{mixed.device, 1}, calls.length()}, of_view.data());
      },
      [&] {
        const auto items = calls.items(mixed);
        calls.leaves(of_view, std::vector<u64>{
                                  static_cast<u64>(std::is_sorted_until(items.begin(), items.end()) - items.begin())});
      });
  calls.replay();
}

}  // namespace contract_replay_search
