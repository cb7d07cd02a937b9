// SPDX-License-Identifier: Apache-2.0
// The k largest keys of a type. The reference: DeviceRadixSort of all, and a copy of the first k.
// DeviceTopK, of the newest CUB alone, leaves them in an order of its own, which differs from run
// to run; ours in order of position. Bytes: each key read.
#pragma once

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

#include <string>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

// k_of(n): how many of n keys.
template <class T, class HowMany>
operation largest(const std::string& name, source keys, HowMany k_of) {
  operation task{.name = name,
                 .bytes_per_item = sizeof(T),
                 .input = std::move(keys),
                 .output_bytes = sizeof(T),
                 .second_output_bytes = sizeof(T),
                 .compare_second = false,
                 .results = k_of,
                 .shape = result_shape::kept,
                 .items = [=](std::uint64_t n) { return n < 2 * k_of(n) ? 0 : n; }};
  const auto sorted = [](const arrays& a, std::uint64_t k) {
    thrust::sort(thrust::cuda::par.on(a.stream), a.out<T>(), a.out<T>() + k, thrust::greater<T>{});
  };
  task.contenders.push_back(named("cub_sort", by_cub([=](void* temporary, std::size_t& bytes, const arrays& a) {
                                    const cudaError_t error = cub::DeviceRadixSort::SortKeysDescending(
                                        temporary, bytes, a.in<T>(), a.second_out<T>(), a.length(), 0, 8 * sizeof(T),
                                        a.stream);
                                    if (temporary == nullptr || error != cudaSuccess) return error;
                                    return cudaMemcpyAsync(a.out<T>(), a.second_out<T>(), k_of(a.n) * sizeof(T),
                                                           cudaMemcpyDeviceToDevice, a.stream);
                                  })));
#if __has_include(<cub/device/device_topk.cuh>)
  contender top = by_cub([=](void* temporary, std::size_t& bytes, const arrays& a) {
    const auto wanted = ::cuda::execution::require(::cuda::execution::determinism::not_guaranteed,
                                                   ::cuda::execution::output_ordering::unsorted);
    const ::cuda::std::execution::env env{::cuda::stream_ref{a.stream}, wanted};
    return cub::DeviceTopK::MaxKeys(temporary, bytes, a.in<T>(), a.out<T>(), a.length(), static_cast<int>(k_of(a.n)),
                                    env);
  });
  top.reorder = sorted;
  task.contenders.push_back(std::move(top));
#endif
  contender ours =
      by_ballot([=](std::uint64_t n) { return top_k_scratch_bytes<T>(n, k_of(n)); },
                [=](const auto& gpu, const arrays& a) {
                  const std::uint64_t k = k_of(a.n);
                  top_k(gpu, in<T>(a), k, out<T>(a).first(k), nullptr, {.order = top_k_order::by_position});
                });
  ours.reorder = sorted;
  task.contenders.push_back(std::move(ours));
  return task;
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
