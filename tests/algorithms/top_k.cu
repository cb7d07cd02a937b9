// SPDX-License-Identifier: Apache-2.0
// top_k against a stable sort: sizes, k, types, orders, equal keys, NaNs, lengths on the device, and samples that
// mislead.
#include <ballot/top_k.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

#include <cmath>
#include <numeric>

using namespace ballot;

namespace algorithms_top_k {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// The positions of the first k in the order of the options.
template <class K>
std::vector<u64> reference(const std::vector<K>& keys, std::size_t there, std::size_t k, const top_k_options& options) {
  std::vector<u64> order(there);
  std::iota(order.begin(), order.end(), u64{0});
  std::stable_sort(order.begin(), order.end(), [&](u64 a, u64 b) {
    return ordered_bits(keys[a], options.direction, options.nans) <
           ordered_bits(keys[b], options.direction, options.nans);
  });
  order.resize(std::min(k, there));
  if (options.order == top_k_order::by_position) std::sort(order.begin(), order.end());
  return order;
}

template <class T, class U>
bool same_bits(const std::vector<T>& got, const std::vector<U>& want) {
  for (std::size_t i = 0; i < want.size(); ++i)
    if (std::memcmp(&got[i], &want[i], sizeof(T)) != 0) return false;
  for (std::size_t i = want.size(); i < got.size(); ++i)
    if (!test::is_dirt(got[i])) return false;
  return true;
}

struct triple {
  std::uint32_t a, b, c;
};

template <class K>
void check(const std::vector<K>& keys, std::size_t there, std::size_t k, const top_k_options& options,
           std::size_t shift = 0) {
  const std::size_t n = keys.size(), room = std::min(n, k) + 3;
  CAPTURE(n);
  CAPTURE(there);
  CAPTURE(k);
  const std::vector<u64> order = reference(keys, there, k, options);
  const std::vector<u32> want_indices(order.begin(), order.end());
  std::vector<K> want_keys;
  std::vector<triple> values(n), want_values;
  for (std::size_t i = 0; i < n; ++i) values[i] = {static_cast<u32>(i), static_cast<u32>(3 * i), 7};
  for (const u64 at : order) want_keys.push_back(keys[at]), want_values.push_back(values[at]);
  test::for_some_schedules([&] {
    const test::guarded<K> in(keys, shift);
    const test::guarded<triple> in_values(values);
    const test::guarded<u64> length(std::vector<u64>{there});
    test::guarded<K> keys_out(room, (shift + 1) % 3), pair_keys(room);
    test::guarded<triple> values_out(room);
    test::guarded<u32> indices(room);
    test::guarded<u64> count(3);
    const test::unaligned_scratch of_keys(top_k_scratch_bytes<K>(n, k)),
        of_pairs(top_k_pairs_scratch_bytes<K, triple>(n, k)), of_indices(top_k_indices_scratch_bytes<K, u32>(n, k));
    test::directly_and_captured(
        [&] {
          keys_out.fill_dirt(), pair_keys.fill_dirt(), values_out.fill_dirt(), indices.fill_dirt(), count.fill_dirt();
        },
        [&] {
          const counted now{in, length.data()};
          if (there == n) top_k(of_keys.where(), in, k, keys_out, count.data(), options);
          else top_k(of_keys.where(), now, k, keys_out, count.data(), options);
          top_k_pairs(of_pairs.where(), now, in_values, k, pair_keys, values_out, count.data() + 1, options);
          top_k_indices(of_indices.where(), now, k, indices, count.data() + 2, options);
        },
        [&] {
          CHECK(count.read() == std::vector<u64>(3, order.size()));
          CHECK(same_bits(keys_out.read(), want_keys));
          CHECK(same_bits(pair_keys.read(), want_keys));
          CHECK(same_bits(values_out.read(), want_values));
          CHECK(same_bits(indices.read(), want_indices));
        });
    of_keys.check_guards(), of_pairs.check_guards(), of_indices.check_guards();
  });
}

constexpr top_k_options largest{}, smallest{.direction = direction::ascending},
    in_place_order{.order = top_k_order::by_position};

TEST_CASE("top_k: few keys, every k") {
  const auto keys = test::random_items<u32>(100, 3);
  for (const std::size_t k : {0, 1, 2, 31, 32, 33, 99, 100, 101, 5000})
    check(keys, 100, k, k % 2 ? largest : smallest, k % 3);
  check(keys, 0, 10, largest);
  check(keys, 7, 10, in_place_order);
  check(std::vector<u32>{}, 0, 10, largest);
  check(std::vector<u32>{5}, 1, 1, largest);
  for (const std::size_t n : {1023, 1024, 1025, 4096, 4097, 16384})
    check(test::random_items<u32>(n, 4), n, n / 2, largest, n % 3);
}

using rounds = detail::top_k_plan::rounds;

TEST_CASE("top_k: patterns of keys by each method") {
  const auto by = [](u64 n, u64 k) { return detail::top_k_plan::of(n, k, 4).by; };
  REQUIRE(by(12'289, 300) == rounds::of_tiles);
  REQUIRE(by(34'001, 4'200) == rounds::of_filter);
  REQUIRE(detail::top_k_plan::of(34'001, 14'500, 4).by_digits);
  REQUIRE(by(12'288, 7'000) == rounds::of_one_block);
  for (const test::key_pattern& pattern : test::key_patterns) {
    CAPTURE(pattern.name);
    check(test::make_keys<u32>(pattern, 12'289), 12'289, 300, in_place_order, 1);
    const auto keys = test::make_keys<u32>(pattern, 34'001);
    check(keys, 34'001, 4'200, in_place_order, 1);
    check(keys, 34'001, 14'500, smallest);
    check(test::make_keys<u32>(pattern, 12'288), 12'288, 7'000, smallest, 1);
  }
}

// One block has 12288 keys, of 8 bytes 6144.
TEST_CASE("top_k: by rounds, from some keys on and up to some") {
  const auto by = [](u64 n, u64 k, int key_bytes = 4) { return detail::top_k_plan::of(n, k, key_bytes).by; };
  CHECK(by(12'288, 12'288) == rounds::of_one_block);
  CHECK(by(12'289, 10) == rounds::of_tiles);
  CHECK(by(12'289, 2'389) == rounds::of_tiles);
  CHECK(by(12'289, 2'390) == rounds::of_filter);
  CHECK(by(12'289, 9'000) == rounds::none);
  CHECK(by(6'144, 5'000, 8) == rounds::of_one_block);
  CHECK(by(6'145, 10, 8) == rounds::of_tiles);
  CHECK(by(u64{1} << 20, 28) == rounds::of_tiles);
  CHECK(by(u64{1} << 20, 29) == rounds::of_filter);
  CHECK(by((u64{1} << 20) + 1, 10) == rounds::of_filter);
  CHECK(by(u64{1} << 23, 10, 1) == rounds::of_filter);
  CHECK(by((u64{1} << 23) + 1, 1) == rounds::none);
  CHECK(by(1'000, 10, 16) == rounds::none);
  auto keys = test::random_items<u32>(20'480, 6);
  for (const std::size_t there : {0, 1, 4'095, 4'096, 4'097, 16'384, 20'479, 20'480})
    check(keys, there, 600, in_place_order);
  for (u32& key : keys) key %= 3;
  check(keys, 20'000, 614, largest);
  check(keys, 20'480, 1, largest);
}

TEST_CASE("top_k: by a sample and tiles, lengths on the device") {
  auto keys = test::random_items<u32>(40'000, 6);
  REQUIRE(detail::top_k_plan::of(40'000, 2'500, 4).by == rounds::of_filter);
  for (const std::size_t there : {0, 1, 2'499, 2'500, 8'191, 8'192, 8'193, 16'384, 24'577, 39'999, 40'000})
    check(keys, there, 2'500, there % 2 != 0 ? in_place_order : smallest, there % 3);
  for (u32& key : keys) key = key % 3 == 0 ? 7 : 9;
  check(keys, 40'000, 2'500, largest);
  check(keys, 30'000, 2'500, smallest);
  check(std::vector<u32>(40'000, 5), 40'000, 2'500, largest);
}

TEST_CASE("top_k: types of keys") {
  check(test::random_items<std::int8_t>(20'000, 1), 20'000, 500, largest, 1);
  check(test::random_items<std::uint16_t>(20'000, 2), 17'777, 5'000, smallest, 1);
  check(test::random_items<u64>(20'000, 3), 20'000, 1'000, largest);
  check(test::random_items<std::int64_t>(20'000, 4), 20'000, 9'000, in_place_order);
  check(test::random_items<detail::uint128>(17'000, 5), 17'000, 100, smallest);
  check(test::random_items<detail::int128>(17'000, 6), 16'999, 4'000, largest);
  check(test::random_items<std::uint8_t>(9'000, 7), 9'000, 1'000, largest);
  check(test::random_items<std::uint16_t>(33'000, 7), 32'999, 3'500, in_place_order, 1);
  check(test::random_items<double>(33'000, 8), 32'999, 1'500, largest, 1);
}

TEST_CASE("top_k: without a count, by each method") {
  for (const auto& [n, k] : {std::pair<u64, u64>{1'000, 100}, {20'000, 500}, {20'000, 9'000}, {100'000, 12'000}}) {
    CAPTURE(n);
    CAPTURE(k);
    auto keys = test::random_items<u32>(n, 5);
    for (u32& key : keys) key %= 1000;
    const test::guarded<u64> there(std::vector<u64>{n - 7});
    const test::guarded<u32> in(keys);
    const test::guarded<u32> keys_out(k), pair_keys(k), indices(k);
    const test::guarded<u64> values_out(k), in_values(std::vector<u64>(keys.begin(), keys.end()));
    std::vector<u32> order(n - 7);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return keys[b] < keys[a]; });
    order.resize(k);
    const test::unaligned_scratch of_keys(top_k_scratch_bytes<u32>(n, k)),
        of_pairs(top_k_pairs_scratch_bytes<u32, u64>(n, k)), of_indices(top_k_indices_scratch_bytes<u32, u32>(n, k));
    const counted now{in, there.data()};
    top_k(of_keys.where(), now, k, keys_out);
    top_k_pairs(of_pairs.where(), now, in_values, k, pair_keys, values_out);
    top_k_indices(of_indices.where(), now, k, indices);
    CHECK(indices.read() == order);
    const auto found = keys_out.read(), found_pairs = pair_keys.read();
    const auto found_values = values_out.read();
    for (u64 i = 0; i < k; ++i) {
      REQUIRE(found[i] == keys[order[i]]);
      REQUIRE(found_pairs[i] == keys[order[i]]);
      REQUIRE(found_values[i] == keys[order[i]]);
    }
  }
}

TEST_CASE("top_k: floats, NaNs, both zeros") {
  std::vector<float> keys = test::random_items<float>(20'000, 7);  // some of them NaNs
  for (std::size_t i = 0; i < keys.size(); i += 5) keys[i] = i % 2 == 0 ? 0.0f : -0.0f;
  for (std::size_t i = 1; i < keys.size(); i += 7) keys[i] = i % 2 == 0 ? -std::nanf("1") : std::nanf("2");
  for (const nan_order nans : {nan_order::last, nan_order::first, nan_order::by_bits})
    for (const direction d : {direction::ascending, direction::descending}) {
      check(keys, 20'000, 700, {d, nans, top_k_order::sorted});
      check(keys, 20'000, 19'000, {d, nans, top_k_order::by_position});
    }
  check(std::vector<double>(17'000, std::nan("")), 17'000, 100, largest);
}

// Many candidates: many blocks search the cut among them.
TEST_CASE("top_k: many candidates") {
  const std::size_t n = 500'000, k = 60'000;
  REQUIRE(detail::top_k_plan::of(n, k, 4).by_digits);
  REQUIRE(detail::top_k_plan::of(n, k, 4).sample_blocks == 1);
  auto keys = test::random_items<u32>(n, 8);
  test::depth_first([&] { check(keys, n, k, in_place_order); });
  for (u32& key : keys) key %= 3;
  test::depth_first([&] { check(keys, n - 1000, k, in_place_order); });
}

template <class K, bool Positions>
void check_with_plan(const std::vector<K>& keys, std::size_t k, const detail::top_k_plan& plan) {
  using U = ordered_bits_t<K>;
  using scratch = detail::top_k_scratch<U, u32, Positions>;
  const std::vector<u64> order = reference(keys, keys.size(), k, in_place_order);
  test::for_some_schedules([&] {
    const test::guarded<K> in(keys);
    test::guarded<K> out(order.size());
    test::guarded<u32> positions(order.size());
    test::guarded<u64> count(1);
    detail::scratch_carver measure;
    scratch(measure, keys.size(), plan);
    const test::exact_scratch memory(measure.bytes());
    detail::top_k_launch<U, u32, Positions>(test::test_stream(), memory.where().scratch().data(),
                                            detail::as_key_words(detail::as_input(in)),
                                            key_codec_of<K>(direction::descending), k, plan,
                                            detail::as_key_words(out.data()), positions.data(), count.data(), "test")
        .run(false);
    const auto got = out.read();
    bool same = true;
    for (std::size_t i = 0; i < order.size(); ++i) same &= got[i] == keys[order[i]];
    CHECK(same);
    CHECK(count.read()[0] == order.size());
    if (Positions) CHECK(positions.read() == std::vector<u32>(order.begin(), order.end()));
    memory.check_guards();
  });
}

// Plans of large arrays with few keys: a sample of several blocks, and candidates that are too many, or searched by
// digits.
TEST_CASE("top_k: a sample of several blocks, and candidates of which there are too many") {
  const std::size_t n = 40'000;
  auto uniform = test::random_items<u32>(n, 9);
  auto equal = uniform;
  for (u32& key : equal) key = 4;
  for (const auto* keys : {&uniform, &equal})
    for (const unsigned blocks : {1u, 2u, 4u})
      for (const u64 candidates : {u64{50}, u64{400}, u64{n}})
        for (const bool by_digits : {false, true}) {
          CAPTURE(blocks);
          CAPTURE(candidates);
          CAPTURE(by_digits);
          const detail::top_k_plan plan{40, blocks, candidates, by_digits, candidates};
          check_with_plan<u32, true>(*keys, 40, plan);
          if (blocks == 2) check_with_plan<u32, false>(*keys, 40, plan);
        }
  const auto wide = test::random_items<detail::uint128>(n, 9);
  const auto of_8_bytes = test::random_items<double>(n, 9);
  for (const unsigned blocks : {1u, 2u}) {
    check_with_plan<detail::uint128, true>(wide, 40, {40, blocks, 4'000, false, 4'000});
    check_with_plan<double, true>(of_8_bytes, 40, {40, blocks, 4'000, false, 4'000});
  }
}

// The keys at the places that the sample looks at are the smallest, or the largest, of all.
TEST_CASE("top_k: keys that mislead the sample") {
  const std::size_t n = 30'000, k = 200;
  auto keys = test::random_items<u32>(n, 10);
  for (u32& key : keys) key = key / 2 + (1u << 30);
  auto low = keys, high = keys;
  for (u64 i = 0; i < detail::sample_of_block; ++i) {
    const auto at = static_cast<std::size_t>(detail::sampled_position(i, n, detail::sample_of_block));
    low[at] = static_cast<u32>(i), high[at] = ~u32{0} - static_cast<u32>(i);
  }
  for (const auto* misleading : {&low, &high}) {
    check(*misleading, n, k, largest);
    check(*misleading, n, k, smallest);
    for (const bool by_digits : {false, true})
      check_with_plan<u32, true>(*misleading, k, {k, 1, 2'000, by_digits, 2'000});
    check_with_plan<u32, true>(*misleading, k, {.selected = k, .by = rounds::of_filter});
    check_with_plan<u32, false>(*misleading, k, {.selected = k, .by = rounds::of_filter});
    check_with_plan<u32, true>(*misleading, k, {.selected = k, .sample_blocks = 2, .by = rounds::of_filter});
  }
}

TEST_CASE("top_k: every stretch of the sample has one position") {
  for (const u64 n : {u64{8192}, u64{8193}, u64{100'000}, (u64{1} << 33) + 5})
    for (u64 i = 0, before = 0; i < 8192; ++i) {
      const u64 at = detail::sampled_position(i, n, 8192);
      CHECK(at < n);
      if (i != 0 && at <= before) FAIL("positions do not ascend");
      before = at;
    }
}

}  // namespace algorithms_top_k
