// SPDX-License-Identifier: Apache-2.0
// Where threads meet: two instances of one template are two places, though they share their lines.
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
  out[threadIdx.x] = threadIdx.x < 16 ? meet_warp<0>() : meet_warp<Same ? 0 : 1>();
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

}  // namespace emulator_meetings
