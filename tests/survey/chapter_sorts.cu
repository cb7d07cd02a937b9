// SPDX-License-Identifier: Apache-2.0
// The chapter's sorts by splits, of whole arrays and within blocks, with binary and with generic
// ranks, against std::stable_sort. Keys of few bits carry their position in the others, which a
// sort that is not stable mixes up.
#include <ballot/survey/chapter/block_split_sort.cuh>
#include <ballot/survey/chapter/split_sort.cuh>

#include "support/device_data.hpp"
#include "support/largest.hpp"
#include "support/patterns.hpp"
#include "support/ranking_ways.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace survey_chapter_sorts {

using test::by_four;
using test::default_shape;
using test::one_warp;
using test::rounds;

// Each piece of so many keys sorted by itself.
template <class K>
std::vector<K> sorted_pieces(std::vector<K> keys, std::size_t piece, int low, int high) {
  const K mask = static_cast<K>(static_cast<K>(~K{0}) >> (8 * static_cast<int>(sizeof(K)) - (high - low)));
  const auto value = [&](K key) { return static_cast<K>(static_cast<K>(key >> low) & mask); };
  for (std::size_t begin = 0; begin < keys.size(); begin += piece)
    std::stable_sort(keys.begin() + static_cast<std::ptrdiff_t>(begin),
                     keys.begin() + static_cast<std::ptrdiff_t>(std::min(keys.size(), begin + piece)),
                     [&](K a, K b) { return value(a) < value(b); });
  return keys;
}
template <class K>
std::vector<K> sorted(const std::vector<K>& keys, int low, int high) {
  return sorted_pieces(keys, std::max<std::size_t>(keys.size(), 1), low, high);
}

// `bits` random bits from `low` on, and around them the position.
std::vector<std::uint32_t> numbered_keys(std::size_t n, int low, int bits) {
  const auto random = test::random_items<std::uint32_t>(n, 5);
  std::vector<std::uint32_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto number = static_cast<std::uint32_t>(n - i), below = (1u << low) - 1;
    keys[i] = (number & below) | (random[i] & ((1u << bits) - 1)) << low | number >> low << (low + bits);
  }
  return keys;
}

template <class Direction, class K>
void check_sort(const std::vector<K>& keys, bit_range bits = {}, std::size_t shift = 0) {
  using shape = typename Direction::shape;
  const std::size_t n = keys.size();
  const std::string ranks = Direction::ranks::name;
  CAPTURE(ranks);
  CAPTURE(n);
  CAPTURE(bits.low);
  CAPTURE(bits.high);
  const auto expected = sorted(keys, bits.low, bits.high == bit_range::full ? 8 * int(sizeof(K)) : bits.high);
  const test::guarded<K> in(keys, shift);
  test::guarded<K> out(n, shift);
  const test::exact_scratch scratch(survey::split_sort_with_scratch_bytes<K, shape>(n));
  test::directly_and_captured(
      [&] { out.fill_dirt(); },
      [&] { survey::split_sort_with<typename Direction::ranks, shape>(scratch.where(), in, out, bits); },
      [&] { CHECK(out.read() == expected); });
  CHECK(in.read() == keys);
  scratch.check_guards();
}

template <class Direction, class K>
void check_block_sort(const std::vector<K>& keys, bit_range bits = {}, std::size_t shift = 0) {
  using shape = typename Direction::shape;
  const std::size_t n = keys.size();
  const std::string ranks = Direction::ranks::name;
  CAPTURE(ranks);
  CAPTURE(n);
  CAPTURE(bits.low);
  CAPTURE(bits.high);
  const auto expected =
      sorted_pieces(keys, shape::items, bits.low, bits.high == bit_range::full ? 8 * int(sizeof(K)) : bits.high);
  const test::guarded<K> in(keys, shift);
  test::guarded<K> out(n, shift);
  const exec no_scratch(test::test_stream(), std::span<std::byte>{});
  test::directly_and_captured(
      [&] { out.fill_dirt(); },
      [&] { survey::block_split_sort_with<typename Direction::ranks, shape>(no_scratch, in, out, bits); },
      [&] { CHECK(out.read() == expected); });
  CHECK(in.read() == keys);
  survey::block_split_sort_with<typename Direction::ranks, shape>(no_scratch, in, in, bits);
  CHECK(in.read() == expected);
}

TEST_CASE_TEMPLATE("chapter sorts: all keys, lengths around warps, blocks and tiles", Direction,
                   one_warp<survey::binary_ranks>, one_warp<survey::generic_ranks>, rounds<survey::binary_ranks>,
                   rounds<survey::generic_ranks>, by_four<survey::binary_ranks>, by_four<survey::generic_ranks>) {
  for (const auto& pattern : test::key_patterns) {
    CAPTURE(pattern.name);
    for (const std::size_t n : test::lengths_around(Direction::shape::items)) {
      const auto keys = test::make_keys<std::uint8_t>(pattern, n);
      check_sort<Direction>(keys);
      check_block_sort<Direction>(keys);
    }
  }
}

