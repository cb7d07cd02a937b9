// SPDX-License-Identifier: Apache-2.0
// The runtime calls of reduce_by_key, its refusals, and lengths on the device above the capacity.
#include <ballot/reduce_by_key.cuh>
#include <ballot/views.cuh>

#include "support/adjacent.hpp"
#include "support/patterns.hpp"
#include "support/refused.hpp"
#include "support/runtime_calls.hpp"
#include "support/schedules.hpp"

using namespace ballot;
using test::guarded;
using test::refused;

namespace contract_reduce_by_key {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 9000;

std::vector<u32> runs_of_seven() {
  std::vector<u32> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<u32>(i / 7);
  return items;
}

TEST_CASE("contract: reduce_by_key") {
  const guarded<u32> keys(runs_of_seven()), values(test::random_items<u32>(n, 1));
  guarded<u32> keys_out(n), sums(n);
  device_value<u64> count(test::test_stream());
  test::check_contract("reduce_by_key", reduce_by_key_scratch_bytes<u32, u32>(n), {2, 0},
                       [&](const exec& gpu) { reduce_by_key(gpu, keys, values, keys_out, sums, count); });
  const std::span<const u32> few_keys(keys.data(), 1000), few(values.data(), 1000);
  test::check_contract("reduce_by_key of views", reduce_by_key_scratch_bytes<u32, u32>(n), {2, 0},
                       [&](const exec& gpu) {
                         reduce_by_key(gpu, reversed{keys}, constant{1u, n}, keys_out, sums, count);
                       });
  test::check_contract("reduce_by_key of one tile", reduce_by_key_scratch_bytes<u32, u32>(1000), {1, 0},
                       [&](const exec& gpu) { reduce_by_key(gpu, few_keys, few, keys_out, sums, count); });
  const std::span<const u32> none;
  test::check_contract("reduce_by_key of none", 0, {0, 1},
                       [&](const exec& gpu) { reduce_by_key(gpu, none, none, keys_out, sums, count); });
}

// The name of the case is the cell of docs/reference.md (tests/house/reference_test.py).
TEST_CASE("`reduce_by_key_scratch_bytes<K, T...>(n)`: 16 bytes a tile for each 8 of a result (u32 of u32: 0.006 n)") {
  CHECK(reduce_by_key_scratch_bytes<u32, u32>(0) == 0);
  u64 before = 0, before_wide = 0;
  for (u64 items = 1; items < u64{1} << 34; items = items * 3 / 2 + 1) {
    const u64 bytes = reduce_by_key_scratch_bytes<u32, u32>(items), tile = detail::runs_shapes<u32, u32>::many::items;
    CHECK(bytes >= (items <= tile ? 0 : 16 * ((items + tile - 1) / tile)));
    CHECK(static_cast<double>(bytes) <= 0.006 * static_cast<double>(items) + 2048);
    CHECK(bytes >= before);
    before = bytes;
    const u64 wide = reduce_by_key_scratch_bytes<u64, double, double, u64, u64>(items);
    CHECK(wide >= before_wide);
    before_wide = wide;
  }
}

TEST_CASE("reduce_by_key refuses bad arguments before any work") {
  guarded<u32> keys(320), values(320), keys_out(320), sums(320), few(319);
  guarded<u64> count(2);
  guarded<std::uint8_t> few_bytes(320);
  const std::span<u32> null(static_cast<u32*>(nullptr), 320);
  refused("keys is null", "`keys` is null",
          [&](const exec& gpu) { reduce_by_key(gpu, null, values, keys_out, sums, count.data()); });
  refused("values is null", "`values` is null",
          [&](const exec& gpu) { reduce_by_key(gpu, keys, null, keys_out, sums, count.data()); });
  refused("keys_out is null", "`keys_out` is null",
          [&](const exec& gpu) { reduce_by_key(gpu, keys, values, null, sums, count.data()); });
  refused("results is null", "`results` is null",
          [&](const exec& gpu) { reduce_by_key(gpu, keys, values, keys_out, null, count.data()); });
  refused("no count", "`count` has no address",
          [&](const exec& gpu) { reduce_by_key(gpu, keys, values, keys_out, sums, nullptr); });
  refused("another length", "`keys` has 320 items, `values` has 319",
          [&](const exec& gpu) { reduce_by_key(gpu, keys, few, keys_out, sums, count.data()); });
  refused("columns of other lengths", "different lengths", [&](const exec& gpu) {
    reduce_by_key(gpu, keys, zip{values, few}, plus{}, keys_out, zip{sums, few}, count.data());
  });
  refused("values are counted", "only `keys` may be counted", [&](const exec& gpu) {
    reduce_by_key(gpu, keys, counted{values, count.data() + 1}, keys_out, sums, count.data());
  });
  refused("an array of a view of keys is null", "`keys` is null", [&](const exec& gpu) {
    reduce_by_key(gpu, gathered{keys, null}, values, keys_out, sums, count.data());
  });
  refused("an array of a view of values is null", "`values` is null",
          [&](const exec& gpu) { reduce_by_key(gpu, keys, reversed{null}, keys_out, sums, count.data()); });
  refused("results in an array of a view", "overlaps input `keys`", [&](const exec& gpu) {
    reduce_by_key(gpu, gathered{keys, sums}, values, keys_out, sums, count.data());
  });
  refused("a view of another length", "`keys` has 320 items, `values` has 319", [&](const exec& gpu) {
    reduce_by_key(gpu, keys, constant{1u, 319}, keys_out, sums, count.data());
  });
  refused("more positions than their type counts", "more positions", [&](const exec& gpu) {
    reduce_by_key(gpu, positions<std::uint8_t>(320), values, few_bytes, sums, count.data());
  });
  u64* const inside = reinterpret_cast<u64*>(sums.data()) + 1;
  refused("a length within the results", "overlaps input `keys.length`", [&](const exec& gpu) {
    reduce_by_key(gpu, counted{keys, inside}, values, keys_out, sums, count.data());
  });
  refused("two columns in one place", "overlaps output `results` column", [&](const exec& gpu) {
    reduce_by_key(gpu, keys, zip{values, values}, plus{}, keys_out, zip{sums, sums}, count.data());
  });
  guarded<unsigned char> scratch(2048);
  const std::span<u32> within(reinterpret_cast<u32*>(scratch.data()), 320);
  guarded<u32> more_keys(n), more(n);
  refused("scratch within the results", "`scratch`", [&](const exec&) {
    reduce_by_key(exec(test::test_stream(), scratch.data(), scratch.size()), more_keys, more, keys_out, within,
                  count.data());
  });
  const std::size_t bytes = 320 * sizeof(u32);
  test::touching_and_overlapping("reduce_by_key", 2, {bytes, bytes, bytes, bytes, sizeof(u64)},
                                 [](const exec& gpu, const auto& at) {
                                   reduce_by_key(gpu, at[0].template of<const u32>(), at[1].template of<const u32>(),
                                                 at[2].template of<u32>(), at[3].template of<u32>(), at[4].word());
                                 });
}

template <class Count>
void check_count() {
  const guarded<u32> keys(std::vector<u32>{4, 4, 9}), values(std::vector<u32>{1, 2, 3});
  guarded<u32> keys_out(3), sums(3);
  device_value<Count> count(test::test_stream());
  reduce_by_key(allocating(test::test_stream()), keys, values, keys_out, sums, count);
  CHECK(count.read(test::test_stream()) == 2);
}
TEST_CASE("reduce_by_key: counts of every type") {
  check_count<u32>();
  check_count<std::int32_t>();
  check_count<u64>();
  check_count<std::int64_t>();
}

TEST_CASE("reduce_by_key: more items than a grid has tiles for") {
  const u64 most = ((u64{1} << 31) - 1) * detail::runs_shapes<u32, u32>::many::items;
  const auto far_away = [](u64 items, unsigned number) {
    return std::span<u32>(reinterpret_cast<u32*>(u64{1} << (50 + number)), items);  // nobody looks at them
  };
  guarded<u64> count(1);
  refused("reduce_by_key", "more items than one grid", [&](const exec& gpu) {
    reduce_by_key(gpu, far_away(most + 1, 0), far_away(most + 1, 1), far_away(1, 2), far_away(1, 3), count.data());
  });
}

TEST_CASE("reduce_by_key: a count above the capacity is the capacity") {
  const guarded<u32> keys(runs_of_seven()), values(test::random_items<u32>(n, 2));
  guarded<u32> keys_out(n), sums(n);
  guarded<u64> count(1);
  const exec gpu = allocating(test::test_stream());
  keys_out.fill_dirt(), sums.fill_dirt();
  reduce_by_key(gpu, keys, values, keys_out, sums, count.data());
  const auto want_keys = keys_out.read(), want = sums.read();
  const auto want_count = count.read();
  test::for_each_schedule([&] {
    for (const u64 above : {~u64{0}, u64{n} + 1}) {
      const guarded<u64> length(std::vector<u64>{above});
      keys_out.fill_dirt(), sums.fill_dirt(), count.fill_dirt();
      reduce_by_key(gpu, counted{keys, length.data()}, values, keys_out, sums, count.data());
      CHECK(keys_out.read() == want_keys);
      CHECK(sums.read() == want);
      CHECK(count.read() == want_count);
    }
  });
}

}  // namespace contract_reduce_by_key
