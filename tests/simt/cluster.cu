// SPDX-License-Identifier: Apache-2.0
// Launches that are one cluster: blocks meet, and write to each other's shared memory.
#include <support/schedules.hpp>

#include <simt/items.hpp>

namespace simt_cluster {

namespace simt = ballot::simt;
using ballot::test::device_items;

struct pair_of_words {
  unsigned block, thread;
};
struct row {
  pair_of_words from[simt::most_cluster_blocks][64];
  unsigned sum;
};

// Each thread of each block writes to the row of every block, in which the thread of the same rank
// adds up.
template <int = 0>
__global__ void all_to_all(unsigned* out, int rounds) {
  auto& s = simt::shared_storage<row>();
  const unsigned t = simt::thread_rank(), blocks = gridDim.x, threads = blockDim.x;
  simt::cluster_arrive<simt::order::relaxed>();
  unsigned sum = 0;
  for (int r = 0; r < rounds; ++r) {
    simt::cluster_wait();  // all have begun, or have read what they got in the round before
    for (unsigned b = 0; b < blocks; ++b)
      simt::shared_of_block(s.from[blockIdx.x][t], b) = {blockIdx.x + unsigned(r), t};
    simt::cluster_arrive();
    simt::cluster_wait();
    for (unsigned b = 0; b < blocks; ++b) {
      const pair_of_words got = s.from[b][threads - 1 - t];
      sum += 1000 * got.block + got.thread;
    }
    simt::cluster_arrive();
  }
  simt::cluster_wait();
  out[blockIdx.x * threads + t] = sum;
}

// As all_to_all, and never asked for its largest cluster.
template <int = 0>
__global__ void not_asked(unsigned* out) {
  auto& s = simt::shared_storage<row>();
  simt::cluster_arrive();
  simt::cluster_wait();
  if (simt::thread_rank() == 0) simt::shared_of_block(s.from[blockIdx.x][0], 0) = {blockIdx.x + 1, 0};
  simt::cluster_arrive();
  simt::cluster_wait();
  if (blockIdx.x == 0 && simt::thread_rank() == 0) *out = s.from[gridDim.x - 1][0].block;
}

// Blocks that leave at once, and warps that do not wait for the answer, count as arrived.
template <int = 0>
__global__ void first_collects(unsigned* out, unsigned taking_part) {
  auto& s = simt::shared_storage<row>();
  const unsigned t = simt::thread_rank();
  if (blockIdx.x >= taking_part) return;
  simt::cluster_arrive();
  simt::cluster_wait();
  if (t == 0) simt::shared_of_block(s.from[blockIdx.x][0], 0) = {blockIdx.x + 1, 0};
  simt::cluster_arrive();
  if (blockIdx.x != 0) return;
  simt::cluster_wait();
  if (t != 0) return;
  unsigned sum = 0;
  for (unsigned b = 0; b < taking_part; ++b) sum += s.from[b][0].block;
  *out = sum;
}

template <class... P>
bool is_possible(void (*kernel)(P...), unsigned blocks, unsigned threads) {
  const unsigned most = simt::largest_cluster(kernel, {.block = threads, .shared_bytes = sizeof(row)});
  return most != 1 && most >= blocks;
}

TEST_CASE("blocks of a cluster write to each other's shared memory") {
  constexpr int rounds = 3;
  for (const unsigned threads : {32u, 64u})
    for (const unsigned blocks : {1u, 2u, 5u, 8u, 16u}) {
      CAPTURE(blocks);
      std::vector<unsigned> want(blocks * threads);
      for (unsigned b = 0; b < blocks; ++b)
        for (unsigned t = 0; t < threads; ++t)
          for (int r = 0; r < rounds; ++r)
            for (unsigned from = 0; from < blocks; ++from)
              want[b * threads + t] += 1000 * (from + unsigned(r)) + threads - 1 - t;
      device_items<unsigned> out(want.size());
      ballot::test::for_each_schedule([&] {
        if (!is_possible(all_to_all<>, blocks, threads)) return;
        simt::launch(all_to_all<>, {.grid = blocks, .block = threads, .shared_bytes = sizeof(row), .is_cluster = true},
                     out.data(), rounds);
        CHECK(out.read() == want);
      });
    }
}

// A file may ask another file's copy of a kernel how large its clusters can be.
TEST_CASE("clusters of more than eight blocks, of a kernel that was not asked") {
  device_items<unsigned> out(1);
  if (!is_possible(all_to_all<>, 16, 32)) return;
  simt::launch(not_asked<>, {.grid = 16, .block = 32, .shared_bytes = sizeof(row), .is_cluster = true}, out.data());
  CHECK(out.read() == std::vector<unsigned>{16});
}

TEST_CASE("blocks and threads that have left a cluster hold nobody up") {
  device_items<unsigned> out(1);
  for (const unsigned taking_part : {1u, 3u, 8u})
    ballot::test::for_each_schedule([&] {
      if (!is_possible(first_collects<>, 8, 64)) return;
      simt::launch(first_collects<>, {.grid = 8, .block = 64, .shared_bytes = sizeof(row), .is_cluster = true},
                   out.data(), taking_part);
      CHECK(out.read() == std::vector<unsigned>{taking_part * (taking_part + 1) / 2});
    });
}

}  // namespace simt_cluster
