// SPDX-License-Identifier: Apache-2.0
// Scopes: what is released to a thread's own block, and what to others, along a chain of three
// threads.
#include <support/schedules.hpp>

#include <emulator/words.hpp>

namespace emulator_scopes {

namespace simt = ballot::simt;
using ballot::emulator::error_kind;
using ballot::emulator::policy;
using ballot::test::device_items;
using ballot::test::error_of;

// Where the chain has a fence of block scope only.
enum class narrow { nowhere, at_first, at_second, behind_wide };

// Thread 0 of the first block writes, and releases by fences before a relaxed store. A thread of
// another warp counts in the same word, which continues the release sequence. A thread of the
// second block acquires.
template <narrow Where>
__global__ void pass_on(unsigned* data, unsigned* flag, unsigned* out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *data = 42;
    if (Where != narrow::at_first) simt::fence();  // pairs with the acquire in the second block
    if (Where == narrow::at_first || Where == narrow::behind_wide) simt::fence<simt::scope::block>();
    simt::store_relaxed(flag, 1);
  } else if (blockIdx.x == 0 && threadIdx.x == 32) {
    while (simt::load_relaxed(flag) == 0) simt::spin_hint();
    if (Where == narrow::at_second) simt::fence<simt::scope::block>();
    simt::atomic_add(flag, 1);
  } else if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (simt::load_acquire(flag) != 2) simt::spin_hint();
    *out = *data;
  }
}

template <narrow Where, class Use>
void under_seeds(Use use) {
  for (unsigned seed = 1; seed <= 40; seed++) {
    policy p;
    p.scheduler = ballot::emulator::scheduler_kind::random;
    p.seed = seed;
    p.preempt_atomic = 2;
    p.clocks = true;
    p.weak_memory = seed % 2 == 0;
    CAPTURE(p.describe());
    device_items data(1), flag(1), out(1);
    use(error_of(p, [&] {
      simt::launch(pass_on<Where>, {.grid = 2, .block = 64}, data.data(), flag.data(), out.data());
      CHECK(out.read()[0] == 42);
    }));
  }
}

TEST_CASE("a fence of device scope releases to other blocks, whatever fences of block scope follow it") {
  const auto passes = [](const auto& e) { CHECK_MESSAGE(!e, std::string(e ? e->what() : "")); };
  under_seeds<narrow::nowhere>(passes);
  under_seeds<narrow::at_second>(passes);
  under_seeds<narrow::behind_wide>(passes);
}

TEST_CASE("a fence of block scope releases nothing to other blocks, though a thread of its own passes it on") {
  if (!ballot::emulator::instrumented()) return;
  under_seeds<narrow::at_first>([](const auto& e) {
    REQUIRE(e);
    CHECK(e->kind() == error_kind::data_race);
  });
}

}  // namespace emulator_scopes
