// SPDX-License-Identifier: Apache-2.0
// On GPUs: sorts whose ranks copy into each other's scratch; the same with scratch that is not what
// was shared.
#include <ballot/distributed/sort.cuh>

#include "distributed/ranks.hpp"
#include "support/patterns.hpp"
#include "support/sort_reference.hpp"

#include <memory>

using namespace ballot;

namespace distributed_shared_memory {

struct device_memory {
  std::byte* at = nullptr;
  std::size_t bytes;
  explicit device_memory(std::size_t n) : bytes(n) { simt::check(cudaMalloc(&at, n), "cudaMalloc"); }
  ~device_memory() { (void)cudaFree(at); }
  std::span<std::byte> all() const { return {at, bytes}; }
};

TEST_CASE("distributed sort_pairs through shared scratch") {
  using K = std::uint32_t;
  const int ranks = test::rank_counts().back();
  if (ranks < 2) return;
  const std::size_t n = (std::size_t{1} << 22) + 321;
  for (unsigned distinct : {~0u, 5u}) {
    auto keys = test::random_items<K>(n, distinct);
    for (K& key : keys) key %= distinct;
    const auto order = test::serial_argsort(keys, {});
    const auto in = test::block_sizes(test::blocks::uneven, n, ranks),
               out = test::block_sizes(test::blocks::equal, n, ranks);
    const std::vector<std::uint32_t> places(order.begin(), order.end());
    test::on_ranks(ranks, [&](test::rank& comm) {
      const test::guarded<K> mine(test::block_of(keys, in, comm.rank()));
      test::guarded<K> sorted(out[static_cast<std::size_t>(comm.rank())]);
      test::guarded<std::uint32_t> indices(sorted.size());
      const std::size_t bytes =
          distributed::argsort_scratch_bytes<K, std::uint32_t>(comm.size(), mine.size(), sorted.size());
      const device_memory scratch(bytes), other(bytes);
      CHECK(comm.share(scratch.all()));
      for (const device_memory* memory : {&scratch, &other, &scratch})
        for (int pieces : {1, 3}) {
          sorted.fill_dirt(), indices.fill_dirt();
          distributed::argsort(comm, exec(test::test_stream(), memory->all()), mine, sorted, indices,
                               {.pieces = pieces});
          CHECK((indices.read() == test::block_of(places, out, comm.rank())));
        }
      // One rank alone uses other memory: then none copies.
      const device_memory& mixed = comm.rank() == 0 ? scratch : other;
      indices.fill_dirt();
      distributed::argsort(comm, exec(test::test_stream(), mixed.all()), mine, sorted, indices);
      CHECK((indices.read() == test::block_of(places, out, comm.rank())));
      CHECK(!comm.share(comm.rank() == 1 ? std::span<std::byte>() : scratch.all()));
      distributed::argsort(comm, exec(test::test_stream(), scratch.all()), mine, sorted, indices);
      CHECK((indices.read() == test::block_of(places, out, comm.rank())));
      simt::synchronize(test::test_stream());
      (void)comm.share({});  // all have done with the memory
    });
  }
}

TEST_CASE("nccl_communicator: it ends while another device is current, which stays so") {
  if (test::processes() > 1 || test::devices() < 2) return;
  const int last = test::devices() - 1;
  ncclComm_t nccl = nullptr;
  test::require_nccl(ncclCommInitAll(&nccl, 1, &last));
  simt::check(cudaSetDevice(last), "cudaSetDevice");
  auto comm = std::make_unique<test::rank>(nccl, test::patience);
  simt::check(cudaSetDevice(0), "cudaSetDevice");
  comm.reset();
  CHECK(cudaGetLastError() == cudaSuccess);
  int current = -1;
  simt::check(cudaGetDevice(&current), "cudaGetDevice");
  CHECK(current == 0);
  test::require_nccl(ncclCommDestroy(nccl));
}

}  // namespace distributed_shared_memory
