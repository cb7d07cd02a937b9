// SPDX-License-Identifier: Apache-2.0
// The local sort by tiles alone, of keys that lie by their leading digits: what a block finds at
// the ends of its tile, both ways to choose bins, and what is noted of buckets that are too large.
#include <ballot/sort.cuh>

#include "support/device_data.hpp"
#include "support/schedules.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

using namespace ballot;
using detail::ceil_div, detail::launch_action, detail::no_value;

namespace algorithms_tile_sort {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

// Blocks of 1024 keys, tiles of 960.
using shape = detail::block_sort_shape<8, 5, 10>;
constexpr unsigned room = detail::tile_sort_room<shape>, tile = detail::tile_sort_items<shape>;
constexpr unsigned threads = shape::threads;
static_assert(room == 1024 && tile == 960 && threads == 256);

// Keys that lie by the `digits` leading digits of their bits from `low` on.
struct laid_keys {
  std::vector<u64> keys;
  int digits;
  bit_range bits = {0, 64};

  u64 compared(u64 key) const { return detail::compared_bits<u64>::of(bits.low, bits.high)(key); }
  int remaining_bits() const {
    const detail::radix_digit_plan plan{bits.low, bits.high};
    return detail::radix_bits * (plan.passes() - digits);
  }
  u64 bucket(u64 key) const { return compared(key) >> remaining_bits(); }
};

// What the kernel leaves: places[i] is where item i came from.
struct sorted_tiles {
  std::vector<u64> keys;
  std::vector<u32> places, large_parts;
  bool failed = false;
};
sorted_tiles serial(const laid_keys& laid) {
  const std::size_t n = laid.keys.size();
  sorted_tiles want{laid.keys, std::vector<u32>(n), std::vector<u32>(ceil_div(n, std::size_t{tile}))};
  for (std::size_t i = 0; i < n; ++i) want.places[i] = static_cast<u32>(i);
  for (std::size_t begin = 0, end; begin < n; begin = end) {
    end = begin;
    while (end < n && laid.bucket(laid.keys[end]) == laid.bucket(laid.keys[begin])) ++end;
    const auto from = want.places.begin() + static_cast<std::ptrdiff_t>(begin),
               to = want.places.begin() + static_cast<std::ptrdiff_t>(end);
    const auto less = [&](u32 a, u32 b) { return laid.compared(laid.keys[a]) < laid.compared(laid.keys[b]); };
    if (end - begin <= room) {
      std::stable_sort(from, to, less);
    } else {
      for (std::size_t i = begin; i < end; ++i) {
        want.failed |= laid.compared(laid.keys[i]) != laid.compared(laid.keys[begin]);
        want.large_parts[i / tile] += i / tile == begin / tile ? 1u << detail::large_buckets::shift_of_end : 1u;
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) want.keys[i] = laid.keys[want.places[i]];
  return want;
}

template <class V>
void check_as(const laid_keys& laid, const sorted_tiles& want, unsigned blocks, const key_codec<u64>& codec) {
  constexpr bool has_values = !std::is_same_v<V, no_value>;
  using value = std::conditional_t<has_values, V, u32>;
  const std::size_t n = laid.keys.size();
  std::vector<value> places(n), want_places(n);
  std::vector<u64> want_keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    places[i] = static_cast<value>(i), want_places[i] = static_cast<value>(want.places[i]);
    want_keys[i] = codec.decode(want.keys[i]);
  }
  const test::guarded<u64> in(laid.keys, 1);
  const test::guarded<value> values(places, 1);
  test::guarded<u64> out(n);
  test::guarded<value> values_out(places, 3);
  const launch_action leading{launch_action::tile_sort | static_cast<u32>(laid.digits)
                                                             << launch_action::frequent_digit_shift};
  const test::guarded<launch_action> action(std::vector<launch_action>{leading});
  test::guarded<u32> failed(std::vector<u32>{0}), large_parts(want.large_parts.size());
  detail::tile_sort_arguments<u64, V> a{};
  a.keys_in = in.data(), a.keys_out = out.data();
  if constexpr (has_values) a.values_in = values.data(), a.values_out = values_out.data();
  a.n = {n, nullptr};
  a.action = action.data(), a.failed = failed.data(), a.large_parts = large_parts.data();
  a.digits = {laid.bits.low, laid.bits.high};
  a.compared = detail::compared_bits<u64>::of(laid.bits.low, laid.bits.high);
  a.codec = codec;
  simt::launch(detail::tile_sort_kernel<u64, V, shape>,
               simt::launch_config{dim3(blocks), dim3(threads), sizeof(detail::tile_sort_storage<u64, V, shape>),
                                   test::test_stream()},
               a);
  CHECK(out.read() == want_keys);
  if constexpr (has_values) CHECK(values_out.read() == want_places);
  CHECK(failed.read()[0] == (want.failed ? 1u : 0u));
  CHECK(large_parts.read() == want.large_parts);
}

// In one block, which learns from its tiles, and in three.
void check(const std::string& name, const laid_keys& laid) {
  CAPTURE(name);
  const sorted_tiles want = serial(laid);
  const auto descending = detail::codec_of<u64>({.direction = direction::descending});
  if (laid.bits.high == 64) {
    check_as<no_value>(laid, want, 1, {});
    check_as<no_value>(laid, want, 3, descending);
  }
  // Where words have positions, they have room for a head and so many bits.
  if (laid.remaining_bits() > 64 - 2 * shape::position_bits) return;
  if (laid.bits.high != 64) check_as<no_value>(laid, want, 3, {});
  check_as<u32>(laid, want, 1, {});
  check_as<u16>(laid, want, 3, descending);
  check_as<u64>(laid, want, 3, {});
}

// Buckets of these sizes, of random keys. `of_digits` leading digits ascend by `step`.
laid_keys buckets_of(const std::vector<std::size_t>& sizes, int digits = 3, u64 first = 3, u64 step = 5) {
  std::mt19937_64 random(sizes.size());
  laid_keys laid{{}, digits};
  const int below = 64 - 8 * digits;
  for (std::size_t b = 0; b < sizes.size(); ++b)
    for (std::size_t i = 0; i < sizes[b]; ++i)
      laid.keys.push_back((first + b * step) << below | random() >> 8 * digits);
  return laid;
}
std::vector<std::size_t> many(std::size_t count, std::size_t size) { return std::vector<std::size_t>(count, size); }

TEST_CASE("keys that are spread evenly") {
  check("one bucket", buckets_of({500}));
  check("one key", buckets_of({1}));
  check("small buckets", buckets_of(many(400, 9)));
  check("larger ones", buckets_of(many(12, 300)));
  check("of the whole range", buckets_of(many(256, 11), 1, 0, 1));
  check("few bits below", buckets_of(many(500, 6), 7));
}

// Words of pairs have a position of 10 bits: 54 are left for the key.
TEST_CASE("as many bits as a word has beside the position, and one more") {
  for (const u64 step : {256u, 512u})  // from bucket to bucket, of 40 bits each
    check(std::to_string(step), buckets_of(many(64, 9), 3, 64, step));
}

TEST_CASE("the smallest and the largest possible keys") {
  for (const int digits : {1, 3, 7}) {
    auto laid = buckets_of(many(7, 90), digits, 0, digits == 1 ? 42 : 1);
    const u64 below = ~u64{0} >> 8 * digits;
    for (std::size_t i = 0; i < laid.keys.size(); i += 3)
      laid.keys[i] = i % 2 == 0 ? laid.keys[i] & ~below : laid.keys[i] | below;
    check(std::to_string(digits), laid);
  }
}

TEST_CASE("clusters, in which bins overflow, before and behind tiles without") {
  auto keys = [](bool in_clusters, u64 from) {
    auto laid = buckets_of(many(100, 10), 3, from, 1);
    if (in_clusters)
      for (u64& key : laid.keys) key = (key & ~u64{0} << 40) | (key & 0xff);  // the bins by range are too wide
    return laid.keys;
  };
  laid_keys laid{{}, 3};
  for (u64 part = 0; part < 12; ++part) {
    const auto more = keys(part < 2 || (part > 3 && part % 2 == 0), 100 * part);
    laid.keys.insert(laid.keys.end(), more.begin(), more.end());
  }
  check("mixed", laid);
}

// In the first tile each row has heads, in the others few have.
TEST_CASE("buckets far from each other, in one block") {
  laid_keys laid{{}, 3};
  std::mt19937_64 random(7);
  u64 digits = 1;
  const auto append = [&](std::size_t size, u64 step) {
    for (std::size_t i = 0; i < size; ++i) laid.keys.push_back(digits << 40 | random() >> 24);
    digits += step;
  };
  for (int i = 0; i < 105; ++i) append(9, i == 104 ? 100000 : 1);
  append(15, 1);
  for (int i = 0; i < 9; ++i) append(320, i % 3 == 1 ? 100000 : 1);
  check("small ones, and larger ones", laid);
}

TEST_CASE("equal keys, which overflow all bins, and keys in order") {
  auto laid = buckets_of(many(20, 200));
  for (std::size_t i = 0; i < laid.keys.size(); ++i)
    if (i / 200 % 3 != 0) laid.keys[i] = (laid.keys[i] & ~u64{0} << 40) | (i % 7 == 0 ? 5u : 9u);
  check("two keys a bucket", laid);
  std::sort(laid.keys.begin(), laid.keys.end());
  check("in order", laid);
}

TEST_CASE("some of the bits") {
  auto laid = buckets_of(many(200, 13));
  laid.bits = {3, 61};
  std::stable_sort(laid.keys.begin(), laid.keys.end(), [&](u64 a, u64 b) { return laid.bucket(a) < laid.bucket(b); });
  check("58 bits", laid);
}

// A bucket of so many keys, of which so many lie behind the begin of a tile: behind its last keys,
// or around all of it.
TEST_CASE("a bucket across the begin of a tile") {
  for (const std::size_t size : {threads - 1u, threads + 1u, room - 1u, room, room + 1u, room + threads, 2 * tile + 7})
    for (const std::size_t behind : {1u, threads - 1u, threads, threads + 1u, room - threads, tile}) {
      if (behind >= size) continue;
      const std::size_t before = size - behind, tiles_before = ceil_div(before, std::size_t{tile});
      check(std::to_string(size) + ", " + std::to_string(behind) + " behind",
            buckets_of({tiles_before * tile - before, size, 40, 500}));
    }
}

// The room that the keys of the tile before leave is enough for a part of the bucket behind.
TEST_CASE("buckets across both ends of a tile") {
  for (const std::size_t behind : {threads - 1u, threads, threads + 1u, 300u})
    check(std::to_string(behind), buckets_of({860, 320, 600, 140 + behind, 50}));
}

TEST_CASE("more buckets begin in a tile than a block takes at once") {
  check("two", buckets_of({tile - 2, 1000, 30}));
  check("three", buckets_of({500, 450, 900, 900, 20}));
  check("a large one behind", buckets_of({500, 440, room + 100, 20}));
  check("a large one at the end", buckets_of({500, 440, room + 1}));
  check("a large one alone", buckets_of({3 * room}));
}

TEST_CASE("large buckets of equal keys, and of others") {
  auto laid = buckets_of({100, 3 * tile, 77, room + 1, 60});
  for (std::size_t i = 100; i < 100 + 3 * tile; ++i) laid.keys[i] = laid.keys[100];
  check("the second differs", laid);
  for (std::size_t i = 177 + 3 * tile; i < 178 + 3 * tile + room; ++i) laid.keys[i] = laid.keys[177 + 3 * tile];
  check("both are equal", laid);
}

TEST_CASE("under all schedules") {
  const auto laid = buckets_of({300, 800, 90, room + 1, 5, 60});
  const auto want = serial(laid);
  test::for_each_schedule([&] {
    check_as<no_value>(laid, want, 2, {});
    check_as<u32>(laid, want, 2, {});
  });
}

}  // namespace algorithms_tile_sort