TEST_CASE_TEMPLATE("chapter sorts are stable, by any range of bits, from any address, under every schedule", Direction,
                   rounds<survey::binary_ranks>, rounds<survey::generic_ranks>, by_four<survey::binary_ranks>,
                   by_four<survey::generic_ranks>) {
  const std::size_t n = 3 * Direction::shape::items + 45;
  test::for_each_schedule([&] {
    check_sort<Direction>(numbered_keys(n, 0, 1), {0, 1});
    check_sort<Direction>(numbered_keys(n, 7, 2), {7, 9}, 1);
    check_block_sort<Direction>(numbered_keys(n, 0, 1), {0, 1});
    check_block_sort<Direction>(numbered_keys(n, 7, 3), {7, 10}, 1);
  });
}

TEST_CASE_TEMPLATE("chapter sorts of all bits, in the default shape", Direction, default_shape<survey::binary_ranks>,
                   default_shape<survey::generic_ranks>) {
  const std::size_t n = 4500;
  check_sort<Direction>(test::random_items<std::uint32_t>(n, 1));
  check_block_sort<Direction>(test::random_items<std::uint32_t>(n, 2));
  check_sort<Direction>(test::random_items<std::uint64_t>(n, 3), {59, 64});
  check_block_sort<Direction>(test::random_items<std::uint64_t>(n, 4), {30, 35});
  check_block_sort<Direction>(std::vector<std::uint32_t>(n, ~0u));  // no other than the missing keys
}

TEST_CASE("chapter sorts: bad arguments are errors before any work") {
  using ranks = survey::binary_ranks;
  const std::size_t n = 5000;
  test::guarded<std::uint32_t> keys(std::vector<std::uint32_t>(n, 7)), out(n);
  const std::size_t bytes = survey::split_sort_with_scratch_bytes<std::uint32_t>(n);
  const test::exact_scratch scratch(bytes), too_small(bytes - 257);
  const exec where = scratch.where();
  using in = std::span<const std::uint32_t>;
  using to = std::span<std::uint32_t>;
  const in none(static_cast<const std::uint32_t*>(nullptr), n);
  const auto sort_all = [](const exec& at, in from, to into, bit_range bits) {
    survey::split_sort_with<ranks>(at, from, into, bits);
  };
  const auto sort_tiles = [](const exec& at, in from, to into, bit_range bits) {
    survey::block_split_sort_with<ranks>(at, from, into, bits);
  };
  for (const auto& sort_ : {+sort_all, +sort_tiles}) {
    CHECK_THROWS_AS(sort_(where, none, out, {}), invalid_argument);
    CHECK_THROWS_AS(sort_(where, keys, to(static_cast<std::uint32_t*>(nullptr), n), {}), invalid_argument);
    CHECK_THROWS_AS(sort_(where, keys, to(out.data(), n - 1), {}), invalid_argument);
    CHECK_THROWS_AS(sort_(where, in(out.data(), n - 1), to(out.data() + 1, n - 1), {}), invalid_argument);
    for (const bit_range bits : {bit_range{5, 5}, bit_range{6, 5}, bit_range{-1, 5}, bit_range{0, 33}})
      CHECK_THROWS_AS(sort_(where, keys, out, bits), invalid_argument);
    sort_(exec(where.stream(), std::span<std::byte>{}), {}, {}, {});
  }
  CHECK_THROWS_AS(sort_all(where, keys, keys, {}), invalid_argument);
  CHECK_THROWS_AS(sort_all(too_small.where(), keys, out, {}), invalid_argument);
  const auto untouched = out.read();
  CHECK(std::all_of(untouched.begin(), untouched.end(), [](std::uint32_t key) { return test::is_dirt(key); }));
  CHECK(survey::split_sort_with_scratch_bytes<std::uint32_t>(0) == 0);
}

#if !BALLOT_EMULATED

TEST_CASE_TEMPLATE("chapter sorts of many keys", Direction, default_shape<survey::binary_ranks>,
                   default_shape<survey::generic_ranks>, test::ranking_way<survey::binary_ranks, survey::items_by_four>,
                   test::ranking_way<survey::generic_ranks, survey::items_by_four>) {
  const auto keys = test::random_items<std::uint32_t>((std::size_t{1} << test::at_most_largest_power(24)) + 3, 6);
  check_sort<Direction>(keys);
  check_block_sort<Direction>(keys);
}

#endif

}  // namespace survey_chapter_sorts
