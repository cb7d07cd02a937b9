// SPDX-License-Identifier: Apache-2.0
// Radix sort of keys against std::stable_sort of their ordered bits.
#include <ballot/scan.cuh>
#include <ballot/sort.cuh>
#include <ballot/sort_ping_pong.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/sort_reference.hpp"

#include <numeric>

using namespace ballot;

TEST_CASE_TEMPLATE("sort keys of every type, both directions", K, std::uint8_t, std::int8_t, std::uint16_t,
                   std::int16_t, std::uint32_t, std::int32_t, std::uint64_t, std::int64_t, float, double) {
  const test::each_way_of_sorting ways;
  using U = ordered_bits_t<K>;
  const std::size_t n = test::many_blocks_keys<K> + 7;
  const auto keys = test::keys_as<K>(test::random_items<U>(n, 21));
  for (direction d : {direction::ascending, direction::descending}) {
    const sort_options options{.direction = d};
    const auto want = test::as_words(test::serial_sort(keys, options));
    test::for_some_schedules([&] {
      const test::guarded<K> in(keys);
      test::guarded<K> out(n), in_place(keys);
      const test::exact_scratch scratch(sort_scratch_bytes<K>(n)), own(sort_in_place_scratch_bytes<K>(n));
      sort(scratch.where(), in, out, options);
      CHECK(test::as_words(out.read()) == want);
      CHECK(test::as_words(in.read()) == test::as_words(keys));  // the input is kept
      sort_in_place(own.where(), in_place, options);
      CHECK(test::as_words(in_place.read()) == want);
      scratch.check_guards();
      own.check_guards();
    });
  }
}

TEST_CASE("sort: lengths and patterns") {
  const test::each_way_of_sorting ways;
  using K = std::uint32_t;
  constexpr std::size_t tile = detail::smallest_radix_shape<K, detail::no_value>::items;
  for (std::size_t n : test::lengths_around(tile)) {
    CAPTURE(n);
    for (const test::key_pattern& pattern : test::key_patterns) {
      if (n > 1000 && n != tile + 1) continue;
      CAPTURE(pattern.name);
      const auto keys = test::make_keys<K>(pattern, n);
      const auto want = test::serial_sort(keys, {});
      test::for_some_schedules([&] {
        const test::guarded<K> in(keys);
        test::guarded<K> out(n);
        const test::exact_scratch scratch(sort_scratch_bytes<K>(n));
        test::directly_and_captured([&] { out.fill_dirt(); }, [&] { sort(scratch.where(), in, out); },
                                    [&] { CHECK(out.read() == want); });
        scratch.check_guards();
      });
    }
  }
}

TEST_CASE("sort: keys that are in order except at one place are sorted") {
  const test::each_way_of_sorting ways;
  // Out of order only between the items of two warps, or two threads, of the kernel that looks
  // whether anything is to be done.
  const auto check = [](const auto& keys, const sort_options& options) {
    using K = typename std::remove_cvref_t<decltype(keys)>::value_type;
    test::depth_first([&] {
      const test::guarded<K> in(keys);
      test::guarded<K> out(keys.size());
      sort(allocating(test::test_stream()), in, out, options);
      CHECK(test::as_words(out.read()) == test::as_words(test::serial_sort(keys, options)));
    });
  };
  const auto runs = []<class K>(K, std::size_t n, std::size_t run) {  // that ascend, each below the one before it
    std::vector<K> keys(n);
    for (std::size_t i = 0; i < n; ++i)
      keys[i] = static_cast<K>(static_cast<K>(i % run) - static_cast<K>(i / run * run + n));
    return keys;
  };
  using few = detail::small_radix_histogram<std::uint32_t>;
  constexpr std::size_t n = test::many_blocks_keys<std::uint32_t>;
  check(runs(std::uint32_t{}, n, few::warp_items), {});
  check(runs(std::int32_t{}, n, few::warp_items), {});  // all of them negative
  check(runs(std::uint32_t{}, n, few::width), {});
  check(runs(detail::uint128{}, test::many_blocks_keys<detail::uint128>,
             detail::small_radix_histogram<detail::uint128>::warp_items),
        {});

  // Two lanes of a warp: their lower halves are in order, the upper ones are not.
  std::vector<detail::uint128> upper(test::many_blocks_keys<detail::uint128>);
  for (std::size_t i = 0; i < upper.size(); ++i)
    upper[i] = static_cast<detail::uint128>(i == 7 ? 8 : i == 8 ? 7 : i) << 64 | i;
  check(upper, {});

  std::vector<std::uint32_t> late(3 * few::items);  // the last two alone, in another block's items
  std::iota(late.begin(), late.end(), 0u);
  std::swap(late[late.size() - 1], late[late.size() - 2]);
  check(late, {});
}

