// SPDX-License-Identifier: Apache-2.0
// Compactions after which all ranks have as many items, against a serial loop over everything.
#include <ballot/distributed/compact_balanced.cuh>

#include "distributed/block_to_sort.hpp"
#include "distributed/forwarding_communicator.hpp"
#include "distributed/ranks.hpp"
#include "support/patterns.hpp"

using namespace ballot;

namespace distributed_compact_balanced {

struct is_below {
  std::uint32_t limit;
  BALLOT_HOST_DEVICE bool operator()(std::uint32_t v) const { return v < limit; }
};
struct is_large {
  BALLOT_HOST_DEVICE bool operator()(double v) const { return v > 2; }
};
struct triple {
  std::uint8_t bytes[3];
  friend bool operator==(const triple&, const triple&) = default;
};

std::vector<std::size_t> parts(std::size_t items, int ranks) {
  std::vector<std::size_t> sizes;
  for (std::size_t r = 0; r < std::size_t(ranks); ++r)
    sizes.push_back(items * (r + 1) / std::size_t(ranks) - items * r / std::size_t(ranks));
  return sizes;
}

// skew: how many items the outputs begin behind what is aligned.
template <class T>
void check(test::rank& comm, const std::vector<std::uint32_t>& all, const std::vector<T>& others,
           const std::vector<std::size_t>& sizes, std::uint32_t limit, std::size_t skew) {
  std::vector<std::uint32_t> kept;
  std::vector<T> kept_others;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] < limit) kept.push_back(all[i]), kept_others.push_back(others[i]);
  const auto after = parts(kept.size(), comm.size());
  const auto want = test::block_of(kept, after, comm.rank());
  const auto want_others = test::block_of(kept_others, after, comm.rank());
  std::uint64_t first = 0;
  for (int r = 0; r < comm.rank(); ++r) first += after[std::size_t(r)];

  const test::guarded<std::uint32_t> in(test::block_of(all, sizes, comm.rank()));
  const test::guarded<T> in_others(test::block_of(others, sizes, comm.rank()));
  const std::size_t room = want.size() + 3;
  test::guarded<std::uint32_t> out(room + skew);
  test::guarded<T> out_others(room + skew);
  test::guarded<std::uint64_t> offset(1);
  test::guarded<std::uint32_t> count(1), total(1);
  test::guarded<distributed::call_report> report(1);
  const test::exact_scratch scratch(
      distributed::compact_balanced_scratch_bytes<std::uint32_t, T>(comm.size(), in.size()));
  distributed::compact_balanced(comm, scratch.where(), zip{in, in_others}, on_first{is_below{limit}},
                                zip{std::span(out.data() + skew, room), std::span(out_others.data() + skew, room)},
                                count.data(),
                                {.offset = offset.data(), .total = total.data(), .report = report.data()});
  const auto got = out.read();
  const auto got_others = out_others.read();
  CHECK(std::equal(want.begin(), want.end(), got.begin() + std::ptrdiff_t(skew)));
  CHECK(std::equal(want_others.begin(), want_others.end(), got_others.begin() + std::ptrdiff_t(skew)));
  for (std::size_t i = 0; i < got.size(); ++i)
    if (i < skew || i >= skew + want.size()) CHECK(test::is_dirt(got[i]));
  CHECK(count.read()[0] == want.size());
  CHECK(offset.read()[0] == first);
  CHECK(total.read()[0] == kept.size());
  CHECK(report.read()[0].what == distributed::difference::none);
  CHECK(report.read()[0].rank == -1);
  scratch.check_guards();
}

TEST_CASE("distributed compact_balanced: out of balance in every way") {
  unsigned turn = 0;
  for (int ranks : test::rank_counts())
    for (test::blocks kind :
         {test::blocks::equal, test::blocks::uneven, test::blocks::one_empty, test::blocks::all_on_last})
      for (std::uint32_t limit : {0u, 1u << 29, ~0u}) {
        CAPTURE(ranks);
        CAPTURE(int(kind));
        CAPTURE(limit);
        const auto items = test::random_items<std::uint32_t>(5000, ++turn);
        const auto bytes = test::random_items<triple>(items.size(), turn);
        const auto sizes = test::block_sizes(kind, items.size(), ranks);
        test::on_ranks_under_some_schedules(ranks, turn, [&](test::rank& comm) {
          check(comm, items, bytes, sizes, limit, turn % 5 + std::size_t(comm.rank()) % 3);
        });
      }
}

