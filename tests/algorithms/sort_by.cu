// SPDX-License-Identifier: Apache-2.0
// Sort by a key of the caller's, and orders by several columns.
#include <ballot/argsort_by_columns.cuh>
#include <ballot/sort_by.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/refused.hpp"
#include "support/schedules.hpp"
#include "support/sort_reference.hpp"
#include "support/views.hpp"

#include <cmath>
#include <numeric>
#include <tuple>

using namespace ballot;

namespace algorithms_sort_by {

struct particle {
  std::uint16_t cell;
  std::uint16_t kind;
  float x, y;
  bool operator==(const particle&) const = default;
};
struct cell_of {
  BALLOT_HOST_DEVICE std::uint16_t operator()(const particle& p) const { return p.cell; }
};
struct low_part {  // of an inline word
  std::uint32_t mask;
  BALLOT_HOST_DEVICE std::int32_t operator()(std::uint64_t item) const {
    return static_cast<std::int32_t>(item & mask) - 100;
  }
};

// Short enough to be repacked: no word, or not at every address.
struct colour {
  std::uint8_t red, green, blue;
};
struct green_of {
  BALLOT_HOST_DEVICE std::uint8_t operator()(const colour& c) const { return c.green; }
};
struct point {
  float x, y;
};
struct x_of {
  BALLOT_HOST_DEVICE float operator()(const point& p) const { return p.x; }
};

template <class T, class KeyOf>
std::vector<std::uint64_t> stable_order(const std::vector<T>& items, std::size_t n, KeyOf key_of, direction d) {
  std::vector<std::uint64_t> order(n);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) {
    return d == direction::ascending ? key_of(items[a]) < key_of(items[b]) : key_of(items[b]) < key_of(items[a]);
  });
  return order;
}

template <class T, class KeyOf>
void check_sort_by(const std::vector<T>& items, KeyOf key_of) {
  using K = detail::key_of_t<T, KeyOf>;
  const std::size_t n = items.size();
  for (direction d : {direction::ascending, direction::descending})
    for (std::size_t length : {n, n / 2}) {
      CAPTURE(length);
      const sort_options options{.direction = d};
      const auto order = stable_order(items, length, key_of, d);
      test::for_some_schedules([&] {
        const test::guarded<T> in(items);
        const test::guarded<std::uint64_t> count(std::vector<std::uint64_t>{length});
        test::guarded<T> out(n);
        test::guarded<std::uint32_t> indices(n);
        const test::exact_scratch scratch(sort_by_scratch_bytes<K, T>(n)),
            of_order(argsort_by_scratch_bytes<K, std::uint32_t>(n));
        test::directly_and_captured([&] { out.fill_dirt(); },
                                    [&] {
                                      sort_by(scratch.where(), counted{in, count.data()}, key_of, out, options);
                                    },
                                    [&] {
                                      const auto got = out.read();
                                      bool right = true;
                                      for (std::size_t i = 0; i < n; ++i)
                                        right &= i < length ? std::memcmp(&got[i], &items[order[i]], sizeof(T)) == 0
                                                            : test::is_dirt(got[i]);
                                      CHECK(right);
                                    });
        argsort_by(of_order.where(), counted{in, count.data()}, key_of, indices, options);
        const auto got = indices.read();
        CHECK(std::equal(order.begin(), order.end(), got.begin()));
        scratch.check_guards();
        of_order.check_guards();
      });
    }
}

TEST_CASE("sort by a member of a struct, by a part of a word, and with equal zeros") {
  const test::each_way_of_sorting ways;
  std::vector<particle> particles = test::random_items<particle>(test::many_blocks_keys<int> + 9, 71);
  for (std::size_t i = 0; i < particles.size(); ++i) {
    particles[i].cell %= 300;
    particles[i].x = particles[i].y = static_cast<float>(i);
  }
  check_sort_by(particles, cell_of{});
  check_sort_by(test::random_items<std::uint64_t>(test::many_blocks_keys<std::uint64_t>, 72), low_part{0xffu});
  std::vector<float> floats(test::many_blocks_keys<float>);
  for (std::size_t i = 0; i < floats.size(); ++i) floats[i] = i % 3 == 0 ? -0.0f : i % 3 == 1 ? 0.0f : float(i % 7) - 3;
  check_sort_by(floats, equal_zeros{});
  std::vector<double> doubles(floats.begin(), floats.end());
  check_sort_by(doubles, equal_zeros{});
}

