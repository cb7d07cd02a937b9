// SPDX-License-Identifier: Apache-2.0
// The chapter's prefix sums and compaction of whole arrays, with binary and with generic ranks,
// against loops.
#include <ballot/survey/chapter/binary_prefix_sums.cuh>
#include <ballot/survey/chapter/compaction.cuh>

#include "support/device_data.hpp"
#include "support/largest.hpp"
#include "support/patterns.hpp"
#include "support/ranking_ways.hpp"
#include "support/schedules.hpp"

#include <numeric>

using namespace ballot;

namespace survey_chapter_selections {

using test::by_four;
using test::default_shape;
using test::one_warp;
using test::rounds;

template <class Sum>
std::vector<Sum> sums_before(const std::vector<bool>& flags) {
  std::vector<Sum> sums(flags.size());
  std::exclusive_scan(flags.begin(), flags.end(), sums.begin(), Sum{0});
  return sums;
}

template <class Direction, class Sum>
void check_sums(const std::vector<bool>& flags, std::size_t shift = 0) {
  using shape = typename Direction::shape;
  const std::size_t n = flags.size();
  const std::string ranks = Direction::ranks::name;
  CAPTURE(ranks);
  CAPTURE(n);
  const auto expected = sums_before<Sum>(flags);
  const test::guarded<std::uint8_t> in(test::as_bytes(flags), shift);
  test::guarded<Sum> out(n, shift);
  const test::exact_scratch scratch(survey::prefix_sums_with_scratch_bytes<shape>(n));
  test::directly_and_captured(
      [&] { out.fill_dirt(); },
      [&] { survey::prefix_sums_with<typename Direction::ranks, shape>(scratch.where(), in, out); },
      [&] { CHECK(out.read() == expected); });
  scratch.check_guards();
}

struct is_odd {
  template <class T>
  __device__ bool operator()(T item) const {
    return (item & 1u) != 0;
  }
};

// Items whose lowest bit is the flag, with their position above it.
template <class T>
std::vector<T> items_of(const std::vector<bool>& flags) {
  std::vector<T> items(flags.size());
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<T>(2 * i + (flags[i] ? 1 : 0));
  return items;
}

// `lacks`: how many items too short the output is.
template <class Direction, class T>
void check_compaction(const std::vector<bool>& flags, std::size_t lacks = 0, std::size_t shift = 0) {
  using shape = typename Direction::shape;
  const auto items = items_of<T>(flags);
  const std::size_t n = items.size();
  const std::string ranks = Direction::ranks::name;
  CAPTURE(ranks);
  CAPTURE(n);
  std::vector<T> expected;
  for (const T item : items)
    if ((item & 1u) != 0) expected.push_back(item);
  const std::size_t count = expected.size();
  expected.resize(count - std::min(count, lacks));
  const test::guarded<T> in(items, shift);
  test::guarded<T> out(expected.size());
  test::guarded<std::uint64_t> kept(1);
  const test::exact_scratch scratch(survey::compact_with_scratch_bytes<shape>(n));
  test::directly_and_captured(
      [&] {
        out.fill_dirt();
        kept.fill_dirt();
      },
      [&] { survey::compact_with<typename Direction::ranks, shape>(scratch.where(), in, is_odd{}, out, kept.data()); },
      [&] {
        CHECK(out.read() == expected);
        CHECK(kept.read().front() == count);
      });
  scratch.check_guards();
}

TEST_CASE_TEMPLATE("chapter prefix sums and compaction: all flags, lengths around warps, blocks and tiles", Direction,
                   one_warp<survey::binary_ranks>, one_warp<survey::generic_ranks>, rounds<survey::binary_ranks>,
                   rounds<survey::generic_ranks>, by_four<survey::binary_ranks>, by_four<survey::generic_ranks>) {
  for (const auto& pattern : test::flag_patterns) {
    CAPTURE(pattern.name);
    for (const std::size_t n : test::lengths_around(Direction::shape::items)) {
      const auto flags = test::make_flags(pattern, n);
      check_sums<Direction, std::uint32_t>(flags);
      check_compaction<Direction, std::uint32_t>(flags);
    }
  }
}

TEST_CASE_TEMPLATE("chapter prefix sums and compaction under every schedule", Direction, rounds<survey::binary_ranks>,
                   rounds<survey::generic_ranks>, by_four<survey::binary_ranks>, by_four<survey::generic_ranks>) {
  const auto flags = test::make_flags(test::flag_patterns[5], 5 * Direction::shape::items + 33);
  test::for_each_schedule([&] {
    check_sums<Direction, std::uint64_t>(flags);
    check_sums<Direction, std::uint32_t>(flags, 1);  // from odd addresses
    check_compaction<Direction, std::uint64_t>(flags);
    check_compaction<Direction, std::uint16_t>(flags, 0, 1);
    check_compaction<Direction, std::uint32_t>(flags, 100);  // what does not fit is dropped
  });
}

TEST_CASE_TEMPLATE("chapter prefix sums and compaction in the default shape", Direction,
                   default_shape<survey::binary_ranks>, default_shape<survey::generic_ranks>) {
  for (const std::size_t n : {2047, 2048, 2049, 9000}) {
    const auto flags = test::make_flags(test::flag_patterns[7], n);
    check_sums<Direction, std::uint32_t>(flags);
    check_compaction<Direction, std::uint32_t>(flags);
  }
}

TEST_CASE("chapter prefix sums: bad arguments are errors before any work") {
  using ranks = survey::binary_ranks;
  const std::size_t n = 5000;
  const test::guarded<std::uint8_t> flags(std::vector<std::uint8_t>(n, 1));
  test::guarded<std::uint32_t> sums(n), shorter(n - 1);
  const std::size_t bytes = survey::prefix_sums_with_scratch_bytes(n);
  const test::exact_scratch scratch(bytes), too_small(bytes - 257);
  const exec where = scratch.where();
  const auto run = [](const exec& at, std::span<const std::uint8_t> in, std::span<std::uint32_t> out) {
    survey::prefix_sums_with<ranks>(at, in, out);
  };
  const std::span<const std::uint8_t> inside(reinterpret_cast<const std::uint8_t*>(sums.data()) + n, n);
  CHECK_THROWS_AS(run(where, flags, shorter), invalid_argument);
  CHECK_THROWS_AS(run(where, {static_cast<const std::uint8_t*>(nullptr), n}, sums), invalid_argument);
  CHECK_THROWS_AS(run(where, flags, {static_cast<std::uint32_t*>(nullptr), n}), invalid_argument);
  CHECK_THROWS_AS(run(where, inside, sums), invalid_argument);
  CHECK_THROWS_AS(run(too_small.where(), flags, sums), invalid_argument);
  const auto untouched = sums.read();
  CHECK(std::all_of(untouched.begin(), untouched.end(), [](std::uint32_t sum) { return test::is_dirt(sum); }));
  CHECK(survey::prefix_sums_with_scratch_bytes(0) == 0);
  run(exec(where.stream(), std::span<std::byte>{}), {}, {});
}

TEST_CASE("chapter compaction: bad arguments are errors before any work") {
  using ranks = survey::binary_ranks;
  const std::size_t n = 5000;
  test::guarded<std::uint32_t> items(std::vector<std::uint32_t>(n, 1)), out(n);
  test::guarded<std::uint64_t> count(1);
  const std::size_t bytes = survey::compact_with_scratch_bytes(n);
  const test::exact_scratch scratch(bytes), too_small(bytes - 257);
  const exec where = scratch.where();
  const auto run = [](const exec& at, std::span<const std::uint32_t> in, std::span<std::uint32_t> to,
                      device_result<std::uint64_t> kept) { survey::compact_with<ranks>(at, in, is_odd{}, to, kept); };
  CHECK_THROWS_AS(run(where, {static_cast<const std::uint32_t*>(nullptr), n}, out, count.data()), invalid_argument);
  CHECK_THROWS_AS(run(where, items, {static_cast<std::uint32_t*>(nullptr), n}, count.data()), invalid_argument);
  CHECK_THROWS_AS(run(where, items, out, nullptr), invalid_argument);
  CHECK_THROWS_AS(run(where, items, items, count.data()), invalid_argument);
  CHECK_THROWS_AS(run(where, items, out, reinterpret_cast<std::uint64_t*>(out.data())), invalid_argument);
  CHECK_THROWS_AS(run(where, items, out, reinterpret_cast<std::uint64_t*>(items.data())), invalid_argument);
  CHECK_THROWS_AS(run(too_small.where(), items, out, count.data()), invalid_argument);
  CHECK(test::is_dirt(count.read().front()));
  CHECK(test::is_dirt(out.read().front()));
  CHECK(survey::compact_with_scratch_bytes(0) == 0);
  run(exec(where.stream(), std::span<std::byte>{}), {}, {}, count.data());
  CHECK(count.read().front() == 0);
}

#if !BALLOT_EMULATED

TEST_CASE_TEMPLATE("chapter prefix sums and compaction of many items", Direction, default_shape<survey::binary_ranks>,
                   default_shape<survey::generic_ranks>, test::ranking_way<survey::binary_ranks, survey::items_by_four>,
                   test::ranking_way<survey::generic_ranks, survey::items_by_four>) {
  for (int power = 21; power <= test::at_most_largest_power(26); power += 5) {
    const auto flags = test::make_flags(test::flag_patterns[5], (std::size_t{1} << power) + 3);
    check_sums<Direction, std::uint32_t>(flags);
    check_compaction<Direction, std::uint32_t>(flags);
  }
}

TEST_CASE_TEMPLATE("chapter compaction of more than 2^32 items", Ranks, survey::binary_ranks, survey::generic_ranks) {
  if (test::at_most_largest_power(32) < 32) return;
  const std::size_t n = (std::size_t{1} << 32) + 12345;
  device_array<std::uint8_t> in(n, test::test_stream()), out(n, test::test_stream());
  const device_value<std::uint64_t> count(test::test_stream());
  simt::fill_bytes(test::test_stream(), in.data(), 1, n);
  simt::fill_bytes(test::test_stream(), in.data(), 2, 7);
  simt::fill_bytes(test::test_stream(), in.data() + n - 1, 3, 1);
  simt::fill_bytes(test::test_stream(), out.data(), test::dirt, n);
  survey::compact_with<Ranks>(allocating(test::test_stream()), in, is_odd{}, out, count);
  CHECK(count.read(test::test_stream()) == n - 7);
  std::vector<std::uint8_t> last(8);
  simt::copy_bytes(test::test_stream(), last.data(), out.data() + n - 9, last.size());
  simt::synchronize(test::test_stream());
  std::vector<std::uint8_t> expected(last.size(), test::dirt);  // nothing is written behind the kept ones
  expected[0] = 1;
  expected[1] = 3;
  CHECK(last == expected);
}

#endif

}  // namespace survey_chapter_selections
