// SPDX-License-Identifier: Apache-2.0
// The example of particles over ranks, on one to five of them, against serial loops over all
// particles.
#include "examples/particles_over_ranks/step.cuh"

#include "distributed/ranks.hpp"

#include <random>

using namespace ballot;

namespace examples_particles_over_ranks {

using examples::particle;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct memory_of_halo {
  test::guarded<particle> particles;
  test::guarded<u64> count{1};
  explicit memory_of_halo(std::size_t room) : particles(room) {}
  examples::halo get() { return {{particles.data(), particles.size()}, count.data()}; }
  std::vector<u32> cells() {
    std::vector<u32> found;
    const auto items = particles.read();
    for (u64 i = 0; i < count.read()[0]; ++i) found.push_back(items[i].cell);
    return found;
  }
};

void check(test::rank& comm, const std::vector<particle>& all, const std::vector<std::size_t>& sizes) {
  constexpr u32 width = 4;
  const std::size_t capacity = all.size(), room = 700;
  std::vector<u32> sorted;
  for (const particle& p : all) sorted.push_back(p.cell);
  std::sort(sorted.begin(), sorted.end());
  const auto cells_of = [&](int rank) {
    const auto r = std::size_t(rank), ranks = std::size_t(comm.size());
    return std::vector<u32>(sorted.begin() + std::ptrdiff_t(sorted.size() * r / ranks),
                            sorted.begin() + std::ptrdiff_t(sorted.size() * (r + 1) / ranks));
  };
  const auto own = cells_of(comm.rank());

  auto block = test::block_of(all, sizes, comm.rank());
  const u64 here = block.size();
  block.resize(capacity);
  std::vector<u32> block_cells;
  for (const particle& p : block) block_cells.push_back(p.cell);
  test::guarded<particle> from(block), to(capacity);
  test::guarded<u32> from_cells(block_cells), to_cells(capacity);
  test::guarded<u64> from_count(std::vector<u64>{here}), to_count(1), sent(1);
  const test::exact_scratch scratch(
      std::max(examples::sort_by_cell_scratch_bytes(comm, capacity), examples::exchange_halos_scratch_bytes(capacity)));
  examples::sort_by_cell(comm, scratch.where(),
                         {{from_cells.data(), capacity}, {from.data(), capacity}, from_count.data()},
                         {{to_cells.data(), capacity}, {to.data(), capacity}, to_count.data()}, 10);
  REQUIRE(to_count.read()[0] == own.size());
  const auto got = to.read();
  const auto got_cells = to_cells.read();
  for (std::size_t i = 0; i < own.size(); ++i) {
    CHECK(got[i].cell == own[i]);
    CHECK(got_cells[i] == own[i]);
  }

  memory_of_halo to_left(room), to_right(room), from_left(room), from_right(room);
  test::directly_and_captured_on_ranks(
      [&] { from_left.particles.fill_dirt(), from_right.particles.fill_dirt(), sent.fill_dirt(); },
      [&] {
        examples::exchange_halos(comm, scratch.where(),
                                 {{to_cells.data(), capacity}, {to.data(), capacity}, to_count.data()}, width,
                                 {to_left.get(), to_right.get(), from_left.get(), from_right.get()}, sent.data());
      },
      [&] {
        const auto near = [&](int rank, bool first) {
          std::vector<u32> found;
          const auto of_rank = cells_of(rank);
          for (u32 c : of_rank)
            if ((first ? c - of_rank.front() : of_rank.back() - c) < width) found.push_back(c);
          return found;
        };
        if (comm.rank() > 0) CHECK(from_left.cells() == near(comm.rank() - 1, false));
        if (comm.rank() + 1 < comm.size()) CHECK(from_right.cells() == near(comm.rank() + 1, true));
        u64 all_sent = 0;
        for (int r = 0; r < comm.size(); ++r) all_sent += near(r, true).size();
        CHECK(sent.read()[0] == all_sent);
      });
}

TEST_CASE("example: particles over ranks") {
  std::mt19937 random(5);
  std::vector<particle> all(4000);
  for (particle& p : all) p = {0, 0, 0, u32(random() % 1000)};
#if BALLOT_EMULATED
  const std::vector<int> counts{1, 2, 5};
#else
  const std::vector<int> counts = test::rank_counts();
#endif
  for (int ranks : counts) {
    CAPTURE(ranks);
    const auto sizes = test::block_sizes(test::blocks::uneven, all.size(), ranks);
    test::on_ranks_under_some_schedules(ranks, unsigned(ranks), [&](test::rank& comm) { check(comm, all, sizes); });
  }
}

}  // namespace examples_particles_over_ranks
