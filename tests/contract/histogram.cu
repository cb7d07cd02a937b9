// SPDX-License-Identifier: Apache-2.0
// The runtime calls of histogram, its refusals, and lengths on the device above the capacity.
#include <ballot/histogram.cuh>
#include <ballot/views.cuh>

#include "support/adjacent.hpp"
#include "support/patterns.hpp"
#include "support/refused.hpp"
#include "support/runtime_calls.hpp"
#include "support/schedules.hpp"

using namespace ballot;
using test::guarded;
using test::refused;

namespace contract_histogram {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 9000;
constexpr key_digit top{24, 8};

TEST_CASE("contract: histogram") {
  const guarded<u32> in(test::random_items<u32>(n, 1));
  guarded<u32> counts(256), many(1u << 20);
  device_value<u64> outside(test::test_stream());
  test::check_contract("histogram", 0, {1, 1}, [&](const exec& gpu) { histogram(gpu, in, top, counts); });
  test::check_contract("histogram, what is outside", 0, {1, 2},
                       [&](const exec& gpu) { histogram(gpu, in, top, counts, outside); });
  test::check_contract("histogram of many bins", 0, {1, 1}, [&](const exec& gpu) {
    histogram(gpu, in, key_digit{0, 20}, many);
  });
  test::check_contract("histogram of none", 0, {0, 2},
                       [&](const exec& gpu) { histogram(gpu, std::span<const u32>{}, top, counts, outside); });
  CHECK(counts.read() == std::vector<u32>(256));
}

TEST_CASE("histogram: the counts of a block stay below 2^32") {
  for (const u64 items : {u64{1}, u64{100'000}, u64{1} << 31, (u64{1} << 31) + 1, u64{1} << 36, (u64{1} << 40) + 7})
    for (const u64 resident : {u64{1}, u64{16}, u64{528}}) {
      const u64 blocks = detail::histogram_blocks(items, 4096, 512, resident);
      CHECK(blocks <= detail::larger(resident, detail::ceil_div(items, u64{1} << 31)));
      CHECK(detail::ceil_div(detail::ceil_div(items, 4096), blocks) * 4096 < u64{1} << 32);
    }
  CHECK(detail::histogram_blocks(1, 4096, 512, 528) == 1);
  CHECK(detail::histogram_blocks(u64{1} << 28, 4096, 512, 528) == 528);
}

// Each plan that a number of bins may meet, on GPUs of every size of shared memory.
TEST_CASE("histogram: the shared memory of a plan is there") {
  using detail::histogram_mode;
  using detail::histogram_plan;
  for (const std::size_t shared : {48u * 1024 - 16, 99u * 1024 - 16, 227u * 1024 - 16})
    for (const u32 bins : {1u, 2u, 255u, 4096u, 12'000u, 30'000u, 65'536u, 113'000u, 120'000u, 1u << 20})
      for (u64 items = 0; items < u64{1} << 34; items = items * 7 + 1) {
        const histogram_plan plan = histogram_plan::of(items, bins, shared);
        CHECK(plan.shared_bytes <= shared);
        if (plan.mode == histogram_mode::columns) CHECK(plan.shared_bytes >= u64{4} * bins << plan.column_bits);
        if (plan.mode == histogram_mode::halves) CHECK(plan.shared_bytes >= u64{2} * bins);
      }
  CHECK(histogram_plan::of(1u << 28, 256, 227 * 1024).mode == histogram_mode::columns);
  CHECK(!histogram_plan::of(4'096, 256, 227 * 1024).has_few_items);
  CHECK(histogram_plan::of(4'095, 256, 227 * 1024).has_few_items);
  CHECK(histogram_plan::of(1'000, 4'096, 227 * 1024).has_few_items);
  CHECK(!histogram_plan::of(1'000, 4'097, 227 * 1024).has_few_items);
  CHECK(histogram_plan::of(1u << 28, 1u << 16, 227 * 1024).mode == histogram_mode::halves);
  CHECK(histogram_plan::of(1u << 28, 1u << 16, 99 * 1024).mode == histogram_mode::device);
  CHECK(histogram_plan::of(1u << 28, 1u << 20, 227 * 1024).mode == histogram_mode::device);
}

TEST_CASE("histogram refuses bad arguments before any work") {
  guarded<u32> in(320), counts(256);
  guarded<u64> outside(2);
  const std::span<u32> null(static_cast<u32*>(nullptr), 320);
  refused("in is null", "`in` is null", [&](const exec& gpu) { histogram(gpu, null, top, counts); });
  refused("counts is null", "`counts` is null", [&](const exec& gpu) { histogram(gpu, in, top, null); });
  refused("no bins", "`counts` has 0 items, bins are 1 to",
          [&](const exec& gpu) { histogram(gpu, in, top, std::span<u32>{}); });
  const std::span<u32> too_many(counts.data(), (std::size_t{1} << 31) + 1);
  refused("too many bins", "`counts` has 2147483649 items, bins are 1 to",
          [&](const exec& gpu) { histogram(gpu, in, top, too_many); });
  const std::span<const u32> far_away(reinterpret_cast<const u32*>(u64{1} << 50), u64{1} << 32);
  refused("counts too narrow", "`counts` has integers of 32 bits, for more items than they count",
          [&](const exec& gpu) { histogram(gpu, far_away, top, counts); });
  u32* const inside = counts.data() + 255;
  refused("a length within counts", "overlaps input `in.length`", [&](const exec& gpu) {
    histogram(gpu, counted{in, inside}, top, counts);
  });
  refused("a length where the count is left", "output `outside`", [&](const exec& gpu) {
    histogram(gpu, counted{in, outside.data()}, top, counts, outside.data());
  });
  refused("an array below a view is null", "`in` is null",
          [&](const exec& gpu) { histogram(gpu, reversed{null}, top, counts); });
  refused("an array below a view is written", "overlaps input `in`",
          [&](const exec& gpu) { histogram(gpu, reversed{counts}, top, counts); });
  test::touching_and_overlapping("histogram", 1, {320 * 4, 256 * 4, 8}, [](const exec& gpu, const auto& at) {
    histogram(gpu, at[0].template of<const u32>(), top, at[1].template of<u32>(), at[2].word());
  });
}

TEST_CASE("histogram: a count above the capacity is the capacity") {
  const guarded<u32> in(test::random_items<u32>(n, 2));
  guarded<u32> counts(200);
  guarded<u64> outside(1);
  const exec gpu = allocating(test::test_stream());
  histogram(gpu, in, top, counts, outside.data());
  const auto want = counts.read();
  const auto want_outside = outside.read();
  test::for_each_schedule([&] {
    for (const u64 above : {~u64{0}, u64{n} + 1}) {
      const guarded<u64> length(std::vector<u64>{above});
      counts.fill_dirt(), outside.fill_dirt();
      histogram(gpu, counted{in, length.data()}, top, counts, outside.data());
      CHECK(counts.read() == want);
      CHECK(outside.read() == want_outside);
    }
  });
}

}  // namespace contract_histogram
