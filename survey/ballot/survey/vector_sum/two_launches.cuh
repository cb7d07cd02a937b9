// SPDX-License-Identifier: Apache-2.0
// Vector sum, step 1: a tree in the shared memory of each block, and a second launch for the
// blocks' sums.
//
//     shared memory, 8 threads     a b c d e f g h
//     distance 4                   ae bf cg dh            barrier
//     distance 2                   aecg bfdh              barrier
//     distance 1                   aecgbfdh               barrier
//
// A thread brings one item. So most of the time goes to barriers, at which ever more threads have
// nothing to do, and not to loads. The first launch leaves a sum a block in scratch. The second, of
// one block, adds those up.
//
// In the original: the first launch's length of partial sums is an int, as are all indices, which
// is wrong from 2^31 items on. A block size that is no power of two loses items.
// Source: "Making vector sum really fast" (simons blog), after Harris, Optimizing Parallel
// Reduction in CUDA (2007).
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/survey/vector_sum/arguments.hpp>

#include <bit>

namespace ballot::survey {

template <class T, int Threads>
struct tree_storage {
  T sum[Threads];
};

// The first distance of a tree over this many: the largest power of two below it, 0 for one.
template <unsigned Threads>
inline constexpr unsigned first_distance = Threads == 1 ? 0 : std::bit_floor(Threads - 1);

// The sum of the block's items, in thread 0. Threads: any number up to 1024. A barrier a level, and
// one before.
struct tree_of_barriers {
  template <class T, int Threads>
  static __device__ __forceinline__ T sum(tree_storage<T, Threads>& shared, T item) {
    const unsigned thread = simt::thread_rank();
    shared.sum[thread] = item;
    simt::sync_block();
    for (unsigned distance = first_distance<Threads>; distance != 0; distance /= 2) {
      if (thread < distance && thread + distance < Threads)
        shared.sum[thread] = plus{}(shared.sum[thread], shared.sum[thread + distance]);
      simt::sync_block();
    }
    return shared.sum[0];
  }
};

template <class T, int Threads, class Tree>
__global__ void __launch_bounds__(Threads) sum_blocks_kernel(const T* in, std::uint64_t n, T* sums) {
  auto& shared = simt::shared_storage<tree_storage<T, Threads>>();
  T sum{};
  const std::uint64_t stride = std::uint64_t{gridDim.x} * Threads;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * Threads + simt::thread_rank(); i < n; i += stride)
    sum = plus{}(sum, in[i]);
  sum = Tree::sum(shared, sum);
  if (simt::thread_rank() == 0) sums[blockIdx.x] = sum;
}

// How many blocks sum n items; one where there is nothing to sum.
inline std::uint32_t sum_blocks(std::uint64_t n, std::uint64_t items_a_block, const char* function) {
  return detail::tile_count(n == 0 ? 1 : n, items_a_block, function);
}

// A T a block.
template <class T>
std::size_t sums_bytes(std::uint32_t blocks) {
  detail::scratch_carver measure;
  measure.take<T>(blocks);
  return measure.bytes();
}

// Bytes of scratch, at any address: a T a block.
template <class T, int Threads = 256>
std::size_t two_launches_scratch_bytes(std::uint64_t n) {
  return detail::bytes_at_any_address(sums_bytes<T>(sum_blocks(n, Threads, "survey::two_launches_scratch_bytes")));
}

template <int Threads, class Tree, class T>
void launch_two_sums(const exec& where, std::span<const T> in, device_result<T> result, const char* function) {
  require_sum_arguments(in, result, function);
  const std::uint32_t blocks = sum_blocks(in.size(), Threads, function);
  const detail::scratch_lease lease(where, sums_bytes<T>(blocks), function);
  T* const sums = detail::scratch_carver(lease.base()).take<T>(blocks);
  const auto launch = [&](std::uint32_t grid, const T* items, std::uint64_t n, T* to) {
    simt::launch(sum_blocks_kernel<T, Threads, Tree>,
                 simt::launch_config{dim3(grid), dim3(Threads), sizeof(tree_storage<T, Threads>), where.stream()},
                 items, n, to);
  };
  launch(blocks, in.data(), in.size(), sums);
  launch(1, sums, blocks, result.address());
}

// result = the sum of the items. T: any type with +; T{} is zero.
template <int Threads = 256, class T>
void sum_by_two_launches(const exec& where, std::span<const T> in, device_result<T> result) {
  launch_two_sums<Threads, tree_of_barriers>(where, in, result, "survey::sum_by_two_launches");
}

}  // namespace ballot::survey
