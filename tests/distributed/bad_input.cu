// SPDX-License-Identifier: Apache-2.0
// Calls whose arguments differ between the ranks, or that one of them cannot carry out. Every rank
// finds them before any item moves, and the ranks can go on with a better call.
#include <ballot/distributed/compact.cuh>
#include <ballot/distributed/compact_balanced.cuh>
#include <ballot/distributed/reduce.cuh>
#include <ballot/distributed/scan.cuh>
#include <ballot/distributed/sort.cuh>
#include <ballot/distributed/unique.cuh>

#include "distributed/block_to_sort.hpp"
#include "distributed/forwarding_communicator.hpp"
#include "distributed/ranks.hpp"
#include "support/patterns.hpp"

#include <string>

using namespace ballot;

namespace distributed_bad_input {

using ballot::test::block_to_sort;
using ballot::test::check_well;

constexpr std::size_t n = ballot::test::block_items;

// The error that `call` throws names the rank.
template <class Call>
void check_disagreement(int rank, const std::string& words, Call&& call) {
  try {
    call();
    FAIL_CHECK("nothing was thrown");
  } catch (const distributed::disagreement& e) {
    CHECK(e.rank() == rank);
    CHECK_MESSAGE(std::string(e.what()).find(words) != std::string::npos, std::string(e.what()));
  }
}

struct is_odd {
  BALLOT_HOST_DEVICE bool operator()(std::uint64_t v) const { return v % 2 != 0; }
};

int several_ranks() { return test::rank_counts().back(); }

TEST_CASE("distributed sort: ranks with keys of different types") {
  if (several_ranks() < 2) return;
  test::on_ranks(several_ranks(), [](test::rank& comm) {
    if (comm.rank() == 1) {
      block_to_sort<std::int32_t> block(comm.size());
      check_disagreement(1, "rank 1 has items of another type: 4 bytes, signed; rank 0: 4 bytes, unsigned",
                         [&] { block.sort(comm); });
      CHECK(block.untouched());
    } else {
      block_to_sort<std::uint32_t> block(comm.size());
      check_disagreement(1, "rank 1 has items of another type", [&] { block.sort(comm); });
      CHECK(block.untouched());
    }
    check_well(comm);
  });
}

TEST_CASE("distributed sort: ranks with different options, different calls") {
  if (several_ranks() < 2) return;
  test::on_ranks(several_ranks(), [](test::rank& comm) {
    const int last = comm.size() - 1;
    const bool odd = comm.rank() == last;
    block_to_sort<std::uint32_t> block(comm.size());
    check_disagreement(last, "asks for other options",
                       [&] { block.sort(comm, {.direction = odd ? direction::descending : direction::ascending}); });
    check_disagreement(last, "asks for other options", [&] { block.sort(comm, {.bits = {0, odd ? 31 : 32}}); });
    CHECK(block.untouched());

    test::guarded<std::uint64_t> total(1);
    test::guarded<distributed::call_report> report(1);
    if (odd) {
      const test::exact_scratch scratch(distributed::reduce_scratch_bytes<std::uint64_t>(n));
      distributed::sum(comm, scratch.where(), block.in, total.data(), {.report = report.data()});
      CHECK(report.read()[0].what == distributed::difference::function);
      CHECK(report.read()[0].rank == last);
      CHECK(test::is_dirt(total.read()[0]));
    } else {
      const std::string rank = "rank " + std::to_string(last);
      check_disagreement(last, rank + " calls sum, rank 0 sort", [&] { block.sort(comm); });
      CHECK(block.untouched());
    }
    check_well(comm);
  });
}

TEST_CASE("distributed sort: options that mean the same in other words are the same") {
  test::on_ranks(several_ranks(), [](test::rank& comm) {
    const bool odd = comm.rank() % 2 != 0;
    const auto check = [&]<class K>(std::type_identity<K>, const distributed::sort_options& options) {
      block_to_sort<K> block(comm.size());
      block.sort(comm, odd ? options : distributed::sort_options{});
      const auto items = block.out.read();
      CHECK(std::is_sorted(items.begin(), items.end()));
    };
    check(std::type_identity<std::uint32_t>{}, {.bits = {0, 32}});
    check(std::type_identity<std::int64_t>{}, {.bits = {0, 64}});
    check(std::type_identity<std::uint32_t>{}, {.nans = nan_order::first});
    if (comm.size() < 2) return;
    block_to_sort<float> block(comm.size());
    check_disagreement(1, "asks for other options",
                       [&] { block.sort(comm, {.nans = odd ? nan_order::first : nan_order::last}); });
    check_well(comm);
  });
}

TEST_CASE("distributed argsort: ranks whose indices have different signs") {
  if (several_ranks() < 2) return;
  test::on_ranks(several_ranks(), [](test::rank& comm) {
    const test::guarded<std::uint32_t> in(test::random_items<std::uint32_t>(n, 4));
    const auto check = [&]<class Index>(std::type_identity<Index>) {
      test::guarded<std::uint32_t> out(n);
      test::guarded<Index> indices(n);
      check_disagreement(1, "rank 1 has values of another type: 4 bytes, signed; rank 0: 4 bytes, unsigned",
                         [&] { distributed::argsort(comm, allocating(test::test_stream()), in, out, indices); });
      for (auto v : indices.read()) REQUIRE(test::is_dirt(v));
    };
    if (comm.rank() == 1) check(std::type_identity<std::int32_t>{});
    else check(std::type_identity<std::uint32_t>{});
    check_well(comm);
  });
}

TEST_CASE("distributed sort: a rank that refuses is named to the others") {
  if (several_ranks() < 2) return;
  test::on_ranks(several_ranks(), [](test::rank& comm) {
    using K = std::uint32_t;
    block_to_sort<K> block(comm.size());
    const test::exact_scratch small(distributed::sort_scratch_bytes<K>(comm.size(), n, n) - 257);
    if (comm.rank() == 1) {
      try {
        distributed::sort(comm, small.where(), block.in, block.out);
        FAIL_CHECK("nothing was thrown");
      } catch (const invalid_argument& e) {
        CHECK(std::string(e.what()).find("are needed") != std::string::npos);
      }
      CHECK_THROWS_AS(distributed::sort(comm, block.scratch.where(), block.in, block.in), invalid_argument);
      CHECK_THROWS_AS(block.sort(comm, {.bits = {0, 33}}), invalid_argument);
    } else {
      check_disagreement(1, "rank 1 refused its call of sort", [&] { block.sort(comm); });
      check_disagreement(1, "rank 1 refused its call of sort", [&] { block.sort(comm); });
      check_disagreement(1, "rank 1 refused its call of sort", [&] { block.sort(comm, {.bits = {0, 31}}); });
    }
    CHECK(block.untouched());
    check_well(comm);
  });
}

TEST_CASE("distributed calls: a refusal says which arguments") {
  test::on_ranks(1, [](test::rank& comm) {
    using K = std::uint32_t;
    const test::guarded<K> in(test::random_items<K>(n, 5));
    test::guarded<K> out(n), other(n - 1);
    const exec gpu = allocating(test::test_stream());
    const auto refused = [](const std::string& why, auto&& call) {
      std::string said;
      try {
        call();
      } catch (const invalid_argument& e) {
        said = e.what();
      }
      CHECK_MESSAGE(said.find(why) != std::string::npos, said);
    };
    refused("ballot::distributed::sort: output `keys_out` [0x", [&] { distributed::sort(comm, gpu, out, out); });
    refused("overlaps input `keys` [0x", [&] { distributed::sort(comm, gpu, out, out); });
    refused("`keys` has 700 items, `values` has 699", [&] { distributed::sort_pairs(comm, gpu, in, other, out, out); });
    refused("output `values_out` [0x", [&] { distributed::sort_pairs(comm, gpu, in, in, out, out); });
    refused("`scratch` [0x", [&] {
      const exec within(test::test_stream(), reinterpret_cast<std::byte*>(out.data()), 64);
      distributed::sort(comm, within, in, out);
    });
    refused("`indices` [0x", [&] { distributed::argsort(comm, gpu, in, out, out); });
    refused("ballot::distributed::sum: `result` has no address",
            [&] { distributed::sum(comm, gpu, in, static_cast<K*>(nullptr)); });
    refused("output `result` [0x", [&] { distributed::sum(comm, gpu, out, out.data()); });
  });
}

TEST_CASE("distributed calls: a report has a place of its own") {
  test::on_ranks(1, [](test::rank& comm) {
    using report = device_result<distributed::call_report>;
    const test::guarded<std::uint64_t> in(test::random_items<std::uint64_t>(n, 5));
    test::guarded<std::uint64_t> out(n), count(1), total(1), carry(1);
    const exec gpu = allocating(test::test_stream());
    const auto at = [](const auto& memory) {
      return report(reinterpret_cast<distributed::call_report*>(const_cast<std::uint64_t*>(memory.data())));
    };
    const auto refused = [](auto&& call) {
      std::string said;
      try {
        call();
      } catch (const invalid_argument& e) {
        said = e.what();
      }
      CHECK_MESSAGE(said.find("`report` [0x") != std::string::npos, said);
    };
    for (const report& place : {at(in), at(out), at(total)})
      refused([&] { distributed::exclusive_scan(comm, gpu, in, out, {.total = total.data(), .report = place}); });
    refused([&] { distributed::inclusive_scan(comm, gpu, in, out, {.carry = carry.data(), .report = at(carry)}); });
    for (const report& place : {at(in), at(total)})
      refused([&] { distributed::sum(comm, gpu, in, total.data(), {.report = place}); });
    for (const report& place : {at(out), at(total), at(count)}) {
      const distributed::compact_options options{.total = total.data(), .report = place};
      refused([&] { distributed::compact(comm, gpu, in, is_odd{}, out, count.data(), options); });
      refused([&] { distributed::compact_balanced(comm, gpu, in, is_odd{}, out, count.data(), options); });
    }
    refused([&] {
      distributed::count_if(comm, gpu, in, is_odd{}, count.data(), {.offset = total.data(), .report = at(total)});
    });
    for (auto v : out.read()) REQUIRE(test::is_dirt(v));
  });
}

TEST_CASE("distributed calls: scratch for a number of ranks that no call takes") {
  using K = std::uint32_t;
  const auto refused = [](const std::string& why, auto&& bytes) {
    std::string said;
    try {
      bytes();
    } catch (const invalid_argument& e) {
      said = e.what();
    }
    CHECK_MESSAGE(said.find(why) != std::string::npos, said);
  };
  for (const int ranks : {0, -1, 129, 1 << 30}) {
    CAPTURE(ranks);
    const std::string why = ranks < 1 ? "_scratch_bytes: no ranks" : "_scratch_bytes: more than 128 ranks";
    refused(why, [&] { (void)distributed::sort_scratch_bytes<K>(ranks, n, n); });
    refused(why, [&] { (void)distributed::sort_pairs_scratch_bytes<K, K>(ranks, n, n); });
    refused(why, [&] { (void)distributed::argsort_scratch_bytes<K, K>(ranks, n, n); });
    if (ranks < 1) refused(why, [&] { (void)distributed::compact_balanced_scratch_bytes<K>(ranks, n); });
  }
}

TEST_CASE("distributed sort: too little room, or too much, for what all ranks have") {
  test::on_ranks(several_ranks(), [](test::rank& comm) {
    for (std::size_t room : {n - 1, n + 1}) {
      block_to_sort<std::uint64_t> block(comm.size(), comm.rank() == 0 ? room : n);
      try {
        block.sort(comm);
        FAIL_CHECK("nothing was thrown");
      } catch (const invalid_argument& e) {
        const std::string needed = std::to_string(static_cast<std::size_t>(comm.size()) * n) + " are to be sorted";
        if (comm.size() > 1)
          CHECK_MESSAGE(std::string(e.what()).find(needed) != std::string::npos, std::string(e.what()));
      }
      CHECK(block.untouched());
    }
    check_well(comm);
  });
}

TEST_CASE("distributed compact: ranks whose columns differ behind the first one") {
  if (several_ranks() < 2) return;
  test::on_ranks(several_ranks(), [](test::rank& comm) {
    const test::guarded<std::uint32_t> in(test::random_items<std::uint32_t>(n, 4));
    const auto check = [&]<class T>(std::type_identity<T>) {
      const test::guarded<T> others(std::vector<T>(n, T{1}));
      test::guarded<std::uint32_t> out(n);
      test::guarded<T> others_out(n);
      test::guarded<std::uint64_t> count(1), total(1);
      test::guarded<distributed::call_report> report(1);
      const exec where = allocating(test::test_stream());
      check_disagreement(1, "rank 1 has other columns than rank 0", [&] {
        distributed::compact_balanced(comm, where, zip{in, others}, on_first{is_odd{}}, zip{out, others_out},
                                      count.data());
      });
      for (auto v : out.read()) REQUIRE(test::is_dirt(v));
      distributed::compact(comm, where, zip{in, others}, on_first{is_odd{}}, zip{out, others_out}, count.data(),
                           {.total = total.data(), .report = report.data()});
      CHECK(report.read()[0].what == distributed::difference::value_type);
      CHECK(report.read()[0].rank == 1);
      CHECK(test::is_dirt(total.read()[0]));
    };
    if (comm.rank() == 1) check(std::type_identity<double>{});
    else check(std::type_identity<float>{});
    check_well(comm);
  });
}

TEST_CASE("distributed scan: what ranks differ in is reported, and nothing is written") {
  if (several_ranks() < 2) return;
  test::on_ranks(several_ranks(), [](test::rank& comm) {
    const test::guarded<std::uint32_t> in(test::random_items<std::uint32_t>(n, 4));
    test::guarded<std::uint32_t> out(n);
    test::guarded<std::uint64_t> wide_out(n);
    test::guarded<distributed::call_report> report(1);
    const test::exact_scratch scratch(distributed::scan_scratch_bytes<std::uint64_t>(n) +
                                      distributed::scan_scratch_bytes<std::uint32_t>(n));
    if (comm.rank() == 1) distributed::inclusive_scan(comm, scratch.where(), in, wide_out, {.report = report.data()});
    else distributed::inclusive_scan(comm, scratch.where(), in, 0, plus{}, out, {.report = report.data()});
    CHECK(report.read()[0].what == distributed::difference::item_type);
    CHECK(report.read()[0].rank == 1);
    for (auto v : out.read()) REQUIRE(test::is_dirt(v));
    for (auto v : wide_out.read()) REQUIRE(test::is_dirt(v));

    if (comm.rank() == 1) {
      CHECK_THROWS_AS(distributed::exclusive_scan(comm, exec(test::test_stream(), std::span<std::byte>{}), in, out),
                      invalid_argument);
    } else {
      distributed::exclusive_scan(comm, scratch.where(), in, out, {.report = report.data()});
      CHECK(report.read()[0].what == distributed::difference::refused);
      CHECK(report.read()[0].rank == 1);
      for (auto v : out.read()) REQUIRE(test::is_dirt(v));
    }
    check_well(comm);
  });
}

#if BALLOT_EMULATED

TEST_CASE("distributed calls: a rank without memory for scratch tells the others") {
  test::on_ranks(3, [](test::rank& comm) {
    test::guarded<std::uint32_t> memory(test::random_items<std::uint32_t>(2 * n, 4));
    const std::span<std::uint32_t> out(memory.data(), n - 1);
    // More items than any memory has. They are not read, since scratch comes first.
    const std::span<const std::uint32_t> in(memory.data() + n, comm.rank() == 1 ? std::uint64_t{1} << 55 : n);
    const device_count count(memory.data() + n - 1);
    const auto before = memory.read();
    const auto call = [&] {
      distributed::compact_balanced(comm, allocating(test::test_stream()), in, is_odd{}, out, count);
    };
    if (comm.rank() != 1) {
      check_disagreement(1, "rank 1 refused its call of compact_balanced", call);
    } else {
      bool is_told = false;  // as what it is
      try {
        call();
      } catch (const invalid_argument& e) {
        FAIL_CHECK(e.what());
      } catch (const std::exception&) {
        is_told = true;
      }
      CHECK(is_told);
    }
    CHECK(memory.read() == before);
    check_well(comm);
  });
}

// Rank 0 has 2^32 more items than it has, as far as the ranks tell each other, and as much more
// room.
class crowded_communicator : public test::forwarding_communicator {
 public:
  using test::forwarding_communicator::forwarding_communicator;
  void all_gather(stream_t stream, const void* from, void* to, std::size_t bytes) {
    of_.all_gather(stream, from, to, bytes);
    if (from != records()) return;
    distributed::detail::call_record first;
    simt::copy_bytes(stream, &first, to, sizeof first);
    first.items += std::uint64_t{1} << 32;
    first.room += std::uint64_t{1} << 32;
    simt::copy_bytes(stream, to, &first, sizeof first);
  }
};
TEST_CASE("distributed calls: more items on all ranks than one rank's numbers count") {
  test::on_ranks(3, [](test::rank& comm) {
    crowded_communicator crowded(comm);
    const test::guarded<std::uint32_t> in(test::random_items<std::uint32_t>(n, 4));
    test::guarded<std::uint32_t> out(n), narrow(1);
    test::guarded<std::uint64_t> wide(1), count(1);
    const exec where = allocating(test::test_stream());
    const bool is_narrow = comm.rank() == 1;
    const auto at = [&] { return is_narrow ? device_count(narrow.data()) : device_count(wide.data()); };
    const auto refused = [&](auto&& call) {
      std::string said;
      try {
        call();
      } catch (const invalid_argument& e) {
        said = e.what();
      }
      CHECK_MESSAGE(said.find("of rank 1 count to 4294967295, too few for 4294") != std::string::npos, said);
      for (auto v : out.read()) REQUIRE(test::is_dirt(v));
    };
    refused([&] { distributed::sort(crowded, where, in, out, {.total = at()}); });
    refused([&] { distributed::sort(crowded, where, in, out, {.offset = at()}); });
    refused([&] { distributed::compact_balanced(crowded, where, in, is_odd{}, out, count.data(), {.offset = at()}); });
    refused([&] { distributed::compact_balanced(crowded, where, in, is_odd{}, out, count.data(), {.total = at()}); });
  });
}

TEST_CASE("distributed sum: where nobody asks for a report, ranks that differ trap") {
  int trapped = 0;
  test::on_ranks(3, [&](test::rank& comm) {
    const test::guarded<std::uint32_t> in(test::random_items<std::uint32_t>(n, 4));
    test::guarded<std::uint32_t> total(1);
    test::guarded<float> other_total(1);
    const test::exact_scratch scratch(distributed::reduce_scratch_bytes<std::uint32_t>(n));
    try {
      if (comm.rank() == 2) distributed::sum(comm, scratch.where(), in, other_total.data());
      else distributed::sum(comm, scratch.where(), in, total.data());
    } catch (const emulator::error& e) {
      trapped += e.kind() == emulator::error_kind::kernel_exception;
    }
  });
  CHECK(trapped == 3);
}

TEST_CASE("distributed sort: of more ranks than boundaries are counted for") {
  test::on_ranks(129, [](test::rank& comm) {
    block_to_sort<std::uint32_t> block(128);
    CHECK_THROWS_AS(block.sort(comm), invalid_argument);
    CHECK(block.untouched());
  });
}

#endif

}  // namespace distributed_bad_input
