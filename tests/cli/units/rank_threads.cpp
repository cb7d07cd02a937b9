// SPDX-License-Identifier: Apache-2.0
// Ranks that are threads: if one fails, all end, and the cause is thrown. Ranks wait for each other
// as those of NCCL do: on the host, where they are told, and on a device, which only an abort ends.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "engines/gpus/rank_threads.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using namespace ballot::app;
using ballot::distributed::communication_error;
using ballot::distributed::disagreement;
using namespace std::chrono_literals;

// A call that no rank ends until all have come. What waits too long says so, and hangs no test.
class fake_ranks {
 public:
  explicit fake_ranks(int ranks) : ranks_(ranks) {}

  void meet_on_host() {
    ++come_;
    wait([&] { return come_ == ranks_ || told_; });
    if (come_ != ranks_) throw communication_error("was told to wait no longer");
  }
  void meet_on_device() {
    ++come_;
    wait([&] { return come_ == ranks_ || aborted_; });
    if (come_ != ranks_) throw communication_error("was aborted");
  }
  void wait_until_told() {
    wait([&] { return told_.load(); });
  }

  rank_ending ending(std::chrono::milliseconds grace = 60s) {
    return {.tell =
                [this] {
                  ++tells;
                  told_ = true;
                },
            .abort =
                [this] {
                  ++aborts;
                  calls_at_abort = calls;
                  aborted_ = true;
                },
            .grace = grace};
  }
  int tells = 0, aborts = 0, calls_at_abort = -1;
  std::atomic<int> calls{0};  // under way

  // What ranks throw in the end, and that all have left.
  std::string failure_of(const std::function<void(int rank)>& work, std::chrono::milliseconds grace = 60s) {
    std::string said;
    try {
      rank_threads::run(
          ranks_,
          [&](int rank) {
            struct call {
              std::atomic<int>& calls;
              explicit call(std::atomic<int>& all) : calls(all) { ++calls; }
              ~call() { --calls; }
            } const under_way(calls);
            work(rank);
          },
          ending(grace));
    } catch (const std::exception& problem) {
      said = problem.what();
    }
    CHECK(calls == 0);
    return said;
  }

 private:
  template <class Done>
  static void wait(const Done& done) {
    const auto begin = std::chrono::steady_clock::now();
    while (!done()) {
      if (std::chrono::steady_clock::now() - begin > 20s) throw std::logic_error("nobody ends this wait");
      std::this_thread::yield();
    }
  }

  int ranks_;
  std::atomic<int> come_{0};
  std::atomic<bool> told_{false}, aborted_{false};
};

TEST_CASE("ranks that do not fail meet, and nothing is aborted") {
  fake_ranks ranks(4);
  CHECK(ranks.failure_of([&](int rank) { rank % 2 == 0 ? ranks.meet_on_host() : ranks.meet_on_device(); }).empty());
  CHECK(ranks.tells == 0);
  CHECK(ranks.aborts == 0);
  int sum = 0;
  std::mutex mutex;
  rank_threads::run(5, [&](int rank) {
    const std::lock_guard lock(mutex);
    sum += rank;
  });
  CHECK(sum == 10);
}

TEST_CASE("a rank that fails ends the others' waits on the host, and is the one that says why") {
  for (int failing = 0; failing < 3; ++failing) {
    fake_ranks ranks(3);
    CHECK(ranks.failure_of([&](int rank) {
      if (rank == failing) throw failure("out of memory");
      ranks.meet_on_host();
    }) == "out of memory");
    CHECK(ranks.tells == 1);
    CHECK(ranks.aborts == 1);
    CHECK(ranks.calls_at_abort == 0);  // NCCL is not aborted beside its own calls
  }
}

TEST_CASE("a rank that is in a call that waits for its device is ended by the abort, after a while") {
  for (int failing = 0; failing < 3; ++failing) {
    fake_ranks ranks(3);
    const auto begin = std::chrono::steady_clock::now();
    CHECK(ranks.failure_of(
              [&](int rank) {
                if (rank == failing) throw failure("a kernel failed");
                ranks.meet_on_device();
              },
              200ms) == "a kernel failed");
    CHECK(std::chrono::steady_clock::now() - begin >= 200ms);
    CHECK(ranks.aborts == 1);
    CHECK(ranks.calls_at_abort == 2);
  }
}

TEST_CASE("of several ranks that fail, the first says why; what follows from a failure does not") {
  fake_ranks two(2);
  CHECK(two.failure_of([&](int rank) {
    if (rank == 0) {
      two.wait_until_told();
      throw failure("later");
    }
    throw failure("first");
  }) == "first");
  CHECK(two.tells == 1);

  // Those that notice are quicker than the one that fails.
  fake_ranks three(3);
  CHECK(three.failure_of([&](int rank) {
    if (rank == 0) throw communication_error("no answer");
    three.wait_until_told();
    if (rank == 1) throw disagreement(2, "rank 2 has refused");
    std::this_thread::sleep_for(20ms);
    throw failure("the cause");
  }) == "the cause");

  fake_ranks alone(2);
  CHECK(alone.failure_of([&](int rank) {
    if (rank == 1) throw communication_error("ncclAllGather: unhandled cuda error");
    alone.meet_on_host();
  }) == "ncclAllGather: unhandled cuda error");
}

TEST_CASE("ranks that do not wait for each other all go on if one fails") {
  std::atomic<int> ended{0};
  CHECK_THROWS_WITH_AS(rank_threads::run(4,
                                         [&](int rank) {
                                           if (rank == 0) throw failure("no memory");
                                           std::this_thread::sleep_for(20ms);
                                           ++ended;
                                         }),
                       "no memory", failure);
  CHECK(ended == 3);
}

}  // namespace
