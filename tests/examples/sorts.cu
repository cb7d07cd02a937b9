// SPDX-License-Identifier: Apache-2.0
// The examples made of sorts, and of scratch for several streams, against serial references,
// replayed with other data.
#include "examples/largest_step.cuh"
#include "examples/scratch_of_streams.cuh"
#include "examples/sort_in_step.cuh"

#include "support/step.hpp"

#include <algorithm>
#include <numeric>
#include <random>

using namespace ballot;
using test::exact_scratch;
using test::guarded;

namespace examples_sorts {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 5000;

TEST_CASE("example: bodies sorted by cell, in place, as many as there are") {
  guarded<u32> cells(n), bodies(n);
  const guarded<u64> count(1);
  const exact_scratch scratch(examples::sort_by_cell_scratch_bytes(n));
  std::vector<u32> cell(n), body(n);
  std::uint64_t there = 0;
  test::replay_with_new_data(
      [&](unsigned seed) {
        std::mt19937 random(seed);
        for (u32& c : cell) c = static_cast<u32>(random()) & 0xfffu;
        std::iota(body.begin(), body.end(), seed);
        there = n - 1000 * seed;
        cells.write(cell), bodies.write(body);
        simt::copy_bytes(test::test_stream(), count.data(), &there, sizeof there);
        simt::synchronize(test::test_stream());
      },
      [&] {
        examples::sort_by_cell(scratch.where(), std::span(cells.data(), n), std::span(bodies.data(), n), 12,
                               count.data());
      },
      [&] {
        std::vector<u32> order(there), want_cells = cell, want_bodies = body;
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return cell[a] < cell[b]; });
        for (std::size_t i = 0; i < there; ++i) want_cells[i] = cell[order[i]], want_bodies[i] = body[order[i]];
        CHECK(cells.read() == want_cells);
        CHECK(bodies.read() == want_bodies);
      });
}

TEST_CASE("example: a step for the largest n") {
  constexpr int island_bits = 7;
  guarded<float> depth(n);
  guarded<u32> island(n);
  const guarded<u64> candidates(1);
  examples::contact_step contacts(n, island_bits, test::test_stream());
  std::vector<float> depths(n);
  std::vector<u32> islands(n);
  std::uint64_t there = 0;
  test::replay_with_new_data(
      [&](unsigned seed) {
        std::mt19937 random(seed);
        for (std::size_t i = 0; i < n; ++i) {
          depths[i] = static_cast<float>(static_cast<int>(random() % 7) - 3);
          islands[i] = static_cast<u32>(random()) % (1u << island_bits);
        }
        there = n - 700 * seed;
        depth.write(depths), island.write(islands);
        simt::copy_bytes(test::test_stream(), candidates.data(), &there, sizeof there);
        simt::synchronize(test::test_stream());
      },
      [&] {
        contacts.enqueue(std::span<const float>(depth.data(), n), std::span<const u32>(island.data(), n),
                         candidates.data());
      },
      [&] {
        std::vector<u32> want, active, begins;
        for (u32 k = 0; k < 1u << island_bits; ++k) {
          const std::size_t before = want.size();
          for (u32 i = 0; i < there; ++i)
            if (depths[i] > 0 && islands[i] == k) want.push_back(i);
          if (want.size() != before) active.push_back(k), begins.push_back(static_cast<u32>(before));
        }
        begins.push_back(static_cast<u32>(want.size()));
        const auto is_prefix = [&](const device_array<u32>& all, const std::vector<u32>& wanted) {
          const guarded<u32> some(wanted.size());
          simt::copy_bytes(test::test_stream(), some.data(), all.data(), wanted.size() * sizeof(u32));
          return some.read() == wanted;
        };
        REQUIRE(contacts.touching().read(test::test_stream()) == want.size());
        REQUIRE(contacts.active_count().read(test::test_stream()) == active.size());
        CHECK(is_prefix(contacts.sorted(), want));
        CHECK(is_prefix(contacts.active(), active));
        CHECK(is_prefix(contacts.begins(), begins));
      });
}

TEST_CASE("example: scratch of streams") {
  const stream_t streams[] = {test::test_stream(), test::test_stream()};
  const std::size_t bytes = std::max(sort_in_place_scratch_bytes<u32>(n), unique_scratch_bytes<u32>(n));
  const examples::scratch_of_streams scratch(streams, bytes);
  CHECK(scratch.on(0).scratch().size() == bytes);
  CHECK(scratch.on(0).scratch().data() != scratch.on(1).scratch().data());

  guarded<u32> keys(n), values(n), other(n);
  const device_value<u64> count(test::test_stream());
  std::vector<u32> now(n);
  test::replay_with_new_data(
      [&](unsigned seed) {
        std::mt19937 random(seed);
        for (u32& k : now) k = static_cast<u32>(random()) % 1000;
        keys.write(now), values.write(now);
      },
      [&] {
        sort_in_place(scratch.on(0), keys);
        unique(scratch.on(0), keys, other, count);
        sort_in_place(scratch.on(1), values);
      },
      [&] {
        std::sort(now.begin(), now.end());
        CHECK(keys.read() == now);
        CHECK(values.read() == now);
        now.erase(std::unique(now.begin(), now.end()), now.end());
        CHECK(count.read(test::test_stream()) == now.size());
        now.resize(n);
      });
}

}  // namespace examples_sorts
