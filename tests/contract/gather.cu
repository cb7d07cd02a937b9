// SPDX-License-Identifier: Apache-2.0
// The runtime calls of gather and scatter, and their refusals.
#include <ballot/gather.cuh>
#include <ballot/outputs.cuh>
#include <ballot/views.cuh>

#include "support/adjacent.hpp"
#include "support/patterns.hpp"
#include "support/refused.hpp"
#include "support/runtime_calls.hpp"
#include "support/schedules.hpp"

using namespace ballot;
using test::guarded;
using test::refused;

namespace contract_gather {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

TEST_CASE("contract: gather, scatter") {
  const guarded<u32> in(test::random_items<u32>(3'000, 1)), at(test::random_items<u32>(3'000, 2));
  guarded<u32> out(3'000);
  device_value<u64> outside(test::test_stream());
  const std::span<const u32> none;
  test::check_contract("gather", 0, {1, 0}, [&](const exec& gpu) { gather(gpu, in, at, out); });
  test::check_contract("gather, counted", 0, {1, 1}, [&](const exec& gpu) { gather(gpu, in, at, out, outside); });
  test::check_contract("scatter", 0, {1, 0}, [&](const exec& gpu) { scatter(gpu, in, at, out); });
  test::check_contract("scatter, counted", 0, {1, 1}, [&](const exec& gpu) { scatter(gpu, in, at, out, outside); });
  test::check_contract("gather of none", 0, {0, 1},
                       [&](const exec& gpu) { gather(gpu, in, none, std::span<u32>{}, outside); });
  CHECK(outside.read(test::test_stream()) == 0);
}

TEST_CASE("gather and scatter refuse bad arguments before any work") {
  guarded<u32> in(320), at(80), out(80);
  guarded<u64> outside(2);
  const std::span<u32> null(static_cast<u32*>(nullptr), 80);
  refused("in is null", "`in` is null", [&](const exec& gpu) { gather(gpu, null, at, out); });
  refused("indices is null", "`indices` is null", [&](const exec& gpu) { gather(gpu, in, null, out); });
  refused("out is null", "`out` is null", [&](const exec& gpu) { scatter(gpu, out, at, null); });
  refused("another length", "`indices` has 80 items, `out` has 320", [&](const exec& gpu) { gather(gpu, in, at, in); });
  refused("another length", "`in` has 320 items, `indices` has 80",
          [&](const exec& gpu) { scatter(gpu, in, at, out); });
  refused("a length where the count is left", "output `outside`", [&](const exec& gpu) {
    gather(gpu, in, counted{at, outside.data()}, out, outside.data());
  });
  refused("two counts", "counted by two counts", [&](const exec& gpu) {
    scatter(gpu, counted{std::span(in.data(), 80), outside.data()}, counted{at, outside.data() + 1}, out);
  });
  refused("more items than a grid has blocks", "more items than one grid", [&](const exec& gpu) {
    gather(gpu, in, constant{u32{1}, std::uint64_t{1} << 50}, discarded<u32>(std::uint64_t{1} << 50), outside.data());
  });
  refused("an array below a view", "`in` is null", [&](const exec& gpu) { gather(gpu, reversed{null}, at, out); });
  refused("an array below a view of indices", "overlaps input `indices`",
          [&](const exec& gpu) { gather(gpu, in, reversed{out}, out); });
  refused("too many positions", "more positions than their type counts", [&](const exec& gpu) {
    gather(gpu, positions<std::uint8_t>(320), at, std::span(reinterpret_cast<std::uint8_t*>(out.data()), 80));
  });
  test::touching_and_overlapping("gather", 2, {1280, 160, 160, 8}, [](const exec& gpu, const auto& at) {
    gather(gpu, at[0].template of<const u32>(), at[1].template of<const u32>(), at[2].template of<u32>(), at[3].word());
  });
  test::touching_and_overlapping("scatter", 2, {160, 160, 1280, 8}, [](const exec& gpu, const auto& at) {
    scatter(gpu, at[0].template of<const u32>(), at[1].template of<const u32>(), at[2].template of<u32>(),
            at[3].word());
  });
}

}  // namespace contract_gather
