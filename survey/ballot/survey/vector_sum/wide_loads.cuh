// SPDX-License-Identifier: Apache-2.0
// Vector sum, step 5: a thread loads its items 16 bytes at a time.
//
//     thread 0: | abcd efgh |   thread 1: | ijkl mnop |   ...    two loads instead of eight
//
// A quarter of the load instructions for items of 4 bytes. Items are loaded one by one, as in step
// 4, if the input does not begin at a multiple of 16 bytes, or if a thread's items are not all
// there.
//
// In the original: if the length is no multiple of 4, the last load reads past the end and the junk
// is added. An input at another address is an error of the hardware. Source: as step 1.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/survey/vector_sum/one_launch.cuh>

namespace ballot::survey {

template <class T, int Threads, int Items, int Width>
__global__ void __launch_bounds__(Threads)
    sum_vectors_kernel(const T* in, std::uint64_t n, bool vector_aligned, T* result) {
  static_assert(Items % Width == 0, "whole vectors a thread");
  auto& shared = simt::shared_storage<tree_storage<T, Threads>>();
  const std::uint64_t first = (std::uint64_t{blockIdx.x} * Threads + simt::thread_rank()) * Items;
  T sum{};
  if (vector_aligned && first + Items <= n) {
    simt::vector<T, Width> item[Items / Width];
#pragma unroll
    for (int v = 0; v < Items / Width; ++v) item[v] = simt::load_vector<T, Width>(in + first + v * Width);
#pragma unroll
    for (int v = 0; v < Items / Width; ++v)
#pragma unroll
      for (int j = 0; j < Width; ++j) sum = plus{}(sum, item[v][j]);
  } else {
    for (int j = 0; j < Items; ++j)
      if (first + j < n) sum = plus{}(sum, in[first + j]);
  }
  add_to_result(shared, sum, result);
}

// result = the sum of the items. T: as step 3.
template <int Threads = 256, int Items = 16, class T>
void sum_by_wide_loads(const exec& where, std::span<const T> in, device_result<T> result) {
  constexpr const char* function = "survey::sum_by_wide_loads";
  require_sum_arguments(in, result, function);
  const std::uint32_t blocks = sum_blocks(in.size(), std::uint64_t{Threads} * Items, function);
  constexpr int width = block::vector_width<T>();
  const bool vector_aligned = block::is_vector_aligned<T, width>(in.data());
  simt::fill_bytes(where.stream(), result.address(), 0, sizeof(T));
  simt::launch(sum_vectors_kernel<T, Threads, Items, width>,
               simt::launch_config{dim3(blocks), dim3(Threads), sizeof(tree_storage<T, Threads>), where.stream()},
               in.data(), in.size(), vector_aligned, result.address());
}

}  // namespace ballot::survey
