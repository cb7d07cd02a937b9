// SPDX-License-Identifier: Apache-2.0
// Sorts by leading bits, in small shapes, into every kind of buffer, of keys that fit the local
// sort and of keys that do not. The sweeps of the local sort by themselves:
// radix_local_sort_sweeps.cu.
#include <ballot/sort.cuh>

#include "support/device_data.hpp"
#include "support/leading_bits.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/sort_reference.hpp"

#include <string>

using namespace ballot;
using detail::no_value;

namespace algorithms_radix_local_sort {

using namespace test::leading_bits;

// Keys alone: from one range to another, the first `length` of them, and in place.
template <class U, class LocalSort>
void check_keys(const key_case<U>& c, std::size_t length, const sort_options& options = {}) {
  using detail::sort_mode;
  const std::size_t n = c.keys.size();
  const auto codec = detail::codec_of<U>(options);
  const auto head = std::vector<U>(c.keys.begin(), c.keys.begin() + static_cast<std::ptrdiff_t>(length));
  auto want = test::serial_sort(head, options);
  const test::guarded<U> in(c.keys, 1);
  const test::guarded<u64> count(std::vector<u64>{length});
  auto scratch = scratch_for<U, no_value, LocalSort>(n, sort_mode::out_of_place);
  {
    test::guarded<U> out(c.keys);
    sort_by_leading_bits<U, no_value, LocalSort>(scratch.data(),
                                                 {{in.data(), {n, count.data()}}, out.data(), nullptr, nullptr}, codec);
    const auto got = out.read();
    CHECK(std::equal(want.begin(), want.end(), got.begin()));
    CHECK(std::equal(c.keys.begin() + static_cast<std::ptrdiff_t>(length), c.keys.end(),
                     got.begin() + static_cast<std::ptrdiff_t>(length)));
    if (options.direction == direction::ascending && length == n)
      CHECK(decided<U, no_value, LocalSort>(scratch, n, sort_mode::out_of_place) == c.action);
  }
  {
    test::guarded<U> both(c.keys);
    auto second = scratch_for<U, no_value, LocalSort>(n, sort_mode::in_place);
    sort_by_leading_bits<U, no_value, LocalSort>(second.data(),
                                                 {{both.data(), {n, nullptr}}, both.data(), nullptr, nullptr}, codec);
    CHECK(both.read() == test::serial_sort(c.keys, options));
  }
  CHECK(in.read() == c.keys);
}

// Keys and values: to other ranges, in place, as the order alone and between two buffers of the
// caller's.
template <class U, class V, class LocalSort>
void check_pairs(const key_case<U>& c) {
  using detail::sort_mode;
  const std::size_t n = c.keys.size();
  const auto order = test::serial_argsort(c.keys, {});
  const auto want = test::serial_sort(c.keys, {});
  const std::vector<V> want_values(order.begin(), order.end());
  std::vector<V> positions(n);
  std::iota(positions.begin(), positions.end(), V{0});
  const test::guarded<U> in(c.keys);
  for (const std::size_t shift : {0, 1, 3}) {  // where the values end, behind a multiple of 16 bytes
    CAPTURE(shift);
    const test::guarded<V> values(positions);
    test::guarded<U> out(n);
    test::guarded<V> values_out(positions, shift);
    auto scratch = scratch_for<U, V, LocalSort>(n, sort_mode::out_of_place);
    sort_by_leading_bits<U, V, LocalSort>(
        scratch.data(), {{in.data(), {n, nullptr}}, out.data(), values.data(), values_out.data()}, {});
    CHECK(values_out.read() == want_values);
    CHECK(out.read() == want);
    CHECK(decided<U, V, LocalSort>(scratch, n, sort_mode::out_of_place) == c.action);
    if (c.action != expected::local_sort) break;
  }
  {
    test::guarded<U> both(c.keys);
    test::guarded<V> values(positions);
    auto scratch = scratch_for<U, V, LocalSort>(n, sort_mode::in_place);
    sort_by_leading_bits<U, V, LocalSort>(scratch.data(),
                                          {{both.data(), {n, nullptr}}, both.data(), values.data(), values.data()}, {});
    CHECK(both.read() == want);
    CHECK(values.read() == want_values);
    // The keys in place, the values from elsewhere: their positions.
    both.write(c.keys);
    sort_by_leading_bits<U, V, LocalSort>(scratch.data(),
                                          {{both.data(), {n, nullptr}}, both.data(), nullptr, values.data()}, {});
    CHECK(both.read() == want);
    CHECK(values.read() == want_values);
  }
  {
    test::guarded<V> values_out(n);
    auto scratch = scratch_for<U, V, LocalSort>(n, sort_mode::values_only);
    sort_by_leading_bits<U, V, LocalSort>(scratch.data(),
                                          {{in.data(), {n, nullptr}}, nullptr, nullptr, values_out.data()}, {});
    CHECK(values_out.read() == want_values);
  }
  {
    test::guarded<U> a(c.keys), b(n);
    test::guarded<V> values_a(positions), values_b(n);
    auto scratch = scratch_for<U, V, LocalSort>(n, sort_mode::double_buffer);
    sort_by_leading_bits<U, V, LocalSort>(
        scratch.data(),
        {{a.data(), {n, nullptr}}, a.data(), values_a.data(), values_a.data(), b.data(), values_b.data()}, {});
    CHECK(a.read() == want);
    CHECK(values_a.read() == want_values);
  }
  CHECK(in.read() == c.keys);
}

TEST_CASE_TEMPLATE("keys by leading bits of one digit", U, u32, u64) {
  using local_sort = small_local_sort<8>;
  const auto cases = key_cases<U>(false);
  for (const auto& c : cases) {
    CAPTURE(c.name);
    check_keys<U, local_sort>(c, c.keys.size());
  }
  test::for_each_schedule([&] { check_keys<U, local_sort>(cases[0], cases[0].keys.size()); });
  test::for_some_schedules([&] { check_keys<U, local_sort>(cases[1], 1001); });
  check_keys<U, local_sort>(cases[0], 0);
  check_keys<U, local_sort>(cases[0], cases[0].keys.size(), {.direction = direction::descending});
}

TEST_CASE_TEMPLATE("keys by leading bits of two digits", U, u32, u64) {
  using local_sort = small_local_sort<9>;
  if (test::left_to_checked_run()) return;  // but for the case under all schedules
  const auto cases = key_cases<U>(true);
  for (const auto& c : cases) {
    CAPTURE(c.name);
    check_keys<U, local_sort>(c, c.keys.size());
  }
  check_keys<U, local_sort>(cases[0], 0);
  check_keys<U, local_sort>(cases[0], 3001, {.direction = direction::descending});
  // A bucket with too many, of which a sample does not see much.
  auto many = spread_keys<U>(24003, 40);
  for (std::size_t i = 0; i < many.size(); i += 20) many[i] = static_cast<U>(many[i] & static_cast<U>(~U{0}) >> 9);
  check_keys<U, local_sort>({"", many, expected::all_digits}, many.size());
}

TEST_CASE_TEMPLATE("pairs by leading bits of one digit, in wide words: stable", U, u32, u64) {
  const auto cases = key_cases<U>(false);
  test::for_some_schedules([&] { check_pairs<U, u32, small_local_sort<8, true>>(cases[1]); });
  if (test::left_to_checked_run()) return;
  for (const auto& c : cases) {
    CAPTURE(c.name);
    check_pairs<U, u32, small_local_sort<8, true>>(c);
  }
}

TEST_CASE_TEMPLATE("pairs by leading bits of one digit, with values shorter than an asynchronous copy", V, std::uint8_t,
                   std::uint16_t) {
  for (const auto& c : key_cases<u32>(false)) {
    CAPTURE(c.name);
    check_pairs<u32, V, small_local_sort<8, true>>(c);
    if (test::left_to_checked_run()) return;  // after one case
  }
}

TEST_CASE_TEMPLATE("pairs by leading bits of two digits, in narrow words: stable", U, u32, u64) {
  for (const auto& c : key_cases<U>(true)) {
    CAPTURE(c.name);
    check_pairs<U, u64, small_local_sort<9>>(c);
    if (test::left_to_checked_run()) return;  // after one case
  }
}

// A local sort orders by all remaining bits. A sort by some bits must not take it. Otherwise keys
// would be ordered by the bits above, or lose their order where they differ in those below.
TEST_CASE_TEMPLATE("a sort by some of the bits takes no local sort", LocalSort, small_local_sort<8>,
                   small_local_sort<9>) {
  const std::size_t n = 5003;
  const auto keys = spread_keys<u32>(n, 40);
  for (const bit_range bits : {bit_range{0, 16}, bit_range{0, 31}, bit_range{1, 32}, bit_range{8, 24}}) {
    CAPTURE(bits.low);
    CAPTURE(bits.high);
    const test::guarded<u32> in(keys);
    test::guarded<u32> out(n);
    auto scratch = scratch_for<u32, no_value, LocalSort>(n, detail::sort_mode::out_of_place);
    detail::launch_radix_sort_in_shape<u32, no_value, passes, void, LocalSort>(
        test::test_stream(), scratch.data(), {{in.data(), {n, nullptr}}, out.data(), nullptr, nullptr}, {},
        {bits.low, bits.high});
    CHECK(out.read() == test::serial_sort(keys, {.bits = bits}));
    CHECK(decided<u32, no_value, LocalSort>(scratch, n, detail::sort_mode::out_of_place) == expected::all_digits);
  }
}

// One bucket of `bits` leading bits has `crowd` keys, where a sample does not look. They are spread
// below these bits, or are so few different ones that bins overflow. `leading`: see spread_keys.
key_case<u32> crowded_keys(std::size_t n, unsigned leading, int bits, std::size_t crowd, bool alike) {
  auto keys = spread_keys<u32>(n, leading);  // none begins with eight ones
  const auto positions = small_local_sort<9>::histogram::all_samples_of(n);
  std::vector<bool> sampled(n, false);
  for (std::uint32_t i = 0; i < positions; ++i) sampled[detail::radix_sample_position(i, n)] = true;
  std::size_t left = crowd;
  for (std::size_t i = 0; left > 0; ++i) {
    if (sampled[i]) continue;
    keys[i] = (alike ? keys[i] % 3 : keys[i]) | ~u32{0} << (32 - bits);
    --left;
  }
  const bool fits = crowd <= small_local_sort<8>::narrow::items;
  return {std::to_string(crowd) + (alike ? ", alike" : ", spread"), keys,
          fits ? expected::local_sort : expected::all_digits};
}

TEST_CASE("a bucket with as many keys as a block has room for, and one with one more") {
  static_assert(small_local_sort<8>::narrow::items == small_local_sort<9>::narrow::items);
  static_assert(small_local_sort<8, true>::wide::items == small_local_sort<8>::narrow::items);
  if (test::left_to_checked_run()) return;
  for (const unsigned more : {0, 1})
    for (const bool alike : {false, true}) {
      const auto one_digit = crowded_keys(3003, 4, 8, small_local_sort<8>::narrow::items + more, alike);
      const auto two_digits = crowded_keys(5003, 40, 9, small_local_sort<9>::narrow::items + more, alike);
      // A narrow word has room for a position in the tile only if there are as many leading bits.
      const auto of_pairs = crowded_keys(5003, 40, small_local_sort<9>::narrow::position_bits,
                                         small_local_sort<9>::narrow::items + more, alike);
      CAPTURE(one_digit.name);
      check_keys<u32, small_local_sort<8>>(one_digit, one_digit.keys.size());
      check_pairs<u32, u32, small_local_sort<8, true>>(one_digit);
      check_keys<u32, small_local_sort<9>>(two_digits, two_digits.keys.size());
      check_pairs<u32, u64, small_local_sort<9>>(of_pairs);
    }
}

// The histogram takes more shared memory if there are many buckets, the local sort if there are
// few.
TEST_CASE_TEMPLATE("leading bits are chosen if a block may have the shared memory for both kernels", V, no_value, u64) {
  using local_sort = detail::local_sort_tuning<u64, V>;
  bool is_histogram = false, is_local_sort = false;
  for (const int power : {15, 20, 24, 25, 28}) {
    CAPTURE(power);
    const u64 n = u64{1} << power;
    const auto choose = [&](std::size_t limit) {
      return detail::choose_leading_bits<u64, V, local_sort>(n, limit).count;
    };
    const int bits = choose(std::size_t{1} << 20);
    REQUIRE(bits > 0);
    const std::size_t of_histogram =
        detail::leading_bits_histogram_storage<typename local_sort::histogram>::bytes(detail::leading_bits{bits});
    const std::size_t of_local_sort = n <= local_sort::wide_items
                                          ? sizeof(detail::local_sort_storage<u64, V, typename local_sort::wide>)
                                          : sizeof(detail::local_sort_storage<u64, V, typename local_sort::narrow>);
    is_histogram |= of_histogram > of_local_sort, is_local_sort |= of_local_sort > of_histogram;
    CHECK(choose(std::max(of_histogram, of_local_sort)) == bits);
    CHECK(choose(of_histogram - 1) == 0);
    CHECK(choose(of_local_sort - 1) == 0);
  }
  CHECK((is_histogram && is_local_sort));
}

TEST_CASE("keys in the shape of a local sort that is in use") {
  auto keys = spread_keys<u32>(9003, 2);
  std::sort(keys.rbegin(), keys.rend());  // what arrives last in a bin belongs first
  check_keys<u32, local_sort_in_use>({"", keys, expected::local_sort}, keys.size());
}

TEST_CASE("few keys by leading bits of two digits, and of one if they are in order") {
  const std::size_t n = 703;
  auto keys = spread_keys<u32>(n, 40);
  const auto check = [&]<class LocalSort>(LocalSort, expected action) {
    const test::guarded<u32> in(keys);
    test::guarded<u32> out(n);
    auto scratch = scratch_for<u32, no_value, LocalSort>(n, detail::sort_mode::out_of_place);
    sort_by_leading_bits<u32, no_value, LocalSort>(scratch.data(),
                                                   {{in.data(), {n, nullptr}}, out.data(), nullptr, nullptr}, {});
    CHECK(out.read() == test::serial_sort(keys, {}));
    CHECK(decided<u32, no_value, LocalSort>(scratch, n, detail::sort_mode::out_of_place) == action);
  };
  check(small_local_sort<9>{}, expected::local_sort);
  std::sort(keys.begin(), keys.end());
  check(small_local_sort<8>{}, expected::nothing);
}

TEST_CASE("leading bits of two digits under all schedules") {
  const auto spread = spread_keys<u32>(1803, 40);
  test::for_each_schedule([&] { check_keys<u32, small_local_sort<9>>({"", spread, expected::local_sort}, 1803); });
}

// The sample is the same in every run. Where it lies, keys are spread; everywhere else they are of
// one bucket, so many of them that its count wraps to a small one.
TEST_CASE("a count of a bucket that does not fit its 16 bits is noticed") {
  using shape = one_block::histogram;
  const std::size_t n = 65536 + 3000;
  std::vector<u32> keys(n, 0x40000000u);
  std::mt19937 random(17);
  std::size_t spread = 0;
  for (std::uint32_t i = 0; i < shape::all_samples_of(n); ++i) {
    u32& key = keys[detail::radix_sample_position(i, n)];
    spread += key == 0x40000000u;
    key = static_cast<u32>(random());
  }
  // So many that the wrapped count is one that the local sort would take.
  for (std::size_t i = 0; n - spread > 65536 + 100; ++i) {
    if (keys[i] != 0x40000000u) continue;
    keys[i] = static_cast<u32>(random());
    ++spread;
  }
  const test::guarded<u32> in(keys);
  test::guarded<u32> out(n);
  auto scratch = scratch_for<u32, no_value, one_block>(n, detail::sort_mode::out_of_place);
  sort_by_leading_bits<u32, no_value, one_block>(scratch.data(),
                                                 {{in.data(), {n, nullptr}}, out.data(), nullptr, nullptr}, {});
  CHECK(out.read() == test::serial_sort(keys, {}));
  CHECK(decided<u32, no_value, one_block>(scratch, n, detail::sort_mode::out_of_place) == expected::all_digits);
}

// Keys between two bounds, as numbers from the lower one on, of no more bits than they need: the
// leading bits are of those.
TEST_CASE("keys between bounds, sorted by the leading ones of few bits") {
  using local_sort = small_local_sort<9>;
  unsigned turn = 0;
  for (int bits : {27, 24, 20, 19, 9}) {
    CAPTURE(bits);
    // a little more than half of what the bits can name, so that nearly half of the buckets are
    // empty
    const u32 low = 0x12345678u, reach = (u32{1} << (bits - 1)) + 5;
    const std::size_t n = 5003;
    auto keys = test::random_items<u32>(n, 90);
    for (u32& key : keys) key = low + static_cast<u32>(key % (reach + 1));
    keys[7] = low, keys[n / 2] = low + reach;
    std::vector<u32> places(n);
    std::iota(places.begin(), places.end(), 0u);
    auto order = places;
    std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return keys[a] < keys[b]; });
    std::vector<u32> want;
    for (u32 i : order) want.push_back(keys[i]);
    key_codec<u32> codec;
    codec.bias = low;
    test::for_some_schedules(++turn, [&] {
      const test::guarded<u32> in(keys), values(places);
      test::guarded<u32> out(n), values_out(n);
      auto scratch = scratch_for<u32, no_value, local_sort>(n, detail::sort_mode::out_of_place);
      detail::launch_radix_sort_in_shape<u32, no_value, passes, void, local_sort>(
          test::test_stream(), scratch.data(), {{in.data(), {n, nullptr}}, out.data(), nullptr, nullptr}, codec,
          {0, bits}, detail::radix_portion_items, 0, n);
      CHECK(out.read() == want);
      // ten bits below nine leading ones are the fewest that the local sort has bins for
      CHECK((decided<u32, no_value, local_sort>(scratch, n, detail::sort_mode::out_of_place) == expected::local_sort) ==
            (bits >= 19));

      auto scratch_of_pairs = scratch_for<u32, u32, small_local_sort<9, true>>(n, detail::sort_mode::out_of_place);
      detail::launch_radix_sort_in_shape<u32, u32, passes, void, small_local_sort<9, true>>(
          test::test_stream(), scratch_of_pairs.data(),
          {{in.data(), {n, nullptr}}, out.data(), values.data(), values_out.data()}, codec, {0, bits},
          detail::radix_portion_items, 0, n);
      CHECK(out.read() == want);
      CHECK(values_out.read() == order);
    });
  }
}

}  // namespace algorithms_radix_local_sort
