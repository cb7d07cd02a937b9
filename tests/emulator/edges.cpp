// SPDX-License-Identifier: Apache-2.0
// The edges: exceptions, faults, overflows, alignment, errors of the host, several OS threads.
#include <support/schedules.hpp>

#include <emulator/planted.cuh>
#include <emulator/words.hpp>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <thread>

namespace {

namespace simt = ballot::simt;
using ballot::emulator::error_kind;
using ballot::emulator::instrumented;
using ballot::emulator::policy;
using ballot::test::device_items;
using ballot::test::error_of;
using ballot::test::kind_of;

bool says(const std::optional<ballot::emulator::error>& e, const std::string& part) {
  if (e && std::string(e->what()).find(part) != std::string::npos) return true;
  MESSAGE("not in: " << (e ? std::string(e->what()) : std::string("no error")) << " -- " << part);
  return false;
}
std::string at_line(int line) { return "edges.cpp:" + std::to_string(line); }

template <int = 0>
__global__ void throws_in_one() {
  if (threadIdx.x == 7) throw std::runtime_error("boom");
  simt::sync_block();
}
template <int = 0>
__global__ void traps_in_one() {
  if (threadIdx.x == 7) simt::trap();
}
constexpr int trap_line = __LINE__ - 2;

template <int = 0>
__global__ void shifts(unsigned* p, unsigned by) {
  if (threadIdx.x == 5) *p = 1u << by;
}
constexpr int shift_line = __LINE__ - 2;
template <int = 0>
__global__ void adds(int* p, int more) {
  if (threadIdx.x == 5) *p = 1 + more;
}
constexpr int sum_line = __LINE__ - 2;

template <int = 0>
__global__ void write_one(unsigned* p, unsigned at) {
  if (threadIdx.x == 3) p[at] = 1;
}
constexpr int write_line = __LINE__ - 2;

template <int = 0>
__global__ void read_bytes(const unsigned char* p, unsigned char* out, unsigned n) {
  if (threadIdx.x < n) out[threadIdx.x] = p[threadIdx.x];
}

template <int = 0>
__global__ void deep(unsigned* p) {
  volatile char big[40000];
  for (unsigned i = 0; i < 40000; i += 64) big[i] = char(i);
  if (big[64] == 99) *p = 1;
}

// A struct that no register holds: copied by the compiler in one go.
struct particle {
  float x[5];
};
template <int = 0>
__global__ void copy_particle(const particle* in, particle* out, unsigned at) {
  if (threadIdx.x == 0) out[at] = in[at];
}

template <int = 0>
__global__ void race(unsigned* p) {
  if (threadIdx.x == 0) p[0] = blockIdx.x;
}
constexpr int race_line = __LINE__ - 2;

template <int = 0>
__global__ void overrun_shared(unsigned* out, unsigned at) {
  unsigned* s = simt::shared_storage<unsigned[64]>();
  s[at + threadIdx.x % 2] = 5;
  out[threadIdx.x] = s[at + threadIdx.x % 2];
}

struct alignas(8) two {
  unsigned a, b;
};
template <int = 0>
__global__ void cast_wide(unsigned* p) {
  reinterpret_cast<two*>(p + 1)->a = 3;
  *reinterpret_cast<unsigned long long*>(p + 1) = 3;
}

template <int = 0>
__global__ void odd_atomic(unsigned char* p) {
  simt::atomic_add(reinterpret_cast<unsigned*>(p + 2), 1);
}
constexpr int atomic_line = __LINE__ - 2;

template <int = 0>
__global__ void odd_wide_load(const unsigned* p, unsigned* out) {
  out[0] = simt::load_vector<unsigned, 4>(p + 1)[0];
}
constexpr int wide_line = __LINE__ - 2;

template <int = 0>
__global__ void wide_load_of(const unsigned* p, unsigned* out) {
  out[0] = simt::load_vector<unsigned, 4>(p)[0];
}
template <int = 0>
__global__ void wide_load_of_shared(unsigned* out) {
  auto& s = simt::shared_storage<unsigned[64]>();
  out[0] = simt::load_vector<unsigned, 4>(s)[0];
}
template <int = 0>
__global__ void far_shuffle(unsigned* out) {
  out[threadIdx.x] = simt::shuffle_up(threadIdx.x, 32);
}
template <int = 0>
__global__ void bad_named_barrier(unsigned id, unsigned threads) {
  simt::named_barrier_sync(id, threads);
}
template <int = 0>
__global__ void nothing() {}

// Polls two words in turn, with no hint: the other thread must get to run all the same.
template <int = 0>
__global__ void poll_two(unsigned* p) {
  if (threadIdx.x == 0) {
    while (simt::load_relaxed(p) == 0 || simt::load_relaxed(p + 1) == 0) {
      simt::load_relaxed(p + 2);
    }
  } else if (threadIdx.x == 1) {
    simt::store_relaxed(p, 1);
    simt::store_relaxed(p + 1, 1);
  }
}

// Polls two words that both have to come, with a hint.
template <int = 0>
__global__ void poll_pair(unsigned* p) {
  if (blockIdx.x == 0) {
    simt::store_relaxed(p, 1);
    simt::store_relaxed(p + 1, 1);
  } else {
    for (;;) {
      const unsigned first = simt::load_relaxed(p), second = simt::load_relaxed(p + 1);
      if (first != 0 && second != 0) return;
      simt::spin_hint();
    }
  }
}

template <int = 0>
__global__ void endless() {
  for (;;) simt::sync_warp();
}

}  // namespace

