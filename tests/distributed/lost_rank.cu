// SPDX-License-Identifier: Apache-2.0
// A rank that has died, or whose communicator was given up, during a call of the others: what comes
// from it is missing. The others write nothing by it, and leave nothing under way.
#include <ballot/distributed/sort.cuh>
#include <ballot/distributed/unique.cuh>

#include "distributed/block_to_sort.hpp"
#include "distributed/forwarding_communicator.hpp"
#include "distributed/ranks.hpp"
#include "support/patterns.hpp"

using namespace ballot;

namespace distributed_lost_rank {

using ballot::distributed::communication_error;
using ballot::test::forwarding_communicator;

constexpr std::size_t n = 700;

// What a rank has where it expects other ranks' counts, if one of them has died.
enum class instead_of_counts { what_was_there, zeros, random_words, counts_of_another_rank };

// A communicator that is given up once the ranks have compared their calls: counts no longer come.
class lost_communicator : public forwarding_communicator {
 public:
  lost_communicator(test::rank& of, instead_of_counts counts, bool loses_sums)
      : forwarding_communicator(of), counts_(counts), loses_sums_(loses_sums) {}
  void all_gather(stream_t stream, const void* from, void* to, std::size_t bytes) {
    if (from == records()) return of_.all_gather(stream, from, to, bytes);
    const std::size_t all = bytes * static_cast<std::size_t>(size());
    const auto words = test::random_items<std::uint64_t>(all / 8, 71 + static_cast<unsigned>(rank()));
    switch (counts_) {
      case instead_of_counts::what_was_there:
        return;
      case instead_of_counts::zeros:
        return simt::fill_bytes(stream, to, 0, all);
      case instead_of_counts::random_words:
        return simt::copy_bytes(stream, to, words.data(), all);
      case instead_of_counts::counts_of_another_rank:
        of_.all_gather(stream, from, to, bytes);
        std::byte* const own = static_cast<std::byte*>(to) + bytes * static_cast<std::size_t>(rank());
        std::byte* const other = static_cast<std::byte*>(to) + bytes * (static_cast<std::size_t>(rank() + 1) % 3);
        simt::copy_bytes(stream, own, other, bytes);
    }
  }
  void all_reduce(stream_t stream, const std::uint64_t* terms, std::uint64_t* sums, std::size_t words) {
    if (!loses_sums_) of_.all_reduce(stream, terms, sums, words);
  }
  void start_exchange(stream_t, std::span<const distributed::message>, std::span<const distributed::message>) {
    FAIL_CHECK("an exchange by counts that have not come");
  }

 private:
  instead_of_counts counts_;
  bool loses_sums_;
};
static_assert(distributed::communicator<lost_communicator>);

// The kernels that move items are launched before the host knows that counts are missing.
template <class K, class V>
void check_lost(int ranks, std::size_t items, instead_of_counts counts, bool loses_sums,
                const distributed::sort_options& options) {
  CAPTURE(ranks);
  CAPTURE(items);
  CAPTURE(int(counts));
  CAPTURE(loses_sums);
  test::on_ranks(ranks, [&](test::rank& comm) {
    lost_communicator lost(comm, counts, loses_sums);
    const std::size_t own = items + 7 * static_cast<std::size_t>(comm.rank());
    const test::guarded<K> in(test::random_items<K>(own, 3 + static_cast<unsigned>(comm.rank())));
    const test::guarded<V> values(test::random_items<V>(own, 4));
    test::guarded<K> out(own);
    test::guarded<V> values_out(own);
    const test::exact_scratch scratch(distributed::sort_pairs_scratch_bytes<K, V>(ranks, own, own)),
        of_keys(distributed::sort_scratch_bytes<K>(ranks, own, own));
    CHECK_THROWS_AS(distributed::sort_pairs(lost, scratch.where(), in, values, out, values_out, options),
                    communication_error);
    CHECK_THROWS_AS(distributed::sort(lost, of_keys.where(), in, out, options), communication_error);
    for (const K& k : out.read()) REQUIRE(test::is_dirt(k));
    for (const V& v : values_out.read()) REQUIRE(test::is_dirt(v));
    scratch.check_guards();
    of_keys.check_guards();
  });
}
struct triple {
  std::uint8_t bytes[3];
};
TEST_CASE("distributed sort: nothing is written by the counts of a rank that has died") {
  for (const bool loses_sums : {false, true})
    for (const instead_of_counts counts : {instead_of_counts::what_was_there, instead_of_counts::zeros,
                                           instead_of_counts::random_words, instead_of_counts::counts_of_another_rank})
      for (const std::size_t items : {std::size_t{900}, std::size_t{2500}}) {
        check_lost<std::uint32_t, std::uint32_t>(3, items, counts, loses_sums, {});
        check_lost<std::uint64_t, std::uint64_t>(3, items, counts, loses_sums, {.pieces = 3});
        check_lost<std::uint32_t, triple>(3, items, counts, loses_sums, {.pieces = 2});
        check_lost<std::uint32_t, std::uint8_t>(3, items, counts, loses_sums, {.pieces = 2});
      }
}

// All ranks have far more items than they have, as far as they tell each other: memory that a
// gather has not written, because the communicator was given up, may say so.
class lost_records_communicator : public forwarding_communicator {
 public:
  using forwarding_communicator::forwarding_communicator;
  void all_gather(stream_t stream, const void* from, void* to, std::size_t bytes) {
    of_.all_gather(stream, from, to, bytes);
    std::vector<distributed::detail::call_record> all(static_cast<std::size_t>(size()));
    simt::copy_bytes(stream, all.data(), to, all.size() * sizeof all[0]);
    for (auto& record : all) record.items = std::uint64_t{1} << 40;
    simt::copy_bytes(stream, to, all.data(), all.size() * sizeof all[0]);
  }
};
TEST_CASE("distributed unique: no more items move up than there are") {
  test::on_ranks(3, [](test::rank& comm) {
    lost_records_communicator lost(comm);
    for (const std::size_t items : {n, 3 * n}) {
      const test::guarded<std::uint32_t> in(std::vector<std::uint32_t>(items, 7));
      test::guarded<std::uint32_t> out(items);
      test::guarded<std::uint64_t> count(1);
      const test::exact_scratch scratch(distributed::unique_scratch_bytes<std::uint32_t>(items));
      distributed::unique(lost, scratch.where(), in, out, count.data());
      (void)out.read();
      scratch.check_guards();
    }
  });
}

// Its second exchange fails.
class failing_communicator : public forwarding_communicator {
 public:
  using forwarding_communicator::forwarding_communicator;
  int started = 0, finished = 0;
  void start_exchange(stream_t stream, std::span<const distributed::message> sends,
                      std::span<const distributed::message> receives) {
    if (started == 1) throw communication_error("a send failed");
    of_.start_exchange(stream, sends, receives);
    ++started;
  }
  void finish_exchange(stream_t stream) {
    of_.finish_exchange(stream);
    ++finished;
  }
};
TEST_CASE("distributed sort: exchanges are waited for where a later one fails") {
  test::on_ranks(3, [](test::rank& comm) {
    failing_communicator failing(comm);
    const test::guarded<std::uint32_t> in(test::random_items<std::uint32_t>(n, 4));
    test::guarded<std::uint32_t> out(n);
    CHECK_THROWS_AS(distributed::sort(failing, allocating(test::test_stream()), in, out, {.pieces = 3}),
                    communication_error);
    CHECK(failing.started == 1);
    CHECK(failing.finished == 1);
    test::check_well(comm);
  });
}

}  // namespace distributed_lost_rank
