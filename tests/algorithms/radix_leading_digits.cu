// SPDX-License-Identifier: Apache-2.0
// Sorts by leading digits, in small shapes, into every kind of buffer. The keys are of three kinds:
//
// - their buckets fit a block
// - some buckets do not fit, but have equal keys
// - the sample does not show that buckets are too large
#include <ballot/sort.cuh>

#include "support/device_data.hpp"
#include "support/leading_bits.hpp"
#include "support/leading_digits.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/sort_reference.hpp"

#include <string>

using namespace ballot;
using detail::no_value;

namespace algorithms_radix_leading_digits {

using namespace test::leading_bits;
using namespace test::leading_digits;
using detail::sort_mode;

// Blocks of 1024 keys, tiles of 768, and no sort by leading bits.
struct by_digits : small_local_sort<9> {
  static constexpr u64 least_items = detail::any_number;  // of a sort by leading bits
  static constexpr u64 least_items_by_leading_digits = 3000;
  static constexpr u64 most_items_in_rounds = detail::any_number;
};
using shape = by_digits::narrow;
constexpr unsigned room = shape::items;
// Only the keys of large buckets are sorted again.
struct large_alone : by_digits {
  static constexpr u64 most_items_in_rounds = 0;
};

// The way a sort went. tiles: by tiles. again: then all keys by all digits. large_again: then those of large buckets.
// other: not by leading digits.
enum class way { tiles, again, large_again, other };
struct digits_case {
  std::string name;
  std::vector<u64> keys;
  way expected;
  bit_range bits = {};
};

template <class V>
launch_action tile_sort_of(const test::guarded<std::byte>& scratch, std::size_t n, sort_mode mode) {
  detail::scratch_carver measure(const_cast<std::byte*>(scratch.data()));
  const detail::radix_scratch<u64, V> at(measure, n,
                                         detail::radix_portions(n, passes::items, detail::radix_portion_items), mode,
                                         detail::bucket_offset_words<u64, V, by_digits>(n));
  launch_action action;
  std::memcpy(&action, scratch.read().data() + (reinterpret_cast<const std::byte*>(at.tile_sort) - scratch.data()),
              sizeof(action));
  return action;
}
template <class V>
way way_of(const test::guarded<std::byte>& scratch, std::size_t n, sort_mode mode) {
  detail::scratch_carver measure(const_cast<std::byte*>(scratch.data()));
  const detail::radix_scratch<u64, V> at(measure, n,
                                         detail::radix_portions(n, passes::items, detail::radix_portion_items), mode,
                                         detail::bucket_offset_words<u64, V, by_digits>(n));
  const auto bytes = scratch.read();
  const auto word_at = [&](const void* p) {
    u32 word;
    std::memcpy(&word, bytes.data() + (static_cast<const std::byte*>(p) - scratch.data()), sizeof(word));
    return word;
  };
  if (word_at(at.tile_sort) == 0) return way::other;
  const bool again = word_at(at.failed) != 0, fit = word_at(at.large.fit) != 0;
  for (int round = 0; round < detail::max_radix_rounds; ++round)
    if (!again) CHECK(word_at(at.round_tickets + round) == 0);
  if (!again) CHECK(!fit);
  return fit ? way::large_again : again ? way::again : way::tiles;
}

template <class V, class LocalSort>
void sort_so(std::byte* scratch, const detail::sort_operands<u64, V>& operands, const key_codec<u64>& codec,
             bit_range bits) {
  detail::launch_radix_sort_in_shape<u64, V, passes, histogram, LocalSort>(
      test::test_stream(), scratch, operands, codec, {bits.low, bits.high == bit_range::full ? 64 : bits.high});
}

template <class LocalSort = by_digits>
void check_keys(const digits_case& c, std::size_t length, direction direct = direction::ascending) {
  CAPTURE(c.name);
  const std::size_t n = c.keys.size();
  const sort_options options{.direction = direct, .bits = c.bits};
  const auto codec = detail::codec_of<u64>(options);
  const auto head = std::vector<u64>(c.keys.begin(), c.keys.begin() + static_cast<std::ptrdiff_t>(length));
  const auto want = test::serial_sort(head, options);
  const test::guarded<u64> in(c.keys, 1);
  const test::guarded<u64> count(std::vector<u64>{length});
  {
    auto scratch = scratch_for<u64, no_value, by_digits>(n, sort_mode::out_of_place);
    test::guarded<u64> out(c.keys);
    sort_so<no_value, LocalSort>(scratch.data(), {{in.data(), {n, count.data()}}, out.data(), nullptr, nullptr}, codec,
                                 c.bits);
    const auto got = out.read();
    CHECK(std::equal(want.begin(), want.end(), got.begin()));
    CHECK(std::equal(c.keys.begin() + static_cast<std::ptrdiff_t>(length), c.keys.end(),
                     got.begin() + static_cast<std::ptrdiff_t>(length)));
    if (length == n && direct == direction::ascending)
      CHECK(way_of<no_value>(scratch, n, sort_mode::out_of_place) == c.expected);
  }
  {
    auto scratch = scratch_for<u64, no_value, by_digits>(n, sort_mode::in_place);
    test::guarded<u64> both(c.keys);
    sort_so<no_value, LocalSort>(scratch.data(), {{both.data(), {n, nullptr}}, both.data(), nullptr, nullptr}, codec,
                                 c.bits);
    CHECK(both.read() == test::serial_sort(c.keys, options));
  }
  CHECK(in.read() == c.keys);
}

// Pairs may take one digit more than keys alone.
template <class V, class LocalSort = by_digits>
void check_pairs(const digits_case& c, bool as_keys = true) {
  CAPTURE(c.name);
  const std::size_t n = c.keys.size();
  const sort_options options{.bits = c.bits};
  const auto order = test::serial_argsort(c.keys, options);
  const auto want = test::serial_sort(c.keys, options);
  const std::vector<V> want_values(order.begin(), order.end());
  std::vector<V> positions(n);
  std::iota(positions.begin(), positions.end(), V{0});
  const test::guarded<u64> in(c.keys);
  {
    const test::guarded<V> values(positions, 1);
    test::guarded<u64> out(n);
    test::guarded<V> values_out(positions, 3);
    auto scratch = scratch_for<u64, V, by_digits>(n, sort_mode::out_of_place);
    sort_so<V, LocalSort>(scratch.data(), {{in.data(), {n, nullptr}}, out.data(), values.data(), values_out.data()}, {},
                          c.bits);
    CHECK(values_out.read() == want_values);
    CHECK(out.read() == want);
    if (as_keys) CHECK(way_of<V>(scratch, n, sort_mode::out_of_place) == c.expected);
  }
  {
    test::guarded<u64> both(c.keys);
    test::guarded<V> values(positions);
    auto scratch = scratch_for<u64, V, by_digits>(n, sort_mode::in_place);
    sort_so<V, LocalSort>(scratch.data(), {{both.data(), {n, nullptr}}, both.data(), values.data(), values.data()}, {},
                          c.bits);
    CHECK(both.read() == want);
    CHECK(values.read() == want_values);
  }
  {
    test::guarded<V> values_out(n);
    auto scratch = scratch_for<u64, V, by_digits>(n, sort_mode::values_only);
    sort_so<V, LocalSort>(scratch.data(), {{in.data(), {n, nullptr}}, nullptr, nullptr, values_out.data()}, {}, c.bits);
    CHECK(values_out.read() == want_values);
  }
  {
    test::guarded<u64> a(c.keys), b(n);
    test::guarded<V> values_a(positions), values_b(n);
    auto scratch = scratch_for<u64, V, by_digits>(n, sort_mode::double_buffer);
    sort_so<V, LocalSort>(
        scratch.data(),
        {{a.data(), {n, nullptr}}, b.data(), values_a.data(), values_b.data(), a.data(), values_a.data()}, {}, c.bits);
    CHECK(b.read() == want);
    CHECK(values_b.read() == want_values);
  }
  CHECK(in.read() == c.keys);
}

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

TEST_CASE("a bucket as large as a block, and larger ones, of keys that are equal or not") {
  if (test::left_to_checked_run()) return;
  constexpr unsigned tile = detail::tile_sort_items<shape>;
  static_assert(detail::tile_sort_room<shape> == room && tile < room);
  const std::size_t n = 12011;
  for (const unsigned digits : {0u, 0x4711u, 0xeeffu}) {  // where the bucket lies among the tiles
    CAPTURE(digits);
    const auto check = [&](std::size_t crowd, std::size_t alike, bool rest_alike, way expected) {
      const digits_case c{std::to_string(crowd) + " of them " + std::to_string(alike) + " alike",
                          crowded(n, digits, crowd, alike, rest_alike), expected};
      check_keys(c, n);
      check_pairs<u32>(c, false);
      if (expected != way::again) return;
      const digits_case alone{c.name, c.keys, way::large_again};
      check_keys<large_alone>(alone, n);
      check_pairs<u32, large_alone>(alone, false);
    };
    check(room, 0, false, way::tiles);
    check(room + 1, 0, false, way::again);
    check(room + 1, room + 1, true, way::tiles);
    check(room + 1, room, true, way::again);
    check(3 * room, 3 * room, true, way::tiles);
    check(3 * room, 1, true, way::again);
    // the keys change where a tile begins, if the bucket begins there
    check(2 * tile + 50, tile, true, way::again);
    check(3 * tile, 2 * tile, true, way::again);
  }
}

// As crowded, but with several buckets. Their leading digits follow each other.
std::vector<u64> crowds(std::size_t n, unsigned digits, const std::vector<std::size_t>& sizes) {
  auto keys = random_keys(n, 6);
  const auto hidden = not_sampled(n);
  for (u64& key : keys) key |= u64{1} << 60;
  std::size_t i = 0;
  for (const std::size_t size : sizes) {
    for (std::size_t left = size; left > 0; ++i)
      if (hidden[i]) keys[i] = keys[i] >> 40 | static_cast<u64>(digits) << 48, --left;
    ++digits;
  }
  return keys;
}

// One sort of each case, by whole keys or by some of the bits. digits: the leading ones that are taken; 0: any.
template <class LocalSort = by_digits>
void check_once(const digits_case& c, int digits = 0) {
  CAPTURE(c.name);
  const std::size_t n = c.keys.size();
  const test::guarded<u64> in(c.keys);
  test::guarded<u64> out(n);
  auto scratch = scratch_for<u64, no_value, LocalSort>(n, sort_mode::out_of_place);
  sort_so<no_value, LocalSort>(scratch.data(), {{in.data(), {n, nullptr}}, out.data(), nullptr, nullptr}, {}, c.bits);
  CHECK(out.read() == test::serial_sort(c.keys, {.bits = c.bits}));
  CHECK(way_of<no_value>(scratch, n, sort_mode::out_of_place) == c.expected);
  const launch_action tile_sort = tile_sort_of<no_value>(scratch, n, sort_mode::out_of_place);
  if (digits != 0) CHECK(tile_sort.leading_digits() == digits);
}

TEST_CASE("how many digits are leading, of a few keys of each kind") {
  const std::size_t n = 5003;
  // a twelfth of what a block holds
  check_once({"fewer companions", even_buckets(n, 70), way::tiles}, 2);
  check_once({"more companions", even_buckets(n, 110), way::tiles}, 3);
  check_once({"heavy keys and rare ones", heavy_and_rare(n, 7), way::tiles});
  check_once({"few distinct, and many others", few_and_unseen(n, 5), way::other});
  // More than determined_digits.cuh has an answer for.
  check_once({"a hundred distinct", few(n, 100), way::tiles});
  check_once({"a hundred distinct, and many others", few_and_unseen(n, 100), way::other});
  check_once({"frequent digits that the sample does not show", crowded(n, 0x4711, 2300, 0, false), way::tiles}, 3);
}

// An average key has few companions.
TEST_CASE("one bucket that is too large, and that the sample shows") {
  auto keys = random_keys(16003, 12);
  for (std::size_t i = 0; i < keys.size(); i += 15) keys[i] = keys[i] >> 16 | u64{0x4711} << 48;
  check_once({"a bucket in 15", keys, way::tiles}, 3);
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

// Blocks that are done with a round wait for the others.
TEST_CASE("rounds where blocks overtake each other") {
  const digits_case c{"too many", crowded(4003, 0x4711, room + 100, 1, true), way::again};
  for (const unsigned turn : {2, 3, 4}) test::for_some_schedules(turn, [&] { check_once(c); });
}

TEST_CASE("several large buckets, which fit half of the spare buffer or do not") {
  const std::size_t n = 12011;
  const auto check = [&](const std::vector<std::size_t>& sizes, way expected) {
    const digits_case c{std::to_string(sizes.size()) + " from " + std::to_string(sizes[0]), crowds(n, 0x4711, sizes),
                        expected};
    check_keys<large_alone>(c, n);
    check_keys<large_alone>(c, n, direction::descending);
    check_keys<large_alone>(c, n - 301);
    check_pairs<u32, large_alone>(c, false);
    check_pairs<u64, large_alone>(c, false);
  };
  check({room + 1, room + 300, 50, 2 * room}, way::large_again);
  if (test::left_to_checked_run()) return;
  check({room + 1, room, room + 200, room + 1}, way::large_again);
  check({2 * room + 1, 3 * room + 884}, way::large_again);  // all of the half
  check({2 * room + 1, 3 * room + 885}, way::again);
}

// Each thread of the block has several tiles. All items fit exactly, or all but one.
TEST_CASE("parts of large buckets are placed one behind the other") {
  using scan = block::scan<u64, detail::place_large_threads>;
  const std::size_t tiles = 3 * detail::place_large_threads + 77;
  const u32 tile_items = 100;
  std::vector<u32> parts(tiles), offsets(tiles);
  u32 items = 0;
  for (std::size_t t = 0; t < tiles; ++t) {
    const auto at_begin = static_cast<u32>(t * 7 % 40), at_end = static_cast<u32>(t % 5 == 0 ? t % 60 : 0);
    parts[t] = at_begin | at_end << detail::large_buckets::shift_of_end;
    offsets[t] = items;
    items += at_begin + at_end;
  }
  for (const u32 missing : {0u, 1u})
    test::for_each_schedule([&] {
      test::guarded<u32> of_tiles(parts), placed(tiles), words(std::vector<u32>{0, 0, 0});
      const test::guarded<u32> failed(std::vector<u32>{1});
      test::guarded<u64> counts(8 * detail::radix_digits);
      detail::large_buckets_arguments<u64, no_value> a{};
      a.of = {of_tiles.data(), placed.data(), counts.data(), words.data(), words.data() + 1, words.data() + 2};
      a.failed = failed.data();
      a.n = {tiles * tile_items - 30};
      a.room = items - missing;
      a.tile_items = tile_items;
      a.digits = 8;
      simt::launch(detail::place_large_buckets_kernel<u64, no_value>,
                   simt::launch_config{dim3(1), dim3(detail::place_large_threads), sizeof(typename scan::storage),
                                       test::test_stream()},
                   a);
      CHECK(placed.read() == offsets);
      CHECK(words.read() == (missing == 0 ? std::vector<u32>{items, 1, 0} : std::vector<u32>{0, 0, 1}));
      CHECK(counts.read() == std::vector<u64>(8 * detail::radix_digits));
    });
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

struct of_few_items : by_digits {
  static constexpr u64 many_items_by_leading_digits = detail::any_number;
};

TEST_CASE("of few keys, five passes have to be saved") {
  auto keys = normal(4003);
  for (u64& key : keys) key = key * 0x9e3779b97f4a7c15 >> 8;
  for (const int digits : {6, 7}) {
    const bit_range bits{0, 8 * digits};
    check_keys<>({"three of " + std::to_string(digits), keys, way::tiles, bits}, keys.size());
    check_keys<of_few_items>({std::to_string(digits), keys, digits == 6 ? way::other : way::tiles, bits}, keys.size());
  }
}

struct of_very_many_items : by_digits {
  static constexpr u64 very_many_items_by_leading_digits = 4003;
};

TEST_CASE("of very many keys, two passes that are saved are enough, unless only some bits are compared") {
  for (const std::size_t n : {4002u, 4003u}) {
    const auto keys = masked(random_keys(n, 21), ~0u, u64{0x4711} << 40);
    check_keys<>({"four digits differ", keys, way::other}, n);
    check_keys<of_very_many_items>({"very many", keys, n < 4003 ? way::other : way::tiles}, n);
    check_keys<of_very_many_items>({"very many, some bits", keys, way::other, {0, 32}}, n);
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

struct histogram_of_few : histogram {
  static constexpr bool is_for_few_keys = true;
};

TEST_CASE("a histogram of few keys: by leading digits, unless the sample is in order") {
  auto in_order = normal(4003);
  std::sort(in_order.begin(), in_order.end());
  std::swap(in_order[1000], in_order[1001]);
  auto moved = in_order;
  std::rotate(moved.begin(), moved.begin() + 2000, moved.end());
  for (const auto& [keys, expected] : {std::pair(normal(4003), way::tiles), std::pair(in_order, way::other),
                                       std::pair(moved, way::tiles), std::pair(few(4003, 16), way::other)}) {
    const std::size_t n = keys.size();
    const test::guarded<u64> in(keys);
    test::guarded<u64> out(n);
    auto scratch = scratch_for<u64, no_value, by_digits>(n, sort_mode::out_of_place);
    detail::launch_radix_sort_in_shape<u64, no_value, passes, histogram_of_few, by_digits>(
        test::test_stream(), scratch.data(), {{in.data(), {n, nullptr}}, out.data(), nullptr, nullptr}, {}, {0, 64});
    CHECK(out.read() == test::serial_sort(keys, {}));
    CHECK(way_of<no_value>(scratch, n, sort_mode::out_of_place) == expected);
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
