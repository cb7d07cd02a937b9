// SPDX-License-Identifier: Apache-2.0
// Compaction within one range: under every schedule no tile overwrites what another has not read.
// The tiles are small, so that many are in flight, and the checked build sees an order that nothing
// guarantees as a race.
#include <ballot/compact.cuh>

#include "support/device_data.hpp"
#include "support/odd_items.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

using namespace ballot;
using test::is_odd;
using test::items_with_flags;

namespace algorithms_compact_in_place {

template <class T>
void check_front(const test::guarded<T>& items, const test::guarded<std::uint64_t>& count, const std::vector<T>& want) {
  REQUIRE(count.read()[0] == want.size());
  const auto got = items.read();
  CHECK(std::equal(want.begin(), want.end(), got.begin()));
}

TEST_CASE("compact in place, many small tiles") {
  using T = std::uint32_t;
  using small = block::tile_shape<64, 1, 2>;
  const std::size_t n = small::items * 70 + 5;
  for (const test::flag_pattern& pattern : test::flag_patterns) {
    CAPTURE(pattern.name);
    const auto items = items_with_flags<T>(test::make_flags(pattern, n));
    std::vector<T> want;
    std::copy_if(items.begin(), items.end(), std::back_inserter(want), [](T item) { return item % 2 != 0; });
    test::for_each_schedule([&] {
      test::guarded<T> data(items);
      test::guarded<std::uint64_t> count(1);
      const std::tuple in = detail::as_inputs(data);
      detail::launch_partition<detail::rejects::dropped, small, true>(
          allocating(test::test_stream()), detail::length_of(in),
          detail::make_device_columns<small::width>(in, detail::as_outputs(data), std::tuple()),
          detail::predicate_selector<is_odd>{}, count.data(), "test");
      check_front(data, count, want);
    });
  }
}

TEST_CASE("compact in place a length on the device, of a capacity of many tiles") {
  using T = std::uint32_t;
  using small = block::tile_shape<32, 1, 1>;
  const std::size_t capacity = small::items * 300 + 3;
  const auto items = items_with_flags<T>(test::make_flags(test::flag_patterns[5], capacity));
  for (std::size_t n : {std::size_t{0}, std::size_t{700}, capacity}) {
    CAPTURE(n);
    const auto end = items.begin() + static_cast<std::ptrdiff_t>(n);
    std::vector<T> want;
    std::copy_if(items.begin(), end, std::back_inserter(want), [](T item) { return item % 2 != 0; });
    test::guarded<T> data(items);
    const test::guarded<std::uint64_t> length(std::vector<std::uint64_t>{n});
    test::guarded<std::uint64_t> count(1);
    const std::tuple in = detail::as_inputs(counted{data, length.data()});
    detail::launch_partition<detail::rejects::dropped, small, true>(
        allocating(test::test_stream()), detail::length_of(in),
        detail::make_device_columns<small::width>(in, detail::as_outputs(data), std::tuple()),
        detail::predicate_selector<is_odd>{}, count.data(), "test");
    check_front(data, count, want);
    const auto got = data.read();
    CHECK(std::equal(end, items.end(), got.begin() + static_cast<std::ptrdiff_t>(n)));  // not of the length: untouched
  }
}

TEST_CASE_TEMPLATE("compact in place by predicate and by flags", T, std::uint8_t, std::uint32_t, std::uint64_t) {
  for (std::size_t n : test::lengths_around(detail::partition_shape<detail::rejects::dropped, T>::items)) {
    CAPTURE(n);
    const auto flags = test::make_flags(test::flag_patterns[5], n);
    const auto items = items_with_flags<T>(flags);
    std::vector<std::uint8_t> bytes(n);
    std::vector<T> want;
    for (std::size_t i = 0; i < n; ++i)
      if ((bytes[i] = flags[i]) != 0) want.push_back(items[i]);
    test::for_each_schedule([&] {
      test::guarded<T> data(n, n % 2);
      const test::guarded<std::uint8_t> flag(bytes);
      test::guarded<std::uint64_t> count(1);
      const test::unaligned_scratch scratch(compact_in_place_scratch_bytes<T>(n));
      const auto before = [&] { data.write(items), count.fill_dirt(); };
      const auto check = [&] { check_front(data, count, want); };
      test::directly_and_captured(
          before, [&] { compact_in_place(scratch.where(), data, is_odd{}, count.data()); }, check);
      test::directly_and_captured(
          before, [&] { compact_in_place(scratch.where(), data, byte_flags{flag}, count.data()); }, check);
      scratch.check_guards();
    });
  }
}

TEST_CASE("compact a zip in place, of a length on the device") {
  const std::size_t n = 15'000, there = 13'003;
  const auto a = test::random_items<std::uint32_t>(n, 1);
  const auto b = test::random_items<std::uint8_t>(n, 2);
  const auto c = test::random_items<std::uint64_t>(n, 3);
  std::vector<std::uint32_t> want_a;
  std::vector<std::uint8_t> want_b;
  std::vector<std::uint64_t> want_c;
  for (std::size_t i = 0; i < there; ++i)
    if (a[i] % 2 != 0) want_a.push_back(a[i]), want_b.push_back(b[i]), want_c.push_back(c[i]);
  test::for_each_schedule([&] {
    test::guarded<std::uint32_t> x(n);
    test::guarded<std::uint8_t> y(n);
    test::guarded<std::uint64_t> z(n), count(1), length(std::vector<std::uint64_t>{there});
    const test::unaligned_scratch scratch(
        compact_in_place_scratch_bytes<std::uint32_t, std::uint8_t, std::uint64_t>(n));
    test::directly_and_captured(
        [&] { x.write(a), y.write(b), z.write(c), count.fill_dirt(); },
        [&] {
          compact_in_place(scratch.where(), zip{counted{x, length.data()}, y, z}, on_first{is_odd{}}, count.data());
        },
        [&] {
          check_front(x, count, want_a);
          check_front(y, count, want_b);
          check_front(z, count, want_c);
        });
    scratch.check_guards();
    CHECK_THROWS_AS(compact_in_place(scratch.where(), zip{x, x}, on_first{is_odd{}}, count.data()), invalid_argument);
    CHECK_THROWS_AS(
        compact_in_place(scratch.where(), zip{x, std::span(y.data(), n - 1)}, on_first{is_odd{}}, count.data()),
        invalid_argument);
    const test::unaligned_scratch small(256);
    x.write(a);
    CHECK_THROWS_AS(compact_in_place(small.where(), zip{x, y}, on_first{is_odd{}}, count.data()), invalid_argument);
    CHECK(x.read() == a);
  });
}

// A column of bytes has larger tiles, and so fewer of them, than one of words. The items are few,
// so most tiles have nothing to do. The test checks the scratch: one tile more takes more of it.
TEST_CASE("compact a zip in place: scratch for the column with most tiles, wherever it stands") {
  using u8 = std::uint8_t;
  using u64 = std::uint64_t;
  constexpr std::size_t tile = detail::partition_shape<detail::rejects::dropped, u64>::items;
  static_assert(detail::partition_shape<detail::rejects::dropped, u8>::items >= 2 * tile);
  const std::size_t there = 1000;
  const auto a = test::random_items<u8>(there, 4);
  const auto b = test::random_items<u64>(there, 5);
  std::vector<u8> want_a;
  std::vector<u64> want_b;
  for (std::size_t i = 0; i < there; ++i)
    if (a[i] % 2 != 0) want_a.push_back(a[i]), want_b.push_back(b[i]);
  for (const std::size_t n : {32 * tile + 29, 96 * tile + 1}) {
    CAPTURE(n);
    test::depth_first([&] {
      auto bytes = a;
      auto words = b;
      bytes.resize(n), words.resize(n);
      test::guarded<u8> x(bytes);
      test::guarded<u64> y(words), count(1), length(std::vector<u64>{there});
      for (u8& flag : bytes) flag &= 1;
      const test::guarded<u8> select(bytes);
      const test::unaligned_scratch scratch(compact_in_place_scratch_bytes<u8, u64>(n)),
          reversed(compact_in_place_scratch_bytes<u64, u8>(n));
      compact_in_place(scratch.where(), zip{counted{x, length.data()}, y}, byte_flags{select}, count.data());
      check_front(x, count, want_a);
      check_front(y, count, want_b);
      scratch.check_guards();
      bytes = a, words = b;
      bytes.resize(n), words.resize(n);
      x.write(bytes), y.write(words);
      compact_in_place(reversed.where(), zip{counted{y, length.data()}, x}, byte_flags{select}, count.data());
      check_front(x, count, want_a);
      check_front(y, count, want_b);
      reversed.check_guards();
    });
  }
}

TEST_CASE("compact in place: a length on the device, and bad arguments") {
  using T = std::uint32_t;
  const std::size_t n = 7000, there = 5000;
  const auto items = items_with_flags<T>(test::make_flags(test::flag_patterns[5], n));
  std::vector<T> want;
  std::copy_if(items.begin(), items.begin() + there, std::back_inserter(want), [](T item) { return item % 2 != 0; });
  test::for_each_schedule([&] {
    test::guarded<T> data(items);
    test::guarded<std::uint64_t> count(1), length(std::vector<std::uint64_t>{there});
    const exec where = allocating(test::test_stream());
    const byte_flags inside{{reinterpret_cast<const std::uint8_t*>(data.data()), n}};
    CHECK_THROWS_AS(compact_in_place(where, data, is_odd{}, nullptr), invalid_argument);
    CHECK_THROWS_AS(compact_in_place(where, counted{data, length.data()}, is_odd{}, length.data()), invalid_argument);
    CHECK_THROWS_AS(compact_in_place(where, data, inside, count.data()), invalid_argument);
    CHECK_THROWS_AS(compact_in_place(where, std::span<T>(static_cast<T*>(nullptr), n), is_odd{}, count.data()),
                    invalid_argument);
    CHECK(data.read() == items);
    compact_in_place(where, counted{data, length.data()}, is_odd{}, count.data());
    check_front(data, count, want);
    const auto after = data.read();
    CHECK(std::equal(after.begin() + there, after.end(), items.begin() + there));
  });
}

}  // namespace algorithms_compact_in_place
