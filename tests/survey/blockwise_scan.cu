// SPDX-License-Identifier: Apache-2.0
// Every step of the block-wise scan's ladder against a loop, at the same lengths, addresses and
// block sizes.
#include <ballot/survey/blockwise_scan/steps.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/scan_reference.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace survey_blockwise_scan {

template <class T>
std::vector<T> serial_blockwise(std::vector<T> items, std::uint64_t block_items) {
  for (std::size_t i = 0; i < items.size(); ++i)
    if (i % block_items != 0) items[i] = plus{}(items[i - 1], items[i]);
  return items;
}

template <class T, int BlockItems, int Items>
void check_steps(const std::vector<std::size_t>& lengths) {
  for (const auto& step : survey::blockwise_scan_steps<T, BlockItems, Items>()) {
    const std::string name = step.name;  // not a char*: doctest prints those as addresses
    CAPTURE(name);
    for (std::size_t n : lengths) {
      CAPTURE(n);
      const auto items = test::small_items<T>(n);
      const auto sums = serial_blockwise(items, BlockItems);
      test::for_each_schedule([&] {
        const test::guarded<T> in(items, n % 3);
        test::guarded<T> out(n, n % 2);
        const test::exact_scratch scratch(step.scratch_bytes(n));
        test::directly_and_captured([&] { out.fill_dirt(); },
                                    [&] { step.run(scratch.where(), std::span<const T>(in), std::span<T>(out)); },
                                    [&] { CHECK(out.read() == sums); });
      });
    }
  }
}

TEST_CASE("block-wise scan, every step: several warps") { check_steps<int, 512, 4>(test::lengths_around(512)); }

TEST_CASE("block-wise scan, every step: one warp") { check_steps<double, 32, 1>({0, 1, 31, 33, 96, 97, 300}); }

TEST_CASE("block-wise scan, every step: a block that is no power of two") {
  check_steps<std::uint64_t, 96, 3>({0, 95, 97, 192, 193, 583});
}

TEST_CASE("block-wise scan, every step: bad arguments are errors before any work") {
  const test::guarded<int> in(std::vector<int>(100, 1));
  test::guarded<int> out(100);
  const exec where(test::test_stream(), std::span<std::byte>{});
  const std::span<const int> items(in);
  const std::span<int> sums(out);
  for (const auto& step : survey::blockwise_scan_steps<int, 256>()) {
    const std::string name = step.name;
    CAPTURE(name);
    CHECK_THROWS_AS(step.run(where, items, sums.first(99)), invalid_argument);
    CHECK_THROWS_AS(step.run(where, {static_cast<const int*>(nullptr), 100}, sums), invalid_argument);
    CHECK_THROWS_AS(step.run(where, items, {static_cast<int*>(nullptr), 100}), invalid_argument);
    CHECK_THROWS_AS(step.run(where, sums.first(99), sums.last(99)), invalid_argument);
    step.run(where, {}, {});  // nothing to scan: nothing to do
  }
  const auto untouched = out.read();
  CHECK(std::all_of(untouched.begin(), untouched.end(), [](int x) { return test::is_dirt(x); }));
}

}  // namespace survey_blockwise_scan
