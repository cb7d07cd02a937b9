// SPDX-License-Identifier: Apache-2.0
// The survey's scans of whole arrays against serial sums: every item, inclusive and exclusive, many
// tiny tiles and the default shapes. Also sums of more parts than a tile has items, and large
// arrays on the device.
#include <ballot/survey/block_scan.cuh>
#include <ballot/survey/chained_scan.cuh>
#include <ballot/survey/patterns/all.cuh>
#include <ballot/survey/reduce_then_scan.cuh>

#include "support/device_data.hpp"
#include "support/largest.hpp"
#include "support/operators.hpp"
#include "support/patterns.hpp"
#include "support/scan_reference.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace survey_device_scans {

using tiny = survey::tile_shape<32, 32>;
using small = survey::tile_shape<64, 128>;  // two warps, two items a lane
using raking = survey::radix_raking_reduce_scan;

// Inclusive and exclusive, of every item, directly and captured, with exactly the scratch that was
// asked for.
template <class Algorithm, class T, class Op>
void check_scan(const std::vector<T>& items, T initial, Op op) {
  const std::size_t n = items.size();
  const std::string name = Algorithm::name;
  CAPTURE(name);
  CAPTURE(n);
  const test::guarded<T> in(items);
  test::guarded<T> out(n);
  const test::exact_scratch scratch(Algorithm::template scratch_bytes<T>(n));
  test::directly_and_captured([&] { out.fill_dirt(); }, [&] { Algorithm::inclusive(scratch.where(), in, op, out); },
                              [&] { CHECK(out.read() == test::serial_inclusive(items, op)); });
  test::directly_and_captured([&] { out.fill_dirt(); },
                              [&] { Algorithm::exclusive(scratch.where(), in, initial, op, out); },
                              [&] { CHECK(out.read() == test::serial_exclusive(items, initial, op)); });
  scratch.check_guards();
}

using item = test::affine<std::uint32_t>;  // 8 bytes: 128-bit tile states
using large_item = test::affine<std::uint64_t>;

TEST_CASE_TEMPLATE("survey scans of many tiny tiles", Algorithm, survey::block_scan<tiny>, survey::block_scan<small>,
                   survey::reduce_then_scan<small, raking, ballot::detail::blocks_on_every_gpu<5>>,
                   survey::reduce_then_scan<tiny, raking, ballot::detail::blocks_on_every_gpu<100>>,
                   survey::chained_scan<tiny>, survey::chained_scan<small, raking, survey::look_back_by_lane>) {
  for (const std::size_t n : {0, 1, 31, 32, 33, 127, 128, 129, 391, 32 * 99, 32 * 100 + 1, 32 * 201 - 1}) {
    const auto items = test::random_items<item>(n, 3);
    test::for_each_schedule([&] { check_scan<Algorithm>(items, item{3, 4}, test::compose{}); });
  }
}

TEST_CASE("survey scans: any pattern in the tiles") {
  // Every thread reads the tile's last item, so this sees whether a pattern's results are there for
  // all. Kogge-Stone takes an odd number of steps in the full tiles and an even one in the last.
  const auto items = test::random_items<item>(5 * 128 + 40, 4);
  survey::all_patterns::for_each([&](auto pattern) {
    const std::string name = decltype(pattern)::name;
    CAPTURE(name);
    test::for_each_schedule([&] {
      check_scan<survey::block_scan<survey::tile_shape<64, 128>, decltype(pattern)>>(items, item{3, 4},
                                                                                     test::compose{});
    });
  });
}

TEST_CASE_TEMPLATE("survey scans of items of 16 bytes", Algorithm, survey::block_scan<>,
                   survey::reduce_then_scan<small>) {
  const auto items = test::random_items<large_item>(5000, 4);
  test::for_each_schedule([&] { check_scan<Algorithm>(items, large_item{3, 4}, test::compose{}); });
}

TEST_CASE_TEMPLATE("survey scans: the survey's data in the default shapes", Algorithm, survey::block_scan<>,
                   survey::reduce_then_scan<>, survey::chained_scan<>) {
  for (const std::size_t n : {4096, 9001}) {
    const std::vector<std::uint32_t> ones(n, 1);
    const auto random = test::small_items<std::uint32_t>(n);
    test::for_each_schedule([&] {
      check_scan<Algorithm>(ones, 0u, plus{});
      check_scan<Algorithm>(random, 9u, plus{});  // sums of all 32 bits
    });
  }
}

