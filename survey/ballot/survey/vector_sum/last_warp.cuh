// SPDX-License-Identifier: Apache-2.0
// Vector sum, step 2: the last levels of the tree, those within one warp, synchronise the warp and
// not the block.
//
//     distance ... 128, 64     block barriers, as in step 1
//     distance 32, 16, ... 1   warp 0 alone; sync_warp after each level; the other warps are done
//
// Six block barriers less. The lanes of a warp do not run in step by themselves: without sync_warp,
// a lane could read what its partner has not written yet.
//
// In the original: blocks of 32 threads read beyond their shared memory (sum[thread + 32]). An
// earlier version had no sync_warp, which is a race. Source: as step 1.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/survey/vector_sum/two_launches.cuh>

namespace ballot::survey {

// The sum of the block's items, in thread 0. Threads: whole warps, up to 1024.
struct tree_of_last_warp {
  template <class T, int Threads>
  static __device__ __forceinline__ T sum(tree_storage<T, Threads>& shared, T item) {
    static_assert(Threads % simt::warp_size == 0, "whole warps: all lanes of the last one meet");
    const unsigned thread = simt::thread_rank();
    const auto add_from = [&](unsigned distance) {
      if (thread < distance && thread + distance < Threads)
        shared.sum[thread] = plus{}(shared.sum[thread], shared.sum[thread + distance]);
    };
    shared.sum[thread] = item;
    simt::sync_block();
    unsigned distance = first_distance<Threads>;
    for (; distance > simt::warp_size; distance /= 2) {
      add_from(distance);
      simt::sync_block();
    }
    if (thread < simt::warp_size) {
      for (; distance != 0; distance /= 2) {
        add_from(distance);
        simt::sync_warp();
      }
    }
    return thread == 0 ? shared.sum[0] : item;  // the other warps have not synchronised with thread 0 since
  }
};

// result = the sum of the items. T: any type with +; T{} is zero. Scratch:
// two_launches_scratch_bytes.
template <int Threads = 256, class T>
void sum_by_last_warp(const exec& where, std::span<const T> in, device_result<T> result) {
  launch_two_sums<Threads, tree_of_last_warp>(where, in, result, "survey::sum_by_last_warp");
}

}  // namespace ballot::survey
