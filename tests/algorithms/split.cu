// SPDX-License-Identifier: Apache-2.0
// Split against std::stable_partition: two outputs and one, lengths, patterns, short outputs, and
// that it loses nothing.
#include <ballot/split.cuh>

#include "support/device_data.hpp"
#include "support/odd_items.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

using namespace ballot;
using test::is_odd;
using test::items_with_flags;

TEST_CASE_TEMPLATE("split into two outputs and into one", T, std::uint8_t, std::uint32_t, std::uint64_t) {
  for (std::size_t n :
       test::lengths_around(detail::partition_shapes<detail::rejects::second_output, false, T>::small::items)) {
    CAPTURE(n);
    for (const test::flag_pattern& pattern : test::flag_patterns) {
      if (n > 1000 && pattern.name != "half") continue;
      CAPTURE(pattern.name);
      const auto flags = test::make_flags(pattern, n);
      const auto items = items_with_flags<T>(flags);
      auto want = items;
      const auto middle = std::stable_partition(want.begin(), want.end(), [](T item) { return (item & 1u) != 0; });
      const auto selected_count = static_cast<std::size_t>(middle - want.begin());
      std::vector<std::uint8_t> flag_bytes(n);
      for (std::size_t i = 0; i < n; ++i) flag_bytes[i] = flags[i];
      test::for_some_schedules([&] {
        const test::guarded<T> in(items);
        const test::guarded<std::uint8_t> bytes(flag_bytes);
        test::guarded<T> out(n), selected(n), rejected(n);
        test::guarded<std::uint64_t> count(1);
        const test::unaligned_scratch scratch(split_scratch_bytes<T>(n));
        const exec where = scratch.where();
        const auto before = [&] { out.fill_dirt(), selected.fill_dirt(), rejected.fill_dirt(), count.fill_dirt(); };
        const auto check_one = [&] {
          CHECK(count.read()[0] == selected_count);
          CHECK(out.read() == want);
        };
        test::directly_and_captured(
            before, [&] { split(where, in, is_odd{}, out, count.data()); }, check_one);
        test::directly_and_captured(
            before, [&] { split(where, in, byte_flags{bytes}, out, count.data()); }, check_one);
        test::directly_and_captured(
            before, [&] { split(where, in, is_odd{}, selected, rejected, count.data()); },
            [&] {
              CHECK(count.read()[0] == selected_count);
              auto got = selected.read(), rest = rejected.read();
              CHECK(std::equal(want.begin(), middle, got.begin()));
              CHECK(std::equal(middle, want.end(), rest.begin()));
              CHECK(std::all_of(got.begin() + std::ptrdiff_t(selected_count), got.end(),
                                [](T item) { return test::is_dirt(item); }));
              CHECK(std::all_of(rest.begin() + std::ptrdiff_t(n - selected_count), rest.end(),
                                [](T item) { return test::is_dirt(item); }));
            });
        scratch.check_guards();
      });
    }
  }
}

TEST_CASE("split drops what short outputs cannot hold, and still counts it; many tiles") {
  using T = std::uint32_t;
  using small = block::tile_shape<32, 1, 1>;
  const std::size_t n = small::items * 150 + 9;
  const auto flags = test::make_flags(test::flag_patterns[5], n);
  const auto items = items_with_flags<T>(flags);
  auto want = items;
  const auto middle = std::stable_partition(want.begin(), want.end(), [](T item) { return (item & 1u) != 0; });
  test::for_each_schedule([&] {
    const test::guarded<T> in(items);
    for (std::size_t room : {std::size_t{0}, std::size_t{100}, n}) {
      test::guarded<T> selected(room), rejected(room / 2);
      test::guarded<std::uint64_t> count(1);
      detail::select_in_shape<detail::rejects::second_output, small>(
          allocating(test::test_stream()), detail::as_inputs(in), is_odd{}, detail::as_outputs(selected),
          detail::as_outputs(rejected), count.data(), "test");
      CHECK(count.read()[0] == static_cast<std::uint64_t>(middle - want.begin()));
      const auto first = selected.read(), second = rejected.read();
      CHECK(std::equal(first.begin(),
                       first.begin() + std::min<std::ptrdiff_t>(middle - want.begin(), std::ptrdiff_t(room)),
                       want.begin()));
      CHECK(std::equal(second.begin(),
                       second.begin() + std::min<std::ptrdiff_t>(want.end() - middle, std::ptrdiff_t(room / 2)),
                       middle));
    }
  });
}

