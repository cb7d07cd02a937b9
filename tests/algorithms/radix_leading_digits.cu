// SPDX-License-Identifier: Apache-2.0
// Sorts by leading digits, in small shapes, into every kind of buffer. The keys are of three kinds:
//
// - their buckets fit a block
// - some buckets do not fit, but have equal keys
// - the sample does not show that buckets are too large: radix_large_buckets.cu
#include <ballot/sort.cuh>

#include "support/device_data.hpp"
#include "support/schedules.hpp"
#include "support/sort_by_leading_digits.hpp"

#include <string>
#include <utility>
#include <vector>

using namespace ballot;

namespace algorithms_radix_leading_digits {

using namespace test::leading_digits;

std::vector<digits_case> cases() {
  const std::size_t n = 12011;
  return {
      {"half in one digit", half_in_one_digit(n), way::tiles},
      {"normal", normal(n), way::tiles},
      {"one digit is the same", masked(half_in_one_digit(n), ~(u64{0xff} << 48), u64{0x77} << 48), way::tiles},
      // So few that the histogram finds which digits need a pass.
      {"few distinct", few(n, 7), way::other},
      {"few distinct, and others", nearly_few(n, 5), way::other},
      {"few different in each bucket", few_in_buckets(n, 100), way::tiles},
      {"a bucket that the sample sees", seen_crowd(n), way::tiles},
      {"heavy keys and rare ones", heavy_and_rare(n, 10), way::tiles},
      {"40 bits differ", masked(random_keys(n, 8), (u64{1} << 40) - 1, 0x1234567890abcdef), way::tiles},
      {"45 of the bits", random_keys(n, 9), way::tiles, {0, 45}},
      {"58 of the bits, from the third on", half_in_one_digit(n), way::tiles, {3, 61}},
      {"few, by some bits", few(n, 9), way::other, {5, 64}},
  };
}

TEST_CASE("keys by leading digits") {
  if (test::left_to_checked_run()) return;
  for (const auto& c : cases()) {
    check_keys(c, c.keys.size());
    check_keys(c, c.keys.size(), direction::descending);
    check_keys(c, 7001);
    check_keys(c, 0);
    check_keys(c, 1);
  }
}

TEST_CASE_TEMPLATE("pairs by leading digits: stable", V, std::uint16_t, u32, u64) {
  if (test::left_to_checked_run()) return;
  for (const auto& c : cases()) check_pairs<V>(c);
}

// Where a bucket has equal keys, the first of them are the larger ones.
TEST_CASE("small arrays for what a tile has to notice") {
  constexpr unsigned tile = detail::tile_sort_items<shape>;
  const std::size_t n = 5003;
  const auto descending = [&](unsigned digits, std::size_t crowd, std::size_t alike) {
    auto keys = crowded(n, digits, crowd, alike, true);
    for (u64& key : keys)
      if (key >> 48 == digits) key ^= 77 ^ 99;
    return keys;
  };
  check_once({"as many as fit", crowded(n, 0x4711, room, 0, false), way::tiles});
  check_once({"as many as fit, where a tile begins", crowded(n, 0, room, 0, false), way::tiles});
  check_once({"too many, another key where a tile begins", descending(0, 2 * tile, tile), way::again});
  check_once({"another key where a row begins", descending(0, room, room / 2), way::tiles});
  check_once({"bins overflow", few_in_buckets(n, 100), way::tiles});
  check_once({"bins overflow, by some of the bits", few_in_buckets(n, 100), way::tiles, {0, 63}});
}

TEST_CASE("in place, by one more digit") {
  const auto keys = half_in_one_digit(12011);
  const std::size_t n = keys.size();
  auto scratch = scratch_for<u64, no_value, by_digits>(n, sort_mode::in_place);
  test::guarded<u64> both(keys);
  sort_so<no_value, by_digits>(scratch.data(), {{both.data(), {n, nullptr}}, both.data(), nullptr, nullptr}, {}, {});
  CHECK(both.read() == test::serial_sort(keys, {}));
  CHECK(way_of<no_value>(scratch, n, sort_mode::in_place) == way::tiles);
}

TEST_CASE("as few keys as are sorted by leading digits, and one fewer") {
  const auto least = static_cast<std::size_t>(by_digits::least_items_by_leading_digits);
  for (const std::size_t n : {least - 1, least}) {
    const digits_case c{std::to_string(n), half_in_one_digit(n), n < least ? way::other : way::tiles};
    check_keys(c, n);
    check_pairs<u32>(c);
  }
}

struct in_use : by_digits {
  using narrow = detail::local_sort_tuning<u64, no_value>::narrow;
  using wide = narrow;
};

// The bucket has more rows than a word has bits, and begins in an earlier one.
TEST_CASE("in the shape that is in use: a bucket that begins many rows before") {
  const auto keys = crowded(5003, 0x4711, 1500, 0, false);
  check_once<in_use>({"whole keys", keys, way::tiles}, 2);
  check_once<in_use>({"by some of the bits", keys, way::tiles, {0, 63}});
}

TEST_CASE("in the shape that is in use: buckets from one key to more than a block holds") {
  auto keys = normal(9003);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i % 16 < 7) keys[i] = u64{7} << 56 | i % 16 / 5;          // more than a block holds
    else if (i % 16 < 12) keys[i] = u64{9} << 56 | keys[i] % 40;  // more than a bin holds
  }
  std::vector<u32> places(keys.size());
  std::iota(places.begin(), places.end(), 0u);
  const std::size_t n = keys.size();
  for (const bit_range bits : {bit_range{0, 64}, bit_range{0, 60}}) {
    const test::guarded<u64> in(keys);
    const test::guarded<u32> values(places);
    test::guarded<u64> out(n), keys_out(n);
    test::guarded<u32> values_out(n);
    auto scratch = scratch_for<u64, no_value, in_use>(n, sort_mode::out_of_place);
    detail::launch_radix_sort_in_shape<u64, no_value, passes, histogram, in_use>(
        test::test_stream(), scratch.data(), {{in.data(), {n, nullptr}}, out.data(), nullptr, nullptr}, {},
        {bits.low, bits.high});
    CHECK(out.read() == test::serial_sort(keys, {.bits = bits}));
    auto second = scratch_for<u64, u32, in_use>(n, sort_mode::out_of_place);
    detail::launch_radix_sort_in_shape<u64, u32, passes, histogram, in_use>(
        test::test_stream(), second.data(),
        {{in.data(), {n, nullptr}}, keys_out.data(), values.data(), values_out.data()}, {}, {bits.low, bits.high});
    const auto order = test::serial_argsort(keys, {.bits = bits});
    CHECK(values_out.read() == std::vector<u32>(order.begin(), order.end()));
    CHECK(keys_out.read() == test::serial_sort(keys, {.bits = bits}));
  }
}

