// SPDX-License-Identifier: Apache-2.0
// Sorts by a range of no bits: they order nothing, so everything keeps its place, in whatever
// direction. Inverted ranges and such that lie outside the key are errors.
#include <ballot/argsort_by_columns.cuh>
#include <ballot/segmented_sort.cuh>
#include <ballot/sort.cuh>
#include <ballot/sort_by.cuh>
#include <ballot/sort_ping_pong.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/scan_reference.hpp"
#include "support/schedules.hpp"

#include <numeric>

using namespace ballot;

namespace algorithms_no_bits {

struct record {
  std::uint32_t a, b, c;
  friend bool operator==(const record&, const record&) = default;
};
struct colour {
  std::uint8_t red, green, blue;
  friend bool operator==(const colour&, const colour&) = default;
};

// Must not be asked: a sort by none of its bits needs no key.
struct never_asked {
  std::uint32_t* asked;
  __device__ std::uint32_t operator()(std::uint32_t item) const {
    simt::atomic_add(asked, 1u);  // relaxed: read behind the kernel
    return item;
  }
};

template <class Index>
std::vector<Index> first_positions(std::size_t n) {
  std::vector<Index> positions(n);
  std::iota(positions.begin(), positions.end(), Index{0});
  return positions;
}

// The first `count` items of `want`, and then what outputs hold before a call.
template <class T>
bool has_front(const test::guarded<T>& got, const std::vector<T>& want, std::size_t count) {
  const auto items = got.read();
  const auto end = items.begin() + static_cast<std::ptrdiff_t>(count);
  return std::equal(items.begin(), end, want.begin()) &&
         std::all_of(end, items.end(), [](const T& item) { return test::is_dirt(item); });
}

template <class K, class V>
void check_no_bits(std::size_t n, const sort_options& options) {
  auto keys = test::random_items<K>(n, 3);
  if constexpr (std::is_floating_point_v<K>) keys = test::small_items<K>(n);  // a NaN would not be equal to itself
  const auto values = test::random_items<V>(n, 4);
  test::for_each_schedule([&] {
    const test::guarded<K> in(keys);
    const test::guarded<V> values_in(values);
    const exec none(test::test_stream(), {});  // no scratch is needed
    {
      test::guarded<K> out(n), in_place(keys), a(keys), b(n);
      sort(none, in, out, options);
      CHECK(out.read() == keys);
      sort_in_place(none, in_place, options);
      CHECK(in_place.read() == keys);
      CHECK(sort_ping_pong(none, a, b, options) == 0);
      CHECK(a.read() == keys);
    }
    {
      test::guarded<K> out(n), in_place(keys);
      test::guarded<V> values_out(n), values_in_place(values);
      sort_pairs(none, in, values_in, out, values_out, options);
      CHECK(out.read() == keys);
      CHECK(values_out.read() == values);
      sort_pairs_in_place(none, in_place, values_in_place, options);
      CHECK(in_place.read() == keys);
      CHECK(values_in_place.read() == values);
    }
    {
      test::guarded<K> out(n);
      test::guarded<std::uint32_t> order(n), order_with_keys(n);
      test::guarded<std::uint64_t> long_order(n);
      argsort(none, in, order, options);
      CHECK(order.read() == first_positions<std::uint32_t>(n));
      argsort(none, in, out, order_with_keys, options);
      CHECK(out.read() == keys);
      CHECK(order_with_keys.read() == first_positions<std::uint32_t>(n));
      argsort_by_columns(exec(allocating(test::test_stream())), long_order, column{in, options}, column{in, options});
      CHECK(long_order.read() == first_positions<std::uint64_t>(n));
    }
    if constexpr (sizeof(K) <= 8) {
      const test::guarded<std::uint32_t> offsets(std::vector<std::uint32_t>{0, 1, static_cast<std::uint32_t>(n / 2)});
      test::guarded<K> out(n), with_values(n);
      test::guarded<V> values_out(n);
      segmented_sort(none, in, offsets, out, options);
      CHECK(out.read() == keys);
      segmented_sort_pairs(none, in, values_in, offsets, with_values, values_out, options);
      CHECK(with_values.read() == keys);
      CHECK(values_out.read() == values);
    }
  });
}

TEST_CASE("a sort by no bits keeps the order") {
  for (const std::size_t n : {0, 1, 33, 3000}) {
    CAPTURE(n);
    for (const direction way : {direction::ascending, direction::descending}) {
      check_no_bits<std::uint32_t, std::uint32_t>(n, {.direction = way, .bits = {0, 0}});
      check_no_bits<std::uint32_t, record>(n, {.direction = way, .bits = {5, 5}});
      check_no_bits<std::uint32_t, colour>(n, {.direction = way, .bits = {32, 32}});
      check_no_bits<std::uint8_t, std::uint64_t>(n, {.direction = way, .bits = {8, bit_range::full}});
      check_no_bits<float, std::uint16_t>(n, {.direction = way, .bits = {7, 7}});
    }
  }
}

TEST_CASE("a sort by no bits of a length on the device moves as many items") {
  using K = std::uint32_t;
  const sort_options no_bits{.bits = {9, 9}};
  const std::size_t n = 3000;
  const auto keys = test::random_items<K>(n, 5);
  test::for_each_schedule([&] {
    const test::guarded<K> in(keys), order_before(keys);
    const exec none(test::test_stream(), {});
    for (const std::size_t asked : {0, 1, 1000, 3000, 5000}) {
      CAPTURE(asked);
      const std::size_t count = std::min(asked, n);
      const test::guarded<std::uint64_t> length(std::vector<std::uint64_t>{asked});
      const counted now{in, length.data()};
      const test::guarded<K> out(n), values_out(n), order(n), segments_out(n), items_out(n), order_by(n);
      const test::guarded<K> offsets(std::vector<K>{0, 10});
      const test::guarded<K> times(std::vector<K>{0});
      sort_pairs(none, now, in, out, values_out, no_bits);
      CHECK(has_front(out, keys, count));
      CHECK(has_front(values_out, keys, count));
      argsort(none, now, order, no_bits);
      CHECK(has_front(order, first_positions<K>(n), count));
      segmented_sort(none, now, offsets, segments_out, no_bits);
      CHECK(has_front(segments_out, keys, count));
      sort_by(none, now, never_asked{times.data()}, items_out, no_bits);
      CHECK(has_front(items_out, keys, count));
      argsort_by(none, now, never_asked{times.data()}, order_by, no_bits);
      CHECK(has_front(order_by, first_positions<K>(n), count));
      argsort_further(none, now, order_before, no_bits);
      CHECK(order_before.read() == keys);
      CHECK(times.read()[0] == 0);
    }
  });
}

TEST_CASE("of columns, one of no bits does not count") {
  using K = std::uint32_t;
  const std::size_t n = 2000;
  auto keys = test::random_items<K>(n, 6);
  for (K& key : keys) key %= 50;
  const auto noise = test::random_items<K>(n, 7);
  auto want = first_positions<K>(n);
  std::stable_sort(want.begin(), want.end(), [&](K a, K b) { return keys[a] < keys[b]; });
  const sort_options no_bits{.bits = {0, 0}};
  test::for_each_schedule([&] {
    const test::guarded<K> in(keys), other(noise);
    test::guarded<K> order(n);
    const exec gpu = allocating(test::test_stream());
    argsort_by_columns(gpu, order, in, column{other, no_bits});
    CHECK(order.read() == want);
    argsort_by_columns(gpu, order, column{other, no_bits}, in);
    CHECK(order.read() == want);
  });
}

TEST_CASE("inverted bit ranges, and such outside the key, are errors before any work") {
  using K = std::uint32_t;
  const std::size_t n = 100;
  const test::guarded<K> in(std::vector<K>(n, 1)), offsets(std::vector<K>{0});
  const test::guarded<K> out(n), other(n);
  const exec gpu = allocating(test::test_stream());
  for (const bit_range bits : {bit_range{5, 4}, bit_range{32, 0}, bit_range{33, 33}, bit_range{0, 33},
                               bit_range{-2, -2}, bit_range{33, bit_range::full}}) {
    CAPTURE(bits.low);
    CAPTURE(bits.high);
    const sort_options wrong{.bits = bits};
    CHECK_THROWS_AS(sort(gpu, in, out, wrong), invalid_argument);
    CHECK_THROWS_AS(sort_in_place(gpu, out, wrong), invalid_argument);
    CHECK_THROWS_AS(sort_pairs(gpu, in, in, out, other, wrong), invalid_argument);
    CHECK_THROWS_AS(sort_pairs_in_place(gpu, out, other, wrong), invalid_argument);
    CHECK_THROWS_AS(argsort(gpu, in, out, wrong), invalid_argument);
    CHECK_THROWS_AS(argsort(gpu, in, other, out, wrong), invalid_argument);
    CHECK_THROWS_AS(sort_ping_pong(gpu, out, other, wrong), invalid_argument);
    CHECK_THROWS_AS(sort_by(gpu, in, never_asked{nullptr}, out, wrong), invalid_argument);
    CHECK_THROWS_AS(argsort_by(gpu, in, never_asked{nullptr}, out, wrong), invalid_argument);
    CHECK_THROWS_AS(argsort_further(gpu, in, out, wrong), invalid_argument);
    CHECK_THROWS_AS(argsort_by_columns(gpu, out, in, column{in, wrong}), invalid_argument);
    CHECK_THROWS_AS(segmented_sort(gpu, in, offsets, out, wrong), invalid_argument);
    CHECK_THROWS_AS(segmented_sort_pairs(gpu, in, in, offsets, out, other, wrong), invalid_argument);
  }
  for (const auto* const range : {&out, &other}) {
    const auto untouched = range->read();
    CHECK(std::all_of(untouched.begin(), untouched.end(), [](K k) { return test::is_dirt(k); }));
  }
}

}  // namespace algorithms_no_bits