TEST_CASE("sort by a member of items that are made words") {
  const test::each_way_of_sorting ways;
  check_sort_by(test::random_items<colour>(test::many_blocks_keys<std::uint8_t>, 76), green_of{});
  std::vector<point> points(test::many_blocks_keys<float>);
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = {static_cast<float>(i * 7 % 40), static_cast<float>(i)};
  check_sort_by(points, x_of{});
  // At an odd multiple of 4 bytes.
  const auto order = stable_order(points, points.size(), x_of{}, direction::ascending);
  std::vector<float> floats, want;
  for (const point& p : points) floats.push_back(p.x), floats.push_back(p.y);
  for (const std::uint64_t i : order) want.push_back(points[i].x), want.push_back(points[i].y);
  test::for_each_schedule([&] {
    const test::guarded<float> in(floats, 1);
    test::guarded<float> out(floats.size());
    const std::size_t n = points.size();
    const test::exact_scratch scratch(sort_by_scratch_bytes<float, point>(n));
    sort_by(scratch.where(), std::span<const point>(reinterpret_cast<const point*>(in.data()), n), x_of{},
            std::span<point>(reinterpret_cast<point*>(out.data()), n));
    CHECK(out.read() == want);
    scratch.check_guards();
  });
}

TEST_CASE("an order by columns, the most significant first") {
  const test::each_way_of_sorting ways;
  const std::size_t n = test::many_blocks_keys<std::uint8_t> + 9;
  auto a = test::random_items<std::uint8_t>(n, 73);
  auto b = test::random_items<std::int16_t>(n, 74);
  auto c = test::random_items<std::uint64_t>(n, 75);
  for (std::size_t i = 0; i < n; ++i) a[i] %= 3, b[i] = static_cast<std::int16_t>(b[i] % 5), c[i] %= 50;
  std::vector<std::uint64_t> want(n);
  std::iota(want.begin(), want.end(), std::uint64_t{0});
  std::stable_sort(want.begin(), want.end(), [&](std::uint64_t i, std::uint64_t j) {
    return std::tuple(a[i], -b[i], c[i]) < std::tuple(a[j], -b[j], c[j]);
  });
  const std::vector<std::uint8_t> same(n, 7);
  test::for_each_schedule([&] {
    const test::guarded<std::uint8_t> first(a), constant(same);
    const test::guarded<std::int16_t> second(b);
    const test::guarded<std::uint64_t> third(c);
    test::guarded<std::uint32_t> order(n);
    test::guarded<std::uint64_t> wide(n);
    const test::exact_scratch scratch(
        argsort_by_columns_scratch_bytes<std::uint32_t, std::uint8_t, std::int16_t, std::uint64_t>(n));
    argsort_by_columns(scratch.where(), order, first, column{second, {.direction = direction::descending}}, third);
    const auto got = order.read();
    CHECK(std::equal(want.begin(), want.end(), got.begin()));
    scratch.check_guards();
    // By hand, with a column that changes nothing.
    const exec where = allocating(test::test_stream());
    argsort_by_columns(where, wide, third);
    argsort_further(where, constant, wide);
    argsort_further(where, second, wide, {.direction = direction::descending});
    argsort_further(where, first, wide);
    CHECK(wide.read() == want);
  });
}

struct low_byte {
  BALLOT_HOST_DEVICE std::uint8_t operator()(std::uint32_t x) const { return static_cast<std::uint8_t>(x); }
};
struct fourth {
  BALLOT_HOST_DEVICE std::uint32_t operator()(std::uint32_t x) const { return x >> 30; }
};
struct as_zero {  // of both signs
  BALLOT_HOST_DEVICE float operator()(std::uint32_t x) const { return x % 3 == 0 ? -0.0f : x % 3 == 1 ? 0.0f : 1.0f; }
};

// By a function of the items of a view, and further by the items themselves.
TEST_CASE("orders of each kind of view") {
  const test::each_way_of_sorting ways;
  for (const std::size_t n : {std::size_t{1}, std::size_t{700}, test::many_blocks_keys<std::uint32_t> + 9})
    test::for_each_view(n, 1, [&](const std::string& name, const auto& view, const std::vector<std::uint32_t>& items) {
      CAPTURE(name);
      CAPTURE(n);
      const std::size_t m = items.size(), half = m / 2;
      const auto want = stable_order(items, m, low_byte{}, direction::descending);
      auto further = stable_order(items, half, low_byte{}, direction::ascending);
      std::stable_sort(further.begin(), further.end(),
                       [&](std::uint64_t a, std::uint64_t b) { return fourth{}(items[a]) < fourth{}(items[b]); });
      test::for_some_schedules([&] {
        const test::guarded<std::uint64_t> count(std::vector<std::uint64_t>{half});
        test::guarded<std::uint32_t> order(m);
        test::guarded<std::uint64_t> wide(m);
        const test::exact_scratch scratch(argsort_by_scratch_bytes<std::uint8_t, std::uint32_t>(m)),
            of_wide(argsort_by_scratch_bytes<std::uint8_t, std::uint64_t>(m)),
            of_further(argsort_further_scratch_bytes<std::uint32_t, std::uint64_t>(m));
        test::directly_and_captured(
            [&] { order.fill_dirt(); },
            [&] { argsort_by(scratch.where(), view, low_byte{}, order, {.direction = direction::descending}); },
            [&] {
              const auto got = order.read();
              CHECK(std::equal(want.begin(), want.end(), got.begin()));
            });
        argsort_by(of_wide.where(), counted{view, count.data()}, low_byte{}, wide);
        argsort_further(of_further.where(), counted{transformed{view, fourth{}}, count.data()}, wide);
        const auto got = wide.read();
        CHECK(std::equal(further.begin(), further.end(), got.begin()));
        for (std::size_t i = half; i < m; ++i) CHECK(test::is_dirt(got[i]));
        scratch.check_guards(), of_wide.check_guards(), of_further.check_guards();
      });
    });
}

