// SPDX-License-Identifier: Apache-2.0
// 64 ranks and more, and messages that go in pieces.
#include <ballot/distributed/scan.cuh>
#include <ballot/distributed/sort.cuh>

#include "distributed/ranks.hpp"
#include "support/patterns.hpp"
#include "support/sort_reference.hpp"

#include <cmath>
#include <numeric>

using namespace ballot;

namespace distributed_many_ranks {

template <class K>
void check(test::rank& comm, const std::vector<K>& keys, const std::vector<K>& sorted,
           const std::vector<std::size_t>& in_sizes, const std::vector<std::size_t>& out_sizes, int pieces) {
  const test::guarded<K> in(test::block_of(keys, in_sizes, comm.rank()));
  const auto want = test::block_of(sorted, out_sizes, comm.rank());
  test::guarded<K> out(want.size());
  const test::exact_scratch scratch(distributed::sort_scratch_bytes<K>(comm.size(), in.size(), out.size()));
  distributed::sort(comm, scratch.where(), in, out, {.pieces = pieces});
  CHECK(out.read() == want);
}

TEST_CASE("distributed sort on 64 and 128 ranks") {
  using K = std::uint32_t;
  for (int ranks : {64, 128})
    for (const test::key_pattern& pattern : test::key_patterns) {
      // The next test has keys of other kinds on 64 ranks. The checked build is ten times as slow.
      if (pattern.name != "few distinct" && (pattern.name != "uniform" || ranks == 128)) continue;
      if (emulator::instrumented() && ranks == 128) continue;
      CAPTURE(pattern.name);
      const auto keys = test::make_keys<K>(pattern, 6000);
      const auto sorted = test::serial_sort(keys, {});
      const auto in = test::block_sizes(test::blocks::uneven, keys.size(), ranks);
      const auto out = test::block_sizes(test::blocks::one_empty, keys.size(), ranks);
      test::depth_first([&] {
        test::on_ranks(
            ranks, [&](test::rank& comm) { check(comm, keys, sorted, in, out, 2); }, 5);
      });
    }
}

// Each key crosses a link at most once, and only where it changes its rank. Balance is exact by the
// caller's sizes.
TEST_CASE("distributed sort: what crosses the links, by keys and number of ranks") {
  using K = std::uint32_t;
  struct law {
    const char* name;
    K (*key)(std::size_t i, K random);
    double least, most;  // of the items that a random order would send to other ranks, (R - 1) / R of all
  };
  constexpr std::size_t n = 6400;
  const law laws[] = {
      {"uniform", [](std::size_t, K random) { return random; }, 0.95, 1.05},
      // the k-th of 2^20 names is 1/k as frequent as the first: u in [0, 1) gives the one with
      // number 2^(20 u)
      {"Zipf", [](std::size_t, K random) { return K(std::exp2(20 * (random * 0x1p-32))) * 2654435761u; }, 0.8, 1.05},
      {"all equal", [](std::size_t, K) { return K{7}; }, 0, 0},
      {"in order", [](std::size_t i, K) { return K(i); }, 0, 0},
      {"reversed", [](std::size_t i, K) { return K(n - i); }, 1, 1.34},
  };
  const auto random = test::random_items<K>(n, 11);
  for (int ranks : {4, 8, 64})
    for (const law& of : laws) {
      if (emulator::instrumented() && ranks == 64) continue;
      CAPTURE(ranks);
      CAPTURE(of.name);
      std::vector<K> keys(n);
      for (std::size_t i = 0; i < n; ++i) keys[i] = of.key(i, random[i]);
      const auto sorted = test::serial_sort(keys, {});
      const auto sizes = test::block_sizes(test::blocks::equal, n, ranks);
      std::vector<std::size_t> received(static_cast<std::size_t>(ranks));
      test::depth_first([&] {
        test::on_ranks(ranks, [&](test::rank& comm) {
          check(comm, keys, sorted, sizes, sizes, 2);
          received[static_cast<std::size_t>(comm.rank())] = comm.bytes_received();
        });
      });
      for (int r = 0; r < ranks; ++r)
        CHECK(received[static_cast<std::size_t>(r)] <= sizes[static_cast<std::size_t>(r)] * sizeof(K));
      const double sent = double(std::accumulate(received.begin(), received.end(), std::size_t{0})),
                   at_random = double(n * sizeof(K)) * (ranks - 1) / ranks;
      CHECK(sent >= of.least * at_random);
      CHECK(sent <= of.most * at_random);
    }
}

TEST_CASE("distributed scan on 64 ranks") {
  const auto items = test::random_items<std::uint32_t>(40000, 3);
  const auto sizes = test::block_sizes(test::blocks::uneven, items.size(), 64);
  std::vector<std::uint32_t> sums(items.size());
  std::partial_sum(items.begin(), items.end(), sums.begin());
  test::depth_first([&] {
    test::on_ranks(64, [&](test::rank& comm) {
      const test::guarded<std::uint32_t> in(test::block_of(items, sizes, comm.rank()));
      test::guarded<std::uint32_t> out(in.size());
      const test::exact_scratch scratch(distributed::scan_scratch_bytes<std::uint32_t>(in.size()));
      distributed::inclusive_scan(comm, scratch.where(), in, out);
      CHECK(out.read() == test::block_of(sums, sizes, comm.rank()));
    });
  });
}

// A sample takes 32 keys of 8192. If those are unlike the others, its guess is wrong, and keys are
// read again.
TEST_CASE("distributed sort: keys whose sample misleads") {
  using K = std::uint32_t;
  const std::size_t n = 540'000;
  const auto sizes = test::block_sizes(test::blocks::equal, n, 2);
  for (K sampled : {K{0}, ~K{0}}) {
    auto keys = test::random_items<K>(n, 4);
    for (std::size_t begin : {std::size_t{0}, sizes[0]})
      for (std::size_t i = begin; i < begin + sizes[0]; ++i)
        if ((i - begin) % 8192 < 32) keys[i] = sampled;
    auto sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    test::depth_first(
        [&] { test::on_ranks(2, [&](test::rank& comm) { check(comm, keys, sorted, sizes, sizes, 2); }); });
  }
}

TEST_CASE("distributed sort: messages longer than one may be go in several, in many orders") {
  using K = std::uint64_t;
  const auto keys = test::random_items<K>(2000, 8);
  const auto sorted = test::serial_sort(keys, {});
  const auto in = test::block_sizes(test::blocks::all_on_last, keys.size(), 3);
  const auto out = test::block_sizes(test::blocks::equal, keys.size(), 3);
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    test::depth_first([&] {
      test::on_ranks(
          3,
          [&](test::rank& comm) {
            check(comm, keys, sorted, in, out, int(seed % 4));
            // all but its own third came from the last rank, 96 bytes a message
            const std::size_t bytes = out[std::size_t(comm.rank())] * sizeof(K);
            CHECK(comm.bytes_received() == (comm.rank() == 2 ? 0 : bytes));
            CHECK(comm.messages_received() * 96 >= comm.bytes_received());
          },
          seed, 100);
    });
}

}  // namespace distributed_many_ranks
