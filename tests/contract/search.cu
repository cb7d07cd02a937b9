// SPDX-License-Identifier: Apache-2.0
// The runtime calls of searches and is_sorted, their refusals, and lengths on the device above the
// capacity.
#include <ballot/search.cuh>
#include <ballot/views.cuh>

#include "support/adjacent.hpp"
#include "support/patterns.hpp"
#include "support/refused.hpp"
#include "support/runtime_calls.hpp"
#include "support/schedules.hpp"

using namespace ballot;
using test::guarded;
using test::refused;

namespace contract_search {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 9000;

struct is_less {
  __host__ __device__ bool operator()(std::uint8_t a, std::uint8_t b) const { return a < b; }
};

TEST_CASE("contract: searches, is_sorted") {
  const guarded<u32> in(test::sorted_items<u32>(n, 1)), keys(test::random_items<u32>(n, 2));
  guarded<u32> out(n);
  device_value<u64> result(test::test_stream());
  const std::span<const u32> none;
  test::check_contract("lower_bound", 0, {1, 0}, [&](const exec& gpu) { lower_bound(gpu, in, keys, out); });
  test::check_contract("upper_bound", 0, {1, 0}, [&](const exec& gpu) { upper_bound(gpu, in, keys, out); });
  test::check_contract("lower_bound in nothing", 0, {1, 0},
                       [&](const exec& gpu) { lower_bound(gpu, none, keys, out); });
  CHECK(out.read() == std::vector<u32>(n));
  test::check_contract("lower_bound of nothing", 0, {0, 0},
                       [&](const exec& gpu) { lower_bound(gpu, in, none, std::span<u32>{}); });
  test::check_contract("is_sorted", is_sorted_scratch_bytes(), {1, 1},
                       [&](const exec& gpu) { is_sorted(gpu, in, result); });
  test::check_contract("is_sorted_until", is_sorted_scratch_bytes(), {1, 1},
                       [&](const exec& gpu) { is_sorted_until(gpu, in, result); });
  test::check_contract("lower_bound in a view", 0, {1, 0}, [&](const exec& gpu) {
    lower_bound(gpu, strided{in, 2}, reversed{keys}, out);
  });
  test::check_contract("is_sorted of a view", is_sorted_scratch_bytes(), {1, 1},
                       [&](const exec& gpu) { is_sorted(gpu, reversed{in}, result); });
  CHECK(result.read(test::test_stream()) == 0);
  test::check_contract("is_sorted of nothing", is_sorted_scratch_bytes(), {1, 1},
                       [&](const exec& gpu) { is_sorted(gpu, none, result); });
  CHECK(result.read(test::test_stream()) == 1);
}

TEST_CASE("`is_sorted_scratch_bytes()`: 512 bytes") { CHECK(is_sorted_scratch_bytes() == 512); }

TEST_CASE("searches and is_sorted refuse bad arguments before any work") {
  guarded<u32> in(320), keys(80), out(80);
  guarded<std::uint8_t> few_bytes(80);
  guarded<u64> result(2);
  const std::span<u32> null(static_cast<u32*>(nullptr), 80);
  refused("sorted is null", "`sorted` is null", [&](const exec& gpu) { lower_bound(gpu, null, keys, out); });
  refused("keys is null", "`keys` is null", [&](const exec& gpu) { upper_bound(gpu, in, null, out); });
  refused("an array below a view is null", "`keys` is null",
          [&](const exec& gpu) { lower_bound(gpu, in, reversed{std::span(null).first(80)}, out); });
  refused("an array below a view is written", "overlaps input `keys`",
          [&](const exec& gpu) { lower_bound(gpu, in, reversed{out}, out); });
  refused("an array below the sorted view is null", "`sorted` is null", [&](const exec& gpu) {
    lower_bound(gpu, strided{null, 2}, keys, out);
  });
  refused("an array below the sorted view is written", "overlaps input `sorted`", [&](const exec& gpu) {
    upper_bound(gpu, gathered{in, out}, keys, out);
  });
  refused("positions that the comparison cannot be called with",
          "`keys` are positions to 256, and the items of `sorted`", [&](const exec& gpu) {
            lower_bound(gpu, few_bytes, positions(257), is_less{}, std::span(reinterpret_cast<u32*>(out.data()), 257));
          });
  refused("a sorted view of more positions than their type has", "`sorted` has 300 items, more positions",
          [&](const exec& gpu) { lower_bound(gpu, positions<std::uint8_t>(300), few_bytes, out); });
  refused("an array below a view of is_sorted is null", "`in` is null",
          [&](const exec& gpu) { is_sorted(gpu, reversed{null}, result.data()); });
  refused("the result in an array below a view", "overlaps input `in`",
          [&](const exec& gpu) { is_sorted(gpu, reversed{result}, result.data() + 1); });
  refused("is_sorted of more positions than their type has", "`in` has 300 items, more positions",
          [&](const exec& gpu) { is_sorted_until(gpu, positions<std::uint8_t>(300), result.data()); });
  refused("positions is null", "`positions` is null", [&](const exec& gpu) { lower_bound(gpu, in, keys, null); });
  refused("another length", "`keys` has 80 items, `positions` has 320",
          [&](const exec& gpu) { lower_bound(gpu, keys, keys, in); });
  refused("more positions than their type has", "`keys` has 300 items, more positions than their type counts",
          [&](const exec& gpu) { lower_bound(gpu, in, positions<std::uint8_t>(300), std::span<u32>(in).first(300)); });
  const std::span<const u32> far_away(reinterpret_cast<const u32*>(u64{1} << 50), u64{1} << 32);
  refused("positions too narrow", "`positions` has integers of 32 bits, for more items than they count",
          [&](const exec& gpu) { lower_bound(gpu, far_away, keys, out); });
  refused("no result", "`result` has no address", [&](const exec& gpu) { is_sorted(gpu, in, nullptr); });
  refused("a length where the result is left", "output `result`", [&](const exec& gpu) {
    is_sorted(gpu, counted{in, result.data()}, result.data());
  });
  guarded<unsigned char> scratch(2048);
  const std::span<u32> within(reinterpret_cast<u32*>(scratch.data()), 320);
  refused("scratch within in", "`scratch`", [&](const exec&) {
    is_sorted(exec(test::test_stream(), scratch.data(), scratch.size()), within, result.data());
  });
  refused("scratch within an array below a view", "`scratch`", [&](const exec&) {
    is_sorted(exec(test::test_stream(), scratch.data(), scratch.size()), reversed{within}, result.data());
  });
  test::touching_and_overlapping("lower_bound", 2, {320, 160, 160}, [](const exec& gpu, const auto& at) {
    lower_bound(gpu, at[0].template of<const u32>(), at[1].template of<const u32>(), at[2].template of<u32>());
  });
  test::touching_and_overlapping("upper_bound", 2, {320, 160, 160}, [](const exec& gpu, const auto& at) {
    upper_bound(gpu, at[0].template of<const u32>(), at[1].template of<const u32>(), at[2].template of<u32>());
  });
  test::touching_and_overlapping("is_sorted_until", 1, {320, 8}, [](const exec& gpu, const auto& at) {
    is_sorted_until(gpu, at[0].template of<const u32>(), at[1].word());
  });
}

TEST_CASE("searches and is_sorted: a count above the capacity is the capacity") {
  const guarded<u32> in(test::sorted_items<u32>(n, 3)), keys(test::random_items<u32>(n, 4));
  guarded<u32> out(n);
  guarded<u64> result(1);
  const exec gpu = allocating(test::test_stream());
  lower_bound(gpu, in, keys, out);
  const auto want = out.read();
  test::for_some_schedules([&] {
    for (const u64 above : {~u64{0}, u64{n} + 1}) {
      const guarded<u64> length(std::vector<u64>{above});
      out.fill_dirt(), result.fill_dirt();
      lower_bound(gpu, counted{in, length.data()}, counted{keys, length.data()}, out);
      is_sorted_until(gpu, counted{in, length.data()}, result.data());
      CHECK(out.read() == want);
      CHECK(result.read()[0] == n);
    }
  });
}

}  // namespace contract_search
