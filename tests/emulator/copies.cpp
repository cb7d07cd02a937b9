// SPDX-License-Identifier: Apache-2.0
// Copies: asynchronous ones write from their start to the wait, wide ones stay out of all shared
// memory, and those of the host do not overlap. And which accesses read a word.
#include <support/schedules.hpp>

#include <emulator/words.hpp>

namespace emulator_copies {

namespace simt = ballot::simt;
using ballot::emulator::error_kind;
using ballot::emulator::instrumented;
using ballot::emulator::policy;
using ballot::test::device_items;
using ballot::test::error_of;
using ballot::test::kind_of;

enum class during { nothing, read_before_a_barrier, read, write, write_of_source };

// A buffer whose neighbours' items are read, then filled again by asynchronous copies. What happens
// between start and wait has barriers on both sides, or at least behind it.
template <during What>
__global__ void refill(unsigned* in, unsigned* out) {
  auto& s = simt::shared_storage<unsigned[64]>();
  const unsigned t = threadIdx.x, next = (t + 1) % 64;
  s[t] = t;
  simt::sync_block();
  unsigned seen = What == during::read || What == during::read_before_a_barrier ? 0 : s[next];
  if (What != during::read_before_a_barrier) simt::sync_block();
  simt::copy_async<4>(&s[t], in + t);
  if (What != during::read_before_a_barrier) simt::sync_block();
  if (What == during::read || What == during::read_before_a_barrier) seen = s[next];
  if (What == during::write) s[next] = 5;
  if (What == during::write_of_source) in[next] = 5;
  simt::sync_block();
  simt::wait_for_copies();
  simt::sync_block();
  out[t] = seen + s[next];
}

template <during What>
std::optional<ballot::emulator::error> refills(const policy& p) {
  return error_of(p, [] {
    device_items in(std::vector<unsigned>(64, 100)), out(64);
    simt::launch(refill<What>, {.block = 64, .shared_bytes = 256}, in.data(), out.data());
    const auto o = out.read();
    for (unsigned t = 0; t < 64; t++) CHECK(o[t] == 100 + (t + 1) % 64);
  });
}

TEST_CASE("an asynchronous copy writes from its start to the wait for it") {
  for (policy p : ballot::test::schedules()) {
    CAPTURE(p.describe());
    const auto right = refills<during::nothing>(p);
    CHECK_MESSAGE(!right, std::string(right ? right->what() : ""));
    if (instrumented()) {
      for (const auto& e : {refills<during::read_before_a_barrier>(p), refills<during::read>(p)}) {
        REQUIRE(e);
        CHECK((e->kind() == error_kind::data_race || e->kind() == error_kind::uninitialized_read));
      }
      const auto written = refills<during::write>(p);
      REQUIRE(written);
      CHECK(written->kind() == error_kind::data_race);
    }
    const auto source = refills<during::write_of_source>(p);  // seen in every build
    REQUIRE(source);
    CHECK(source->kind() == error_kind::data_race);
  }
}

// To, or asynchronously from, the shared memory of the other block.
template <bool Store>
__global__ void wide_to_other_block(const unsigned* in) {
  auto& s = simt::shared_storage<unsigned[8]>();
  simt::cluster_arrive();
  simt::cluster_wait();
  unsigned* const there = simt::shared_of_block(s, 1 - blockIdx.x);
  if (threadIdx.x == 0) {
    if (Store) simt::store_vector(there, simt::load_vector<unsigned, 4>(in));
    else simt::copy_async<4>(s, there);
    simt::wait_for_copies();
  }
  simt::cluster_arrive();
  simt::cluster_wait();
}

TEST_CASE("wide accesses and copies are for global memory, and not for another block's shared memory") {
  device_items in(4);
  const auto launch = [&](auto kernel) {
    return kind_of(policy{},
                   [&] { simt::launch(kernel, {.grid = 2, .shared_bytes = 128, .is_cluster = true}, in.data()); });
  };
  CHECK(launch(wide_to_other_block<true>) == error_kind::out_of_bounds);
  CHECK(launch(wide_to_other_block<false>) == error_kind::out_of_bounds);
}

TEST_CASE("copies within the device do not overlap") {
  device_items p(100);
  const auto copy = [&](unsigned to, unsigned from, unsigned n) {
    return kind_of(policy{}, [&] { simt::copy_bytes(nullptr, p.data() + to, p.data() + from, n * sizeof(unsigned)); });
  };
  CHECK(copy(1, 0, 2) == error_kind::data_race);
  CHECK(copy(0, 49, 50) == error_kind::data_race);
  CHECK(!copy(50, 0, 50));
  CHECK(!copy(0, 50, 50));
  CHECK(!copy(1, 0, 0));
}

enum class word_access { store, add, exchange, compare };
template <word_access Access>
__global__ void access_word(unsigned* p) {
  if (Access == word_access::store) simt::store_relaxed(p, 1);
  if (Access == word_access::add) simt::atomic_add(p, 1);
  if (Access == word_access::exchange) simt::atomic_exchange(p, 1);
  if (Access == word_access::compare) simt::atomic_cas(p, 0, 1);
}

TEST_CASE("a read-modify-write reads: its word has been written before") {
  if (!instrumented()) return;
  for (const bool clocks : {false, true}) {
    policy p;
    p.clocks = clocks;
    const auto of_fresh_word = [&](auto kernel) {
      device_items<> fresh(1, device_items<>::uninitialized{});
      return kind_of(p, [&] { simt::launch(kernel, {.block = 1}, fresh.data()); });
    };
    CHECK(of_fresh_word(access_word<word_access::add>) == error_kind::uninitialized_read);
    CHECK(of_fresh_word(access_word<word_access::exchange>) == error_kind::uninitialized_read);
    CHECK(of_fresh_word(access_word<word_access::compare>) == error_kind::uninitialized_read);
    device_items<> stored(1, device_items<>::uninitialized{});
    CHECK(!kind_of(p, [&] { simt::launch(access_word<word_access::store>, {.block = 1}, stored.data()); }));
    CHECK(!kind_of(p, [&] { simt::launch(access_word<word_access::add>, {.block = 1}, stored.data()); }));
  }
}

}  // namespace emulator_copies