TEST_CASE("what leaves a kernel is an error of the grid") {
  CHECK(says(error_of(policy{}, [] { simt::launch(throws_in_one<>, {.block = 64}); }), "boom"));
  const auto e = error_of(policy{}, [] { simt::launch(traps_in_one<>, {.block = 64}); });
  CHECK(says(e, at_line(trap_line)));
  CHECK(says(e, "thread (7,0,0)"));
}

TEST_CASE("shifts and sums that the language leaves undefined name thread and line") {
  device_items p(1);
  device_items<int> q(1);
  auto shift = [&](unsigned by) {
    return error_of(policy{}, [&] { simt::launch(shifts<>, {.block = 64}, p.data(), by); });
  };
  auto add = [&](int more) { return error_of(policy{}, [&] { simt::launch(adds<>, {.block = 64}, q.data(), more); }); };
  for (const auto& [e, line] : {std::pair{shift(32), shift_line}, std::pair{add(0x7fffffff), sum_line}}) {
    REQUIRE(e);
    CHECK(e->kind() == error_kind::kernel_exception);
    CHECK(says(e, "the language leaves undefined"));
    CHECK(says(e, at_line(line)));
    CHECK(says(e, "thread (5,0,0)"));
  }
  CHECK(!shift(31));  // and the machine still works
  CHECK(!add(0x7ffffffe));
}

TEST_CASE("writes past a buffer, just past and far past, name byte and line") {
  device_items p(100);
  auto write = [&](unsigned at) {
    return error_of(policy{}, [&] { simt::launch(write_one<>, {.block = 64}, p.data(), at); });
  };
  for (const unsigned at : {100u, 101u, 127u, 128u, 5000u}) {
    CAPTURE(at);
    const auto e = write(at);
    REQUIRE(e);
    CHECK(e->kind() == error_kind::out_of_bounds);
    CHECK(says(e, "of a 400 byte buffer"));
    if (instrumented() || at >= 128) {  // an unmapped page: in every build, with its line
      CHECK(says(e, at_line(write_line)));
      CHECK(says(e, "byte " + std::to_string(at * 4)));
      CHECK(says(e, "thread (3,0,0)"));
    }
  }
  CHECK(!write(99));  // and the machine still works
}

TEST_CASE("an index that wraps at 2^32 faults, in every build") {
  device_items p(100);
  for (const unsigned at : {~0u, ~0u - 2}) {
    const auto e = error_of(policy{}, [&] { simt::launch(write_one<>, {.block = 64}, p.data(), at); });
    REQUIRE(e);
    CHECK(e->kind() == error_kind::out_of_bounds);
    CHECK(says(e, "far outside of all buffers"));
    CHECK(says(e, at_line(write_line)));
    CHECK(says(e, "thread (3,0,0)"));
  }
  CHECK(!error_of(policy{}, [&] { simt::launch(write_one<>, {.block = 64}, p.data(), 99u); }));
}

TEST_CASE("bounds are exact to the byte") {
  for (const unsigned n : {1u, 3u, 7u, 13u}) {
    std::vector<unsigned char> v(n, 1);
    device_items<unsigned char> in(v), out(32);
    CHECK(!error_of(policy{}, [&] { simt::launch(read_bytes<>, {}, in.data(), out.data(), n); }));
    if (instrumented())
      CHECK(kind_of(policy{}, [&] { simt::launch(read_bytes<>, {}, in.data(), out.data(), n + 1); }) ==
            error_kind::out_of_bounds);
  }
}

