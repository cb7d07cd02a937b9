// SPDX-License-Identifier: Apache-2.0
// Sort between two buffers: the result is where the number of digits says, whatever the passes
// found to do.
#include <ballot/sort_ping_pong.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/sort_reference.hpp"

using namespace ballot;

TEST_CASE("sort between two buffers, with values and without") {
  const test::each_way_of_sorting ways;
  using K = std::int32_t;
  for (std::size_t n : {std::size_t{0}, std::size_t{1}, test::many_blocks_keys<K> + 9})
    for (std::uint32_t varying : {0xffffffffu, 0x00ffff00u, 0x0000ff00u, 0u})
      for (bit_range bits : {bit_range{}, bit_range{0, 24}, bit_range{8, 16}}) {
        if (n <= 1 && varying != 0u) continue;
        CAPTURE(n);
        CAPTURE(varying);
        CAPTURE(bits.high);
        auto keys = test::random_items<K>(n, 81);
        for (K& k : keys) k = static_cast<K>(static_cast<std::uint32_t>(k) & varying);
        const sort_options options{direction::descending, bits};
        const auto order = test::serial_argsort(keys, options);
        const auto want = test::serial_sort(keys, options);
        const std::vector<std::uint32_t> want_values(order.begin(), order.end());
        std::vector<std::uint32_t> positions(n);
        for (std::size_t i = 0; i < n; ++i) positions[i] = static_cast<std::uint32_t>(i);
        const int want_in = bits.high == 24 || bits.low == 8;  // three digits, one digit
        test::for_some_schedules([&] {
          test::guarded<K> a(keys), b(n);
          test::guarded<std::uint32_t> values_a(positions), values_b(n);
          const test::exact_scratch scratch(sort_ping_pong_scratch_bytes<K>(n)),
              of_pairs(sort_pairs_ping_pong_scratch_bytes<K, std::uint32_t>(n));
          int in = -1;
          test::directly_and_captured([&] { a.write(keys); },
                                      [&] { in = sort_ping_pong(scratch.where(), a, b, options); },
                                      [&] { CHECK((in == 0 ? a : b).read() == want); });
          CHECK(in == want_in);
          a.write(keys);
          CHECK(sort_pairs_ping_pong(of_pairs.where(), a, values_a, b, values_b, options) == want_in);
          CHECK((in == 0 ? a : b).read() == want);
          CHECK((in == 0 ? values_a : values_b).read() == want_values);
          scratch.check_guards();
          of_pairs.check_guards();
        });
      }
}

TEST_CASE("sort between two buffers: a length on the device, and errors") {
  const test::each_way_of_sorting ways;
  using K = std::uint32_t;
  const std::size_t n = test::many_blocks_keys<K>;
  const auto keys = test::random_items<K>(n, 82);
  test::for_each_schedule([&] {
    test::guarded<K> a(keys), b(n);
    const test::guarded<std::uint64_t> count(std::vector<std::uint64_t>{300});
    const exec where = allocating(test::test_stream());
    CHECK(sort_ping_pong(where, counted{a, count.data()}, b) == 0);
    const auto want = test::serial_sort(std::vector<K>(keys.begin(), keys.begin() + 300), {});
    const auto got = a.read();
    CHECK(std::equal(want.begin(), want.end(), got.begin()));
    CHECK(std::equal(got.begin() + 300, got.end(), keys.begin() + 300));
  });
  test::guarded<K> a(n), b(n), shorter(n - 1);
  const exec where = allocating(test::test_stream());
  CHECK_THROWS_AS(sort_ping_pong(where, a, shorter), invalid_argument);
  CHECK_THROWS_AS(sort_ping_pong(where, a, a), invalid_argument);
  CHECK_THROWS_AS(sort_pairs_ping_pong(where, a, b, b, a), invalid_argument);
  CHECK_THROWS_AS(sort_ping_pong(where, a, b, {.bits = {4, 3}}), invalid_argument);
  const test::exact_scratch small(sort_ping_pong_scratch_bytes<K>(n) - 257);
  CHECK_THROWS_AS(sort_ping_pong(small.where(), a, b), invalid_argument);
  const auto untouched = a.read();
  CHECK(std::all_of(untouched.begin(), untouched.end(), [](K k) { return test::is_dirt(k); }));
}
