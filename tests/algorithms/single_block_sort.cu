// SPDX-License-Identifier: Apache-2.0
// Sorts of few items by one block, against a serial stable sort. The lengths are all at which the
// block works differently. Every form of a call is tested, and the public calls of few items on
// both sides of the limit.
#include <ballot/argsort_by_columns.cuh>
#include <ballot/sort.cuh>
#include <ballot/sort_by.cuh>
#include <ballot/sort_ping_pong.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/runtime_calls.hpp"
#include "support/schedules.hpp"
#include "support/sort_reference.hpp"

#include <limits>

using namespace ballot;
using test::guarded;
using test::in_order;

namespace algorithms_single_block_sort {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// Two rows at most: the limits of rows and of the shape are near.
using small_shape = detail::single_block_sort_shape<256, 2>;

// Around warps, half warps, rows and the shape's limit.
template <class Shape>
std::vector<std::size_t> lengths() {
  std::vector<std::size_t> all{1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65};
  const std::size_t row = Shape::threads;
  for (std::size_t rows = 1; rows <= Shape::items_per_thread; rows *= 2)
    for (const std::size_t n : {rows * row - 1, rows * row, rows * row + 1})
      if (n <= Shape::items) all.push_back(n);
  return all;
}

// Keys alone, with values, and with positions; out of place and in place.
template <class K, class V, class Shape>
void check(const std::vector<K>& keys, const sort_options& options = {}, std::size_t shift = 0) {
  using U = ordered_bits_t<K>;
  using detail::no_value;
  const std::size_t n = keys.size();
  CAPTURE(n);
  const auto order = test::serial_argsort(keys, options);
  const auto want = test::as_words(in_order(keys, order));
  const auto values = test::random_items<V>(n, 51);
  const auto want_values = in_order(values, order);
  const auto codec = key_codec_of<K>(options.direction, options.nans);
  const auto digits = detail::plan_digits(options.bits, 8 * sizeof(K), "test");
  test::for_some_schedules([&] {
    const guarded<U> in(test::as_words(keys), shift);
    const guarded<V> values_in(values, shift);
    guarded<U> out(n, shift), in_place(test::as_words(keys), shift);
    guarded<V> values_out(n, shift), values_in_place(values, shift);
    const auto sort_keys = [&](const U* from, U* to) {
      detail::launch_single_block_sort<U, no_value, Shape>(test::test_stream(),
                                                           {{from, {n, nullptr}}, to, nullptr, nullptr, codec, digits});
    };
    const auto sort_with = [&](const U* from, U* to, const V* values_from, V* values_to) {
      detail::launch_single_block_sort<U, V, Shape>(test::test_stream(),
                                                    {{from, {n, nullptr}}, to, values_from, values_to, codec, digits});
    };
    sort_keys(in.data(), out.data());
    CHECK(out.read() == want);
    sort_keys(in_place.data(), in_place.data());
    CHECK(in_place.read() == want);

    out.fill_dirt();
    sort_with(in.data(), out.data(), values_in.data(), values_out.data());
    CHECK(out.read() == want);
    CHECK(values_out.read() == want_values);
    in_place.write(test::as_words(keys));
    sort_with(in_place.data(), in_place.data(), values_in_place.data(), values_in_place.data());
    CHECK(in_place.read() == want);
    CHECK(values_in_place.read() == want_values);
    values_in_place.write(values);
    sort_with(in.data(), nullptr, values_in_place.data(), values_in_place.data());
    CHECK(values_in_place.read() == want_values);

    if (n - 1 <= std::numeric_limits<V>::max()) {
      sort_with(in.data(), nullptr, nullptr, values_out.data());
      CHECK(values_out.read() == std::vector<V>(order.begin(), order.end()));
    }
    CHECK(in.read() == test::as_words(keys));  // inputs are kept
    CHECK(values_in.read() == values);
  });
}

TEST_CASE("one block: lengths around warps, rows and the limit of the shape") {
  for (const std::size_t n : lengths<small_shape>()) check<u32, u32, small_shape>(test::random_items<u32>(n, 52));
  using shape = detail::single_block_shape<u32>;
  for (const std::size_t n : lengths<shape>()) {
    if (n < 500) continue;
    check<u32, u32, shape>(test::keys_of_entropy<u32>(n, 4, 53));
  }
}

TEST_CASE("one block: patterns of keys, with equal keys in their order") {
  for (const test::key_pattern& pattern : test::key_patterns)
    for (const std::size_t n : {100, 300, 512}) {
      CAPTURE(pattern.name);
      check<u32, u64, small_shape>(test::make_keys<u32>(pattern, n));
      check<u64, u32, small_shape>(test::make_keys<u64>(pattern, n), {.direction = direction::descending});
    }
}

template <class K, class V>
struct of {
  using key = K;
  using value = V;
};

TEST_CASE_TEMPLATE("one block: every width of keys and values, at any address", Types, of<std::uint8_t, std::uint8_t>,
                   of<std::int8_t, u64>, of<std::uint16_t, std::uint16_t>, of<std::int16_t, u32>,
                   of<std::int32_t, std::uint8_t>, of<u32, u64>, of<u64, u64>, of<std::int64_t, std::uint16_t>,
                   of<float, u32>, of<double, u64>, of<detail::uint128, u32>, of<detail::int128, u64>) {
  using K = typename Types::key;
  using V = typename Types::value;
  using shape = detail::single_block_shape<ordered_bits_t<K>>;
  const auto words = test::random_items<ordered_bits_t<K>>(small_shape::items - 3, 54);
  for (const direction d : {direction::ascending, direction::descending})
    for (const std::size_t shift : {0, 1, 3})
      check<K, V, small_shape>(test::keys_as<K>(words), {.direction = d}, shift);
  check<K, V, shape>(test::keys_as<K>(test::random_items<ordered_bits_t<K>>(shape::items, 55)));
}

TEST_CASE("one block: keys that differ in few bits, at the ends of the key and far apart") {
  for (const u64 varying :
       {u64{1}, u64{1} << 63, u64{1} << 63 | 1, u64{3} << 31, u64{0x1ff} << 20, u64{0x8100}, u64{0x0100000001000001}}) {
    CAPTURE(varying);
    auto keys = test::random_items<u64>(300, 56);
    for (u64& key : keys) key = (key & varying) | (0x5a5a5a5a5a5a5a5au & ~varying);
    check<u64, u32, small_shape>(keys);
    std::vector<detail::uint128> wide(keys.begin(), keys.end());
    for (std::size_t i = 0; i < wide.size(); ++i) wide[i] = (wide[i] << 64) | (varying == 1 ? i % 7 : 5);
    check<detail::uint128, u32, small_shape>(wide);
  }
}

TEST_CASE("one block: bit ranges, where keys that differ elsewhere keep their order") {
  for (const bit_range bits : {bit_range{0, 1}, bit_range{3, 8}, bit_range{0, 9}, bit_range{8, 24}, bit_range{4, 27},
                               bit_range{31, 32}, bit_range{24, bit_range::full}, bit_range{5, 5}})
    for (const direction d : {direction::ascending, direction::descending}) {
      CAPTURE(bits.low);
      CAPTURE(bits.high);
      check<u32, u32, small_shape>(test::random_items<u32>(400, 57), {.direction = d, .bits = bits});
    }
  // In order by the range alone, and out of order by it alone.
  std::vector<u32> keys(400);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<u32>((400 - i) << 16 | i / 3 << 4 | i % 5);
  check<u32, u32, small_shape>(keys, {.bits = {4, 16}});
  check<u32, u32, small_shape>(keys, {.bits = {16, 32}});
}

TEST_CASE("one block: keys that are in order as a whole, but not by the bits asked for") {
  std::vector<u32> keys(40);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<u32>(i);
  check<u32, u32, small_shape>(keys, {.bits = {0, 4}});
}

TEST_CASE("one block: keys in order except two neighbours, anywhere") {
  for (const std::size_t n : {40, 300, 512})
    for (const std::size_t at : {std::size_t{0}, std::size_t{14}, std::size_t{15}, std::size_t{31}, n / 2, n - 2}) {
      CAPTURE(at);
      std::vector<u32> keys(n);
      for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<u32>(i * 3);
      std::swap(keys[at], keys[at + 1]);
      check<u32, u32, small_shape>(keys);
    }
}

TEST_CASE("one block: floats with NaNs, infinities and zeros of both signs") {
  auto words = test::random_items<u32>(500, 58);
  for (std::size_t i = 0; i < words.size(); i += 3)
    words[i] = words[i] % 4 == 0 ? words[i] | 0x7f800000u : words[i] & (words[i] % 2 == 0 ? 0x80000000u : 0xff800000u);
  for (const direction d : {direction::ascending, direction::descending})
    for (const nan_order nans : {nan_order::last, nan_order::first, nan_order::by_bits})
      check<float, u32, small_shape>(test::keys_as<float>(words), {.direction = d, .nans = nans});
}

TEST_CASE("one block: a length on the device, none, fewer and more than the capacity") {
  const std::size_t capacity = 700;
  const auto keys = test::random_items<u32>(capacity, 59);
  test::for_each_schedule([&] {
    const guarded<u32> in(keys);
    for (const std::size_t asked : {std::size_t{0}, std::size_t{1}, std::size_t{33}, capacity, capacity + 9}) {
      CAPTURE(asked);
      const std::size_t n = std::min(asked, capacity);
      const guarded<u64> length(std::vector<u64>{asked});
      const auto order = test::serial_argsort(std::vector<u32>(keys.begin(), keys.begin() + std::ptrdiff_t(n)), {});
      guarded<u32> out(capacity), indices(capacity), in_place(keys);
      const test::exact_scratch scratch(sort_pairs_scratch_bytes<u32, u32>(capacity));
      argsort(scratch.where(), counted{in, length.data()}, out, indices);
      detail::launch_single_block_sort<u32, detail::no_value, detail::single_block_shape<u32>>(
          test::test_stream(),
          {{in_place.data(), {capacity, length.data()}}, in_place.data(), nullptr, nullptr, {}, {0, 32}});
      const auto got = out.read(), got_indices = indices.read(), got_in_place = in_place.read();
      bool right = true;
      for (std::size_t i = 0; i < capacity; ++i) {
        right &= i < n ? got[i] == keys[order[i]] && got_indices[i] == order[i]
                       : test::is_dirt(got[i]) && test::is_dirt(got_indices[i]);
        right &= got_in_place[i] == (i < n ? got[i] : keys[i]);
      }
      CHECK(right);
    }
  });
}

struct low_half {
  __host__ __device__ std::uint16_t operator()(u32 x) const { return static_cast<std::uint16_t>(x); }
};
struct record {
  u32 word[3];
  friend bool operator==(const record&, const record&) = default;
};

// On both sides of the limit, with their launches.
TEST_CASE("one block: the public calls, up to its limit and above it") {
  constexpr std::size_t limit = detail::single_block_items<u32>;
  for (const std::size_t n : {limit, limit + 1}) {
    CAPTURE(n);
    const bool few = n == limit;
    const auto keys = test::random_items<u32>(n, 60);
    const auto records = test::random_items<record>(n, 61);
    const auto order = test::serial_argsort(keys, {});
    std::vector<std::uint16_t> halves(n);
    for (std::size_t i = 0; i < n; ++i) halves[i] = low_half{}(keys[i]);
    const auto order_of_halves = test::serial_argsort(halves, {});
    const std::vector<u32> want = in_order(keys, order), positions(order.begin(), order.end());
    test::for_some_schedules([&] {
      const guarded<u32> in(keys);
      const guarded<record> values(records);
      guarded<u32> out(n), indices(n), a(keys), b(n), by_half(n);
      guarded<record> values_out(n);
      const exec gpu = allocating(test::test_stream());
      // Of few items, one launch and no fill, in place two; `besides`: launches before and after
      // the sort.
      const auto launches = [&](u64 besides, auto&& call) {
        const test::runtime_calls done = test::runtime_calls_of(call);
        if (few) CHECK(done.launches == 1 + besides);
        else CHECK(done.launches > 1 + besides);
        CHECK(done.fills == 0);  // some more go by runs
      };
      launches(0, [&] { sort(gpu, in, out); });
      CHECK(out.read() == want);
      launches(0, [&] { argsort(gpu, in, indices); });
      CHECK(indices.read() == positions);
      launches(1, [&] { sort_pairs(gpu, in, values, out, values_out); });
      CHECK(values_out.read() == in_order(records, order));
      int at = -1;
      launches(0, [&] { at = sort_ping_pong(gpu, a, b, {.bits = {0, 24}}); });
      CHECK(at == 1);
      CHECK(b.read() == test::serial_sort(keys, {.bits = {0, 24}}));
      launches(1, [&] { sort_by(gpu, in, low_half{}, by_half); });
      CHECK(by_half.read() == in_order(keys, order_of_halves));
      indices.write(positions);
      launches(few ? 2 : 1, [&] {
        argsort_further(gpu, std::span<const u32>(in.data(), n), indices, {.bits = {0, 8}});
      });
      std::vector<u32> further = positions;
      std::stable_sort(further.begin(), further.end(), [&](u32 x, u32 y) { return keys[x] % 256 < keys[y] % 256; });
      CHECK(indices.read() == further);
    });
  }
}

// Keys of one byte are never sorted by runs.
TEST_CASE("one block: keys of one byte, up to its limit and above it") {
  constexpr std::size_t limit = detail::single_block_items<std::uint8_t>;
  for (const std::size_t n : {limit, limit + 1}) {
    CAPTURE(n);
    const auto keys = test::random_items<std::uint8_t>(n, 66);
    test::for_some_schedules([&] {
      const guarded<std::uint8_t> in(keys, 1);
      guarded<std::uint8_t> out(n), in_place(keys);
      const exec gpu = allocating(test::test_stream());
      const test::runtime_calls done = test::runtime_calls_of([&] { sort(gpu, in, out); });
      CHECK((done.launches == 1) == (n == limit));
      CHECK(out.read() == test::serial_sort(keys, {}));
      sort_in_place(gpu, in_place);
      CHECK(in_place.read() == test::serial_sort(keys, {}));
    });
  }
}

// In place, and so not by ranks, also on a GPU of few multiprocessors.
TEST_CASE("one block: short keys in place up to its limit, by runs above it") {
  constexpr std::size_t limit = detail::few_items_shape::items;
  for (const unsigned multiprocessors : {4u, 128u})
    for (const std::size_t n : {limit, limit + 1, std::size_t{4096}}) {
      CAPTURE(n);
      const test::gpu_of_multiprocessors gpu_of(multiprocessors);
      const auto keys = test::random_items<u32>(n, 67);
      test::for_some_schedules([&] {
        guarded<u32> in_place(keys);
        const test::exact_scratch scratch(sort_in_place_scratch_bytes<u32>(n));
        const test::runtime_calls done = test::runtime_calls_of([&] { sort_in_place(scratch.where(), in_place); });
        CHECK(done.launches == (n == limit ? 1 : 2));
        CHECK(done.fills == 0);
        CHECK(in_place.read() == test::serial_sort(keys, {}));
        scratch.check_guards();
      });
    }
}

}  // namespace algorithms_single_block_sort
