// SPDX-License-Identifier: Apache-2.0
// The experimental sort over several GPUs of CCCL (cudax), for the same keys, in the same run: by
// comparison, keys alone, in place, not stable. A build option names a clone of CCCL
// (bench/README.md).
//
// It allocates within its calls, from the device's pool. The pool gets all the memory beforehand. A
// pool that grows waits for the other GPU, which may be waiting for this one in a call of NCCL.
#include "machine.cuh"

#include <cuda/experimental/__multi_gpu/algorithm/sort/sort.h>
#include <cuda/experimental/__multi_gpu/nccl_communicator_ref.h>

#include <cuda/stream_ref>

namespace ballot_bench_distributed {
namespace {

void fill_pool(std::size_t bytes, cudaStream_t s) {
  int device = 0;
  cudaMemPool_t pool = nullptr;
  must(cudaGetDevice(&device), "cudaGetDevice");
  must(cudaDeviceGetDefaultMemPool(&pool, device), "cudaDeviceGetDefaultMemPool");
  std::uint64_t all = ~std::uint64_t{0};  // is kept
  must(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all), "cudaMemPoolSetAttribute");
  ballot::distributed::share_default_pool();  // NCCL reads the memory of ranks that are threads directly
  void* all_at_once = nullptr;
  must(cudaMallocAsync(&all_at_once, bytes, s), "cudaMallocAsync");
  must(cudaFreeAsync(all_at_once, s), "cudaFreeAsync");
  must(cudaStreamSynchronize(s), "cudaStreamSynchronize");
}

template <class K>
void bench_cudax_sort(machine& m, const char* name) {
  if (!m.wants(name) || m.ranks() == 1) return;
  const auto pool = [](std::uint64_t mine) { return 8 * mine * sizeof(K) + (std::size_t{256} << 20); };
  const auto bytes = [&](std::uint64_t mine) { return pool(mine) + 2 * mine * sizeof(K); };
  for (const amount& of : m.amounts(name, bytes))
    for (key_law law : m.asked().keys) {
      const machine::timing t = m.time([&](int r, cudaStream_t s) -> machine::prepared {
        const block mine = block_of(of.items, r, m.ranks());
        fill_pool(pool(mine.size), s);
        const auto kept = std::make_shared<memory>(mine.size * sizeof(K)),
                   keys = std::make_shared<memory>(mine.size * sizeof(K)), found = std::make_shared<memory>(16);
        fill_kernel<<<2048, 256, 0, s>>>(kept->as<K>(), mine.size, mine.begin, law);
        must(cudaGetLastError(), "fill_kernel");
        return {[=](noting_communicator& comm) {
                  cuda::experimental::nccl_communicator_ref ranks(comm.handle());
                  cuda::stream_ref stream(s);
                  cuda::experimental::sort(cuda::experimental::distributed, ranks, stream, keys->template as<K>(),
                                           static_cast<std::size_t>(mine.size), cuda::std::less<>{});
                },
                [=] {
                  unsigned long long f[2];
                  must(cudaMemsetAsync(found->at, 0, sizeof f, s), "cudaMemsetAsync");
                  look_kernel<<<2048, 256, 0, s>>>(keys->template as<K>(), static_cast<const K*>(nullptr), mine.size,
                                                   true, found->template as<unsigned long long>());
                  must(cudaGetLastError(), "look_kernel");
                  must(cudaStreamSynchronize(s), "cudaStreamSynchronize");
                  must(cudaMemcpy(f, found->at, sizeof f, cudaMemcpyDeviceToHost), "cudaMemcpy");
                  if (f[0] != 0) die(std::string(name) + ": the result is not in order");
                },
                [=] {
                  must(cudaMemcpyAsync(keys->at, kept->at, mine.size * sizeof(K), cudaMemcpyDeviceToDevice, s),
                       "cudaMemcpyAsync");
                }};
      });
      m.found().add(name, law, of, m.ranks(), sizeof(K), t.ms, t.sent, "[]");
    }
}

}  // namespace

void bench_cudax_sorts(machine& m) {
  bench_cudax_sort<std::uint32_t>(m, "cudax_sort.u32");
  bench_cudax_sort<std::uint64_t>(m, "cudax_sort.u64");
}

}  // namespace ballot_bench_distributed
