// SPDX-License-Identifier: Apache-2.0
// What segmented_reduce asks of the runtime, what it refuses, and lengths on the device above the capacity.
#include <ballot/segmented_reduce.cuh>

#include "support/adjacent.hpp"
#include "support/patterns.hpp"
#include "support/refused.hpp"
#include "support/runtime_calls.hpp"
#include "support/schedules.hpp"

using namespace ballot;
using test::guarded;
using test::refused;

namespace contract_segmented_reduce {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 9000;

TEST_CASE("contract: segmented_reduce") {
  const guarded<u32> in(test::random_items<u32>(n, 1));
  guarded<u32> out(n);
  device_value<u64> count(test::test_stream());
  test::check_contract("segmented_reduce", segmented_reduce_scratch_bytes<u32>(n), {2, 0},
                       [&](const exec& gpu) { segmented_reduce(gpu, in, 1u, out, count); });
  test::check_contract("segmented_reduce of none", 0, {1, 0}, [&](const exec& gpu) {
    segmented_reduce(gpu, std::span<const u32>{}, 1u, std::span<u32>{}, count);
  });
}

// The name of the case is the cell of docs/reference.md (tests/house/reference_test.py).
TEST_CASE("`segmented_reduce_scratch_bytes<T>(n)`: 8 bytes a tile (u32: 0.002 n)") {
  CHECK(segmented_reduce_scratch_bytes<u32>(0) == 0);
  u64 before = 0;
  for (u64 items = 1; items < u64{1} << 34; items = items * 3 / 2 + 1) {
    const u64 bytes = segmented_reduce_scratch_bytes<u32>(items), tile = detail::segmented_reduce_shape<u32>::items;
    CHECK(bytes >= 8 * ((items + tile - 1) / tile));
    CHECK(static_cast<double>(bytes) <= 0.002 * static_cast<double>(items) + 768);
    CHECK(bytes >= before);
    before = bytes;
  }
}

TEST_CASE("segmented_reduce refuses bad arguments before any work") {
  guarded<u32> in(320), out(320), few(319);
  guarded<u64> count(2);
  const std::span<u32> null(static_cast<u32*>(nullptr), 320);
  refused("in is null", "`in` is null", [&](const exec& gpu) { segmented_reduce(gpu, null, 1u, out, count.data()); });
  refused("out is null", "`out` is null", [&](const exec& gpu) { segmented_reduce(gpu, in, 1u, null, count.data()); });
  refused("no count", "`count` has no address", [&](const exec& gpu) { segmented_reduce(gpu, in, 1u, out, nullptr); });
  refused("another length", "`in` has 320 items, `out` has 319",
          [&](const exec& gpu) { segmented_reduce(gpu, in, 1u, few, count.data()); });
  u64* const inside = reinterpret_cast<u64*>(out.data()) + 1;
  refused("a length within out", "overlaps input `in's length`", [&](const exec& gpu) {
    segmented_reduce(gpu, counted{in, inside}, 1u, out, count.data());
  });
  refused("a length where the count is left", "output `count`", [&](const exec& gpu) {
    segmented_reduce(gpu, counted{in, count.data()}, 1u, out, count.data());
  });
  guarded<unsigned char> scratch(2048);
  const std::span<u32> within(reinterpret_cast<u32*>(scratch.data()), 320);
  refused("scratch within out", "`scratch`", [&](const exec&) {
    segmented_reduce(exec(test::test_stream(), scratch.data(), scratch.size()), in, 1u, within, count.data());
  });
  const std::size_t bytes = 320 * sizeof(u32);
  test::touching_and_overlapping(
      "segmented_reduce", 1, {bytes, bytes, sizeof(u64)}, [](const exec& gpu, const auto& at) {
        segmented_reduce(gpu, at[0].template of<const u32>(), 1u, at[1].template of<u32>(), at[2].word());
      });
}

template <class Count>
void check_count() {
  const guarded<u32> in(std::vector<u32>{4, 0, 9});
  guarded<u32> out(3);
  device_value<Count> count(test::test_stream());
  segmented_reduce(allocating(test::test_stream()), in, 0u - 4u, out, count);
  CHECK(count.read(test::test_stream()) == 2);
}
TEST_CASE("segmented_reduce: counts of every type") {
  check_count<u32>();
  check_count<std::int32_t>();
  check_count<u64>();
  check_count<std::int64_t>();
}

TEST_CASE("segmented_reduce: more items than a grid has tiles for") {
  const u64 most = ((u64{1} << 31) - 1) * detail::segmented_reduce_shape<u32>::items;
  const auto far_away = [](u64 items, unsigned number) {
    return std::span<u32>(reinterpret_cast<u32*>(u64{1} << (50 + number)), items);  // nobody looks at them
  };
  guarded<u64> count(1);
  refused("segmented_reduce", "more items than one grid", [&](const exec& gpu) {
    segmented_reduce(gpu, far_away(most + 1, 0), 1u, far_away(most + 1, 1), count.data());
  });
}

TEST_CASE("segmented_reduce: a count above the capacity is the capacity") {
  const guarded<u32> in(test::random_items<u32>(n, 2));
  guarded<u32> out(n);
  guarded<u64> count(1);
  const exec gpu = allocating(test::test_stream());
  segmented_reduce(gpu, in, 7u, out, count.data());
  const auto want = out.read();
  const auto want_count = count.read();
  test::for_each_schedule([&] {
    for (const u64 above : {~u64{0}, u64{n} + 1}) {
      const guarded<u64> length(std::vector<u64>{above});
      out.fill_dirt(), count.fill_dirt();
      segmented_reduce(gpu, counted{in, length.data()}, 7u, out, count.data());
      CHECK(out.read() == want);
      CHECK(count.read() == want_count);
    }
  });
}

}  // namespace contract_segmented_reduce