TEST_CASE("orders of views: zeros of both signs are equal") {
  const std::size_t n = 3'000;
  const auto items = test::random_items<std::uint32_t>(n, 5);
  const auto want = stable_order(items, n, as_zero{}, direction::ascending);
  test::for_some_schedules([&] {
    const test::guarded<std::uint32_t> in(items);
    test::guarded<std::uint32_t> order(n);
    const exec gpu = allocating(test::test_stream());
    argsort_by(gpu, strided{in, 1}, as_zero{}, order, with_equal_zeros{});
    const auto got = order.read();
    CHECK(std::equal(want.begin(), want.end(), got.begin()));
    std::vector<std::uint32_t> ascending(n);
    std::iota(ascending.begin(), ascending.end(), 0u);
    order.write(ascending);
    argsort_further(gpu, transformed{in, as_zero{}}, order, with_equal_zeros{});
    CHECK(order.read() == got);
  });
}

TEST_CASE("orders of views: bad arguments are errors before any work") {
  test::guarded<std::uint32_t> in(320), order(320), few(300);
  const std::span<std::uint32_t> null(static_cast<std::uint32_t*>(nullptr), 320);
  test::refused("an array of a view is null", "`items` is null", [&](const exec& gpu) {
    argsort_by(gpu, gathered{in, null}, low_byte{}, order);
  });
  test::refused("indices in an array of a view", "overlaps input `items`", [&](const exec& gpu) {
    argsort_by(gpu, gathered{in, order}, low_byte{}, order);
  });
  test::refused("more positions than their type counts", "more positions",
                [&](const exec& gpu) { argsort_by(gpu, positions<std::uint8_t>(300), low_byte{}, few); });
  test::refused("an array of a view of keys is null", "`keys` is null",
                [&](const exec& gpu) { argsort_further(gpu, reversed{null}, order); });
  test::refused("the order in an array of a view", "overlaps input `keys`",
                [&](const exec& gpu) { argsort_further(gpu, reversed{order}, order); });
  test::refused("keys of more positions than their type counts", "more positions",
                [&](const exec& gpu) { argsort_further(gpu, positions<std::uint8_t>(300), few); });
}

TEST_CASE("sort by: bad arguments are errors before any work") {
  using T = std::uint64_t;
  const std::size_t n = 500;
  const test::guarded<T> in(std::vector<T>(n, 1));
  const test::guarded<std::uint8_t> short_column(n - 1), column_in(n);
  test::guarded<T> out(n), shorter(n - 1);
  test::guarded<std::uint32_t> order(n), short_order(n - 1);
  const low_part key_of{0xff};
  const exec where = allocating(test::test_stream());
  CHECK_THROWS_AS(sort_by(where, in, key_of, shorter), invalid_argument);
  CHECK_THROWS_AS(sort_by(where, out, key_of, out), invalid_argument);
  CHECK_THROWS_AS(sort_by(where, in, key_of, out, {.bits = {0, 33}}), invalid_argument);
  CHECK_THROWS_AS(argsort_by(where, in, key_of, short_order), invalid_argument);
  CHECK_THROWS_AS(argsort_further(where, in, short_order), invalid_argument);
  CHECK_THROWS_AS(argsort_by_columns(where, order, short_column, column_in), invalid_argument);
  CHECK_THROWS_AS(argsort_by_columns(where, order, column_in, column{column_in, {.bits = {3, 9}}}), invalid_argument);
  const test::exact_scratch small(sort_by_scratch_bytes<std::int32_t, T>(n) - 257),
      small_columns(argsort_by_columns_scratch_bytes<std::uint32_t, std::uint8_t>(n) - 257);
  CHECK_THROWS_AS(sort_by(small.where(), in, key_of, out), invalid_argument);
  CHECK_THROWS_AS(argsort_by_columns(small_columns.where(), order, column_in), invalid_argument);
  const auto untouched = out.read();
  CHECK(std::all_of(untouched.begin(), untouched.end(), [](T t) { return test::is_dirt(t); }));
  const auto order_untouched = order.read();
  CHECK(std::all_of(order_untouched.begin(), order_untouched.end(), [](auto t) { return test::is_dirt(t); }));
  const exec none(test::test_stream(), std::span<std::byte>{});
  sort_by(none, std::span<const T>{}, key_of, std::span<T>{});
  argsort_by_columns(none, std::span<std::uint32_t>{}, std::span<const T>{});
}

}  // namespace algorithms_sort_by
