// SPDX-License-Identifier: Apache-2.0
// The runtime calls of merge, its refusals, and lengths on the device above the capacity.
#include <ballot/merge.cuh>

#include "support/adjacent.hpp"
#include "support/patterns.hpp"
#include "support/refused.hpp"
#include "support/runtime_calls.hpp"
#include "support/schedules.hpp"

using namespace ballot;
using test::guarded;
using test::refused;

namespace contract_merge {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 9000;

struct is_less {
  BALLOT_HOST_DEVICE bool operator()(u32 a, u32 b) const { return a < b; }
};

TEST_CASE("contract: merge") {
  const guarded<u32> a(test::sorted_items<u32>(n, 1)), b(test::sorted_items<u32>(n, 2));
  guarded<u32> out(2 * n), values_out(2 * n);
  const std::size_t bytes = merge_scratch_bytes<u32>(2 * n);
  const std::span<const u32> none;
  test::check_contract("merge", bytes, {1, 0}, [&](const exec& gpu) { merge(gpu, a, b, out); });
  test::check_contract("merge by a comparison", bytes, {1, 0},
                       [&](const exec& gpu) { merge(gpu, a, b, is_less{}, out); });
  test::check_contract("merge_pairs", bytes, {1, 0},
                       [&](const exec& gpu) { merge_pairs(gpu, a, a, b, b, out, values_out); });
  test::check_contract("merge of none", 0, {0, 0}, [&](const exec& gpu) { merge(gpu, none, none, std::span<u32>{}); });
}

// The name of the case is the cell of docs/reference.md (tests/house/reference_test.py).
TEST_CASE("`merge_scratch_bytes<T>(n)`: none up to 64 MiB of keys, else 8 bytes a tile (u32: 0.0011 n)") {
  CHECK(merge_scratch_bytes<u32>(0) == 0);
  for (u64 items = 1; items < u64{1} << 34; items = items * 3 / 2 + 1) {
    const u64 bytes = merge_scratch_bytes<u32>(items), tile = detail::merge_shape_of<u32>::items;
    if (items <= u64{1} << 24) {
      CHECK(bytes == 0);
      continue;
    }
    CHECK(bytes >= 8 * ((items + tile - 1) / tile + 1));
    CHECK(static_cast<double>(bytes) <= 0.0011 * static_cast<double>(items) + 768);
  }
}

TEST_CASE("merge refuses bad arguments before any work") {
  guarded<u32> a(320), b(80), out(400), values_out(400);
  guarded<u64> length(1);
  const std::span<u32> null(static_cast<u32*>(nullptr), 320);
  refused("first is null", "`first` is null", [&](const exec& gpu) { merge(gpu, null, b, out); });
  refused("second is null", "`second` is null", [&](const exec& gpu) { merge(gpu, b, null, out); });
  refused("too long", "`first and second` has 400 items, `out` has 320", [&](const exec& gpu) { merge(gpu, a, b, a); });
  refused("values too short", "`second` has 80 items, `second_values` has 320",
          [&](const exec& gpu) { merge_pairs(gpu, a, a, b, a, out, values_out); });
  refused("a length within out", "overlaps input `second.length`", [&](const exec& gpu) {
    merge(gpu, a, counted{b, out.data() + 5}, out);
  });
  guarded<unsigned char> scratch(4096);
  const std::span<u32> within(reinterpret_cast<u32*>(scratch.data()), 400);
  refused("scratch within out", "`scratch`",
          [&](const exec&) { merge(exec(test::test_stream(), scratch.data(), scratch.size()), a, b, within); });
  test::touching_and_overlapping("merge", 2, {320, 160, 480}, [](const exec& gpu, const auto& at) {
    merge(gpu, at[0].template of<const u32>(), at[1].template of<const u32>(), at[2].template of<u32>());
  });
  test::touching_and_overlapping("merge_pairs", 4, {320, 320, 160, 160, 480, 480}, [](const exec& gpu, const auto& at) {
    merge_pairs(gpu, at[0].template of<const u32>(), at[1].template of<const u32>(), at[2].template of<const u32>(),
                at[3].template of<const u32>(), at[4].template of<u32>(), at[5].template of<u32>());
  });
  const auto far_away = [](u64 items, unsigned number) {
    return std::span<u32>(reinterpret_cast<u32*>(u64{1} << (50 + number)), items);  // nobody looks at them
  };
  const u64 most = ((u64{1} << 31) - 1) * detail::merge_shape_of<u32>::items;
  refused("more than a grid covers", "more items than one grid",
          [&](const exec& gpu) { merge(gpu, far_away(most, 0), far_away(1, 1), far_away(most + 1, 2)); });
}

TEST_CASE("merge: a count above the capacity is the capacity") {
  const guarded<u32> a(test::sorted_items<u32>(n, 3)), b(test::sorted_items<u32>(n, 4));
  guarded<u32> out(2 * n);
  const exec gpu = allocating(test::test_stream());
  merge(gpu, a, b, out);
  const auto want = out.read();
  test::for_each_schedule([&] {
    for (const u64 above : {~u64{0}, u64{n} + 1}) {
      const guarded<u64> length(std::vector<u64>{above});
      out.fill_dirt();
      merge(gpu, counted{a, length.data()}, counted{b, length.data()}, out);
      CHECK(out.read() == want);
    }
  });
}

}  // namespace contract_merge
