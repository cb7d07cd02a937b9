// SPDX-License-Identifier: Apache-2.0
// top_k against a stable sort: sizes, k, each way, lengths on the device.
#include <ballot/top_k.cuh>

#include "support/patterns.hpp"
#include "support/top_k_reference.hpp"

#include <numeric>

using namespace ballot;
using test::check_top_k;
using test::largest_by_position;
using test::largest_first;
using test::smallest_first;

namespace algorithms_top_k {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using rounds = detail::top_k_plan::rounds;

TEST_CASE("top_k: few keys, every k") {
  const auto keys = test::random_items<u32>(100, 3);
  for (const std::size_t k : {0, 1, 2, 31, 32, 33, 99, 100, 101, 5000})
    check_top_k(keys, 100, k, k % 2 ? largest_first : smallest_first, k % 3);
  check_top_k(keys, 0, 10, largest_first);
  check_top_k(keys, 7, 10, largest_by_position);
  check_top_k(std::vector<u32>{}, 0, 10, largest_first);
  check_top_k(std::vector<u32>{5}, 1, 1, largest_first);
  for (const std::size_t n : {1023, 1024, 1025, 4096, 4097, 16384})
    check_top_k(test::random_items<u32>(n, 4), n, n / 2, largest_first, n % 3);
}

TEST_CASE("top_k: patterns of keys by each method") {
  const auto by = [](u64 n, u64 k) { return detail::top_k_plan::of(n, k, 4).by; };
  REQUIRE(by(12'289, 300) == rounds::of_tiles);
  REQUIRE(by(34'001, 4'200) == rounds::of_filter);
  REQUIRE(detail::top_k_plan::of(34'001, 14'500, 4).by_digits);
  REQUIRE(by(12'288, 7'000) == rounds::of_one_block);
  unsigned row = 0;
  for (const test::key_pattern& pattern : test::key_patterns) {
    CAPTURE(pattern.name);
    ++row;
    if (!test::left_to_plain_run(row, 0)) {
      check_top_k(test::make_keys<u32>(pattern, 12'289), 12'289, 300, largest_by_position, 1);
      check_top_k(test::make_keys<u32>(pattern, 34'001), 34'001, 14'500, smallest_first);
    }
    if (!test::left_to_plain_run(row, 1)) {
      check_top_k(test::make_keys<u32>(pattern, 34'001), 34'001, 4'200, largest_by_position, 1);
      check_top_k(test::make_keys<u32>(pattern, 12'288), 12'288, 7'000, smallest_first, 1);
    }
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
  CHECK(by(u64{1} << 25, 10, 1) == rounds::of_filter);
  CHECK(by((u64{1} << 25) + 1, 1) == rounds::none);
  CHECK(by(1'000, 10, 16) == rounds::none);
  auto keys = test::random_items<u32>(20'480, 6);
  for (const std::size_t there : {0, 1, 4'095, 4'096, 4'097, 16'384, 20'479, 20'480})
    check_top_k(keys, there, 600, largest_by_position);
  for (u32& key : keys) key %= 3;
  check_top_k(keys, 20'000, 614, largest_first);
  check_top_k(keys, 20'480, 1, largest_first);
}

TEST_CASE("top_k: by a sample and tiles, lengths on the device") {
  auto keys = test::random_items<u32>(40'000, 6);
  REQUIRE(detail::top_k_plan::of(40'000, 2'500, 4).by == rounds::of_filter);
  for (const std::size_t there : {0, 1, 2'499, 2'500, 8'191, 8'192, 8'193, 16'384, 24'577, 39'999, 40'000})
    check_top_k(keys, there, 2'500, there % 2 != 0 ? largest_by_position : smallest_first, there % 3);
  for (u32& key : keys) key = key % 3 == 0 ? 7 : 9;
  check_top_k(keys, 40'000, 2'500, largest_first);
  check_top_k(keys, 30'000, 2'500, smallest_first);
  check_top_k(std::vector<u32>(40'000, 5), 40'000, 2'500, largest_first);
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

}  // namespace algorithms_top_k
