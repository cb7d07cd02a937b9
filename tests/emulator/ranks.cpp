// SPDX-License-Identifier: Apache-2.0
// Ranks in one process: exchanged data arrives, in any order, and each mistake that is planted is
// named.
#include <doctest/doctest.h>
#include <ballot/ranks.hpp>

#include <ballot/device/memory.cuh>
#include <ballot/distributed/communicator.hpp>

#include <set>
#include <string>
#include <vector>

using namespace ballot;
using ballot::distributed::message;
using emulator::rank_communicator;
static_assert(distributed::communicator<rank_communicator>);
static_assert(distributed::host_bytes_of_rank == 2112 && distributed::host_bytes_of_all == 2048);  // emulator/ranks.cpp

namespace {

using words = device_array<std::uint64_t>;

words on_device(const std::vector<std::uint64_t>& items) {
  words memory(items.size(), nullptr);
  memory.write(items);
  return memory;
}
std::span<const message> list(const std::vector<message>& messages) { return messages; }

// The error that the ranks get when `body` fails.
template <class Body>
std::string mistake(int ranks, Body&& body) {
  try {
    emulator::run_ranks({.ranks = ranks}, body);
  } catch (const emulator::ranks_error& e) {
    return e.what();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("ranks: gathers, sums and messages, in every order") {
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    std::vector<int> order;
    emulator::run_ranks({.ranks = 4, .seed = seed}, [&](rank_communicator& comm) {
      const auto r = static_cast<std::uint64_t>(comm.rank());
      order.push_back(comm.rank());
      const words own = on_device({r, r * r}), all(8, nullptr), sums(2, nullptr);
      comm.all_gather(nullptr, own.data(), all.data(), 16);
      CHECK(all.read() == std::vector<std::uint64_t>{0, 0, 1, 1, 2, 4, 3, 9});
      comm.all_reduce(nullptr, own.data(), sums.data(), 2);
      CHECK(sums.read() == std::vector<std::uint64_t>{6, 14});

      // everyone to the next one, in two messages that keep their order
      const words came(2, nullptr);
      const int next = (comm.rank() + 1) % 4, previous = (comm.rank() + 3) % 4;
      comm.start_exchange(nullptr, list({{next, own.data(), 8}, {next, own.data() + 1, 8}}),
                          list({{previous, came.data(), 8}, {previous, came.data() + 1, 8}}));
      comm.finish_exchange(nullptr);
      const auto p = static_cast<std::uint64_t>(previous);
      CHECK(came.read() == std::vector<std::uint64_t>{p, p * p});
      CHECK(comm.bytes_received() == 16);

      comm.read_back(nullptr, own.data(), 16);
      CHECK(reinterpret_cast<const std::uint64_t*>(comm.wait())[1] == r * r);
    });
    orders.insert(order);
  }
  CHECK(orders.size() > 10);
}

TEST_CASE("ranks: messages arrive early or late, by the seed") {
  int early = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    emulator::run_ranks({.ranks = 2, .seed = seed}, [&](rank_communicator& comm) {
      const words own = on_device({7}), came = on_device({1});
      const int other = 1 - comm.rank();
      comm.start_exchange(nullptr, list({{other, own.data(), 8}}), list({{other, came.data(), 8}}));
      early += came.read()[0] == 7;
      comm.finish_exchange(nullptr);
      CHECK(came.read()[0] == 7);
    });
  CHECK(early > 0);
  CHECK(early < 40);
}

TEST_CASE("ranks: mistakes are named") {
  const auto gather = [](rank_communicator& comm, std::size_t bytes) {
    const words own = on_device({1, 2}), all(8, nullptr);
    comm.all_gather(nullptr, own.data(), all.data(), bytes);
  };
  CHECK(mistake(3, [&](rank_communicator& comm) { gather(comm, comm.rank() == 2 ? 16 : 8); }) ==
        "all_gather of 8 bytes by rank 0, of 16 bytes by rank 2");
  CHECK(mistake(3, [&](rank_communicator& comm) {
          if (comm.rank() != 1) return gather(comm, 8);
          const words own = on_device({1}), sums(1, nullptr);
          comm.all_reduce(nullptr, own.data(), sums.data(), 1);
        }) == "rank 0 is in all_gather, rank 1 in all_reduce");
  CHECK(mistake(3, [&](rank_communicator& comm) {
          if (comm.rank() != 1) gather(comm, 8);
        }) == "rank 0 waits in all_gather for rank 1, which has returned");

  const auto exchange = [](rank_communicator& comm, const std::vector<message>& sends,
                           const std::vector<message>& receives) {
    comm.start_exchange(nullptr, list(sends), list(receives));
    comm.finish_exchange(nullptr);
  };
  CHECK(mistake(2, [&](rank_communicator& comm) {
          const words own = on_device({1, 2}), came(2, nullptr);
          if (comm.rank() == 0) exchange(comm, {{1, own.data(), 16}}, {});
          else exchange(comm, {}, {{0, came.data(), 8}});
        }) == "rank 0 to rank 1: 16 bytes sent, 8 bytes received");
  CHECK(mistake(2, [&](rank_communicator& comm) {
          const words own = on_device({1, 2});
          if (comm.rank() == 0) exchange(comm, {{1, own.data(), 16}}, {});
          else exchange(comm, {}, {});
        }) == "rank 0 to rank 1: 1 messages sent, 0 received");
  CHECK(mistake(2, [&](rank_communicator& comm) {
          const words own = on_device({1, 2, 3});
          const int other = 1 - comm.rank();
          exchange(comm, {{other, own.data(), 16}}, {{other, own.data() + 1, 16}});
        }) == "rank 0 receives into memory that it sends");
  CHECK(mistake(2, [&](rank_communicator& comm) {
          const words own = on_device({1, 2, 3}), came(2, nullptr);
          const int other = 1 - comm.rank();
          exchange(comm, {{other, own.data(), 8}, {other, own.data(), 8}},
                   {{other, came.data(), 8}, {other, came.data(), 8}});
        }) == "rank 0 receives two messages in one place");
  CHECK(mistake(2, [&](rank_communicator& comm) {
          const words own = on_device({1, 2}), came(1, nullptr);
          const int other = 1 - comm.rank();
          exchange(comm, {{other, own.data(), 16}}, {{other, came.data(), 16}});
        }).find("copy_bytes to of 16 bytes") != std::string::npos);
}

TEST_CASE("ranks: nobody waits for a rank that fails, and the error is its own") {
  int told = 0;
  try {
    emulator::run_ranks({.ranks = 3}, [&](rank_communicator& comm) {
      if (comm.rank() == 1) throw std::invalid_argument("enough");
      const words own = on_device({1}), all(3, nullptr);
      try {
        comm.all_gather(nullptr, own.data(), all.data(), 8);
      } catch (const emulator::ranks_error& e) {
        told += std::string(e.what()).find("for rank 1, which has failed") != std::string::npos;
        throw;
      }
    });
    FAIL_CHECK("nothing was thrown");
  } catch (const std::invalid_argument& e) {
    CHECK(std::string(e.what()) == "enough");
  }
  CHECK(told == 2);
}
