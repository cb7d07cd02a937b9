// SPDX-License-Identifier: Apache-2.0
// All block patterns through one text: every item against a serial sum, inclusive and exclusive,
// any length and block size. In the emulator also what each pattern says that it costs: barriers
// and additions, exactly.
#include <ballot/survey/patterns/all.cuh>
#include <ballot/survey/scan_tiles.cuh>

#include "support/device_data.hpp"
#include "support/operators.hpp"
#include "support/patterns.hpp"
#include "support/scan_reference.hpp"
#include "support/schedules.hpp"

using namespace ballot;
using survey::scan_kind;

namespace survey_patterns {

// The serial scans of each tile.
template <class T, class Op>
std::vector<T> scanned_tiles(scan_kind kind, const std::vector<T>& items, unsigned tile, T initial, Op op) {
  std::vector<T> sums;
  for (std::size_t begin = 0; begin < items.size(); begin += tile) {
    const std::size_t end = std::min<std::size_t>(items.size(), begin + tile);
    const std::vector<T> one(items.begin() + std::ptrdiff_t(begin), items.begin() + std::ptrdiff_t(end));
    const auto scanned =
        kind == scan_kind::inclusive ? test::serial_inclusive(one, op) : test::serial_exclusive(one, initial, op);
    sums.insert(sums.end(), scanned.begin(), scanned.end());
  }
  return sums;
}

template <class T, class Op>
void check_all_patterns(const std::vector<T>& items, survey::tile_size tile, T initial, Op op) {
  CAPTURE(items.size());
  CAPTURE(tile.items);
  CAPTURE(tile.threads);
  const auto inclusive = scanned_tiles(scan_kind::inclusive, items, tile.items, initial, op),
             exclusive = scanned_tiles(scan_kind::exclusive, items, tile.items, initial, op);
  const test::guarded<T> in(items);
  test::guarded<T> out(items.size());
  const exec where(test::test_stream(), std::span<std::byte>{});
  survey::all_patterns::for_each([&](auto pattern) {
    using pattern_type = decltype(pattern);
    if (pattern_type::full_warps && tile.threads % simt::warp_size != 0) return;
    const std::string name = pattern_type::name;
    CAPTURE(name);
    out.fill_dirt();
    survey::scan_tiles<pattern_type, scan_kind::inclusive>(where, in, initial, op, out, tile);
    CHECK(out.read() == inclusive);
    out.fill_dirt();
    survey::scan_tiles<pattern_type, scan_kind::exclusive>(where, in, initial, op, out, tile);
    CHECK(out.read() == exclusive);
  });
}

using item = test::affine<std::uint64_t>;  // 16 bytes, and composition does not commute
constexpr item initial_map{3, 4};

TEST_CASE("block patterns under every schedule") {
  const auto items = test::random_items<item>(1500, 5);
  test::for_each_schedule([&] {
    for (const survey::tile_size tile :
         {survey::tile_size{33, 32}, {100, 64}, {1, 32}, {64, 96}, {250, 96}, {520, 256}}) {
      const std::size_t n =
          std::min<std::size_t>(items.size(), 2 * tile.items + tile.items / 3);  // the last tile is short
      check_all_patterns(std::vector<item>(items.begin(), items.begin() + std::ptrdiff_t(n)), tile, initial_map,
                         test::compose{});
    }
  });
}

TEST_CASE("block patterns: all lengths around warps, and powers of two") {
  std::vector<unsigned> lengths;
  for (unsigned n = 0; n <= 40; ++n) lengths.push_back(n);
  for (unsigned power = 64; power <= 2048; power *= 2) lengths.insert(lengths.end(), {power - 1, power, power + 1});
  lengths.insert(lengths.end(), {95, 96, 97, 300, 1000, 1055, 1056, 1057, 3000});
  for (const unsigned n : lengths) {
    const auto items = test::random_items<item>(n, n);
    const unsigned tile = std::max(1u, n), threads = n % 3 == 0 ? 32 : n % 3 == 1 ? 96 : 64;
    check_all_patterns(items, {tile, threads}, initial_map, test::compose{});
  }
}

TEST_CASE("block patterns: block sizes") {
  for (const unsigned threads : {1u, 7u, 20u, 32u, 50u, 64u, 96u, 256u, 1000u, 1024u})
    for (const unsigned tile : {1u, 31u, 32u, 100u, threads - 1, threads, threads + 1, 3 * threads + 7}) {
      if (tile == 0 || (tile > 1000 && threads < 32)) continue;
      check_all_patterns(test::random_items<item>(tile + tile / 2, tile), {tile, threads}, initial_map,
                         test::compose{});
    }
}

TEST_CASE("block patterns: the survey's data: all ones, random, and many tiles") {
#if BALLOT_EMULATED
  const std::size_t tiles = 9;
#else
  const std::size_t tiles = 500;
#endif
  for (const survey::tile_size tile : {survey::tile_size{1024, 256}, {1500, 256}, {4100, 1024}}) {
    const std::size_t n = tiles * tile.items - 13;
    check_all_patterns(std::vector<std::uint32_t>(n, 1), tile, std::uint32_t{0}, plus{});
    check_all_patterns(test::small_items<std::uint32_t>(n), tile, std::uint32_t{7}, plus{});
  }
}

TEST_CASE("block patterns in place, on arrays of more shared memory than a launch gets by default") {
  // Bytes, so that there are many: 70000 have four levels of 32. Kogge-Stone takes as much again;
  // every GPU has 64 KiB.
  const unsigned most = BALLOT_EMULATED ? 70000 : 32000;
  const auto items = test::small_items<std::uint8_t>(most + 100);
  const exec where(test::test_stream(), std::span<std::byte>{});
  survey::all_patterns::for_each([&](auto pattern) {
    using pattern_type = decltype(pattern);
    const std::string name = pattern_type::name;
    CAPTURE(name);
    test::guarded<std::uint8_t> in_place(items);
    survey::scan_tiles<pattern_type, scan_kind::inclusive>(where, in_place, in_place, {most, 256});
    CHECK(in_place.read() == scanned_tiles(scan_kind::inclusive, items, most, std::uint8_t{0}, plus{}));
  });
}

TEST_CASE("block patterns: bad arguments are errors before any work") {
  const test::guarded<int> in(std::vector<int>(100, 1));
  test::guarded<int> out(100), shorter(99);
  const exec where(test::test_stream(), std::span<std::byte>{});
  const auto scan = [&](const auto& from, auto&& to, survey::tile_size tile) {
    survey::scan_tiles<survey::radix_sklansky, scan_kind::inclusive>(where, from, to, tile);
  };
  CHECK_THROWS_AS(scan(in, shorter, {32, 32}), invalid_argument);
  CHECK_THROWS_AS(scan(in, out, {0, 32}), invalid_argument);
  CHECK_THROWS_AS(scan(in, out, {32, 0}), invalid_argument);
  CHECK_THROWS_AS(scan(in, out, {32, 48}), invalid_argument);
  CHECK_THROWS_AS(scan(in, out, {32, 1056}), invalid_argument);
  CHECK_THROWS_AS(scan(std::span<const int>(static_cast<const int*>(nullptr), 100), out, {32, 32}), invalid_argument);
  CHECK_THROWS_AS(scan(in, std::span<int>(static_cast<int*>(nullptr), 100), {32, 32}), invalid_argument);
  CHECK_THROWS_AS(scan(std::span<const int>(out.data(), 99), std::span<int>(out.data() + 1, 99), {32, 32}),
                  invalid_argument);
  const auto untouched = out.read();
  CHECK(std::all_of(untouched.begin(), untouched.end(), [](int x) { return test::is_dirt(x); }));
  scan(std::span<const int>{}, std::span<int>{}, {32, 32});  // n = 0 launches nothing
}

#if BALLOT_EMULATED

struct counted_sum {
  std::uint64_t* additions;
  unsigned operator()(unsigned a, unsigned b) const {
    simt::atomic_add(additions, 1u);
    return a + b;
  }
};

template <class Pattern, scan_kind Kind>
void check_costs(survey::tile_size tile) {
  const std::string name = Pattern::name;
  CAPTURE(name);
  CAPTURE(tile.items);
  CAPTURE(tile.threads);
  const test::guarded<unsigned> in(std::vector<unsigned>(tile.items, 1));
  test::guarded<unsigned> out(tile.items);
  test::guarded<std::uint64_t> additions(std::vector<std::uint64_t>{0});
  const exec where(test::test_stream(), std::span<std::byte>{});
  survey::scan_tiles<Pattern, Kind>(where, in, 5u, counted_sum{additions.data()}, out, tile);
  const unsigned to_load = 1;
  const auto barriers = Kind == scan_kind::inclusive ? Pattern::barriers(tile.items, tile.threads)
                                                     : Pattern::exclusive_barriers(tile.items, tile.threads);
  CHECK(emulator::last_stats().barriers == to_load + barriers);
  CHECK(additions.read()[0] == Pattern::additions(tile.items, tile.threads));
}

TEST_CASE("block patterns: as many barriers and additions as they say") {
  for (const unsigned threads : {32u, 96u, 256u})
    for (const unsigned n :
         {1u,  2u,  3u,  4u,  5u,   7u,   8u,   9u,   15u,   16u,   17u,   24u,   31u,   32u,   33u,
          63u, 64u, 65u, 96u, 100u, 255u, 256u, 257u, 1000u, 1024u, 1025u, 1056u, 1057u, 2048u, 3000u})
      survey::all_patterns::for_each([&](auto pattern) {
        check_costs<decltype(pattern), scan_kind::inclusive>({n, threads});
        check_costs<decltype(pattern), scan_kind::exclusive>({n, threads});
      });
}

#endif

}  // namespace survey_patterns
