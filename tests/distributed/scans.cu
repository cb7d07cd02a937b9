// SPDX-License-Identifier: Apache-2.0
// Scans, reductions and compactions over ranks against serial loops over everything.
#include <ballot/distributed/compact.cuh>
#include <ballot/distributed/reduce.cuh>
#include <ballot/distributed/scan.cuh>

#include "distributed/ranks.hpp"
#include "support/operators.hpp"
#include "support/patterns.hpp"

using namespace ballot;

namespace distributed_scans {

struct is_kept {
  BALLOT_HOST_DEVICE bool operator()(const std::uint32_t& v) const { return v % 3 == 0; }
};

template <class T, class In, class Op>
std::vector<T> serial_scan(const std::vector<In>& items, bool inclusive, T identity, Op op, T& total) {
  std::vector<T> sums;
  T sum = identity;
  for (const In& item : items) {
    const T after = op(sum, static_cast<T>(item));
    sums.push_back(inclusive ? after : sum);
    sum = after;
  }
  total = sum;
  return sums;
}

template <class T, class In, class Op>
void check_scans(test::rank& comm, const std::vector<In>& all, const std::vector<std::size_t>& sizes, T identity,
                 Op op) {
  const auto mine = test::block_of(all, sizes, comm.rank());
  for (bool inclusive : {true, false}) {
    T want_total;
    const auto want = test::block_of(serial_scan<T>(all, inclusive, identity, op, want_total), sizes, comm.rank());
    const test::guarded<In> in(mine);
    test::guarded<T> out(mine.size()), total(1);
    test::guarded<distributed::call_report> report(1);
    const test::exact_scratch scratch(distributed::scan_scratch_bytes<T>(mine.size()));
    test::directly_and_captured_on_ranks(
        [&] {
          out.fill_dirt();
          total.fill_dirt();
        },
        [&] {
          const distributed::scan_options<T> options{.total = total.data(), .report = report.data()};
          if (inclusive) distributed::inclusive_scan(comm, scratch.where(), in, identity, op, out, options);
          else distributed::exclusive_scan(comm, scratch.where(), in, identity, op, out, options);
        },
        [&] {
          CHECK_MESSAGE(out.read() == want, (inclusive ? "inclusive" : "exclusive"));
          CHECK(total.read() == std::vector<T>{want_total});
          CHECK(report.read()[0].what == distributed::difference::none);
        });
    scratch.check_guards();
  }
}

// The sums of each rank alone, and apart from them that of the ranks before.
template <class T, class In, class Op>
void check_carry(test::rank& comm, const std::vector<In>& all, const std::vector<std::size_t>& sizes, T identity,
                 Op op) {
  T want_carry = identity, want_total, ignored;
  for (int r = 0; r < comm.rank(); ++r)
    for (const In& item : test::block_of(all, sizes, r)) want_carry = op(want_carry, static_cast<T>(item));
  (void)serial_scan<T>(all, true, identity, op, want_total);
  const auto mine = test::block_of(all, sizes, comm.rank());
  for (bool inclusive : {true, false}) {
    const test::guarded<In> in(mine);
    test::guarded<T> out(mine.size()), total(1), carry(1);
    const test::exact_scratch scratch(distributed::scan_scratch_bytes<T>(mine.size()));
    test::directly_and_captured_on_ranks(
        [&] { out.fill_dirt(), total.fill_dirt(), carry.fill_dirt(); },
        [&] {
          const distributed::scan_options<T> options{.total = total.data(), .carry = carry.data()};
          if (inclusive) distributed::inclusive_scan(comm, scratch.where(), in, identity, op, out, options);
          else distributed::exclusive_scan(comm, scratch.where(), in, identity, op, out, options);
        },
        [&] {
          CHECK(out.read() == serial_scan<T>(mine, inclusive, identity, op, ignored));
          CHECK(total.read() == std::vector<T>{want_total});
          CHECK(carry.read() == std::vector<T>{want_carry});
        });
    scratch.check_guards();
  }
}

TEST_CASE("distributed scans that leave the carry apart") {
  unsigned turn = 0;
  for (int ranks : test::rank_counts())
    for (test::blocks kind : {test::blocks::uneven, test::blocks::one_empty}) {
      CAPTURE(ranks);
      const auto items = test::random_items<std::uint32_t>(12000, ++turn);
      const auto maps = test::random_items<test::affine<std::uint32_t>>(3000, turn);
      const auto sizes = test::block_sizes(kind, items.size(), ranks),
                 few = test::block_sizes(kind, maps.size(), ranks);
      const std::vector<std::size_t> none(std::size_t(ranks), 0);
      test::on_ranks_under_some_schedules(ranks, turn, [&](test::rank& comm) {
        check_carry<std::uint64_t>(comm, items, sizes, std::uint64_t{0}, plus{});
        check_carry<test::affine<std::uint32_t>>(comm, maps, few, {0, 0}, test::compose{});
        check_carry<std::uint32_t>(comm, std::vector<std::uint32_t>{}, none, 0u, plus{});
      });
    }
}

TEST_CASE("distributed scans: sums, blocks of every kind") {
  unsigned turn = 0;
  for (int ranks : test::rank_counts())
    for (test::blocks kind :
         {test::blocks::equal, test::blocks::uneven, test::blocks::one_empty, test::blocks::all_on_last}) {
      CAPTURE(ranks);
      CAPTURE(int(kind));
      const auto items = test::random_items<std::uint32_t>(20000, ++turn);
      const auto sizes = test::block_sizes(kind, items.size(), ranks);
      test::on_ranks_under_some_schedules(ranks, turn, [&](test::rank& comm) {
        check_scans<std::uint32_t>(comm, items, sizes, 0u, plus{});
        check_scans<std::uint64_t>(comm, items, sizes, std::uint64_t{0}, plus{});
      });
    }
}

TEST_CASE("distributed scans: operators that do not commute, the largest, no items") {
  for (int ranks : test::rank_counts()) {
    CAPTURE(ranks);
    const auto maps = test::random_items<test::affine<std::uint32_t>>(9000, 3);
    const auto sizes = test::block_sizes(test::blocks::uneven, maps.size(), ranks);
    const auto numbers = test::random_items<std::int64_t>(9000, 4);
    const std::vector<std::size_t> none(std::size_t(ranks), 0);
    test::on_ranks_under_some_schedules(ranks, unsigned(ranks), [&](test::rank& comm) {
      check_scans<test::affine<std::uint32_t>>(comm, maps, sizes, {0, 0}, test::compose{});
      check_scans<std::int64_t>(comm, numbers, sizes, std::numeric_limits<std::int64_t>::lowest(), maximum{});
      check_scans<std::uint32_t>(comm, std::vector<std::uint32_t>{}, none, 0u, plus{});
    });
  }
}

TEST_CASE("distributed scan of a length on the device, in place") {
  using T = std::uint32_t;
  const auto items = test::random_items<T>(5000, 12);
  const int ranks = test::rank_counts().back();
  const auto sizes = test::block_sizes(test::blocks::equal, items.size(), ranks);
  test::on_ranks_under_some_schedules(ranks, 2, [&](test::rank& comm) {
    T before = 0;  // every rank takes the first half of its block
    for (int r = 0; r < comm.rank(); ++r) {
      const auto block = test::block_of(items, sizes, r);
      for (std::size_t i = 0; i < block.size() / 2; ++i) before += block[i];
    }
    auto want = test::block_of(items, sizes, comm.rank());
    test::guarded<T> data(want);
    const test::guarded<std::uint64_t> length(std::vector<std::uint64_t>{want.size() / 2});
    for (std::size_t i = 0; i < want.size() / 2; ++i) want[i] = before += want[i];
    const test::exact_scratch scratch(distributed::scan_scratch_bytes<T>(want.size()));
    distributed::inclusive_scan(comm, scratch.where(), counted{data, length.data()}, data);
    CHECK(data.read() == want);
  });
}

TEST_CASE("distributed sum, reduce, count_if, compact") {
  using T = std::uint32_t;
  unsigned turn = 0;
  for (int ranks : test::rank_counts())
    for (test::blocks kind : {test::blocks::uneven, test::blocks::one_empty, test::blocks::all_on_last}) {
      CAPTURE(ranks);
      const auto items = test::random_items<T>(15000, ++turn);
      const auto sizes = test::block_sizes(kind, items.size(), ranks);
      std::uint64_t sum = 0, kept_in_all = 0;
      for (T v : items) sum += v, kept_in_all += v % 3 == 0;
      test::on_ranks_under_some_schedules(ranks, turn, [&](test::rank& comm) {
        const auto mine = test::block_of(items, sizes, comm.rank());
        std::vector<T> kept;
        for (T v : mine)
          if (v % 3 == 0) kept.push_back(v);
        std::uint64_t before = 0;
        for (int r = 0; r < comm.rank(); ++r)
          for (T v : test::block_of(items, sizes, r)) before += v % 3 == 0;

        const test::guarded<T> in(mine);
        test::guarded<T> out(mine.size());
        test::guarded<std::uint64_t> total(1), count(1), offset(1), all(1);
        const test::exact_scratch scratch(std::max(distributed::reduce_scratch_bytes<std::uint64_t>(mine.size()),
                                                   compact_scratch_bytes<T>(mine.size())));
        test::directly_and_captured_on_ranks(
            [&] { total.fill_dirt(), out.fill_dirt(), count.fill_dirt(), offset.fill_dirt(), all.fill_dirt(); },
            [&] {
              distributed::sum(comm, scratch.where(), in, total.data());
              distributed::compact(comm, scratch.where(), in, is_kept{}, out, count.data(),
                                   {.offset = offset.data(), .total = all.data()});
            },
            [&] {
              CHECK(total.read()[0] == sum);
              CHECK(count.read()[0] == kept.size());
              CHECK(offset.read()[0] == before);
              CHECK(all.read()[0] == kept_in_all);
              auto got = out.read();
              CHECK(std::equal(kept.begin(), kept.end(), got.begin()));
            });
        count.fill_dirt(), offset.fill_dirt(), all.fill_dirt();
        distributed::count_if(comm, scratch.where(), in, is_kept{}, count.data(),
                              {.offset = offset.data(), .total = all.data()});
        CHECK(count.read()[0] == kept.size());
        CHECK(offset.read()[0] == before);
        CHECK(all.read()[0] == kept_in_all);
        distributed::reduce(comm, scratch.where(), in, std::uint64_t{0}, bit_xor{}, total.data());
        std::uint64_t want = 0;
        for (T v : items) want ^= v;
        CHECK(total.read()[0] == want);
      });
    }
}

TEST_CASE_TEMPLATE("distributed counts of every type, also as lengths", Count, std::uint32_t, std::int32_t,
                   std::uint64_t, std::int64_t) {
  using T = std::uint32_t;
  const auto items = test::random_items<T>(3000, 9);
  const int ranks = test::rank_counts().back();
  const auto sizes = test::block_sizes(test::blocks::uneven, items.size(), ranks);
  Count kept_in_all = 0, sum_of_kept = 0;
  for (T v : items) kept_in_all += v % 3 == 0, sum_of_kept += v % 3 == 0 ? static_cast<Count>(v % 7) : Count{0};
  test::on_ranks_under_some_schedules(ranks, 3, [&](test::rank& comm) {
    Count before = 0, kept = 0;
    for (int r = 0; r <= comm.rank(); ++r)
      for (T v : test::block_of(items, sizes, r)) (r < comm.rank() ? before : kept) += v % 3 == 0;
    const test::guarded<T> in(test::block_of(items, sizes, comm.rank()));
    test::guarded<T> out(in.size());
    test::guarded<Count> count(1), offset(1), all(1);
    const exec where = allocating(test::test_stream());
    distributed::compact(comm, where, in, is_kept{}, out, count.data(), {.offset = offset.data(), .total = all.data()});
    CHECK(count.read()[0] == kept);
    CHECK(offset.read()[0] == before);
    CHECK(all.read()[0] == kept_in_all);

    std::vector<T> sevenths = out.read();
    for (T& v : sevenths) v %= 7;
    const test::guarded<T> few(sevenths);
    test::guarded<Count> sums(in.size()), sum(1), total(1);
    distributed::sum(comm, where, counted{few, count.data()}, sum.data());
    distributed::inclusive_scan(comm, where, counted{few, count.data()}, sums, {.total = total.data()});
    CHECK(sum.read()[0] == sum_of_kept);
    CHECK(total.read()[0] == sum_of_kept);
  });
}

}  // namespace distributed_scans
