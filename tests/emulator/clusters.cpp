// SPDX-License-Identifier: Apache-2.0
// The cluster's barrier: what its phases release, and who arrives.
#include <support/schedules.hpp>

#include <emulator/words.hpp>

namespace emulator_clusters {

namespace simt = ballot::simt;
using ballot::emulator::error_kind;
using ballot::emulator::policy;
using ballot::test::device_items;
using ballot::test::error_of;
using ballot::test::kind_of;

struct storage {
  unsigned from[2];
};

// Each block writes to the other. A relaxed phase lies between the one that releases this, and the
// read.
template <int = 0>
__global__ void relaxed_phase_between(unsigned* out) {
  auto& s = simt::shared_storage<storage>();
  simt::cluster_arrive<simt::order::relaxed>();
  simt::cluster_wait();
  if (threadIdx.x == 0) simt::shared_of_block(s.from[blockIdx.x], 1 - blockIdx.x) = blockIdx.x + 1;
  simt::cluster_arrive();
  simt::cluster_wait();
  for (int i = 0; i < 2; i++) {
    simt::cluster_arrive<simt::order::relaxed>();
    simt::cluster_wait();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s.from[1 - blockIdx.x];
}

// Lane 1 writes and arrives relaxed. Lane 0, which has synchronized with it, releases.
template <bool Sync>
__global__ void lane_releases_for_another(unsigned* out) {
  auto& s = simt::shared_storage<storage>();
  simt::cluster_arrive<simt::order::relaxed>();
  simt::cluster_wait();
  if (threadIdx.x == 1) simt::shared_of_block(s.from[blockIdx.x], 1 - blockIdx.x) = blockIdx.x + 1;
  if (Sync) simt::sync_warp();
  if (threadIdx.x == 0) simt::cluster_arrive();
  else simt::cluster_arrive<simt::order::relaxed>();
  simt::cluster_wait();
  if (threadIdx.x == 5) out[blockIdx.x] = s.from[1 - blockIdx.x];
}

enum class who { half_a_warp, half_a_warp_later, a_warp };
template <who Who>
__global__ void part_arrives() {
  const bool comes = Who == who::a_warp ? threadIdx.x < 32 : simt::lane_id() < 16;
  if (Who == who::half_a_warp_later) {
    simt::cluster_arrive();
    simt::cluster_wait();
  }
  if (!comes) return;
  simt::cluster_arrive();
  simt::cluster_wait();
}
// Lanes that have arrived need not wait.
template <int = 0>
__global__ void half_leaves_between() {
  simt::cluster_arrive();
  simt::cluster_wait();
  simt::cluster_arrive();
  if (simt::lane_id() >= 16) return;
  simt::cluster_wait();
}

template <class Kernel>
std::optional<ballot::emulator::error> error_on(policy p, Kernel kernel) {
  p.architecture = 900;
  return error_of(p, [&] {
    device_items out(2);
    simt::launch(kernel, {.grid = 2, .block = 64, .shared_bytes = sizeof(storage), .is_cluster = true}, out.data());
    CHECK(out.read() == std::vector<unsigned>{2, 1});
  });
}
std::optional<error_kind> kind_on(policy p, void (*kernel)()) {
  p.architecture = 900;
  return kind_of(p, [&] { simt::launch(kernel, {.grid = 2, .block = 64, .is_cluster = true}); });
}

TEST_CASE("a relaxed phase of the cluster's barrier keeps what the phases before released") {
  for (const policy& p : ballot::test::schedules()) {
    const auto e = error_on(p, relaxed_phase_between<>);
    CHECK_MESSAGE(!e, std::string(e ? e->what() : ""));
  }
}

TEST_CASE("an arrival releases what sync_warp has ordered before it") {
  for (const policy& p : ballot::test::schedules()) {
    const auto e = error_on(p, lane_releases_for_another<true>);
    CHECK_MESSAGE(!e, std::string(e ? e->what() : ""));
    if (!ballot::emulator::instrumented()) continue;
    const auto without = error_on(p, lane_releases_for_another<false>);
    REQUIRE(without);
    CHECK(without->kind() == error_kind::data_race);
  }
}

TEST_CASE("all lanes of a warp arrive at the cluster's barrier, or none") {
  for (policy p : ballot::test::schedules()) {
    CAPTURE(p.describe());
    CHECK(kind_on(p, part_arrives<who::half_a_warp>) == error_kind::barrier_divergence);
    CHECK(kind_on(p, part_arrives<who::half_a_warp_later>) == error_kind::barrier_divergence);
    CHECK(!kind_on(p, part_arrives<who::a_warp>));
    CHECK(!kind_on(p, half_leaves_between<>));
    p.strict_barrier = false;
    CHECK(!kind_on(p, part_arrives<who::half_a_warp>));
  }
}

}  // namespace emulator_clusters