TEST_CASE("initialisation is exact to the byte, whoever wrote it") {
  if (!instrumented()) return;
  using bytes = device_items<unsigned char>;
  bytes one(std::vector<unsigned char>{1}), out(1);
  auto copies = [&](const unsigned char* from, unsigned char* to) {
    return !error_of(policy{}, [&] { simt::launch(read_bytes<>, {.block = 1}, from, to, 1u); });
  };
  bytes by_kernel(8, bytes::uninitialized{}), by_host(16, bytes::uninitialized{});
  CHECK(copies(one.data(), by_kernel.data() + 5));
  for (unsigned i = 0; i < 8; i++) CHECK(copies(by_kernel.data() + i, out.data()) == (i == 5));
  const unsigned char v[6] = {};
  simt::copy_bytes(nullptr, by_host.data() + 3, v, 6);
  for (unsigned i = 0; i < 16; i++) CHECK(copies(by_host.data() + i, out.data()) == (i >= 3 && i < 9));
}

TEST_CASE("structs larger than a register are seen whole") {
  if (!instrumented()) return;
  device_items<particle> in(10), out(10), fresh(10, device_items<particle>::uninitialized{});
  CHECK(!error_of(policy{}, [&] { simt::launch(copy_particle<>, {}, in.data(), out.data(), 9u); }));
  CHECK(kind_of(policy{}, [&] { simt::launch(copy_particle<>, {}, in.data(), out.data(), 10u); }) ==
        error_kind::out_of_bounds);
  CHECK(kind_of(policy{}, [&] { simt::launch(copy_particle<>, {}, fresh.data(), out.data(), 3u); }) ==
        error_kind::uninitialized_read);
}

TEST_CASE("memory given back is out of bounds") {
  auto* p = static_cast<unsigned*>(simt::allocate(nullptr, 400));
  simt::release(nullptr, p);
  CHECK(kind_of(policy{}, [&] { simt::launch(write_one<>, {.block = 64}, p, 0u); }) == error_kind::out_of_bounds);
}

TEST_CASE("shared memory ends where the launch says") {
  device_items out(2);
  auto overrun = [&](unsigned at) {
    return kind_of(policy{},
                   [&] { simt::launch(overrun_shared<>, {.block = 2, .shared_bytes = 256}, out.data(), at); });
  };
  CHECK(!overrun(62));
  CHECK(overrun(1000) == error_kind::out_of_bounds);  // in every build
  if (instrumented()) CHECK(overrun(63) == error_kind::out_of_bounds);
}

TEST_CASE("a stack overflow is told") {
  device_items p(1);
  CHECK(says(error_of(policy{}, [&] { simt::launch(deep<>, {.block = 64}, p.data()); }), "stack overflow"));
}

TEST_CASE("a race names both lines") {
  if (!instrumented()) return;
  device_items p(1);
  policy clocks;
  clocks.clocks = true;
  const auto e = error_of(clocks, [&] { simt::launch(race<>, {.grid = 2}, p.data()); });
  REQUIRE(e);
  CHECK(e->kind() == error_kind::data_race);
  const std::string what = e->what(), line = at_line(race_line);
  const auto first = what.find(line);
  REQUIRE(first != what.npos);
  CHECK(what.find(line, first + 1) != what.npos);
}

TEST_CASE("misaligned accesses are errors of their own, with their line") {
  device_items p(16), out(4);
  device_items<unsigned char> bytes(16);
  const auto atomic = error_of(policy{}, [&] { simt::launch(odd_atomic<>, {.block = 1}, bytes.data()); });
  CHECK(atomic->kind() == error_kind::misaligned);
  CHECK(says(atomic, at_line(atomic_line)));
  const auto wide = error_of(policy{}, [&] { simt::launch(odd_wide_load<>, {.block = 1}, p.data(), out.data()); });
  CHECK(wide->kind() == error_kind::misaligned);
  CHECK(says(wide, at_line(wide_line)));
  if (instrumented())
    CHECK(kind_of(policy{}, [&] { simt::launch(cast_wide<>, {.block = 1}, p.data()); }) == error_kind::misaligned);
}

TEST_CASE("wide accesses are for global memory") {
  device_items out(4);
  alignas(16) static unsigned on_host[4];
  CHECK(kind_of(policy{}, [&] { simt::launch(wide_load_of<>, {.block = 1}, on_host, out.data()); }) ==
        error_kind::out_of_bounds);
  CHECK(kind_of(policy{}, [&] {
          simt::launch(wide_load_of_shared<>, {.block = 1, .shared_bytes = 256}, out.data());
        }) == error_kind::out_of_bounds);
}