TEST_CASE("the public call, of as many keys as are sorted by leading digits") {
  // The emulator takes long for so many.
  const std::size_t n =
      BALLOT_EMULATED
          ? (std::size_t{1} << 18) + 5
          : static_cast<std::size_t>(detail::local_sort_tuning<u64, no_value>::least_items_by_leading_digits);
  const auto keys = normal(n);
  std::vector<double> reals;
  for (const u64 key : keys) reals.push_back(from_ordered_bits<double>(key));
  const test::guarded<double> in(reals);
  test::guarded<double> out(n);
  test::guarded<std::byte> scratch(sort_scratch_bytes<double>(n));
  ballot::sort(exec{test::test_stream(), device_span(scratch.data(), scratch.size())}, device_span(in.data(), n),
               device_span(out.data(), n));
  CHECK(test::as_words(out.read()) == test::as_words(test::serial_sort(reals, {})));
}

TEST_CASE("by leading digits under all schedules") {
  for (const auto& c : {digits_case{"half", half_in_one_digit(4003), way::tiles},
                        digits_case{"nearly few", nearly_few(4003, 2), way::other}})
    test::for_each_schedule([&] {
      check_keys(c, c.keys.size());
      check_pairs<u32>(c);
    });
}

}  // namespace algorithms_radix_leading_digits