TEST_CASE("sort: keys that are in order are copied, whatever the alignments") {
  const test::each_way_of_sorting ways;
  using K = std::uint32_t;
  std::vector<K> keys(2 * detail::smallest_radix_shape<K, detail::no_value>::items + 5);
  std::iota(keys.begin(), keys.end(), 7u);
  for (const std::size_t shift : {0, 1})
    test::for_each_schedule([&] {
      const test::guarded<K> in(keys, shift);
      test::guarded<K> out(keys.size(), 1 - shift);
      sort(allocating(test::test_stream()), in, out);
      CHECK(out.read() == keys);
    });
}

TEST_CASE("sort: bit ranges, with odd and even numbers of passes") {
  const test::each_way_of_sorting ways;
  using K = std::uint32_t;
  const std::size_t n = test::many_blocks_keys<K> + 300;
  const auto keys = test::random_items<K>(n, 22);
  const bit_range ranges[] = {
      {0, 1}, {3, 8}, {0, 8}, {0, 9}, {8, 24}, {4, 27}, {31, 32}, {0, 32}, {24, bit_range::full}};
  for (bit_range bits : ranges)
    for (direction d : {direction::ascending, direction::descending}) {
      CAPTURE(bits.low);
      CAPTURE(bits.high);
      const sort_options options{d, bits};
      const auto want = test::serial_sort(keys, options);
      test::for_some_schedules([&] {
        const test::guarded<K> in(keys, 1);
        test::guarded<K> out(n, 2), in_place(keys);
        const test::exact_scratch scratch(sort_in_place_scratch_bytes<K>(n));
        sort(scratch.where(), in, out, options);
        CHECK(out.read() == want);
        sort_in_place(scratch.where(), in_place, options);
        CHECK(in_place.read() == want);
      });
    }
}

TEST_CASE("sort of a length on the device") {
  const test::each_way_of_sorting ways;
  using K = std::int32_t;
  const std::size_t capacity = detail::smallest_radix_shape<std::uint32_t, detail::no_value>::items + 500;
  const auto keys = test::random_items<K>(capacity, 24);
  test::for_each_schedule([&] {
    const test::guarded<K> in(keys);
    test::guarded<std::uint64_t> length(1);
    const test::exact_scratch scratch(sort_in_place_scratch_bytes<K>(capacity));
    for (std::size_t n : {std::size_t{0}, std::size_t{100}, capacity}) {
      CAPTURE(n);
      length.write({n});
      const auto want = test::serial_sort(std::vector<K>(keys.begin(), keys.begin() + std::ptrdiff_t(n)), {});
      test::guarded<K> out(capacity);
      sort(scratch.where(), counted{in, length.data()}, out);
      auto got = out.read();
      CHECK(std::equal(want.begin(), want.end(), got.begin()));
      CHECK(std::all_of(got.begin() + std::ptrdiff_t(n), got.end(), [](K k) { return test::is_dirt(k); }));

      test::guarded<K> in_place(keys);
      sort_in_place(scratch.where(), counted{in_place, length.data()},
                    {.bits = {0, 24}});  // three passes: begins with a copy
      const auto want_in_place =
          test::serial_sort(std::vector<K>(keys.begin(), keys.begin() + std::ptrdiff_t(n)), {.bits = {0, 24}});
      got = in_place.read();
      CHECK(std::equal(want_in_place.begin(), want_in_place.end(), got.begin()));
      CHECK(std::equal(got.begin() + std::ptrdiff_t(n), got.end(), keys.begin() + std::ptrdiff_t(n)));
    }
  });
}

// So many that histogram and passes take their shapes for many items, of which a GPU may have no
// room for; few are there.
TEST_CASE_TEMPLATE("sort of a large capacity on GPUs with little shared memory", K, std::uint32_t, std::uint64_t) {
#if BALLOT_EMULATED
  if (emulator::instrumented()) return;  // large grids are for builds that run fast
#endif
  const std::size_t capacity = detail::small_radix_items + 1, n = 700;
  static_assert(sizeof(detail::radix_histogram_storage<K, detail::large_radix_histogram<K>>) >
                simt::least_shared_bytes_limit);
  const auto keys = test::random_items<K>(n, 25);
  const device_array<K> in(capacity, test::test_stream()), out(capacity, test::test_stream());
  simt::copy_bytes(test::test_stream(), in.data(), keys.data(), n * sizeof(K));
  const test::guarded<std::uint64_t> length(std::vector<std::uint64_t>{n});
  const test::exact_scratch scratch(sort_scratch_bytes<K>(capacity));
  const std::span<const K> all(in.data(), capacity);
  const sort_options few_passes{.bits = {0, 9}};
  const auto want = test::serial_sort(keys, few_passes);
  test::on_smaller_gpus([&] {
    sort(scratch.where(), counted{all, length.data()}, std::span(out.data(), capacity), few_passes);
    std::vector<K> got(n);
    simt::copy_bytes(test::test_stream(), got.data(), out.data(), n * sizeof(K));
    simt::synchronize(test::test_stream());
    CHECK(got == want);
  });
}