TEST_CASE("distances and barriers that the machine does not have") {
  device_items out(32);
  CHECK(kind_of(policy{}, [&] { simt::launch(far_shuffle<>, {}, out.data()); }) == error_kind::collective_misuse);
  for (const auto& [id, threads] : {std::pair(0u, 32u), std::pair(16u, 32u), std::pair(1u, 33u), std::pair(1u, 64u)})
    CHECK(kind_of(policy{}, [&, id = id, threads = threads] { simt::launch(bad_named_barrier<>, {}, id, threads); }) ==
          error_kind::barrier_divergence);
}

TEST_CASE("grids that could not be counted are refused") {
  policy clocks;
  clocks.clocks = true;
  CHECK(kind_of(clocks, [] { simt::launch(nothing<>, {.grid = dim3(1u << 30), .block = 1024}); }) ==
        error_kind::bad_launch);
}

TEST_CASE("polling several words without a hint does not keep others from running") {
  for (auto scheduler : {ballot::emulator::scheduler_kind::depth_first, ballot::emulator::scheduler_kind::fifo}) {
    policy p;
    p.scheduler = scheduler;
    p.max_steps = 1'000'000;
    device_items words(3);
    CHECK(!error_of(p, [&] { simt::launch(poll_two<>, {}, words.data()); }));
  }
}

TEST_CASE("who polls two words does not sleep while one of them has changed since it looked, or came old") {
  for (const bool weak : {false, true})
    for (std::uint64_t seed = 1; seed <= 100; seed++) {
      policy p;
      p.scheduler = ballot::emulator::scheduler_kind::random;
      p.seed = seed;
      p.preempt_atomic = 2;
      p.clocks = p.weak_memory = weak;
      CAPTURE(weak);
      CAPTURE(seed);
      device_items words(2);
      CHECK(!error_of(p, [&] { simt::launch(poll_pair<>, {.grid = dim3(2)}, words.data()); }));
    }
}

TEST_CASE("the watchdog ends what never ends") {
  policy p;
  p.max_steps = 10'000;
  CHECK(kind_of(p, [] { simt::launch(endless<>, {}); }) == error_kind::watchdog);
}

TEST_CASE("the host's mistakes") {
  device_items p(100);
  std::vector<unsigned> v(200);
  const policy q;
  CHECK(kind_of(q, [&] { simt::copy_bytes(nullptr, v.data(), p.data(), 404); }) == error_kind::out_of_bounds);
  CHECK(kind_of(q, [&] { simt::copy_bytes(nullptr, p.data() + 99, v.data(), 5); }) == error_kind::out_of_bounds);
  CHECK(kind_of(q, [&] { simt::fill_bytes(nullptr, p.data(), 0, 401); }) == error_kind::out_of_bounds);
  CHECK(kind_of(q, [&] { simt::fill_bytes(nullptr, v.data(), 0, 4); }) == error_kind::out_of_bounds);
  CHECK(kind_of(q, [&] { simt::release(nullptr, v.data()); }) == error_kind::out_of_bounds);
  CHECK(kind_of(q, [&] { simt::release(nullptr, p.data() + 1); }) == error_kind::out_of_bounds);
  if (instrumented()) {
    device_items<> fresh(4, device_items<>::uninitialized{});
    CHECK(kind_of(q, [&] { (void)fresh.read(); }) == error_kind::uninitialized_read);
    CHECK(kind_of(q, [&] { *const_cast<volatile unsigned*>(p.data()) = 1; }) == error_kind::out_of_bounds);
    // a copy from device to device also copies which bytes are initialised
    simt::copy_bytes(nullptr, fresh.data(), p.data(), 12);
    CHECK(kind_of(q, [&] { (void)fresh.read(); }) == error_kind::uninitialized_read);
    simt::copy_bytes(nullptr, fresh.data() + 3, p.data(), 4);
    CHECK(fresh.read().size() == 4);
  }
  CHECK(!error_of(q, [&] { simt::fill_bytes(nullptr, p.data(), 0, 400); }));
}

TEST_CASE("two OS threads each run their own grids") {
  std::atomic<int> right{0};
  auto work = [&](unsigned seed) {
    policy p;
    p.scheduler = ballot::emulator::scheduler_kind::random;
    p.seed = seed;
    p.max_resident = 3;
    p.clocks = true;
    const ballot::emulator::scoped_policy scope(p);
    for (int k = 0; k < 20; k++) {
      device_items out(64);
      simt::launch(ballot::test::planted::warp_exchange<ballot::test::planted::bug::none>,
                   {.grid = 1, .block = 64, .shared_bytes = 256}, out.data());
      const auto o = out.read();
      bool good = true;
      for (unsigned t = 0; t < 64; t++) good &= o[t] == ((t & 32) | ((t + 1) & 31));
      right += good;
    }
  };
  std::thread a(work, 1), b(work, 2);
  a.join();
  b.join();
  CHECK(right == 40);
}
