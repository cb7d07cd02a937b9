// SPDX-License-Identifier: Apache-2.0
// A policy is a run: the same one gives the same run, and the line that a report prints gives it
// back.
#include <support/schedules.hpp>

#include <emulator/planted.cuh>
#include <emulator/words.hpp>

#include <algorithm>
#include <cstdlib>
#include <random>

namespace {

using namespace ballot::emulator;
using namespace ballot::test::planted;
using ballot::test::device_items;
using ballot::test::random_words;

// The threads that passed by, in order.
template <int = 0>
__global__ void sign_in(unsigned* next, unsigned* order) {
  const unsigned at = simt::atomic_add(next, 1);
  order[at] = blockIdx.x * blockDim.x + threadIdx.x;
}

struct run {
  std::vector<unsigned> order;
  statistics counts;
  friend bool operator==(const run&, const run&) = default;
};
run sign_in_under(const policy& p) {
  const scoped_policy scope(p);
  device_items<> next(1), order(8 * 64);
  simt::launch(sign_in<>, {.grid = 8, .block = 64}, next.data(), order.data());
  const statistics counts = last_stats();
  return {order.read(), counts};
}

policy random_policy(std::mt19937_64& r) {
  policy p;
  p.scheduler = scheduler_kind(r() % 5);
  p.seed = r();
  p.max_resident = unsigned(r() % 60);
  p.max_threads = unsigned(r() % 10000);
  p.order = block_order(r() % 3);
  p.preempt_atomic = unsigned(r() % 5);
  p.preempt_plain = unsigned(r() % 40);
  p.clocks = r() % 2;
  p.weak_memory = r() % 2;
  p.strict_barrier = r() % 2;
  p.strict_shuffle = r() % 2;
  p.votes_order_memory = r() % 2;
  p.check_initialized = r() % 2;
  if (r() % 2) p.max_steps = r();
  return p;
}

}  // namespace

TEST_CASE("a policy in words reads back as itself") {
  std::mt19937_64 r(1);
  for (int i = 0; i < 1000; i++) {
    const policy p = random_policy(r);
    CAPTURE(p.describe());
    const auto back = parse_policy(p.describe());
    REQUIRE(back);
    CHECK(*back == p);
    CHECK(parse_policy("data race: so and so\n    under " + p.describe() + "\n") == p);
  }
  policy small;
  small.shared_bytes = 64 * 1024;
  CHECK(parse_policy(small.describe()) == small);
  for (const char* wrong : {"", "policy", "policy{", "policy{nonsense}", "policy{seed=}", "policy{seed=x}",
                            "policy{seed=1x}", "policy{order=up}", "policy{speed=1}"})
    CHECK_MESSAGE(!parse_policy(wrong), std::string(wrong));
}

TEST_CASE("the same policy gives the same run, another seed another") {
  for (const scheduler_kind scheduler : {scheduler_kind::depth_first, scheduler_kind::fifo, scheduler_kind::random,
                                         scheduler_kind::straggler, scheduler_kind::priority}) {
    policy p;
    p.scheduler = scheduler;
    p.max_resident = 3;
    p.order = block_order::shuffled;
    p.preempt_atomic = 2;
    p.preempt_plain = instrumented() ? 8 : 0;
    p.clocks = p.weak_memory = true;
    const run first = sign_in_under(p);
    CHECK(sign_in_under(p) == first);
    policy other = p;
    other.seed = 2;
    CHECK(sign_in_under(other) != first);
    CHECK(sign_in_under(p) == first);
  }
}

TEST_CASE("an error replays from the policy that it prints") {
  const auto v = random_words(64 * 30, 1, 5);
  auto scan = [&] {
    device_items in(v), out(v.size()), ticket(1), flag(30);
    device_items<unsigned long long> packed(30);
    simt::launch(device_scan_kernel<64, state_kind::packed, bug::tile_by_block>,
                 {.grid = 30, .block = 64, .shared_bytes = 64}, in.data(), out.data(), unsigned(v.size()),
                 ticket.data(), tile_states{packed.data(), nullptr, flag.data(), nullptr, nullptr});
  };
  int failures = 0;
  for (unsigned seed = 1; seed <= 5; seed++) {
    policy p;
    p.scheduler = scheduler_kind::random;
    p.seed = seed;
    p.order = block_order::shuffled;
    const auto e = ballot::test::error_of(p, scan);
    if (!e) continue;
    failures++;
    const auto printed = parse_policy(e->what());
    REQUIRE(printed);
    const auto again = ballot::test::error_of(*printed, scan);
    REQUIRE(again);
    CHECK(again->kind() == e->kind());
    CHECK(std::string(again->what()) == e->what());
  }
  CHECK(failures > 0);
}

// docs/emulation.md says why.
TEST_CASE("each schedule runs with checks; without them two for a body, and all of them for a few bodies") {
  if (std::getenv("BALLOT_POLICY") || std::getenv("BALLOT_SEEDS")) return;
  const auto all = ballot::test::schedules();
  std::vector<policy> met;
  std::size_t runs = 0;
  constexpr std::size_t bodies = 100;
  for (std::size_t i = 0; i < bodies; i++)
    ballot::test::for_each_schedule([&] {
      runs++;
      const policy& p = current_policy();
      if (std::find(met.begin(), met.end(), p) == met.end()) met.push_back(p);
    });
  CHECK(runs == bodies * (left_unchecked() ? 2 : all.size()));
  CHECK(met.size() == all.size());
}

TEST_CASE("BALLOT_POLICY runs one policy, BALLOT_SEEDS sets their number") {
  const char* asked = std::getenv("BALLOT_POLICY");
  const std::string before = asked ? asked : "";
  const char* seeds = std::getenv("BALLOT_SEEDS");
  const std::string seeds_before = seeds ? seeds : "";
  policy p;
  p.scheduler = scheduler_kind::straggler;
  p.seed = 77;
  setenv("BALLOT_POLICY", p.describe().c_str(), 1);
  CHECK(ballot::test::schedules() == std::vector{p});
  unsetenv("BALLOT_POLICY");
  setenv("BALLOT_SEEDS", "6", 1);
  const auto set = ballot::test::schedules();
  CHECK(set.size() == 2 + 3 * 6);
  CHECK(std::count_if(set.begin(), set.end(), [](const policy& q) { return q.max_resident == 48; }) == 6);
  std::size_t runs = 0;
  ballot::test::for_each_schedule([&] { runs++; });
  CHECK(runs == set.size());  // also without checks
  unsetenv("BALLOT_SEEDS");
  if (seeds) setenv("BALLOT_SEEDS", seeds_before.c_str(), 1);
  if (asked) setenv("BALLOT_POLICY", before.c_str(), 1);
}