TEST_CASE_TEMPLATE("sort of counts of every type, also out of place by the total of a scan", Count, std::uint32_t,
                   std::int32_t, std::uint64_t, std::int64_t) {
  const test::each_way_of_sorting ways;
  using K = std::int32_t;
  const std::size_t capacity = 900;
  const auto keys = test::random_items<K>(capacity, 31);
  const test::guarded<K> in(keys);
  test::for_each_schedule([&] {
    device_value<Count> count(test::test_stream());
    for (const std::int64_t written : {std::int64_t{0}, std::int64_t{333}, std::int64_t{-1}, std::int64_t{1'000'000}}) {
      CAPTURE(written);
      count.write(test::test_stream(), static_cast<Count>(written));
      const std::size_t n =
          written < 0 && std::is_signed_v<Count> ? 0 : std::size_t(std::min<std::uint64_t>(written, capacity));
      const auto want = test::serial_sort(std::vector<K>(keys.begin(), keys.begin() + std::ptrdiff_t(n)), {});
      test::guarded<K> out(capacity), in_place(keys), a(keys), b(capacity);
      const exec where = allocating(test::test_stream());
      sort(where, counted{in, count}, out);
      sort_in_place(where, counted{in_place, count});
      CHECK(sort_ping_pong(where, counted{a, count}, b) == 0);
      for (const auto* sorted : {&out, &in_place, &a}) {
        const auto got = sorted->read();
        CHECK(std::equal(want.begin(), want.end(), got.begin()));
        if (sorted != &out)
          CHECK(std::equal(got.begin() + std::ptrdiff_t(n), got.end(), keys.begin() + std::ptrdiff_t(n)));
      }
    }

    // Counts, their offsets and total, and as many items sorted as the total says.
    const test::guarded<Count> counts(std::vector<Count>{100, 0, 50, 7});
    test::guarded<Count> offsets(5);
    const device_value<Count> total(test::test_stream());
    counts_to_offsets(allocating(test::test_stream()), counts, offsets, total);
    test::guarded<K> out(capacity);
    sort(allocating(test::test_stream()), counted{in, total}, out);
    const auto want = test::serial_sort(std::vector<K>(keys.begin(), keys.begin() + 157), {});
    const auto got = out.read();
    CHECK(std::equal(want.begin(), want.end(), got.begin()));
    CHECK(std::all_of(got.begin() + 157, got.end(), [](K k) { return test::is_dirt(k); }));
  });
}

TEST_CASE("sort: bad arguments are errors before any work") {
  using K = std::uint32_t;
  const std::size_t n = 3000;
  const test::guarded<K> in(std::vector<K>(n, 1));
  test::guarded<K> out(n), shorter(n - 1);
  const std::size_t needed = sort_scratch_bytes<K>(n);
  const test::exact_scratch scratch(needed), small(needed - 257);  // 256 bytes are for the alignment
  const exec where = scratch.where();
  CHECK_THROWS_AS(sort(where, in, shorter), invalid_argument);
  CHECK_THROWS_AS(sort(where, out, out), invalid_argument);
  CHECK_THROWS_AS(sort(small.where(), in, out), invalid_argument);
  CHECK_THROWS_AS(sort(where, std::span<const K>(static_cast<K*>(nullptr), n), out), invalid_argument);
  for (bit_range bits : {bit_range{0, 33}, bit_range{-1, 8}, bit_range{9, 8}, bit_range{33, bit_range::full}})
    CHECK_THROWS_AS(sort(where, in, out, {.bits = bits}), invalid_argument);
  const auto untouched = out.read();
  CHECK(std::all_of(untouched.begin(), untouched.end(), [](K k) { return test::is_dirt(k); }));
  sort(exec(where.stream(), std::span<std::byte>{}), std::span<const K>{}, std::span<K>{});
}
