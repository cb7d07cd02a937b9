// SPDX-License-Identifier: Apache-2.0
// Split within a range against std::stable_partition: one to many pieces, every pattern, flags,
// zips, lengths on the device. The scratch is as small as promised.
#include <ballot/split_in_place.cuh>

#include "support/device_data.hpp"
#include "support/odd_items.hpp"
#include "support/patterns.hpp"
#include "support/runtime_calls.hpp"
#include "support/schedules.hpp"

#include <bit>
#include <numeric>

using namespace ballot;
using test::is_odd;
using test::items_with_flags;

namespace algorithms_split_in_place {

struct sum_is_odd {
  __device__ bool operator()(std::uint32_t a, std::uint64_t b) const { return ((a + b) & 1u) != 0; }
};

template <class T>
std::size_t split_serially(std::vector<T>& items, std::size_t n) {
  const auto end = items.begin() + std::ptrdiff_t(n);
  return static_cast<std::size_t>(std::stable_partition(items.begin(), end, [](T item) { return (item & 1u) != 0; }) -
                                  items.begin());
}

TEST_CASE("split in place, one to sixteen pieces, every pattern") {
  using T = std::uint32_t;
  const std::uint64_t piece = 96;
  for (std::size_t n : {std::size_t{1}, std::size_t{95}, std::size_t{97}, 3 * piece, 16 * piece - 31, 40 * piece + 5}) {
    CAPTURE(n);
    for (const test::flag_pattern& pattern : test::flag_patterns) {
      CAPTURE(pattern.name);
      const auto items = items_with_flags<T>(test::make_flags(pattern, n));
      auto want = items;
      const std::size_t selected = split_serially(want, n);
      test::for_some_schedules([&] {
        test::guarded<T> data(items);
        test::guarded<std::uint64_t> count(1);
        detail::launch_split_in_place(allocating(test::test_stream()), detail::as_outputs(data), detail::length{n},
                                      is_odd{}, count.data(), detail::split_piece_items(n, piece), "test");
        CHECK(count.read()[0] == selected);
        CHECK(data.read() == want);
      });
    }
  }
}

TEST_CASE_TEMPLATE("split in place by predicate and by flags", T, std::uint8_t, std::uint32_t, std::uint64_t) {
  const std::size_t least = detail::min_piece_items;
  for (std::size_t n : {std::size_t{0}, std::size_t{33}, least, least + 1, 3 * least + 77}) {
    CAPTURE(n);
    const auto flags = test::make_flags(test::flag_patterns[5], n);
    const auto items = items_with_flags<T>(flags);
    auto want = items;
    const std::size_t selected = split_serially(want, n);
    std::vector<std::uint8_t> bytes(n);
    std::vector<std::uint32_t> words((n + 31) / 32, 0);
    for (std::size_t i = 0; i < n; ++i)
      if ((bytes[i] = flags[i]) == 0) words[i / 32] |= 1u << i % 32;
    test::for_some_schedules([&] {
      test::guarded<T> data(n, n % 2);
      const test::guarded<std::uint8_t> byte(bytes);
      const test::guarded<std::uint32_t> word(words);
      test::guarded<std::uint64_t> count(1);
      const test::unaligned_scratch scratch(split_in_place_scratch_bytes<T>(n));
      const auto before = [&] { data.write(items), count.fill_dirt(); };
      const auto check = [&] {
        CHECK(count.read()[0] == selected);
        CHECK(data.read() == want);
      };
      test::directly_and_captured(
          before, [&] { split_in_place(scratch.where(), data, is_odd{}, count.data()); }, check);
      test::directly_and_captured(
          before, [&] { split_in_place(scratch.where(), data, byte_flags{byte}, count.data()); }, check);
      test::directly_and_captured(
          before,
          [&] {
            split_in_place(scratch.where(), data, bit_flags{word, true}, count.data());
          },
          check);
      scratch.check_guards();
    });
  }
}

TEST_CASE("split a zip in place, of a length on the device") {
  const std::size_t n = 10'000;
  const auto a = test::random_items<std::uint32_t>(n, 1);
  const auto b = test::random_items<std::uint64_t>(n, 2);
  for (std::size_t there : {std::size_t{0}, std::size_t{4100}, n}) {
    CAPTURE(there);
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto middle = std::stable_partition(order.begin(), order.begin() + std::ptrdiff_t(there),
                                              [&](std::size_t i) { return ((a[i] + b[i]) & 1u) != 0; });
    std::vector<std::uint32_t> want_a;
    std::vector<std::uint64_t> want_b;
    for (std::size_t i : order) want_a.push_back(a[i]), want_b.push_back(b[i]);
    test::for_some_schedules([&] {
      test::guarded<std::uint32_t> data(a);
      test::guarded<std::uint64_t> other(b), count(1), length(std::vector<std::uint64_t>{there});
      const test::unaligned_scratch scratch(split_in_place_scratch_bytes<std::uint32_t, std::uint64_t>(n));
      split_in_place(scratch.where(), zip{counted{data, length.data()}, other}, sum_is_odd{}, count.data());
      CHECK(count.read()[0] == static_cast<std::uint64_t>(middle - order.begin()));
      CHECK(data.read() == want_a);
      CHECK(other.read() == want_b);
      scratch.check_guards();
    });
  }
}

struct wide {
  std::uint64_t words[16];
};

// Less than n / 8 items from `from` on, and more for more.
template <class T>
void check_scratch(std::uint64_t from) {
  std::size_t before = 0;
  for (std::uint64_t n = 1; n < std::uint64_t{1} << 34; n += 1 + n / 61) {
    CAPTURE(n);
    const std::size_t bytes = split_in_place_scratch_bytes<T>(n);
    REQUIRE(bytes >= before);
    before = bytes;
    if (n < from) continue;
    REQUIRE(bytes * 8 < n * sizeof(T));
  }
  CHECK(split_in_place_scratch_bytes<T>(from) * 8 < from * sizeof(T));
}

TEST_CASE("split in place needs less than an eighth of the items as scratch") {
  check_scratch<std::uint8_t>(std::uint64_t{1} << 15);
  check_scratch<std::uint16_t>(std::uint64_t{1} << 14);
  check_scratch<std::uint32_t>(std::uint64_t{1} << 13);
  check_scratch<std::uint64_t>(std::uint64_t{1} << 13);
  check_scratch<wide>(std::uint64_t{1} << 13);
  // From 2^16 items on the pieces are those of ample scratch.
  for (std::uint64_t n : {std::uint64_t{1} << 16, std::uint64_t{1} << 17, std::uint64_t{100'000'007}})
    CHECK(detail::small_piece_items<std::uint32_t>(n) == detail::split_piece_items(n, detail::min_piece_items));
}

TEST_CASE("split in place within scarce and ample scratch") {
  using T = std::uint32_t;
  for (std::size_t n : {std::size_t{8192}, std::size_t{30'000}}) {
    CAPTURE(n);
    const auto items = items_with_flags<T>(test::make_flags(test::flag_patterns[5], n));
    auto want = items;
    const std::size_t selected = split_serially(want, n);
    const std::size_t scarce = split_in_place_scratch_bytes<T>(n);
    const std::uint64_t large = detail::split_piece_items(n, detail::min_piece_items);
    const std::size_t almost_ample = detail::bytes_at_any_address(detail::split_in_place_bytes<T>(n, large)) - 2;
    for (std::size_t bytes : {scarce, scarce + 1, almost_ample, std::size_t{20'000}}) {
      CAPTURE(bytes);
      test::guarded<T> data(items);
      test::guarded<std::uint64_t> count(1);
      const test::unaligned_scratch scratch(bytes);
      const test::runtime_calls done =
          test::runtime_calls_of([&] { split_in_place(scratch.where(), data, is_odd{}, count.data()); });
      const std::uint64_t pieces = n == 8192 ? (bytes < 20'000 ? 13 : 2) : (bytes < 20'000 ? 9 : 8);
      CHECK(done.fills == 0);
      CHECK(done.launches == 3 * pieces + 2 * static_cast<std::uint64_t>(std::bit_width(pieces - 1)));
      CHECK(count.read()[0] == selected);
      CHECK(data.read() == want);
      scratch.check_guards();
    }
  }
}

TEST_CASE("split in place: bad arguments are errors") {
  using T = std::uint32_t;
  const std::size_t n = 3000;
  const auto items = test::random_items<T>(n, 6);
  test::guarded<T> data(items), other(items);
  test::guarded<std::uint64_t> count(1);
  const exec where = allocating(test::test_stream());
  const test::unaligned_scratch small(split_in_place_scratch_bytes<T>(n) - 2);
  const auto refused = [&](const auto& call) { CHECK_THROWS_AS(call(), invalid_argument); };
  const byte_flags inside{{reinterpret_cast<const std::uint8_t*>(data.data()), n}};
  refused([&] { split_in_place(where, data, is_odd{}, nullptr); });
  refused([&] { split_in_place(where, counted{data, count.data()}, is_odd{}, count.data()); });
  refused([&] { split_in_place(where, data, is_odd{}, reinterpret_cast<std::uint64_t*>(data.data() + 8)); });
  refused([&] {
    split_in_place(where, counted{data, reinterpret_cast<std::uint64_t*>(data.data())}, is_odd{}, count.data());
  });
  refused([&] {
    split_in_place(where, data, byte_flags{{reinterpret_cast<std::uint8_t*>(count.data()), n}}, count.data());
  });
  refused([&] { split_in_place(where, data, inside, count.data()); });
  refused([&] { split_in_place(where, data, byte_flags{{inside.flags.data(), n - 1}}, count.data()); });
  refused([&] { split_in_place(where, std::span<T>(static_cast<T*>(nullptr), n), is_odd{}, count.data()); });
  refused([&] { split_in_place(where, zip{data, data}, on_first{is_odd{}}, count.data()); });
  refused([&] { split_in_place(where, zip{data, std::span(other.data(), n - 1)}, on_first{is_odd{}}, count.data()); });
  refused([&] { split_in_place(small.where(), data, is_odd{}, count.data()); });
  CHECK(test::is_dirt(count.read()[0]));
  CHECK(data.read() == items);
}

}  // namespace algorithms_split_in_place
