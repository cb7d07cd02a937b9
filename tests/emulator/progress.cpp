// SPDX-License-Identifier: Apache-2.0
// Progress: loops that end are no deadlocks, those that do not are, and pollers do not starve
// sleepers.
#include <support/schedules.hpp>

#include <emulator/words.hpp>

namespace emulator_progress {

namespace simt = ballot::simt;
using ballot::emulator::error_kind;
using ballot::emulator::policy;
using ballot::test::device_items;
using ballot::test::error_of;

// Every thread looks so many times at a word that nobody changes, without a hint.
template <bool Changes>
__global__ void look(unsigned* p, unsigned times, unsigned* out) {
  unsigned sum = 0;
  for (unsigned i = 0; i < times; i++) sum += Changes ? simt::atomic_max(p, 0u) : simt::load_relaxed(p);
  simt::sync_block();
  if (threadIdx.x == 0) out[blockIdx.x] = sum + times;
}

// The first thread waits for the last one, without a hint; it does not come before the first has
// looked often.
template <int = 0>
__global__ void wait_without_hint(unsigned* p, unsigned times) {
  if (threadIdx.x == 0) {
    while (simt::load_acquire(p) == 0) {  // pairs with the release below
    }
  } else if (threadIdx.x == 32) {
    for (unsigned i = 0; i < times; i++) simt::load_relaxed(p);
    simt::store_release(p, 1);
  }
}

// A thread waits for a turn of another one, which changes memory whenever it polls.
template <int = 0>
__global__ void count_polls(unsigned* turns, unsigned* answer) {
  const unsigned sleeper = 0, poller = 32;
  if (threadIdx.x == sleeper) {
    while (simt::load_relaxed(turns) < 3) simt::spin_hint();
    simt::store_relaxed(answer, 1);
  } else if (threadIdx.x == poller) {
    while (simt::load_relaxed(answer) == 0) {
      simt::atomic_add(turns, 1);
      simt::spin_hint();
    }
  }
}

// The second block waits for the third, which starts when the first has ended.
template <int = 0>
__global__ void wait_for_next_block(unsigned* turns, unsigned* answer) {
  if (blockIdx.x == 1) {
    while (simt::load_relaxed(answer) == 0) {
      simt::atomic_add(turns, 1);
      simt::spin_hint();
    }
  } else if (blockIdx.x == 2) {
    simt::store_relaxed(answer, 1);
  }
}

template <int = 0>
__global__ void nothing() {}

TEST_CASE("a loop that looks at an unchanged word and ends is no deadlock") {
  for (const policy& p : ballot::test::schedules()) {
    CAPTURE(p.describe());
    for (const unsigned times : {64u, 65u, 66u, 1000u, 10000u}) {
      device_items word(1), out(2);
      for (auto kernel : {look<false>, look<true>}) {
        const auto e =
            error_of(p, [&] { simt::launch(kernel, {.grid = 2, .block = 4}, word.data(), times, out.data()); });
        CHECK_MESSAGE(!e, std::string(e ? e->what() : ""));
      }
    }
    device_items word(1);
    CHECK(!error_of(p, [&] { simt::launch(wait_without_hint<>, {.block = 64}, word.data(), 1000u); }));
  }
}

TEST_CASE("who changes memory with each poll does not keep others asleep, or from starting") {
  using ballot::emulator::scheduler_kind;
  for (const scheduler_kind scheduler : {scheduler_kind::depth_first, scheduler_kind::fifo, scheduler_kind::random,
                                         scheduler_kind::straggler, scheduler_kind::priority}) {
    policy p;
    p.scheduler = scheduler;
    p.max_steps = 1'000'000;
    CAPTURE(p.describe());
    device_items turns(1), answer(1);
    CHECK(!error_of(p, [&] { simt::launch(count_polls<>, {.block = 64}, turns.data(), answer.data()); }));
    device_items more_turns(1), next_answer(1);
    CHECK(!error_of(p, [&] {
      simt::launch(wait_for_next_block<>, {.grid = 3, .block = 1}, more_turns.data(), next_answer.data());
    }));
  }
}

TEST_CASE("a policy of no steps ends every grid at once") {
  policy p;
  p.max_steps = 0;
  for (int i = 0; i < 2; i++) {
    const auto e = error_of(p, [] { simt::launch(nothing<>, {}); });
    REQUIRE(e);
    CHECK(e->kind() == error_kind::watchdog);
    CHECK(std::string(e->what()).find(p.describe()) != std::string::npos);
    CHECK(!error_of(policy{}, [] { simt::launch(nothing<>, {}); }));  // and the machine still works
  }
}

}  // namespace emulator_progress
