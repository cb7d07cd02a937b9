// SPDX-License-Identifier: Apache-2.0
// Sorts by leading digits whose buckets are too large for a block, which the sample does not show:
// their keys are equal, or all keys make all passes after all, or those of large buckets do.
#include <ballot/sort.cuh>

#include "support/device_data.hpp"
#include "support/schedules.hpp"
#include "support/sort_by_leading_digits.hpp"

#include <string>
#include <utility>
#include <vector>

using namespace ballot;

namespace algorithms_radix_large_buckets {

using namespace test::leading_digits;

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
    // tile_sort.cu has more of these, of tiles alone
    if (digits == 0x4711u) {
      check(room + 1, room + 1, true, way::tiles);
      check(room + 1, room, true, way::again);
      check(3 * room, 3 * room, true, way::tiles);
      check(3 * room, 1, true, way::again);
    } else if (digits == 0) {  // the bucket begins where a tile begins, and the keys change where one begins
      check(2 * tile + 50, tile, true, way::again);
      check(3 * tile, 2 * tile, true, way::again);
    }
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

}  // namespace algorithms_radix_large_buckets
