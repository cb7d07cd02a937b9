// SPDX-License-Identifier: Apache-2.0
// The k largest of u32 keys. The reference: DeviceRadixSort of all, and a copy of the first k.
// DeviceTopK, of the newest CUB alone, leaves them in an order of its own, which differs from run
// to run; ours in order of position, and sorted as `ballot_sorted`. Bytes: each key read.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <ballot/top_k.cuh>

#include <cub/device/device_radix_sort.cuh>
#if __has_include(<cub/device/device_topk.cuh>)
#  include <cub/device/device_topk.cuh>
#  include <cuda/execution>
#  include <cuda/std/execution>
#  include <cuda/stream_ref>
#endif

#include <thrust/functional.h>
#include <thrust/sort.h>

#include <algorithm>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

using T = std::uint32_t;

operation largest(std::uint64_t k, const std::string& spread) {
  operation task{.name = "top_k_" + std::to_string(k) + (spread == "uniform" ? "" : ":" + spread),
                 .bytes_per_item = sizeof(T),
                 .input = keys<T>(parse_key_spread(spread)),
                 .output_bytes = static_cast<std::size_t>(k) * sizeof(T),
                 .second_output_bytes = sizeof(T),
                 .compare_second = false,
                 .shape = result_shape::one,
                 .items = [=](std::uint64_t n) { return n < 2 * k ? 0 : n; }};
  const auto sorted = [=](const arrays& a, std::uint64_t) {
    thrust::sort(thrust::cuda::par.on(a.stream), a.out<T>(), a.out<T>() + k, thrust::greater<T>{});
  };
  task.contenders.push_back(named("cub_sort", by_cub([=](void* temporary, std::size_t& bytes, const arrays& a) {
                                    const cudaError_t error = cub::DeviceRadixSort::SortKeysDescending(
                                        temporary, bytes, a.in<T>(), a.second_out<T>(), a.length(), 0, 32, a.stream);
                                    if (temporary == nullptr || error != cudaSuccess) return error;
                                    return cudaMemcpyAsync(a.out<T>(), a.second_out<T>(), k * sizeof(T),
                                                           cudaMemcpyDeviceToDevice, a.stream);
                                  })));
#if __has_include(<cub/device/device_topk.cuh>)
  contender top = by_cub([=](void* temporary, std::size_t& bytes, const arrays& a) {
    const auto wanted = ::cuda::execution::require(::cuda::execution::determinism::not_guaranteed,
                                                   ::cuda::execution::output_ordering::unsorted);
    const ::cuda::std::execution::env env{::cuda::stream_ref{a.stream}, wanted};
    return cub::DeviceTopK::MaxKeys(temporary, bytes, a.in<T>(), a.out<T>(), a.length(), static_cast<int>(k), env);
  });
  top.reorder = sorted;
  task.contenders.push_back(std::move(top));
#endif
  const auto bytes = [=](std::uint64_t n) { return top_k_scratch_bytes<T>(n, k); };
  contender ours = by_ballot(bytes, [=](const auto& gpu, const arrays& a) {
    top_k(gpu, in<T>(a), k, std::span(a.out<T>(), k), nullptr, {.order = top_k_order::by_position});
  });
  ours.reorder = sorted;
  task.contenders.push_back(std::move(ours));
#if BALLOT_BENCH_IS_TOOLKIT
  task.contenders.push_back(named("ballot_sorted", by_ballot(bytes, [=](const auto& gpu, const arrays& a) {
                                    top_k(gpu, in<T>(a), k, std::span(a.out<T>(), k));
                                  })));
#endif
  return task;
}

}  // namespace

void add_top_k(std::vector<operation>& all) {
  for (const std::uint64_t k : {10, 1'000, 100'000, 10'000'000}) all.push_back(largest(k, "uniform"));
  for (const char* spread : {"0.201", "few:1"}) all.push_back(largest(1'000, spread));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
