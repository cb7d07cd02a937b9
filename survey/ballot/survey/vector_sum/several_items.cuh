// SPDX-License-Identifier: Apache-2.0
// Vector sum, step 4: several items a thread, added in a register before the tree.
//
//     thread 0: | a b c d |   thread 1: | e f g h |   ...    a thread's items are consecutive
//
// The step that counts. The tree with its barriers is paid once for many items. The loads of a
// thread do not wait for each other, so enough of them are in flight to fill the memory. The lanes
// of a warp read addresses that lie far apart. A load touches as many cache lines as it has lanes,
// and the following loads have to find them still in the cache.
//
// In the original: indices are ints, wrong from 2^31 items on. Source: as step 1, which has the
// idea from the fast.cu repository; Kirk and Hwu, Programming Massively Parallel Processors, call
// it thread coarsening.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/survey/vector_sum/one_launch.cuh>

namespace ballot::survey {

template <class T, int Threads, int Items>
__global__ void __launch_bounds__(Threads) sum_several_each_kernel(const T* in, std::uint64_t n, T* result) {
  auto& shared = simt::shared_storage<tree_storage<T, Threads>>();
  const std::uint64_t first = (std::uint64_t{blockIdx.x} * Threads + simt::thread_rank()) * Items;
  T sum{};
#pragma unroll
  for (int j = 0; j < Items; ++j)
    if (first + j < n) sum = plus{}(sum, in[first + j]);
  add_to_result(shared, sum, result);
}

// result = the sum of the items. T: as step 3.
template <int Threads = 256, int Items = 16, class T>
void sum_by_several_items(const exec& where, std::span<const T> in, device_result<T> result) {
  constexpr const char* function = "survey::sum_by_several_items";
  require_sum_arguments(in, result, function);
  const std::uint32_t blocks = sum_blocks(in.size(), std::uint64_t{Threads} * Items, function);
  simt::fill_bytes(where.stream(), result.address(), 0, sizeof(T));
  simt::launch(sum_several_each_kernel<T, Threads, Items>,
               simt::launch_config{dim3(blocks), dim3(Threads), sizeof(tree_storage<T, Threads>), where.stream()},
               in.data(), in.size(), result.address());
}

}  // namespace ballot::survey