TEST_CASE_TEMPLATE("survey scans in place and from odd addresses", Algorithm, survey::block_scan<small>,
                   survey::reduce_then_scan<small, raking, ballot::detail::blocks_on_every_gpu<6>>,
                   survey::chained_scan<small>) {
  const std::size_t n = 128 * 12 + 50;
  const auto items = test::small_items<std::uint32_t>(n);
  const auto inclusive = test::serial_inclusive(items), exclusive = test::serial_exclusive(items, 5u);
  test::for_each_schedule([&] {
    const exec where = allocating(test::test_stream());
    for (const std::size_t shift : {0, 1}) {
      test::guarded<std::uint32_t> in(items, shift), out(n, 1 - shift);
      Algorithm::inclusive(where, in, out);
      CHECK(out.read() == inclusive);
      Algorithm::exclusive(where, in, 5u, in);
      CHECK(in.read() == exclusive);
    }
  });
}

TEST_CASE_TEMPLATE("survey scans: bad arguments are errors before any work", Algorithm, survey::block_scan<>,
                   survey::reduce_then_scan<>, survey::chained_scan<>) {
  const std::size_t n = 5000;
  const test::guarded<int> in(std::vector<int>(n, 1));
  test::guarded<int> out(n), shorter(n - 1);
  const std::size_t bytes = Algorithm::template scratch_bytes<int>(n);
  const test::exact_scratch scratch(bytes);
  const exec where = scratch.where();
  CHECK_THROWS_AS(Algorithm::inclusive(where, in, shorter), invalid_argument);
  CHECK_THROWS_AS(Algorithm::inclusive(where, std::span<const int>(static_cast<const int*>(nullptr), n), out),
                  invalid_argument);
  CHECK_THROWS_AS(Algorithm::exclusive(where, in, std::span<int>(static_cast<int*>(nullptr), n)), invalid_argument);
  CHECK_THROWS_AS(
      Algorithm::inclusive(where, std::span<const int>(out.data(), n - 1), std::span<int>(out.data() + 1, n - 1)),
      invalid_argument);
  if (bytes != 0) {
    const test::exact_scratch too_small(bytes - 257);
    CHECK_THROWS_AS(Algorithm::inclusive(too_small.where(), in, out), invalid_argument);
  }
  const auto untouched = out.read();
  CHECK(std::all_of(untouched.begin(), untouched.end(), [](int x) { return test::is_dirt(x); }));
  CHECK(Algorithm::template scratch_bytes<int>(0) == 0);
  Algorithm::inclusive(exec(where.stream(), std::span<std::byte>{}), std::span<const int>{}, std::span<int>{});
}

#if !BALLOT_EMULATED

TEST_CASE_TEMPLATE("survey scans of 2^21 to 2^28 items", Algorithm, survey::block_scan<>, survey::reduce_then_scan<>,
                   survey::chained_scan<>,
                   survey::chained_scan<survey::tile_shape<256, 4096>, raking, survey::look_back_by_lane>) {
  const exec where = allocating(test::test_stream());
  for (int power = 21; power <= test::at_most_largest_power(28); ++power) {
    CAPTURE(power);
    const std::size_t n = (std::size_t{1} << power) - (power % 2 == 0 ? 0 : 3);
    const auto items = test::small_items<std::uint32_t>(n);
    device_array<std::uint32_t> in(n, test::test_stream()), out(n, test::test_stream());
    in.write(items);
    Algorithm::inclusive(where, in, out);
    CHECK(out.read() == test::serial_inclusive(items));
    Algorithm::exclusive(where, in, 11u, out);
    CHECK(out.read() == test::serial_exclusive(items, 11u));
  }
}

TEST_CASE_TEMPLATE("survey scans of more than 2^32 items", Algorithm, survey::reduce_then_scan<>,
                   survey::chained_scan<>) {
  if (test::at_most_largest_power(32) < 32) return;
  const std::size_t n = (std::size_t{1} << 32) + 12345, piece = std::size_t{1} << 28;
  device_array<std::uint8_t> in(n, test::test_stream()), out(n, test::test_stream());
  simt::fill_bytes(test::test_stream(), in.data(), 1, n);
  Algorithm::inclusive(allocating(test::test_stream()), in, out);
  std::vector<std::uint8_t> host(piece);
  for (std::size_t begin = 0; begin < n; begin += piece) {
    const std::size_t end = std::min(n, begin + piece);
    simt::copy_bytes(test::test_stream(), host.data(), out.data() + begin, end - begin);
    simt::synchronize(test::test_stream());
    bool right = true;
    for (std::size_t i = begin; i < end; ++i) right &= host[i - begin] == static_cast<std::uint8_t>(i + 1);
    CHECK(right);
  }
}

#endif

}  // namespace survey_device_scans
