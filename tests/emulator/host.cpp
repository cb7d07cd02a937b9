// SPDX-License-Identifier: Apache-2.0
// What grids share with the host and with each other: exceptions, shadow memory, mappings.
#include <support/schedules.hpp>

#include <emulator/words.hpp>

#include <atomic>
#include <chrono>
#include <exception>
#include <new>
#include <thread>

namespace emulator_host {

namespace simt = ballot::simt;
using ballot::emulator::error_kind;
using ballot::emulator::policy;
using ballot::test::device_items;
using ballot::test::error_of;
using ballot::test::kind_of;

std::atomic<int> exceptions_alive{0};
struct counted_exception : std::exception {
  counted_exception() { exceptions_alive++; }
  counted_exception(const counted_exception&) : std::exception() { exceptions_alive++; }
  ~counted_exception() override { exceptions_alive--; }
};
template <bool Standard>
__global__ void throw_one() {
  if (threadIdx.x != 3) return;
  if (Standard) throw counted_exception();
  else throw 7;
}

TEST_CASE("an exception that has left a kernel is over when the host knows") {
  for (int i = 0; i < 3; i++) {
    CHECK(kind_of(policy{}, [] { simt::launch(throw_one<true>, {}); }) == error_kind::kernel_exception);
    CHECK(exceptions_alive == 0);
    CHECK(kind_of(policy{}, [] { simt::launch(throw_one<false>, {}); }) == error_kind::kernel_exception);
    CHECK(!std::current_exception());
  }
}

std::atomic<bool> first_is_inside{false}, second_is_done{false};

// Two blocks write the same word. Between them another OS thread launches a grid, if it may.
template <int = 0>
__global__ void race_around_a_launch(unsigned* p) {
  using clock = std::chrono::steady_clock;
  if (threadIdx.x != 0) return;
  *p = 1;
  if (first_is_inside.exchange(true)) return;
  const auto end = clock::now() + std::chrono::milliseconds(200);
  while (!second_is_done && clock::now() < end) std::this_thread::yield();
}
template <int = 0>
__global__ void nothing() {}

TEST_CASE("a grid of another OS thread does not make a race forgotten") {
  if (!ballot::emulator::instrumented()) return;
  policy p;
  p.clocks = true;
  device_items word(1);
  std::thread second([&] {
    while (!first_is_inside) std::this_thread::yield();
    const ballot::emulator::scoped_policy scope(p);
    simt::launch(nothing<>, {});
    second_is_done = true;
  });
  CHECK(kind_of(p, [&] { simt::launch(race_around_a_launch<>, {.grid = 2}, word.data()); }) == error_kind::data_race);
  first_is_inside = true;
  second.join();
}

TEST_CASE("more buffers than the system maps are refused, and the machine still works") {
  std::vector<void*> buffers;
  buffers.reserve(40'000);
  bool refused = false;
  try {
    while (buffers.size() < buffers.capacity()) buffers.push_back(simt::allocate(nullptr, 4));
  } catch (const std::bad_alloc&) {
    refused = true;
  }
  for (void* p : buffers) simt::release(nullptr, p);
  CHECK((refused || buffers.size() == buffers.capacity()));  // a system may allow more
  device_items word(1);
  CHECK(word.read()[0] == 0);
  CHECK(!error_of(policy{}, [] { simt::launch(nothing<>, {}); }));
}

}  // namespace emulator_host
