// SPDX-License-Identifier: Apache-2.0
// Where threads meet: two instances of one template are two places, though they share their lines.
// Named barriers count warps.
#include <support/schedules.hpp>

#include <emulator/words.hpp>

namespace emulator_meetings {

namespace simt = ballot::simt;
using ballot::emulator::error_kind;
using ballot::emulator::policy;
using ballot::test::device_items;
using ballot::test::error_of;
using ballot::test::kind_of;

template <int Role>
__device__ __forceinline__ void meet_block() {
  simt::sync_block();
}
template <int Role>
__device__ __forceinline__ unsigned meet_warp() {
  return simt::ballot(true);
}

// The first warp takes one instance, the second one perhaps another.
template <bool Same>
__global__ void block_of_roles() {
  if (threadIdx.x < 32) meet_block<0>();
  else meet_block<Same ? 0 : 1>();
}
template <bool Same>
__global__ void warp_of_roles(unsigned* out) {
  out[threadIdx.x] = threadIdx.x < 16 ? meet_warp<0>() : meet_warp < Same ? 0 : 1 > ();
}

template <int = 0>
__global__ void meet_by_name(unsigned threads) {
  simt::named_barrier_sync(1, threads);
}
template <int = 0>
__global__ void half_warps_arrive() {
  if (simt::lane_id() < 16) simt::named_barrier_sync(1, 64);
  simt::sync_block();
}
// The first warp gives, without waiting for the second one; half of its lanes have returned, or do
// not come.
template <bool Return>
__global__ void half_a_warp_gives(unsigned* out) {
  auto& s = simt::shared_storage<unsigned[16]>();
  const bool upper_half = simt::lane_id() >= 16;
  if (threadIdx.x < 32) {
    if (Return && upper_half) return;
    if (!upper_half) {
      s[threadIdx.x] = threadIdx.x;
      simt::named_barrier_arrive(1, 64);
    } else {
      simt::named_barrier_sync(2, 64);  // to which nobody else comes
    }
  } else {
    simt::named_barrier_sync(1, 64);
    out[threadIdx.x - 32] = s[threadIdx.x % 16];
  }
}

TEST_CASE("a block's threads meet in one instance of a template") {
  CHECK(!error_of(policy{}, [] { simt::launch(block_of_roles<true>, {.block = 64}); }));
  const auto e = error_of(policy{}, [] { simt::launch(block_of_roles<false>, {.block = 64}); });
  REQUIRE(e);
  CHECK(e->kind() == error_kind::barrier_divergence);
  const std::string what = e->what();
  CHECK(what.find("Role = 0") != what.npos);  // which of them is said
  CHECK(what.find("Role = 1") != what.npos);
  policy lax;
  lax.strict_barrier = false;
  CHECK(!error_of(lax, [] { simt::launch(block_of_roles<false>, {.block = 64}); }));
}

TEST_CASE("a warp's lanes meet in one instance of a template") {
  device_items out(32);
  CHECK(!error_of(policy{}, [&] { simt::launch(warp_of_roles<true>, {}, out.data()); }));
  CHECK(kind_of(policy{}, [&] { simt::launch(warp_of_roles<false>, {}, out.data()); }) ==
        error_kind::collective_misuse);
}

TEST_CASE("a named barrier counts a warp of fewer lanes as 32 threads") {
  ballot::test::for_each_schedule([] {
    simt::launch(meet_by_name<>, {.block = 48}, 64u);
    simt::launch(meet_by_name<>, {.block = 33}, 64u);
  });
}

TEST_CASE("a warp arrives at a named barrier when all of its lanes have that have not returned") {
  for (const auto& p : ballot::test::schedules()) {
    CAPTURE(p.describe());
    CHECK(kind_of(p, [] { simt::launch(half_warps_arrive<>, {.block = 128}); }) == error_kind::deadlock);
    device_items out(32);
    CHECK(kind_of(p, [&] { simt::launch(half_a_warp_gives<false>, {.block = 64, .shared_bytes = 64}, out.data()); }) ==
          error_kind::deadlock);
    CHECK(!error_of(p, [&] {
      simt::launch(half_a_warp_gives<true>, {.block = 64, .shared_bytes = 64}, out.data());
      const auto o = out.read();
      for (unsigned i = 0; i < 32; i++) CHECK(o[i] == i % 16);
    }));
  }
}

}  // namespace emulator_meetings
