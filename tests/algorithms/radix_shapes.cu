// SPDX-License-Identifier: Apache-2.0
// The radix sort in tiles of several shapes: ranks over many rows, tiles and portions, with values.
// Digits of the keys are spread, frequent or both.
#include <ballot/sort.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/sort_reference.hpp"

#include <string>

using namespace ballot;
using detail::radix_shape;

namespace algorithms_radix_shapes {

using U = std::uint32_t;

using one_row = radix_shape<256, 1>;
using odd = radix_shape<288, 3, 0, 3>;
using wide = radix_shape<256, 5, 2, 8>;

struct key_case {
  const char* name;
  std::vector<U> keys;
};

// Kinds of keys that differ for ranking:
//
// - No digit is frequent, so the first pass of keys alone takes any order. Digits have many values,
//   or so few that a run has each several times.
// - a digit that nearly all keys have
// - two digits that half of the keys have
// - rows of all these kinds next to each other
std::vector<key_case> key_cases(std::size_t n) {
  const auto spread = test::random_items<U>(n, 21);
  std::vector<U> few(spread), halves(spread);
  for (U& key : few) key &= 0x0f0f0f0fu;
  for (U& key : halves) key &= 0x01010101u;
  const auto frequent = test::keys_of_entropy<U>(n, 4, 23);
  std::vector<U> mixed(frequent);
  std::copy_n(spread.begin(), n / 4, mixed.begin());
  for (std::size_t i = n / 2; i < n; ++i) mixed[i] = static_cast<U>(i / 700 % 2 * 0x01010101u);
  return {{"spread", spread}, {"few", few}, {"frequent", frequent}, {"halves", halves}, {"mixed", mixed}};
}

// Keys alone, in one portion or several.
template <class K, class Shape, class HistogramShape = void>
void check_keys(const std::vector<K>& keys, std::uint64_t portion = detail::radix_portion_items) {
  using detail::no_value;
  const test::guarded<K> in(keys);
  test::guarded<K> out(keys.size());
  test::guarded<std::byte> scratch(
      detail::radix_scratch_bytes_in_shape<K, no_value, Shape>(keys.size(), detail::sort_mode::out_of_place, portion));
  detail::launch_radix_sort_in_shape<K, no_value, Shape, HistogramShape>(
      test::test_stream(), scratch.data(), {detail::as_input(in), out.data(), nullptr, nullptr}, key_codec<K>{},
      {0, 8 * sizeof(K)}, portion);
  CHECK(out.read() == test::serial_sort(keys, {}));
  (void)scratch.read();
}

// Keys with their positions, whose order says whether the sort was stable; and with values that lie
// so many of them behind a place from which 16 bytes can be moved at once.
template <class K, class V, class Shape>
void check_pairs(const std::vector<K>& keys, const std::vector<std::size_t>& shifts) {
  const auto order = test::serial_argsort(keys, {});
  const test::guarded<K> in(keys);
  test::guarded<K> out(keys.size());
  test::guarded<V> positions(keys.size());
  test::guarded<std::byte> scratch(
      detail::radix_scratch_bytes_in_shape<K, V, Shape>(keys.size(), detail::sort_mode::out_of_place));
  detail::launch_radix_sort_in_shape<K, V, Shape>(test::test_stream(), scratch.data(),
                                                  {detail::as_input(in), out.data(), nullptr, positions.data()},
                                                  key_codec<K>{}, {0, 8 * sizeof(K)});
  CHECK(positions.read() == std::vector<V>(order.begin(), order.end()));
  CHECK(out.read() == test::serial_sort(keys, {}));

  const auto values = test::random_items<V>(keys.size(), 27);
  std::vector<V> want(keys.size());
  for (std::size_t i = 0; i < want.size(); ++i) want[i] = values[order[i]];
  for (const std::size_t shift : shifts) {
    const test::guarded<V> values_in(values, shift);
    test::guarded<V> values_out(keys.size());
    detail::launch_radix_sort_in_shape<K, V, Shape>(
        test::test_stream(), scratch.data(), {detail::as_input(in), out.data(), values_in.data(), values_out.data()},
        key_codec<K>{}, {0, 8 * sizeof(K)});
    CHECK(values_out.read() == want);
  }
  (void)scratch.read();
}

TEST_CASE_TEMPLATE("keys in tiles of several shapes", Shape, one_row, odd, wide) {
  for (const auto& [name, keys] : key_cases(Shape::items * 5 + 77)) {
    CAPTURE(name);
    test::for_some_schedules([&] {
      check_keys<U, Shape>(keys);
      check_keys<U, Shape>(keys, Shape::items * 2 + 3);
    });
  }
}

TEST_CASE_TEMPLATE("pairs in tiles of several shapes: stable", Shape, one_row, odd, wide) {
  for (const auto& [name, keys] : key_cases(Shape::items * 4 + 5)) {
    CAPTURE(name);
    std::vector<std::size_t> shifts;  // values are moved in the same way, whatever the keys are
    if (name == std::string("spread")) shifts = {0};
    if (name == std::string("mixed")) shifts = {1};
    test::for_some_schedules([&] { check_pairs<U, std::uint64_t, Shape>(keys, shifts); });
  }
}

// Of so many keys a thread that full tiles may be ranked in any order; the shapes above have too
// few for that.
TEST_CASE("keys that differ in bits which are not asked for stay in order") {
  // Keys alone, and yet the first pass must not take any order, since such keys can be told apart.
  // A full tile and a partial one, which is stable anyway; of a first digit of which no value is
  // frequent and a half warp has each repeatedly.
  using shape = radix_shape<256, 20>;
  static_assert(detail::specialises_full_tiles<shape>);
  const std::size_t n = shape::items + 5;
  std::vector<U> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<U>(i * 37 % 100) << 16 | static_cast<U>(i);
  for (const bit_range bits : {bit_range{16, 32}, bit_range{16, 23}, bit_range{0, 32}}) {
    CAPTURE(bits.low);
    CAPTURE(bits.high);
    const auto want = test::serial_sort(keys, {.bits = bits});
    test::for_some_schedules([&] {
      const test::guarded<U> in(keys);
      test::guarded<U> out(n);
      test::guarded<std::byte> scratch(
          detail::radix_scratch_bytes_in_shape<U, detail::no_value, shape>(n, detail::sort_mode::out_of_place));
      detail::launch_radix_sort_in_shape<U, detail::no_value, shape>(
          test::test_stream(), scratch.data(), {detail::as_input(in), out.data(), nullptr, nullptr}, key_codec<U>{},
          {bits.low, bits.high});
      CHECK(out.read() == want);
      (void)scratch.read();
    });
  }
}

// The one pass ends in the spare buffer, and a launch that copies follows.
TEST_CASE("pairs of short keys in place: one pass, which needs spare buffers of keys and of values") {
  using K = std::uint8_t;
  const std::size_t n = 2 * odd::items + 5;
  const auto keys = test::random_items<K>(n, 31);
  const auto values = test::random_items<U>(n, 32);
  std::vector<U> want;
  for (const std::uint64_t i : test::serial_argsort(keys, {})) want.push_back(values[i]);
  test::for_some_schedules([&] {
    test::guarded<K> both(keys);
    test::guarded<U> values_of_both(values);
    const test::exact_scratch scratch(detail::radix_scratch_bytes_in_shape<K, U, odd>(n, detail::sort_mode::in_place));
    detail::launch_radix_sort_in_shape<K, U, odd>(
        test::test_stream(), scratch.where().scratch().data(),
        {{both.data(), {n, nullptr}}, both.data(), values_of_both.data(), values_of_both.data()}, key_codec<K>{},
        {0, 8});
    CHECK(both.read() == test::serial_sort(keys, {}));
    CHECK(values_of_both.read() == want);
    scratch.check_guards();
  });
}

TEST_CASE("scratch for n items suffices for fewer, which may have more tiles") {
  const auto at = detail::half_mebi, above = detail::eight_mebi;
  for (std::uint64_t n : {at, at + 1, above, above + 1, above + 100'000}) {
    CHECK(sort_scratch_bytes<U>(n) >= sort_scratch_bytes<U>(n - 1));
    CHECK((sort_pairs_scratch_bytes<U, U>(n) >= sort_pairs_scratch_bytes<U, U>(n - 1)));
    CHECK(sort_scratch_bytes<std::uint64_t>(n) >= sort_scratch_bytes<std::uint64_t>(n - 1));
  }
  // The number of portions, for GPUs with little shared memory, goes up and down.
  std::size_t before = 0;
  for (std::uint64_t n = at; n < 2 * above; n += 4999) {
    const std::size_t bytes = sort_pairs_scratch_bytes<std::uint64_t, std::uint64_t>(n);
    CHECK_MESSAGE(bytes >= before, n);
    before = bytes;
  }
}

#if !BALLOT_EMULATED

// The shapes that larger arrays get, on arrays of a few tiles; sort.cu and sort_pairs.cu have those
// of small arrays.
template <class K, class V, int Further>
struct tuned_shape {
  using key = K;
  using value = V;
  using shape = detail::radix_shape_of_row<detail::radix_row_of<K, V> + Further>;
};
using u64 = std::uint64_t;

TEST_CASE_TEMPLATE("shapes of large arrays", Case, tuned_shape<U, U, 1>, tuned_shape<U, U, 2>, tuned_shape<U, u64, 1>,
                   tuned_shape<u64, u64, 1>) {
  using K = typename Case::key;
  using shape = typename Case::shape;
  for (const auto& [name, words] : key_cases(shape::items * 4 + 99)) {
    CAPTURE(name);
    check_pairs<K, typename Case::value, shape>(std::vector<K>(words.begin(), words.end()), {0, 1});
  }
}

// In portions of the smallest tiles, with the scratch of the large ones.
TEST_CASE_TEMPLATE("large arrays where a block has little shared memory", V, U, u64) {
  constexpr int row = detail::radix_row_of<U, V> + 1;
  static_assert(!detail::runs_everywhere<U, V, detail::radix_shape_of_row<row>>);
  const std::size_t n = detail::half_mebi + 12345;
  std::mt19937 random(41);
  std::vector<U> keys(n);
  for (U& key : keys) key = random();
  std::vector<V> positions(n);
  std::iota(positions.begin(), positions.end(), V{0});
  std::vector<V> want = positions;
  std::stable_sort(want.begin(), want.end(), [&](V a, V b) { return keys[a] < keys[b]; });
  const test::guarded<U> keys_in(keys);
  const test::guarded<V> values_in(positions);
  test::guarded<U> keys_out(n);
  test::guarded<V> values_out(n);
  test::guarded<std::byte> scratch(detail::radix_scratch_bytes<U, V>(n, detail::sort_mode::out_of_place));
  detail::launch_radix_sort<U, V>(test::test_stream(), scratch.data(),
                                  {detail::as_input(keys_in), keys_out.data(), values_in.data(), values_out.data()},
                                  key_codec<U>{}, {0, 32}, simt::least_shared_bytes_limit);
  CHECK(values_out.read() == want);
  const auto sorted = keys_out.read();
  bool in_place = true;
  for (std::size_t i = 0; i < n; ++i) in_place &= sorted[i] == keys[want[i]];
  CHECK(in_place);
}

TEST_CASE_TEMPLATE("shapes of large arrays, keys alone", Case, tuned_shape<U, detail::no_value, 1>,
                   tuned_shape<U, detail::no_value, 2>, tuned_shape<u64, detail::no_value, 1>,
                   tuned_shape<u64, detail::no_value, 2>) {
  using K = typename Case::key;
  using shape = typename Case::shape;
  for (const auto& [name, words] : key_cases(shape::items * 4 + 99)) {
    CAPTURE(name);
    check_keys<K, shape, detail::large_radix_histogram<K>>(std::vector<K>(words.begin(), words.end()));
  }
}

#endif

TEST_CASE("each digit has counters of its own, and the digits below a power of two have the first ones") {
  for (unsigned digits = 1; digits <= static_cast<unsigned>(detail::radix_digits); digits *= 2) {
    CAPTURE(digits);
    std::vector<bool> taken(digits, false);
    for (unsigned digit = 0; digit < digits; ++digit) {
      const unsigned place = detail::warp_digit_counts::place_of(digit);
      REQUIRE(place < digits);
      CHECK_FALSE(taken[place]);
      taken[place] = true;
    }
  }
}

}  // namespace algorithms_radix_shapes
