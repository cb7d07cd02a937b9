// SPDX-License-Identifier: Apache-2.0
// Searches and is_sorted against the standard library: every length, types, orders, comparisons,
// positions as keys, lengths on the device.
#include <ballot/search.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

#include <cmath>
#include <random>

using namespace ballot;

namespace algorithms_search {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct wide {
  u32 key;
  u64 rest[5];
};
struct by_key {
  BALLOT_HOST_DEVICE bool operator()(const wide& a, const wide& b) const { return a.key < b.key; }
};

template <class Position, class K, class Before, class Call>
void check(const std::vector<K>& sorted, std::size_t there, const std::vector<K>& keys, std::size_t keys_there,
           const Before& before, const Call& call) {
  CAPTURE(sorted.size());
  CAPTURE(there);
  CAPTURE(keys.size());
  const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(there);
  std::vector<Position> lower, upper;
  for (std::size_t i = 0; i < keys_there; ++i) {
    lower.push_back(static_cast<Position>(std::lower_bound(sorted.begin(), end, keys[i], before) - sorted.begin()));
    upper.push_back(static_cast<Position>(std::upper_bound(sorted.begin(), end, keys[i], before) - sorted.begin()));
  }
  test::for_some_schedules([&] {
    const test::guarded<K> in(sorted, 1), sought(keys);
    const test::guarded<u64> lengths(std::vector<u64>{there, keys_there});
    test::guarded<Position> lower_out(keys.size(), 1), upper_out(keys.size());
    const exec gpu(test::test_stream(), {});
    test::directly_and_captured(
        [&] { lower_out.fill_dirt(), upper_out.fill_dirt(); },
        [&] {
          call(gpu, counted{in, lengths.data()}, counted{sought, lengths.data() + 1}, lower_out, upper_out);
        },
        [&] {
          auto low = lower_out.read(), high = upper_out.read();
          for (std::size_t i = keys_there; i < keys.size(); ++i)
            CHECK((test::is_dirt(low[i]) && test::is_dirt(high[i])));
          low.resize(keys_there), high.resize(keys_there);
          CHECK(low == lower);
          CHECK(high == upper);
        });
  });
}

template <class Position = u32, class K>
void check_keys(std::vector<K> sorted, const std::vector<K>& keys, const order_options& order = {},
                std::size_t missing = 0) {
  const auto before = detail::before_in<K>(order);
  std::stable_sort(sorted.begin(), sorted.end(), before);
  check<Position>(sorted, sorted.size() - missing, keys, keys.size() - missing, before,
                  [&](const exec& gpu, const auto& in, const auto& sought, auto& lower, auto& upper) {
                    lower_bound(gpu, in, sought, lower, order);
                    upper_bound(gpu, in, sought, upper, order);
                  });
}

std::vector<u32> below(std::size_t n, u32 limit, unsigned seed) {
  auto items = test::random_items<u32>(n, seed);
  for (u32& item : items) item %= limit;
  return items;
}

TEST_CASE("searches: every length, equal items, no items, no keys") {
  for (std::size_t n = 0; n < 70; ++n) check_keys(below(n, 20, 1), below(30, 22, 2));
  check_keys(below(5'000, 900, 3), below(1'025, 1'000, 4));
  check_keys(below(5'000, 1, 3), below(100, 3, 4));
  check_keys(below(100, 50, 3), {});
}

TEST_CASE("searches: types, orders, positions of every type, lengths on the device") {
  check_keys<std::int32_t>(test::random_items<std::int8_t>(500, 1), test::random_items<std::int8_t>(600, 2), {}, 7);
  check_keys<u64>(test::random_items<std::int64_t>(3'000, 3), test::random_items<std::int64_t>(2'000, 4),
                  {.direction = direction::descending}, 100);
  check_keys<std::int64_t>(test::random_items<detail::uint128>(500, 5), test::random_items<detail::uint128>(600, 6));
  check_keys(below(100, 9, 1), below(100, 9, 2), {}, 100);
  auto floats = test::random_items<float>(1'000, 7);
  for (std::size_t i = 0; i < floats.size(); i += 3)
    floats[i] = i % 4 == 0 ? 0.0f : i % 4 == 1 ? -0.0f : i % 4 == 2 ? std::nanf("1") : -std::nanf("7");
  for (const nan_order nans : {nan_order::last, nan_order::first, nan_order::by_bits})
    for (const direction d : {direction::ascending, direction::descending}) check_keys(floats, floats, {d, nans});
}

TEST_CASE("searches: bool") {
  std::vector<std::uint8_t> sorted(900, 0);  // vectors of bool have no memory of their own
  std::fill(sorted.begin() + 350, sorted.end(), std::uint8_t{1});
  test::for_some_schedules([&] {
    const test::guarded<std::uint8_t> bytes(sorted), sought(std::vector<std::uint8_t>{1, 0, 1});
    const auto in = device_span(reinterpret_cast<const bool*>(bytes.data()), 900);
    const auto keys = device_span(reinterpret_cast<const bool*>(sought.data()), 3);
    const test::guarded<u32> first(3), behind(3), in_order(1);
    const exec gpu = allocating(test::test_stream());
    lower_bound(gpu, in, keys, first);
    upper_bound(gpu, in, keys, behind);
    is_sorted_until(gpu, in, in_order.data());
    CHECK(first.read() == std::vector<u32>{350, 0, 350});
    CHECK(behind.read() == std::vector<u32>{900, 350, 900});
    CHECK(in_order.read() == std::vector<u32>{900});
  });
}

TEST_CASE("searches: a comparison") {
  std::vector<wide> items(700), keys(300);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = {static_cast<u32>(i / 3), {i}};
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = {static_cast<u32>(i * 37 % 250), {}};
  check<u32>(items, 690, keys, 299, by_key{},
             [](const exec& gpu, const auto& in, const auto& sought, auto& lower, auto& upper) {
               lower_bound(gpu, in, sought, by_key{}, lower);
               upper_bound(gpu, in, sought, by_key{}, upper);
             });
}

TEST_CASE("searches: where cells begin") {
  auto cells = below(3'000, 100, 9);
  std::sort(cells.begin(), cells.end());
  const test::guarded<u32> in(cells);
  test::guarded<u32> begins(102);
  lower_bound(exec(test::test_stream(), {}), in, positions(102), begins);
  const auto got = begins.read();
  for (u32 cell = 0; cell < 102; ++cell)
    CHECK(got[cell] == static_cast<u32>(std::lower_bound(cells.begin(), cells.end(), cell) - cells.begin()));
}

// Positions up to `most` in items of type T. Those that T cannot hold come behind all items.
template <class T>
void check_cells(std::size_t n, std::size_t most, direction order) {
  CAPTURE(n);
  auto cells = test::random_items<std::uint8_t>(n, 4);
  std::vector<T> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<T>(sizeof(T) == 1 ? cells[i] : cells[i] * 257u);
  const auto before = detail::before_in<T>({.direction = order});
  std::sort(items.begin(), items.end(), before);
  const test::guarded<T> in(items);
  test::guarded<u32> lower(most + 1), upper(most + 1);
  const exec gpu(test::test_stream(), {});
  lower_bound(gpu, in, positions(most + 1), lower, {.direction = order});
  upper_bound(gpu, in, positions(most + 1), upper, {.direction = order});
  const auto is_first = [&](std::int64_t a, std::int64_t b) { return order == direction::ascending ? a < b : a > b; };
  std::vector<u32> want_lower, want_upper;
  for (std::size_t key = 0; key <= most; ++key) {
    const auto k = static_cast<std::int64_t>(key);
    want_lower.push_back(static_cast<u32>(std::lower_bound(items.begin(), items.end(), k, is_first) - items.begin()));
    want_upper.push_back(static_cast<u32>(std::upper_bound(items.begin(), items.end(), k, is_first) - items.begin()));
  }
  CHECK(lower.read() == want_lower);
  CHECK(upper.read() == want_upper);
}

TEST_CASE("searches: positions that the items' type cannot hold") {
  for (const direction order : {direction::ascending, direction::descending}) {
    check_cells<std::uint8_t>(3'000, 256, order);
    check_cells<std::int8_t>(3'000, 600, order);
    check_cells<std::int16_t>(500, 70'000, order);
    check_cells<std::uint16_t>(std::size_t{1} << 18, (std::size_t{1} << 18) + 5, order);  // with a sample
  }
  const std::vector<std::uint8_t> flags{0, 0, 1, 1, 1};
  const test::guarded<std::uint8_t> bytes(flags);
  test::guarded<u32> begins(4);
  lower_bound(exec(test::test_stream(), {}), device_span(reinterpret_cast<const bool*>(bytes.data()), 5), positions(4),
              begins);
  CHECK(begins.read() == std::vector<u32>{0, 2, 5, 5});
}

TEST_CASE("searches: blocks of equal shares") {
  std::mt19937 random(5);
  for (int i = 0; i < 3'000; ++i) {
    const u64 n = 1 + random() % (u64{1} << (1 + random() % 24)), most_blocks = 1 + random() % 400;
    const unsigned each = 1 + random() % 2;
    const detail::sampled_search_grid grid(n, each, most_blocks);
    const u64 of_round = u64{grid.blocks} * grid.threads * each, rounds = detail::ceil_div(n, of_round);
    CAPTURE(n);
    CAPTURE(most_blocks);
    CAPTURE(each);
    CHECK((grid.blocks >= 1 && grid.blocks <= most_blocks));
    CHECK((grid.threads % simt::warp_size == 0 && grid.threads <= detail::sampled_search_threads));
    // A block may take more than its share, by less than a warp's keys a round.
    CHECK(rounds * grid.threads * each <
          detail::ceil_div(n, u64{grid.blocks}) + rounds * simt::warp_size * each + each);
  }
}

// Many keys in many items: by a sample of the items in each block.
template <class Index, class T, bool Upper>
void check_sampled(const std::vector<T>& sorted, const std::vector<T>& keys, unsigned most) {
  CAPTURE(sorted.size());
  CAPTURE(most);
  test::for_some_schedules([&] {
    const test::guarded<T> in(sorted, 1), sought(keys);
    const test::guarded<u64> length(std::vector<u64>{sorted.size() / 2});
    test::guarded<u32> out(keys.size()), of_half(keys.size());
    const auto searched = detail::as_searched(detail::as_input(sought));
    const auto before = detail::before_in<T>({});
    detail::launch_sampled_search<Upper, 1, Index>(test::test_stream(), detail::as_input(in), searched, before,
                                                   device_count(out.data()), most);
    detail::launch_sampled_search<Upper, 2, Index>(test::test_stream(), detail::as_input(counted{in, length.data()}),
                                                   searched, before, device_count(of_half.data()), most);
    const auto got = out.read(), got_of_half = of_half.read();
    bool same = true;
    const auto place = [](auto begin, auto end, const T& key) {
      return static_cast<u32>((Upper ? std::upper_bound(begin, end, key) : std::lower_bound(begin, end, key)) - begin);
    };
    for (std::size_t i = 0; i < keys.size(); ++i) {
      same &= got[i] == place(sorted.begin(), sorted.end(), keys[i]);
      const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
      same &= got_of_half[i] == place(sorted.begin(), middle, keys[i]);
    }
    CHECK(same);
  });
}

TEST_CASE("searches: by a sample") {
  for (const std::size_t n : {0, 1, 2, 3, 63, 64, 65, 127, 128, 129, 1'000, 4'099}) {
    auto items = below(n, 700, 5);
    std::sort(items.begin(), items.end());
    const auto keys = below(2'500, 720, 6);
    for (const unsigned most : {1u, 2u, 64u}) {
      check_sampled<u32, u32, false>(items, keys, most);
      check_sampled<u64, u32, true>(items, keys, most);
    }
  }
  auto items = test::random_items<u64>(5'000, 7);
  std::sort(items.begin(), items.end());
  check_sampled<u32, u64, false>(items, test::random_items<u64>(1'025, 8), 1'024);
  check_sampled<u32, u64, true>(items, items, 512);
  // More keys than the blocks of one round have.
  std::vector<u32> few{3, 5, 5, 9}, keys(2 * simt::multiprocessors() * 2 * detail::sampled_search_threads + 7);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<u32>(i % 11);
  check_sampled<u32, u32, false>(few, keys, 2);
}

// Each position is some number up to the length, and nothing outside the range is read.
TEST_CASE("searches: a range that is not sorted") {
  const test::guarded<u32> in(below(3'000, 100, 1)), keys(below(1'000, 100, 2));
  test::guarded<u32> out(1'000);
  lower_bound(exec(test::test_stream(), {}), in, keys, out);
  for (const u32 at : out.read()) CHECK(at <= 3'000);
}

template <class T, class Before, class Call>
void check_sorted(const std::vector<T>& items, std::size_t there, const Before& before, const Call& call) {
  CAPTURE(items.size());
  CAPTURE(there);
  const auto until = static_cast<u64>(
      std::is_sorted_until(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(there), before) - items.begin());
  test::for_some_schedules([&] {
    const test::guarded<T> in(items, 1);
    const test::guarded<u64> length(std::vector<u64>{there});
    test::guarded<u32> whether(1);
    test::guarded<u64> in_order(1);
    const test::unaligned_scratch scratch(is_sorted_scratch_bytes());
    test::directly_and_captured([&] { whether.fill_dirt(), in_order.fill_dirt(); },
                                [&] {
                                  call(scratch.where(), counted{in, length.data()}, whether.data(), in_order.data());
                                },
                                [&] {
                                  CHECK(whether.read()[0] == (until == there ? 1 : 0));
                                  CHECK(in_order.read()[0] == until);
                                });
    scratch.check_guards();
  });
}
template <class K>
void check_sorted_keys(const std::vector<K>& items, std::size_t there, const order_options& order = {}) {
  check_sorted(items, there, detail::before_in<K>(order),
               [&](const exec& gpu, const auto& in, u32* whether, u64* in_order) {
                 is_sorted(gpu, in, whether, order);
                 is_sorted_until(gpu, in, in_order, order);
               });
}

TEST_CASE("is_sorted: one item out of order, at every kind of place") {
  const std::size_t tile = detail::sorted_tile, n = 3 * tile + 77;
  std::vector<u32> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<u32>(i / 3 + 5);
  check_sorted_keys(items, n);
  for (const std::size_t at :
       {std::size_t{1}, std::size_t{31}, std::size_t{512}, tile - 1, tile, tile + 1, 2 * tile, n - 1}) {
    auto broken = items;
    broken[at] = 1;
    check_sorted_keys(broken, n);
    check_sorted_keys(broken, at);
    check_sorted_keys(broken, at + 1);
    broken[n - 1] = 0;  // the first one counts
    check_sorted_keys(broken, n);
  }
  for (const std::size_t length : {0, 1, 2, 33}) check_sorted_keys(items, length);
  check_sorted_keys(below(n, 1'000, 1), n);
}

TEST_CASE("is_sorted: types, orders, a comparison") {
  std::vector<double> down{5, 4, 4, 0.0, -0.0, -1, std::nan("")};
  check_sorted_keys(down, down.size(), {.direction = direction::descending});
  check_sorted_keys(down, down.size(), {direction::descending, nan_order::first});
  check_sorted_keys(down, down.size());
  check_sorted_keys(std::vector<std::int8_t>{-3, -3, 0, 7}, 4);
  std::vector<wide> items(5'000);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = {static_cast<u32>(i / 7), {}};
  items[4'321].key = 0;
  for (const std::size_t there : {4'321, 4'322})
    check_sorted(items, there, by_key{}, [](const exec& gpu, const auto& in, u32* whether, u64* in_order) {
      is_sorted(gpu, in, by_key{}, whether);
      is_sorted_until(gpu, in, by_key{}, in_order);
    });
}

}  // namespace algorithms_search
