// SPDX-License-Identifier: Apache-2.0
// Barriers of the warp and of the block, and between launches. Each orders the memory accesses of
// the threads that meet at it.
#pragma once

#include <cuda_runtime.h>
#include <ballot/core/namespace.hpp>

#include <ballot/simt/common.hpp>

namespace ballot::simt {

/// The lanes of the mask wait for each other.
__device__ __forceinline__ void sync_warp(unsigned mask = full_mask) { __syncwarp(mask); }

/// All threads of the block wait for each other.
__device__ __forceinline__ void sync_block() { __syncthreads(); }
/// sync_block; returns the number of threads whose argument is true.
__device__ __forceinline__ int sync_block_count(bool p) { return __syncthreads_count(p); }
/// sync_block; returns whether the argument is true in all threads.
__device__ __forceinline__ bool sync_block_all(bool p) { return __syncthreads_and(p) != 0; }
/// sync_block; returns whether the argument is true in any thread.
__device__ __forceinline__ bool sync_block_any(bool p) { return __syncthreads_or(p) != 0; }

/// Waits until `threads` threads (a multiple of 32), this one included, have arrived at the block's
/// barrier `id` (1 to 15).
__device__ __forceinline__ void named_barrier_sync(unsigned id, unsigned threads) {
  asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
/// Arrives at the block's barrier `id` without waiting.
__device__ __forceinline__ void named_barrier_arrive(unsigned id, unsigned threads) {
  asm volatile("barrier.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/// Programmatic dependent launch: this block allows the next launch to begin, if that one overlaps
/// (launch_config). All writes of this launch are visible once the next launch has waited.
__device__ __forceinline__ void let_next_launch_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
/// Waits until the previous launch is complete and its writes are visible. Returns at once if this
/// launch does not overlap.
__device__ __forceinline__ void wait_for_previous_launch() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace ballot::simt
