// SPDX-License-Identifier: Apache-2.0
// Barriers: which threads are counted, and that each barrier orders shared memory.
#include <support/schedules.hpp>

#include <simt/items.hpp>

namespace simt_barriers {

namespace simt = ballot::simt;
using ballot::test::device_items;

struct answers {
  int count;
  unsigned all, any;
};

template <int = 0>
__global__ void ask(answers* out, unsigned threshold) {
  const unsigned t = simt::thread_rank();
  const bool p = t < threshold;
  const int count = simt::sync_block_count(p);
  const bool all = simt::sync_block_all(p), any = simt::sync_block_any(p);
  out[t] = {count, all, any};
}

struct row {
  unsigned x[256];
};

// Passes values around the block, the warp and between two halves: each time written by one and
// read by another.
template <int = 0>
__global__ void pass_around(unsigned* out, int rounds) {
  auto& s = simt::shared_storage<row>();
  const unsigned t = simt::thread_rank(), n = blockDim.x * blockDim.y * blockDim.z, first = t / 32 * 32;
  unsigned v = t;
  for (int r = 0; r < rounds; r++) {
    s.x[t] = v;
    simt::sync_block();
    v = s.x[(t + 1) % n];
    simt::sync_block();
    s.x[t] = v;
    simt::sync_warp();
    v = s.x[first + (t + 1) % 32];
    simt::sync_warp();
  }
  out[t] = v;
}

// Warps 0 and 1 each have their own barrier of 32; then warp 0 signals warp 1 without waiting for
// it.
template <int = 0>
__global__ void named(unsigned* out) {
  auto& s = simt::shared_storage<row>();
  const unsigned t = simt::thread_rank(), warp = simt::warp_id(), first = warp * 32;
  s.x[t] = t;
  simt::named_barrier_sync(1 + warp, 32);
  unsigned v = s.x[first + (t + 1) % 32];
  simt::named_barrier_sync(1 + warp, 32);
  if (warp == 0) {
    s.x[t] = v + 1000;
    simt::named_barrier_arrive(15, 64);
  } else {
    simt::named_barrier_sync(15, 64);
    v = s.x[t - 32];
  }
  out[t] = v;
}

// Lanes of disjoint masks wait for their own only.
template <int = 0>
__global__ void parts_of_a_warp(unsigned* out) {
  auto& s = simt::shared_storage<row>();
  const unsigned lane = simt::lane_id(), mask = lane < 12 ? 0xfffu : ~0xfffu;
  s.x[lane] = lane;
  simt::sync_warp(mask);
  const unsigned v = lane < 12 ? s.x[11 - lane] : s.x[43 - lane];
  out[lane] = v;
}

TEST_CASE("block barriers count, and know all from any") {
  for (const dim3 block : {dim3(64), dim3(8, 4, 2), dim3(5, 4, 3), dim3(1)})
    for (const unsigned threshold : {0u, 1u, 33u, 1024u}) {
      const unsigned n = block.x * block.y * block.z, said = threshold < n ? threshold : n;
      CAPTURE(n);
      device_items<answers> out(n);
      ballot::test::for_each_schedule([&] {
        simt::launch(ask<>, {.block = block}, out.data(), threshold);
        bool right = true;
        for (const answers& a : out.read())
          right &= a.count == int(said) && a.all == unsigned(said == n) && a.any == unsigned(said != 0);
        CHECK(right);
      });
    }
}

TEST_CASE("block and warp barriers order shared memory") {
  constexpr unsigned n = 128;
  constexpr int rounds = 5;
  std::vector<unsigned> want(n), next(n);
  for (unsigned t = 0; t < n; t++) want[t] = t;
  for (int r = 0; r < rounds; r++) {
    for (unsigned t = 0; t < n; t++) next[t] = want[(t + 1) % n];
    for (unsigned t = 0; t < n; t++) want[t] = next[t / 32 * 32 + (t + 1) % 32];
  }
  device_items<unsigned> out(n);
  ballot::test::for_each_schedule([&] {
    simt::launch(pass_around<>, {.block = dim3(32, 4), .shared_bytes = sizeof(row)}, out.data(), rounds);
    CHECK(out.read() == want);
  });
}

TEST_CASE("named barriers") {
  device_items<unsigned> out(64);
  ballot::test::for_each_schedule([&] {
    simt::launch(named<>, {.block = 64, .shared_bytes = sizeof(row)}, out.data());
    const auto v = out.read();
    bool right = true;
    for (unsigned t = 0; t < 64; t++) right &= v[t] == (t < 32 ? (t + 1) % 32 : 1000 + (t - 32 + 1) % 32);
    CHECK(right);
  });
}

TEST_CASE("sync_warp of parts of a warp") {
  device_items<unsigned> out(32);
  ballot::test::for_each_schedule([&] {
    simt::launch(parts_of_a_warp<>, {.shared_bytes = sizeof(row)}, out.data());
    const auto v = out.read();
    for (unsigned l = 0; l < 32; l++) CHECK(v[l] == (l < 12 ? 11 - l : 43 - l));
  });
}

}  // namespace simt_barriers
