// SPDX-License-Identifier: Apache-2.0
// top_k by one cluster: of the input, and of the candidates that tiles have stored.
#include <ballot/top_k.cuh>

#include "support/patterns.hpp"
#include "support/top_k_plan.hpp"

using namespace ballot;
using test::check_top_k;
using test::check_with_plan;
using test::largest_by_position;
using test::smallest_first;

namespace algorithms_top_k_clusters {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using plan = detail::top_k_plan;

plan of_input(u64 k, unsigned blocks) {
  return {.selected = k, .by = plan::rounds::of_cluster, .cluster_blocks = blocks};
}

TEST_CASE("top_k: a cluster selects where it is the fastest") {
  const auto by = [](u64 n, u64 k, int key_bytes = 4, unsigned blocks = 16) {
    return plan::of(n, k, key_bytes, blocks).by;
  };
  CHECK(by(8'192, 100) == plan::rounds::of_one_block);
  CHECK(by(8'193, 100) == plan::rounds::of_cluster);
  CHECK(by(6'144, 100, 8) == plan::rounds::of_one_block);
  CHECK(by(20'000, 7'000) == plan::rounds::of_cluster);
  CHECK(by(73'728, 10) == plan::rounds::of_cluster);
  CHECK(by(73'729, 10) == plan::rounds::of_tiles);
  CHECK(by(131'072, 1'000) == plan::rounds::of_cluster);
  CHECK(by(131'073, 1'000) == plan::rounds::of_filter);
  CHECK(by(262'144, 26'000) == plan::rounds::of_cluster);
  CHECK(by(262'145, 20'000) == plan::rounds::of_filter);
  CHECK(by(81'921, 500, 8) == plan::rounds::of_filter);
  CHECK(by(131'072, 60'000, 8) == plan::rounds::of_cluster);
  CHECK(plan::of(131'073, 60'000, 8, 16).by_digits);
  CHECK(by(20'000, 7'000, 4, 1) != plan::rounds::of_cluster);
  CHECK(by(20'000, 7'000, 16) == plan::rounds::none);
  CHECK(plan::of(700'001, 5'000, 8, 16).cluster_blocks > 1);
  CHECK(plan::of(700'001, 5'000, 8, 1).cluster_blocks == 1);
  // As many blocks as hold the keys.
  for (const int key_bytes : {1, 2, 4, 8})
    for (unsigned blocks = 2; blocks <= 16; ++blocks)
      for (u64 n = 1; n < 600'000; n += n / 50 + 1) {
        const plan of = plan::of(n, n / 2 + 1, key_bytes, blocks);
        if (of.by != plan::rounds::of_cluster) continue;
        CHECK(of.cluster_blocks <= blocks);
        CHECK(n <= of.cluster_blocks * plan::cluster_tile(key_bytes));
      }
}

TEST_CASE("top_k: patterns of keys by a cluster") {
  for (const test::key_pattern& pattern : test::key_patterns) {
    CAPTURE(pattern.name);
    const auto keys = test::make_keys<u32>(pattern, 9'001);
    check_with_plan<u32, true>(keys, 700, of_input(700, 5));
    check_with_plan<u32, false>(keys, 4'400, of_input(4'400, 16));
    check_with_plan<u64, true>(test::make_keys<u64>(pattern, 8'192), 8'191, of_input(8'191, 3));
  }
}

TEST_CASE("top_k: by a cluster, keys that share digits") {
  auto keys = test::random_items<u64>(10'000, 3);
  for (const u64 digits : {u64{0xff00'0000'0000'00ff}, u64{0x0100'0300'00ff'0000}, u64{0x0000'0000'0000'0100}}) {
    CAPTURE(digits);
    auto some = keys;
    for (u64& key : some) key &= digits;
    for (const u64 k : {u64{1}, u64{2'500}, u64{9'999}}) check_with_plan<u64, true>(some, k, of_input(k, 4));
  }
}

// The sampled keys say in which bit keys differ first. Here one key differs before it.
TEST_CASE("top_k: by a cluster, keys that mislead the guess of the first digit") {
  std::vector<u64> keys(9'000);
  for (u64 i = 0; i < keys.size(); ++i) keys[i] = 3 * i % 900;
  keys[5] = u64{1} << 60, keys[8'000] = u64{1} << 13;
  for (const u64 k : {u64{1}, u64{2}, u64{3}, u64{4'000}, u64{8'999}})
    check_with_plan<u64, true>(keys, k, of_input(k, 5));
}

// The keys that fill up the last block's rows are like the last ones in order.
TEST_CASE("top_k: by a cluster, the last keys in order") {
  for (const std::size_t n : {1u, 31u, 1'023u, 1'024u, 1'025u, 5'000u}) {
    CAPTURE(n);
    std::vector<u32> keys(n, 0);
    for (std::size_t i = 0; i < n; i += 3) keys[i] = static_cast<u32>(i % 5);
    for (const std::size_t k : {std::size_t{1}, n - 1, n, n + 7})
      if (k != 0) check_with_plan<u32, true>(keys, k, of_input(std::min(k, n), 2 + n % 15));
  }
}

TEST_CASE("top_k: by a cluster, lengths on the device") {
  auto keys = test::random_items<u32>(30'000, 6);
  REQUIRE(plan::of(30'000, 9'000, 4, 16).by == plan::rounds::of_cluster);
  for (const std::size_t there : {0, 1, 2'499, 9'000, 9'001, 16'384, 29'999})
    check_top_k(keys, there, 9'000, there % 2 != 0 ? largest_by_position : smallest_first, there % 3);
  check_top_k(test::random_items<std::int8_t>(30'000, 1), 30'000, 14'000, smallest_first, 1);
  check_top_k(test::random_items<std::uint16_t>(30'000, 2), 29'777, 8'000, largest_by_position, 1);
  check_top_k(test::random_items<double>(30'000, 2), 30'000, 8'000, largest_by_position, 1);
}

// Candidates that fit, too many, and too few of them.
TEST_CASE("top_k: a cluster selects from candidates") {
  const std::size_t n = 30'000;
  auto keys = test::random_items<u32>(n, 10);
  for (u32& key : keys) key = key / 2 + (1u << 30);
  auto low = keys, high = keys, few = keys;
  for (u64 i = 0; i < detail::sample_of_block; ++i) {
    const auto at = static_cast<std::size_t>(detail::sampled_position(i, n, detail::sample_of_block));
    low[at] = static_cast<u32>(i), high[at] = ~u32{0} - static_cast<u32>(i);
  }
  for (u32& key : few) key %= 3;
  using kind = detail::filter_sample::kind;
  for (const auto* some : {&keys, &low, &high, &few})
    for (const auto& [by, blocks] : {std::pair{kind::tiles, 16u}, std::pair{kind::lists, 8u}})
      for (const u64 k : {u64{200}, u64{3'000}})
        for (const u64 room : {u64{40}, n}) {
          const plan of{.selected = k,
                        .by = plan::rounds::of_filter,
                        .sample = {by, blocks},
                        .filtered = room,
                        .cluster_blocks = 3};
          check_with_plan<u32, true>(*some, k, of);
          check_with_plan<u32, false>(*some, k, of);
        }
}

}  // namespace algorithms_top_k_clusters
