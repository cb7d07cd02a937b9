// SPDX-License-Identifier: Apache-2.0
// Mailboxes without GPUs that reach each other: the ranks are blocks of one grid, each with a
// mailbox of its own. Many rounds, so that slots are used again; some ranks are late.
#include <ballot/core/operators.hpp>
#include <ballot/distributed/detail/carry_kernel.cuh>
#include <ballot/distributed/detail/meetings.hpp>

#include <doctest/doctest.h>

#include "support/device_data.hpp"
#include "support/schedules.hpp"

#include <memory>

using namespace ballot;
using namespace ballot::distributed::detail;
using ballot::distributed::call_report;

namespace distributed_mailbox {

struct rank_state {
  mailbox box;
  std::uint64_t* words;  // of this rank
  std::uint64_t* sums;
  std::uint64_t* gathered;
};

BALLOT_HOST_DEVICE std::uint64_t word_of(int rank, unsigned round, unsigned i) {
  return (static_cast<std::uint64_t>(rank) * 1000003u + round) * 0x9e3779b97f4a7c15u + i;
}

// The rounds of both lanes follow each other here; their slots are the same only where lanes are
// mixed up.
__global__ void __launch_bounds__(mailbox_threads)
    rounds_kernel(const rank_state* ranks, unsigned rounds, unsigned words, std::uint64_t* wrong) {
  const rank_state& own = ranks[blockIdx.x];
  const int size = own.box.size, rank = own.box.rank;
  for (unsigned round = 0; round < rounds; ++round) {
    for (unsigned i = simt::thread_rank(); i < words; i += mailbox_threads) own.words[i] = word_of(rank, round, i);
    simt::sync_block();
    if (round % 3 == 2) {
      (void)exchange_mail<mail::sum>(own.box, 0, own.words, own.sums, words);
      for (unsigned i = simt::thread_rank(); i < words; i += mailbox_threads) {
        std::uint64_t want = 0;
        for (int r = 0; r < size; ++r) want += word_of(r, round, i);
        if (own.sums[i] != want) simt::atomic_add(wrong, std::uint64_t{1});
      }
    } else {
      (void)exchange_mail<mail::gather>(own.box, 0, own.words, own.gathered, words);
      for (unsigned i = simt::thread_rank(); i < words; i += mailbox_threads)
        for (int r = 0; r < size; ++r)
          if (own.gathered[static_cast<unsigned>(r) * words + i] != word_of(r, round, i))
            simt::atomic_add(wrong, std::uint64_t{1});
    }
    simt::sync_block();
    if (round % 4 == 1) (void)exchange_mail<mail::gather>(own.box, 1, own.words, own.gathered, 0);
  }
}

// Ranks run at once: schedules whose blocks all do.
template <class Body>
void for_schedules_of_ranks(int size, Body&& body) {
#if BALLOT_EMULATED
  for (emulator::policy p : test::schedules()) {
    p.max_resident = std::max(p.max_resident, static_cast<unsigned>(size));
    p.max_threads = std::max(p.max_threads, static_cast<unsigned>(size) * mailbox_threads);
    test::under_schedule(p, body);
  }
#else
  (void)size;
  test::for_each_schedule(body);
#endif
}

TEST_CASE("mailboxes: many rounds of gathers, sums and meetings") {
  for (int size : {1, 2, 3, 8})
    for (unsigned words : {1u, 300u}) {
      const mailbox_layout at{size};
      const auto count = static_cast<std::size_t>(size);
      for_schedules_of_ranks(size, [&] {
        test::guarded<std::byte> boxes(std::vector<std::byte>(at.bytes() * count));
        test::guarded<std::uint64_t> memory(std::vector<std::uint64_t>((2 + count) * words * count));
        const test::guarded<std::uint32_t> abandoned(std::vector<std::uint32_t>{0});
        test::guarded<std::uint64_t> wrong(std::vector<std::uint64_t>{0});
        std::vector<std::byte> begin(at.bytes() * count);
        std::vector<rank_state> ranks;
        for (int r = 0; r < size; ++r) {
          std::byte* const own = boxes.data() + at.bytes() * static_cast<std::size_t>(r);
          for (int p = 0; p < size; ++p) {
            std::byte* const address = boxes.data() + at.bytes() * static_cast<std::size_t>(p);
            std::memcpy(begin.data() + at.bytes() * static_cast<std::size_t>(r) + at.addresses() + 8 * std::size_t(p),
                        &address, sizeof address);
          }
          std::uint64_t* const words_of = memory.data() + (2 + count) * words * static_cast<std::size_t>(r);
          ranks.push_back({{own, abandoned.data(), r, size}, words_of, words_of + words, words_of + 2 * words});
        }
        boxes.write(begin);
        const test::guarded<rank_state> states(ranks);
        simt::launch(
            rounds_kernel,
            simt::launch_config{dim3(static_cast<unsigned>(size)), dim3(mailbox_threads), 0, test::test_stream()},
            static_cast<const rank_state*>(states.data()), 9u, words, wrong.data());
        CHECK(wrong.read()[0] == 0);
      });
    }
}

// A call that leaves offsets and totals, in one launch: each rank has a record and a count of its
// own.
struct rank_call {
  mailbox box;
  call_record* mine;
  call_record* all;
  std::uint32_t* count;
  std::uint64_t* offset;
  std::uint64_t* total;
  call_report* report;
  function_id function;
};

__global__ void __launch_bounds__(mailbox_threads) calls_kernel(const rank_call* ranks, unsigned calls) {
  const rank_call& own = ranks[blockIdx.x];
  for (unsigned call = 0; call < calls; ++call) {
    call_record record{};
    record.function = own.function;
    carry_arguments<std::uint64_t> a{};
    a.all = own.all;
    a.rank = own.box.rank;
    a.size = own.box.size;
    a.identity = 0;
    a.before = own.offset;
    a.total = own.total;
    a.report = own.report;
    exchange_and_carry(own.box, own_call{record, own.mine, own.count, 4}, own.mine, own.all, a, plus{});
    simt::sync_block();
  }
}

TEST_CASE("mailboxes: offsets and totals of counts, and ranks that differ") {
  for (int size : {1, 2, 5})
    for (bool differ : {false, true}) {
      if (differ && size == 1) continue;
      const mailbox_layout at{size};
      const auto count = static_cast<std::size_t>(size);
      for_schedules_of_ranks(size, [&] {
        test::guarded<std::byte> boxes(std::vector<std::byte>(at.bytes() * count));
        test::guarded<call_record> records(std::vector<call_record>((1 + count) * count));
        std::vector<std::uint32_t> counts;
        for (int r = 0; r < size; ++r) counts.push_back(static_cast<std::uint32_t>(7 + 1000 * r));
        test::guarded<std::uint32_t> counted(counts);
        test::guarded<std::uint64_t> left(std::vector<std::uint64_t>(2 * count, 99));
        test::guarded<call_report> reports{std::vector<call_report>(count)};
        const test::guarded<std::uint32_t> abandoned(std::vector<std::uint32_t>{0});
        std::vector<std::byte> begin(at.bytes() * count);
        std::vector<rank_call> calls;
        for (int r = 0; r < size; ++r) {
          const auto i = static_cast<std::size_t>(r);
          for (int p = 0; p < size; ++p) {
            std::byte* const address = boxes.data() + at.bytes() * static_cast<std::size_t>(p);
            std::memcpy(begin.data() + at.bytes() * i + at.addresses() + 8 * std::size_t(p), &address, sizeof address);
          }
          call_record* const mine = records.data() + (1 + count) * i;
          calls.push_back({{boxes.data() + at.bytes() * i, abandoned.data(), r, size},
                           mine,
                           mine + 1,
                           counted.data() + i,
                           left.data() + 2 * i,
                           left.data() + 2 * i + 1,
                           reports.data() + i,
                           differ && r == size - 1 ? function_id::count_if : function_id::compact});
        }
        boxes.write(begin);
        const test::guarded<rank_call> ranks(calls);
        simt::launch(
            calls_kernel,
            simt::launch_config{dim3(static_cast<unsigned>(size)), dim3(mailbox_threads), 0, test::test_stream()},
            static_cast<const rank_call*>(ranks.data()), 3u);
        std::uint64_t before = 0, total = 0;
        for (std::uint32_t c : counts) total += c;
        const auto found = left.read();
        const auto reported = reports.read();
        for (std::size_t r = 0; r < count; ++r) {
          CHECK(found[2 * r] == (differ ? 99 : before));
          CHECK(found[2 * r + 1] == (differ ? 99 : total));
          CHECK(reported[r].what == (differ ? distributed::difference::function : distributed::difference::none));
          if (differ) CHECK(reported[r].rank == size - 1);
          before += counts[r];
        }
      });
    }
}

TEST_CASE("mailboxes: a rank that is alone waits no longer than the host wants") {
  const mailbox_layout at{2};
  test::guarded<std::byte> box(std::vector<std::byte>(at.bytes()));
  std::vector<std::byte> begin(at.bytes());
  for (int p = 0; p < 2; ++p) {
    std::byte* const address = box.data();  // of the rank itself: nobody answers
    std::memcpy(begin.data() + at.addresses() + 8 * std::size_t(p), &address, sizeof address);
  }
  box.write(begin);
  const test::guarded<std::uint32_t> abandoned(std::vector<std::uint32_t>{1});
  const test::guarded<std::uint64_t> from(std::vector<std::uint64_t>{17});
  test::guarded<std::uint64_t> to(std::vector<std::uint64_t>{1, 2});
  launch_exchange_mail<mail::gather>(test::test_stream(), {box.data(), abandoned.data(), 0, 2}, 0, from.data(),
                                     to.data(), 8);
  CHECK(to.read() == std::vector<std::uint64_t>{1, 2});
}

TEST_CASE("ranks of a process meet, and one may end while another still looks at it") {
  struct gave_up {};
  const auto give_up = [] { throw gave_up(); };
  const auto must_not_wait = [] { FAIL_CHECK("waits for a rank that has come"); };
  rank_meetings first;
  auto second = std::make_unique<rank_meetings>();
  const std::uint64_t number = second->number();
  first.meet(must_not_wait);  // it knows no other yet
  second->meet(must_not_wait);
  first.meet_with({number});
  second->meet_with({first.number()});
  CHECK_THROWS_AS(first.meet(give_up), gave_up);  // counted, although nobody has come
  second->meet(must_not_wait);
  CHECK_THROWS_AS(second->meet(give_up), gave_up);
  second.reset();
  first.meet(must_not_wait);  // the second rank had come here before it ended
  CHECK_THROWS_AS(first.meet(give_up), gave_up);
  first.meet_with({number});  // it has ended
  first.meet(must_not_wait);
}

}  // namespace distributed_mailbox
