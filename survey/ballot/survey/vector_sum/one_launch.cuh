// SPDX-License-Identifier: Apache-2.0
// Vector sum, step 3: one launch. Each block adds its sum to the result with an atomic.
//
//     block 0: tree -> 17 --.
//     block 1: tree ->  4 ---> atomic add ---> result, zeroed in stream order before the launch
//     block 2: tree -> 23 --'
//
// No second pass over the blocks' sums and no scratch. But the additions follow the order in which
// blocks finish, so the sum of floats differs from run to run. Only for operators with an atomic.
//
// In the original: thread 0 of the grid sets the result to 0 as well, which races with the blocks
// that have already added. Source: as step 1.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/survey/vector_sum/last_warp.cuh>

namespace ballot::survey {

// All threads of the block: adds the sum of their items to the result.
template <class T, int Threads>
__device__ __forceinline__ void add_to_result(tree_storage<T, Threads>& shared, T item, T* result) {
  const T of_block = tree_of_last_warp::sum(shared, item);
  // Relaxed: the result is read by later work on the stream only.
  if (simt::thread_rank() == 0) simt::atomic_add(result, of_block);
}

template <class T, int Threads>
__global__ void __launch_bounds__(Threads) sum_one_each_kernel(const T* in, std::uint64_t n, T* result) {
  auto& shared = simt::shared_storage<tree_storage<T, Threads>>();
  const std::uint64_t i = std::uint64_t{blockIdx.x} * Threads + simt::thread_rank();
  add_to_result(shared, i < n ? in[i] : T{}, result);
}

// result = the sum of the items. T: int, unsigned, their 64-bit kin, float, double, whose zero is
// all bits 0.
template <int Threads = 256, class T>
void sum_by_one_launch(const exec& where, std::span<const T> in, device_result<T> result) {
  constexpr const char* function = "survey::sum_by_one_launch";
  require_sum_arguments(in, result, function);
  const std::uint32_t blocks = sum_blocks(in.size(), Threads, function);
  simt::fill_bytes(where.stream(), result.address(), 0, sizeof(T));
  simt::launch(sum_one_each_kernel<T, Threads>,
               simt::launch_config{dim3(blocks), dim3(Threads), sizeof(tree_storage<T, Threads>), where.stream()},
               in.data(), in.size(), result.address());
}

}  // namespace ballot::survey