TEST_CASE("distributed compact_balanced: one column, few items or none") {
  for (int ranks : test::rank_counts()) {
    const auto scattered = test::block_sizes(test::blocks::fewer_than_ranks, 0, ranks);
    const std::size_t n = test::total(scattered);
    test::on_ranks_under_some_schedules(ranks, 1, [&](test::rank& comm) {
      const test::guarded<double> in(std::vector<double>(scattered[std::size_t(comm.rank())], 2.5));
      test::guarded<double> out(parts(n, ranks)[std::size_t(comm.rank())]);
      test::guarded<std::uint64_t> count(1);
      const is_large keep{};
      distributed::compact_balanced(comm, allocating(test::test_stream()), in, keep, out, count.data());
      CHECK(count.read()[0] == out.size());
      CHECK(out.read() == std::vector<double>(out.size(), 2.5));
    });
  }
}

TEST_CASE("distributed compact_balanced: an output that is too short") {
  const int ranks = test::rank_counts().back();
  if (ranks < 2) return;
  test::on_ranks(ranks, [&](test::rank& comm) {
    const test::guarded<std::uint32_t> in(
        std::vector<std::uint32_t>(comm.rank() == 0 ? std::size_t(ranks) * 10 : 0, 1));
    test::guarded<std::uint32_t> out(comm.rank() == 1 ? 9 : 10);
    test::guarded<std::uint64_t> count(1);
    try {
      distributed::compact_balanced(comm, allocating(test::test_stream()), in, is_below{5}, out, count.data());
      FAIL_CHECK("nothing was thrown");
    } catch (const invalid_argument& e) {
      CHECK_MESSAGE(std::string(e.what()).find("rank 1 has room for 9 items and gets 10") != std::string::npos,
                    std::string(e.what()));
    }
    for (std::uint32_t v : out.read()) CHECK(test::is_dirt(v));
  });
}

#if BALLOT_EMULATED

// On rank 1, no kernel ends between the beginning of an exchange and its end.
class stumbling_communicator : public test::forwarding_communicator {
 public:
  using test::forwarding_communicator::forwarding_communicator;
  void start_exchange(stream_t stream, std::span<const distributed::message> sends,
                      std::span<const distributed::message> receives) {
    of_.start_exchange(stream, sends, receives);
    steps_ = emulator::current_policy().max_steps;
    if (rank() == 1) emulator::current_policy().max_steps = 0;
  }
  void finish_exchange(stream_t stream) {
    emulator::current_policy().max_steps = steps_;
    of_.finish_exchange(stream);
  }

 private:
  std::uint64_t steps_ = 0;
};

TEST_CASE("distributed compact_balanced: a launch that fails beside the exchange leaves none under way") {
  const std::uint64_t steps = emulator::current_policy().max_steps;
  for (std::uint64_t seed = 1; seed <= 4; ++seed)  // the exchange begins early, or late
    test::on_ranks(
        3,
        [&](test::rank& comm) {
          stumbling_communicator stumbling(comm);
          const auto items = test::random_items<std::uint32_t>(comm.rank() == 0 ? 900 : 0, 3);
          const test::guarded<std::uint32_t> in(items);
          test::guarded<std::uint32_t> out(300);
          test::guarded<std::uint64_t> count(1);
          bool failed = false;
          try {
            distributed::compact_balanced(stumbling, allocating(test::test_stream()), in, is_below{~0u}, out,
                                          count.data());
          } catch (const emulator::error&) {
            failed = true;
          }
          emulator::current_policy().max_steps = steps;
          CHECK(failed == (comm.rank() == 1));
          test::check_well(comm);
        },
        seed);
}

#endif

}  // namespace distributed_compact_balanced