TEST_CASE_TEMPLATE("split into one output counts more tiles than the counting grid has blocks", Method,
                   std::integral_constant<detail::offset_method, detail::offset_method::look_back>,
                   std::integral_constant<detail::offset_method, detail::offset_method::precomputed>) {
  using T = std::uint32_t;
  using small = block::tile_shape<32, 1, 1>;
  const std::size_t n = small::items * (2 * detail::count_blocks + 3) + 1;
  const auto flags = test::make_flags(test::flag_patterns[5], n);
  const auto items = items_with_flags<T>(flags);
  auto want = items;
  const auto middle = std::stable_partition(want.begin(), want.end(), [](T item) { return (item & 1u) != 0; });
  test::for_each_schedule([&] {
    const test::guarded<T> in(items);
    test::guarded<T> out(n);
    test::guarded<std::uint64_t> count(1);
    detail::select_in_shape<detail::rejects::after_selected, small, Method::value>(
        allocating(test::test_stream()), detail::as_inputs(in), is_odd{}, detail::as_outputs(out),
        detail::as_outputs(out), count.data(), "test");
    CHECK(count.read()[0] == static_cast<std::uint64_t>(middle - want.begin()));
    CHECK(out.read() == want);
  });
}

TEST_CASE("split of a length on the device") {
  using T = std::uint32_t;
  const std::size_t capacity = 3 * detail::partition_shapes<detail::rejects::second_output, false, T>::small::items;
  const auto flags = test::make_flags(test::flag_patterns[5], capacity);
  const auto items = items_with_flags<T>(flags);
  test::for_each_schedule([&] {
    const test::guarded<T> in(items);
    test::guarded<std::uint64_t> length(1), count(1);
    const test::unaligned_scratch scratch(split_scratch_bytes<T>(capacity));
    for (std::size_t n : {std::size_t{0}, std::size_t{5001}, capacity}) {
      CAPTURE(n);
      length.write({n});
      std::vector<T> want(items.begin(), items.begin() + std::ptrdiff_t(n));
      const auto middle = std::stable_partition(want.begin(), want.end(), [](T item) { return (item & 1u) != 0; });
      test::guarded<T> out(capacity);
      split(scratch.where(), counted{in, length.data()}, is_odd{}, out, count.data());
      CHECK(count.read()[0] == static_cast<std::uint64_t>(middle - want.begin()));
      const auto got = out.read();
      CHECK(std::equal(want.begin(), want.end(), got.begin()));
      CHECK(std::all_of(got.begin() + std::ptrdiff_t(n), got.end(), [](T item) { return test::is_dirt(item); }));
    }
  });
}

TEST_CASE("split: bad arguments are errors before any work") {
  using T = unsigned;
  const std::size_t n = 5000;
  const test::guarded<T> in(std::vector<T>(n, 1));
  test::guarded<T> out(n), other(n), shorter(n - 1);
  test::guarded<std::uint64_t> count(1);
  const std::size_t needed = split_scratch_bytes<T>(n);
  const test::unaligned_scratch scratch(needed), small(needed - 2);
  const exec where = scratch.where();
  CHECK_THROWS_AS(split(where, in, is_odd{}, shorter, count.data()), invalid_argument);
  CHECK_THROWS_AS(split(where, in, is_odd{}, out, out, count.data()), invalid_argument);
  CHECK_THROWS_AS(split(where, out, is_odd{}, out, count.data()), invalid_argument);
  CHECK_THROWS_AS(split(where, in, is_odd{}, out, other, nullptr), invalid_argument);
  CHECK_THROWS_AS(split(where, in, is_odd{}, out, nullptr), invalid_argument);
  CHECK_THROWS_AS(split(where, std::span<const T>{}, is_odd{}, std::span<T>{}, nullptr), invalid_argument);
  const byte_flags flags_in_output{{reinterpret_cast<const std::uint8_t*>(other.data()), n}};
  CHECK_THROWS_AS(split(where, in, flags_in_output, out, other, count.data()), invalid_argument);
  CHECK_THROWS_AS(split(where, in, flags_in_output, other, count.data()), invalid_argument);
  CHECK_THROWS_AS(split(small.where(), in, is_odd{}, out, count.data()), invalid_argument);
  CHECK_THROWS_AS(split(where, std::span<const T>(static_cast<T*>(nullptr), n), is_odd{}, out, count.data()),
                  invalid_argument);
  CHECK(test::is_dirt(count.read()[0]));
}
