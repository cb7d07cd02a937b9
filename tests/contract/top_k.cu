// SPDX-License-Identifier: Apache-2.0
// What top_k asks of the runtime, what it refuses, and lengths on the device above the capacity.
#include <ballot/top_k.cuh>

#include "support/adjacent.hpp"
#include "support/patterns.hpp"
#include "support/refused.hpp"
#include "support/runtime_calls.hpp"
#include "support/schedules.hpp"

using namespace ballot;
using test::guarded;
using test::refused;

namespace contract_top_k {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr top_k_options by_position{.order = top_k_order::by_position};

TEST_CASE("contract: top_k") {
  const std::size_t n = 20'000;
  const guarded<u32> in(test::random_items<u32>(n, 1)), values(test::random_items<u32>(n, 2));
  guarded<u32> out(n), second(n);
  device_value<u64> count(test::test_stream());
  const std::span<const u32> few = std::span<const u32>(in).first(8'192);
  const auto bytes = [](u64 items, u64 k) { return top_k_scratch_bytes<u32>(items, k); };
  test::check_contract("top_k of few", bytes(8'192, 99), {1, 0},
                       [&](const exec& gpu) { top_k(gpu, few, 99, out, count, by_position); });
  test::check_contract("top_k of few, sorted", bytes(8'192, 99), {2, 0},
                       [&](const exec& gpu) { top_k(gpu, few, 99, out, count); });
  // One cluster, or three digits of a key and two of a position, and a compaction in two launches.
  test::with_and_without_clusters([&](std::uint64_t launches) {
    const bool in_cluster = launches == 1;
    test::check_contract("top_k by two rounds", bytes(n, 99), {launches, 0},
                         [&](const exec& gpu) { top_k(gpu, in, 99, out, count, by_position); });
    test::check_contract("top_k by two rounds, sorted", bytes(n, 99), {launches + 1, 0},
                         [&](const exec& gpu) { top_k(gpu, in, 99, out, count); });
    test::check_contract("top_k_pairs", top_k_pairs_scratch_bytes<u32, u32>(n, 99), {launches + 2, 0},
                         [&](const exec& gpu) { top_k_pairs(gpu, in, values, 99, out, second, count); });
    test::check_contract("top_k_indices", top_k_indices_scratch_bytes<u32, u32>(n, 99), {launches + 1, 0},
                         [&](const exec& gpu) { top_k_indices(gpu, in, 99, out, count); });
    test::check_contract("top_k by digits", bytes(n, n / 2), {in_cluster ? 1u : 7u, in_cluster ? 0u : 1u},
                         [&](const exec& gpu) { top_k(gpu, in, n / 2, out, nullptr, by_position); });
    const std::span<const u32> some = std::span<const u32>(in).first(12'288);
    test::check_contract("top_k of 12288", bytes(12'288, 99), {1, 0},
                         [&](const exec& gpu) { top_k(gpu, some, 99, out, count, by_position); });
  });
  test::check_contract("top_k of none", 0, {0, 1},
                       [&](const exec& gpu) { top_k(gpu, std::span<const u32>{}, 5, std::span<u32>{}, count); });
  test::check_contract("top_k, none wanted", 0, {0, 1}, [&](const exec& gpu) { top_k(gpu, in, 0, out, count); });
  test::check_contract("top_k, none wanted, not counted", 0, {0, 0}, [&](const exec& gpu) { top_k(gpu, in, 0, out); });
}

TEST_CASE("contract: top_k by a sample") {
  const std::size_t n = 200'000;
  const guarded<u32> in(test::random_items<u32>(n, 1));
  guarded<u32> out(18'000);
  device_value<u64> count(test::test_stream());
  const std::span<const u32> fewer = std::span<const u32>(in).first(100'000);
  test::with_and_without_clusters([&](std::uint64_t launches) {
    const bool in_cluster = launches == 1;
    test::check_contract("top_k by a sample and tiles", top_k_scratch_bytes<u32>(n, 3'000), {3, 0},
                         [&](const exec& gpu) { top_k(gpu, in, 3'000, out, count, by_position); });
    test::check_contract("top_k by a sample and tiles, or a cluster", top_k_scratch_bytes<u32>(100'000, 3'000),
                         {in_cluster ? 1u : 3u, 0},
                         [&](const exec& gpu) { top_k(gpu, fewer, 3'000, out, count, by_position); });
    test::check_contract("top_k by a sample", top_k_scratch_bytes<u32>(n, 18'000), {in_cluster ? 1u : 4u, 0},
                         [&](const exec& gpu) { top_k(gpu, in, 18'000, out, count, by_position); });
  });
}

TEST_CASE("contract: top_k of many candidates") {
  const std::size_t n = 600'000;
  const guarded<u32> in(test::random_items<u32>(n, 1));
  guarded<u32> out(70'000);
  // Three digits of a key and two of a position, and a compaction: the keys are too few for a
  // sample.
  test::check_contract("top_k of many candidates", top_k_scratch_bytes<u32>(n, 70'000), {7, 1},
                       [&](const exec& gpu) { top_k(gpu, in, 70'000, out, nullptr, by_position); });
  // Candidates that one block cannot hold are a cluster's.
  test::with_and_without_clusters([&](std::uint64_t launches) {
    test::check_contract("top_k of some candidates", top_k_scratch_bytes<u32>(n, 20'000), {launches == 1 ? 3u : 4u, 0},
                         [&](const exec& gpu) { top_k(gpu, in, 20'000, out, nullptr, by_position); });
  });
}

TEST_CASE("top_k: scratch is little beside the keys where k is") {
  CHECK(top_k_scratch_bytes<u32>(0, 10) == 0);
  CHECK(top_k_scratch_bytes<u32>(10, 0) == 0);
  CHECK(top_k_scratch_bytes<u32>(u64{1} << 28, 1000) < 1'600'000);
  CHECK(top_k_pairs_scratch_bytes<u32, u64>(u64{1} << 28, 1000) < 2'000'000);
  CHECK(top_k_indices_scratch_bytes<u64, u64>((u64{1} << 33) + 1, 1000) < u64{1} << 27);
  for (u64 n = 1; n < u64{1} << 34; n = n * 3 + 1)
    for (u64 k = 1; k <= n; k = k * 5 + 1) {
      const detail::top_k_plan plan = detail::top_k_plan::of(n, k, 4);
      if (plan.sample_blocks != 0 && plan.by == detail::top_k_plan::rounds::none) CHECK(plan.candidates >= k);
      CHECK(plan.left(n) <= 12'288);
      CHECK(plan.candidates <= n);
      // Half as many keys never need more.
      CHECK(top_k_scratch_bytes<u32>(n / 2, k) <= top_k_scratch_bytes<u32>(n, k));
      CHECK(top_k_indices_scratch_bytes<u64, u64>(n / 2, k) <= top_k_indices_scratch_bytes<u64, u64>(n, k));
    }
}

// Whatever way they take.
template <class Bytes>
void check_fewer_need_no_more(const Bytes& bytes) {
  for (const u64 k : {u64{1}, u64{1'000}, u64{2'049}, u64{7'169}, u64{12'289}, u64{100'000}, u64{123'456'789}}) {
    CAPTURE(k);
    bool ascends = true;
    std::size_t before = 0;
    const auto next = [&](u64 n) {
      const std::size_t now = bytes(n, k);
      ascends &= before <= now;
      before = now;
    };
    for (u64 n = 1; n < u64{1} << 60; n += n / 200 + 1) next(n);
    for (const u64 edge : {u64{6'144}, u64{12'288}, u64{16'384}, u64{1} << 20, u64{1} << 21, u64{1} << 23, 8 * k,
                           129 * k, 257 * k, 513 * k}) {
      before = 0;
      for (u64 n = edge < 40 ? 1 : edge - 40; n < edge + 40; ++n) next(n);
    }
    CHECK(ascends);
  }
}
TEST_CASE("top_k: fewer keys never need more scratch") {
  check_fewer_need_no_more([](u64 n, u64 k) { return top_k_scratch_bytes<u32>(n, k); });
  check_fewer_need_no_more([](u64 n, u64 k) { return top_k_pairs_scratch_bytes<u32, u64>(n, k); });
  check_fewer_need_no_more([](u64 n, u64 k) { return top_k_indices_scratch_bytes<u64, u64>(n, k); });
  check_fewer_need_no_more([](u64 n, u64 k) { return top_k_scratch_bytes<detail::uint128>(n, k); });
}
// The room that a call takes is not more than what is asked for.
TEST_CASE("top_k: scratch has room for each way") {
  using scratch = detail::top_k_scratch<u32, u32, true>;
  for (u64 n = 1; n < u64{1} << 40; n += n / 9 + 1)
    for (u64 k = 1; k <= 2 * n; k += k / 5 + 1) {
      for (const unsigned cluster_blocks : {1u, 2u, 16u}) {
        detail::scratch_carver measure;
        scratch(measure, n, detail::top_k_plan::of(n, k, 4, cluster_blocks));
        if (measure.bytes() > scratch::bytes(n, k)) FAIL("n = ", n, ", k = ", k);
      }
    }
}

TEST_CASE("top_k refuses bad arguments before any work") {
  guarded<u32> in(320), out(320), few(9);
  guarded<u64> count(2);
  const std::span<u32> null(static_cast<u32*>(nullptr), 320);
  refused("keys is null", "`keys` is null", [&](const exec& gpu) { top_k(gpu, null, 10, out, count.data()); });
  refused("keys_out is null", "`keys_out` is null", [&](const exec& gpu) { top_k(gpu, in, 10, null, count.data()); });
  refused("too little room", "`keys_out` has 9 items, at least 10 are needed",
          [&](const exec& gpu) { top_k(gpu, in, 10, few, count.data()); });
  refused("too little room for all", "`indices` has 9 items, at least 320 are needed",
          [&](const exec& gpu) { top_k_indices(gpu, in, 1'000, few, count.data()); });
  refused("too few values", "`keys` has 320 items, `values` has 9",
          [&](const exec& gpu) { top_k_pairs(gpu, in, few, 5, out, out, count.data()); });
  const std::span<const u32> far_away(reinterpret_cast<const u32*>(u64{1} << 50), (u64{1} << 32) + 2);
  refused("positions too narrow", "`indices` are integers of 32 bits, too small for positions up to 4294967297",
          [&](const exec& gpu) { top_k_indices(gpu, far_away, 5, out, count.data()); });
  refused("a length where the count is left", "output `count`", [&](const exec& gpu) {
    top_k(gpu, counted{in, count.data()}, 10, out, count.data());
  });
  guarded<unsigned char> scratch(1 << 20);
  const std::span<u32> within(reinterpret_cast<u32*>(scratch.data()), 320);
  refused("scratch within out", "`scratch`", [&](const exec&) {
    top_k(exec(test::test_stream(), scratch.data(), scratch.size()), in, 10, within, count.data());
  });
  const std::size_t bytes = 320 * sizeof(u32);
  test::touching_and_overlapping("top_k", 1, {bytes, 80, 8}, [](const exec& gpu, const auto& at) {
    top_k(gpu, at[0].template of<const u32>(), 20, at[1].template of<u32>(), at[2].word());
  });
  test::touching_and_overlapping("top_k_pairs", 2, {bytes, bytes, 80, 80, 8}, [](const exec& gpu, const auto& at) {
    top_k_pairs(gpu, at[0].template of<const u32>(), at[1].template of<const u32>(), 20, at[2].template of<u32>(),
                at[3].template of<u32>(), at[4].word());
  });
  test::touching_and_overlapping("top_k_indices", 1, {bytes, 80, 8}, [](const exec& gpu, const auto& at) {
    top_k_indices(gpu, at[0].template of<const u32>(), 20, at[1].template of<u32>(), at[2].word());
  });
}

TEST_CASE("top_k: a count above the capacity is the capacity") {
  const std::size_t n = 17'000;
  const guarded<u32> in(test::random_items<u32>(n, 2));
  for (const std::size_t k : {std::size_t{50}, n - 3}) {
    guarded<u32> out(k);
    guarded<u64> count(1);
    const exec gpu = allocating(test::test_stream());
    top_k(gpu, in, k, out, count.data());
    const auto want = out.read();
    test::for_some_schedules([&] {
      for (const u64 above : {~u64{0}, u64{n} + 1}) {
        const guarded<u64> length(std::vector<u64>{above});
        out.fill_dirt(), count.fill_dirt();
        top_k(gpu, counted{in, length.data()}, k, out, count.data());
        CHECK(out.read() == want);
        CHECK(count.read()[0] == k);
      }
    });
  }
}

template <class Index>
void check_indices() {
  const guarded<float> in(std::vector<float>{4, 0, 9});
  guarded<Index> indices(2);
  device_value<Index> count(test::test_stream());
  top_k_indices(allocating(test::test_stream()), in, 2, indices, count);
  CHECK(indices.read() == std::vector<Index>{2, 0});
  CHECK(count.read(test::test_stream()) == 2);
}
TEST_CASE("top_k_indices: positions and counts of every type") {
  check_indices<u32>();
  check_indices<std::int32_t>();
  check_indices<u64>();
  check_indices<std::int64_t>();
}

}  // namespace contract_top_k
