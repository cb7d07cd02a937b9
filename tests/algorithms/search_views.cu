// SPDX-License-Identifier: Apache-2.0
// Searches and is_sorted of each kind of view against the standard library. The view is the keys,
// the sorted range (also searched by a sample of it), or the items of is_sorted.
#include <ballot/search.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/views.hpp"

#include <algorithm>

using namespace ballot;

namespace algorithms_search_views {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

std::vector<u32> below(std::size_t n, u32 limit, unsigned seed) {
  auto items = test::random_items<u32>(n, seed);
  for (u32& item : items) item %= limit;
  return items;
}

TEST_CASE("searches: each kind of view as keys") {
  for (const std::size_t n : {std::size_t{33}, std::size_t{1'500}}) {
    auto sorted = test::random_items<u32>(2'000, 5);
    for (std::size_t i = 0; i < sorted.size(); i += 2) sorted[i] %= 5'000;
    std::sort(sorted.begin(), sorted.end());
    test::for_each_schedule([&] {
      const test::guarded<u32> in(sorted);
      test::guarded<u32> lower(n), upper(n);
      const exec gpu(test::test_stream(), {});
      test::for_each_view(n, 1, [&](const std::string& name, const auto& view, const std::vector<u32>& keys) {
        CAPTURE(name);
        const std::size_t there = keys.size() - 4;
        const test::guarded<u64> length(std::vector<u64>{there});
        lower.fill_dirt(), upper.fill_dirt();
        lower_bound(gpu, in, view, std::span(lower).first(keys.size()));
        upper_bound(gpu, in, counted{view, length.data()}, std::span(upper).first(keys.size()));
        const auto low = lower.read(), high = upper.read();
        bool same = true;
        for (std::size_t i = 0; i < keys.size(); ++i) {
          const auto range = std::equal_range(sorted.begin(), sorted.end(), keys[i]);
          same &= low[i] == static_cast<u32>(range.first - sorted.begin());
          same &= i < there ? high[i] == static_cast<u32>(range.second - sorted.begin()) : test::is_dirt(high[i]);
        }
        CHECK(same);
      });
    });
  }
}

struct eighth {
  __host__ __device__ u32 operator()(u32 x) const { return x / 8; }
};
struct sum_of_two {
  __host__ __device__ u32 operator()(u32 x, u32 y) const { return x + y; }
};
struct is_less {
  BALLOT_HOST_DEVICE bool operator()(u32 a, u32 b) const { return a < b; }
};

// use(name, view, items) for views whose items ascend.
template <class Use>
void for_each_sorted_view(std::size_t n, Use use) {
  auto ascending = below(n, 40'000, 5);
  std::sort(ascending.begin(), ascending.end());
  auto few = below(n, 9, 6);
  std::sort(few.begin(), few.end());
  std::vector<u32> descending(ascending.rbegin(), ascending.rend()), shuffled(n), places(n);
  for (std::size_t i = 0; i < n; ++i) places[i] = static_cast<u32>(i * 7'919 % n);  // a prime
  for (std::size_t i = 0; i < n; ++i) shuffled[places[i]] = ascending[i];
  const test::guarded<u32> up(ascending, 1), equal(few, 2), down(descending), mixed(shuffled), order(places);
  const auto check = [&](const char* name, const auto& view, auto item) {
    std::vector<u32> items(view.size());
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<u32>(item(i));
    REQUIRE(std::is_sorted(items.begin(), items.end()));
    use(std::string(name), view, items);
  };
  check("transformed", transformed{up, eighth{}}, [&](std::size_t i) { return ascending[i] / 8; });
  check("of two", transformed{up, equal, sum_of_two{}}, [&](std::size_t i) { return ascending[i] + few[i]; });
  check("reversed", reversed{down}, [&](std::size_t i) { return ascending[i]; });
  check("gathered", gathered{mixed, order}, [&](std::size_t i) { return ascending[i]; });
  check("strided", strided{up, 3}, [&](std::size_t i) { return ascending[3 * i]; });
  check("nested", transformed{reversed{down}, strided{positions(2 * n), 2}, sum_of_two{}},
        [&](std::size_t i) { return ascending[i] + 2 * i; });
  check("positions", positions(n), [](std::size_t i) { return i; });
  check("constant", constant{u32{3'000}, n}, [](std::size_t) { return 3'000; });
  check("iterator", view{test::counting{40}, n}, [](std::size_t i) { return 40 + i; });
  check("own", test::squares{n}, [](std::size_t i) { return i * i; });
}

TEST_CASE("searches: each kind of view as the sorted range, by a sample, too") {
  for (const std::size_t n : {std::size_t{1}, std::size_t{65}, std::size_t{2'100}}) {
    auto sought = below(1'030, 41'000, 8);
    for (std::size_t i = 0; i < sought.size(); i += 2) sought[i] %= 5'010;
    const test::guarded<u32> keys(sought);
    test::guarded<u32> lower(sought.size()), upper(sought.size());
    for_each_sorted_view(n, [&](const std::string& name, const auto& view, const std::vector<u32>& items) {
      CAPTURE(n);
      CAPTURE(name);
      test::for_some_schedules([&] {
        const test::guarded<u64> length(std::vector<u64>{items.size() / 2});
        const exec gpu(test::test_stream(), {});
        // How many items are searched by lower_bound, and by upper_bound.
        const auto check = [&](std::size_t of_lower, std::size_t of_upper) {
          const auto low = lower.read(), high = upper.read();
          const auto end = [&](std::size_t there) { return items.begin() + static_cast<std::ptrdiff_t>(there); };
          bool same = true;
          for (std::size_t i = 0; i < sought.size(); ++i) {
            same &= low[i] == std::lower_bound(items.begin(), end(of_lower), sought[i]) - items.begin();
            same &= high[i] == std::upper_bound(items.begin(), end(of_upper), sought[i]) - items.begin();
          }
          CHECK(same);
          lower.fill_dirt(), upper.fill_dirt();
        };
        lower_bound(gpu, view, keys, lower);
        upper_bound(gpu, counted{view, length.data()}, keys, upper);
        check(items.size(), items.size() / 2);
        lower_bound(gpu, counted{view, length.data()}, transformed{keys, eighth{}}, is_less{}, lower);
        upper_bound(gpu, view, keys, is_less{}, upper);
        for (u32& key : sought) key /= 8;
        lower_bound(gpu, view, transformed{keys, eighth{}}, lower);
        upper_bound(gpu, view, transformed{keys, eighth{}}, is_less{}, upper);
        check(items.size(), items.size());
        sought = keys.read();
        const auto searched = detail::as_searched(detail::as_input(keys));
        for (const unsigned most : {1u, 64u}) {
          detail::launch_sampled_search<false, 1, u32>(test::test_stream(), detail::as_input(view), searched, is_less{},
                                                       device_count(lower.data()), most);
          detail::launch_sampled_search<true, 2, u64>(test::test_stream(),
                                                      detail::as_input(counted{view, length.data()}), searched,
                                                      is_less{}, device_count(upper.data()), most);
          check(items.size(), items.size() / 2);
        }
      });
    });
  }
}

// Views whose items are in order, with one that is not, at its place in each tile; and views of
// random items.
TEST_CASE("is_sorted: each kind of view") {
  const std::size_t tile = detail::sorted_tile;
  const auto check = [](const std::string& name, const auto& view, const std::vector<u32>& items) {
    CAPTURE(name);
    CAPTURE(items.size());
    const auto until_of = [&](std::size_t there) {
      return static_cast<u64>(std::is_sorted_until(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(there)) -
                              items.begin());
    };
    test::for_some_schedules([&] {
      const std::size_t half = items.size() / 2;
      const test::guarded<u64> length(std::vector<u64>{half});
      test::guarded<u64> results(4);
      const test::exact_scratch scratch(is_sorted_scratch_bytes());
      is_sorted(scratch.where(), view, results.data());
      is_sorted(scratch.where(), counted{view, length.data()}, is_less{}, results.data() + 1);
      is_sorted_until(scratch.where(), view, is_less{}, results.data() + 2);
      is_sorted_until(scratch.where(), counted{view, length.data()}, results.data() + 3);
      const u64 until = until_of(items.size()), of_half = until_of(half);
      CHECK(results.read() == std::vector<u64>{until == items.size(), of_half == half, until, of_half});
    });
  };
  for (const std::size_t n : {std::size_t{1}, tile + 1, 2 * tile + 77}) {
    for_each_sorted_view(n, check);
    test::for_each_view(n, 1, check);
    for (const std::size_t at : {std::size_t{1}, tile - 1, tile, n - 1}) {
      if (at == 0 || at >= n) continue;
      std::vector<u32> down(n);
      for (std::size_t i = 0; i < n; ++i) down[i] = static_cast<u32>(8 * (n - i) + 100);
      down[n - 1 - at] = 8;
      const test::guarded<u32> in(down, 1);
      std::vector<u32> items(down.rbegin(), down.rend());
      check("reversed", reversed{in}, items);
      for (u32& item : items) item /= 8;
      check("nested", transformed{reversed{in}, eighth{}}, items);
    }
  }
}

}  // namespace algorithms_search_views
