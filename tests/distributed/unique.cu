// SPDX-License-Identifier: Apache-2.0
// Runs over ranks against a serial unique of everything.
#include <ballot/distributed/unique.cuh>

#include "distributed/ranks.hpp"
#include "support/operators.hpp"
#include "support/patterns.hpp"

using namespace ballot;

namespace distributed_unique {

// Near: within 2 of the item before, not of the run's first.
struct is_near {
  BALLOT_HOST_DEVICE bool operator()(std::uint64_t before, std::uint64_t item) const { return item - before < 3; }
};

template <class T, class Same>
void check_unique(test::rank& comm, const std::vector<T>& all, const std::vector<std::size_t>& sizes, Same same) {
  std::vector<T> want;
  std::uint64_t before = 0, in_all = 0, i = 0;
  for (int r = 0; r < comm.size(); ++r)
    for (std::size_t j = 0; j < sizes[std::size_t(r)]; ++j, ++i) {
      if (i != 0 && same(all[i - 1], all[i])) continue;
      ++in_all;
      if (r < comm.rank()) ++before;
      if (r == comm.rank()) want.push_back(all[i]);
    }
  const test::guarded<T> in(test::block_of(all, sizes, comm.rank()));
  test::guarded<T> out(in.size());
  test::guarded<std::uint64_t> count(1), total(1);
  test::guarded<std::uint32_t> offset(1);
  const test::exact_scratch scratch(distributed::unique_scratch_bytes<T>(in.size()));
  test::directly_and_captured_on_ranks(
      [&] { out.fill_dirt(), count.fill_dirt(), offset.fill_dirt(), total.fill_dirt(); },
      [&] {
        const distributed::compact_options options{.offset = offset.data(), .total = total.data()};
        if constexpr (std::is_same_v<Same, equal_to>)
          distributed::unique(comm, scratch.where(), in, out, count.data(), options);
        else distributed::unique(comm, scratch.where(), in, same, out, count.data(), options);
      },
      [&] {
        const auto got = out.read();
        CHECK(count.read()[0] == want.size());
        CHECK(offset.read()[0] == before);
        CHECK(total.read()[0] == in_all);
        CHECK(std::equal(want.begin(), want.end(), got.begin()));
      });
  scratch.check_guards();
}

TEST_CASE("distributed unique: runs of every length, blocks of every kind") {
  unsigned turn = 0;
  for (int ranks : test::rank_counts())
    for (test::blocks kind :
         {test::blocks::equal, test::blocks::uneven, test::blocks::one_empty, test::blocks::all_on_last})
      for (std::uint64_t distinct : {1u, 5u, 3000u, 40000u}) {
        CAPTURE(ranks);
        CAPTURE(int(kind));
        CAPTURE(distinct);
        auto items = test::random_items<std::uint64_t>(16000, ++turn);
        for (std::uint64_t& item : items) item %= distinct;
        std::sort(items.begin(), items.end());
        const std::vector<std::uint32_t> narrow(items.begin(), items.end());
        const auto sizes = test::block_sizes(kind, items.size(), ranks);
        test::on_ranks_under_some_schedules(ranks, turn, [&](test::rank& comm) {
          check_unique(comm, narrow, sizes, equal_to{});
          check_unique(comm, items, sizes, is_near{});
        });
      }
}

TEST_CASE("distributed unique: few items or none on some ranks, a run over all, items of 16 bytes") {
  for (int ranks : test::rank_counts()) {
    CAPTURE(ranks);
    const auto scattered = test::block_sizes(test::blocks::fewer_than_ranks, 0, ranks);
    const std::vector<std::size_t> none(std::size_t(ranks), 0);
    const std::vector<detail::uint128> same(test::total(scattered), detail::uint128{3});
    const std::vector<std::uint8_t> bytes(5000, 7);
    const auto sizes = test::block_sizes(test::blocks::uneven, bytes.size(), ranks);
    test::on_ranks_under_some_schedules(ranks, unsigned(ranks), [&](test::rank& comm) {
      check_unique(comm, same, scattered, equal_to{});
      check_unique(comm, std::vector<std::uint32_t>{}, none, equal_to{});
      check_unique(comm, bytes, sizes, equal_to{});
    });
  }
}

TEST_CASE("distributed unique: a rank whose output is short, a rank that calls something else") {
  const int ranks = test::rank_counts().back();
  if (ranks < 2) return;
  test::on_ranks(ranks, [&](test::rank& comm) {
    const test::guarded<std::uint32_t> in(std::vector<std::uint32_t>(300, 1));
    test::guarded<std::uint32_t> out(comm.rank() == 1 ? 299 : 300);
    test::guarded<std::uint64_t> count(1), total(1);
    test::guarded<distributed::call_report> report(1);
    total.fill_dirt();
    const exec where = allocating(test::test_stream());
    const distributed::compact_options options{.total = total.data(), .report = report.data()};
    if (comm.rank() == 1)
      CHECK_THROWS_AS(distributed::unique(comm, where, in, out, count.data(), options), invalid_argument);
    else distributed::unique(comm, where, in, out, count.data(), options);
    if (comm.rank() != 1) {
      CHECK(report.read()[0].what == distributed::difference::refused);
      CHECK(report.read()[0].rank == 1);
      CHECK(test::is_dirt(total.read()[0]));
    }
  });
}

}  // namespace distributed_unique
