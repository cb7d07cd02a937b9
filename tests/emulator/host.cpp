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
  counted_exception(const counted_exception& other) : std::exception(other) { exceptions_alive++; }
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
    // Where plain accesses are checked, the store of the number into memory of the host comes first.
    CHECK(kind_of(policy{}, [] { simt::launch(throw_one<false>, {}); }) ==
          (ballot::emulator::instrumented() ? error_kind::out_of_bounds : error_kind::kernel_exception));
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

unsigned variable = 7;
constexpr unsigned table[4] = {1, 2, 3, 4};
struct parameters {
  unsigned x[8];
};

enum class place { parameter, table, stack, variable, heap, host_stack, stack_of_another };
template <place Place>
__global__ void read_from(const unsigned* p, parameters q, unsigned* out) {
  unsigned own[2] = {threadIdx.x, 2};
  auto& s = simt::shared_storage<unsigned* [2]>();
  if (Place == place::stack_of_another) {
    if (threadIdx.x < 2) s[threadIdx.x] = own;
    simt::sync_block();
  }
  if (threadIdx.x != 0) return;
  if (Place == place::parameter) out[0] = q.x[out[0] % 8];
  else if (Place == place::table) out[0] = table[out[0] % 4];
  else if (Place == place::stack) out[0] = own[out[0] % 2];
  else if (Place == place::stack_of_another) out[0] = s[1][0];
  else out[0] = *p;
}
template <int = 0>
__global__ void write_to(unsigned* p) {
  if (threadIdx.x == 0) *p = 1;
}

TEST_CASE("a kernel that reads or writes memory of the host is out of bounds, with its line") {
  if (!ballot::emulator::instrumented()) return;
  const std::vector<unsigned> heap(4, 7);
  unsigned on_stack = 7;
  device_items out(1);
  const auto read = [&](auto kernel, const unsigned* p) {
    return error_of(policy{}, [&] { simt::launch(kernel, {.shared_bytes = 64}, p, parameters{}, out.data()); });
  };
  CHECK(!read(read_from<place::parameter>, nullptr));
  CHECK(!read(read_from<place::table>, nullptr));
  CHECK(!read(read_from<place::stack>, nullptr));
  for (const auto& e :
       {read(read_from<place::variable>, &variable), read(read_from<place::heap>, heap.data()),
        read(read_from<place::host_stack>, &on_stack), read(read_from<place::stack_of_another>, nullptr),
        error_of(policy{}, [&] { simt::launch(write_to<>, {}, &variable); }),
        error_of(policy{}, [&] { simt::launch(write_to<>, {}, const_cast<unsigned*>(&table[1])); })}) {
    REQUIRE(e);
    CHECK(e->kind() == error_kind::out_of_bounds);
    CHECK(std::string(e->what()).find("host.cpp:") != std::string::npos);
  }
  CHECK(read(read_from<place::heap>, nullptr)->kind() == error_kind::out_of_bounds);
  CHECK(variable == 7);
}

}  // namespace emulator_host
