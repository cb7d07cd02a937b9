// SPDX-License-Identifier: Apache-2.0
// A launch whose blocks are one cluster (launch_config::is_cluster). They run at the same time,
// wait for each other, and reach each other's shared memory. From sm_90 on. Code for older GPUs
// must not be launched so, and traps.
//
//     every block    cluster_arrive<order::relaxed> ... cluster_wait
//                        no block's shared memory is reached before this wait
//                    writes to shared_of_block(...)
//                    cluster_arrive, cluster_wait
//                        now they are visible, in the block itself as shared memory
//
// A block must not end while another one still reaches its shared memory. Threads that have ended
// count as arrived.
#pragma once

#include <cuda_runtime.h>
#include <ballot/core/namespace.hpp>

#include <ballot/simt/common.hpp>

#include <cstdint>

namespace ballot::simt {

/// The threads of a cluster meet: each arrives, and later waits until all have arrived. Writes of a
/// thread before it arrived are visible to all that have waited. They are not if it arrived
/// relaxed, because that does not wait for its loads and stores. All lanes of a warp call it
/// together. A thread waits before it arrives again.
template <order O = order::release>
__device__ __forceinline__ void cluster_arrive() {
  static_assert(O == order::release || O == order::relaxed);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if constexpr (O == order::relaxed) asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  else asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#else
  __trap();
#endif
}
__device__ __forceinline__ void cluster_wait() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
  __trap();
#endif
}

/// The object that lies in the shared memory of another block of the cluster where `object` lies in
/// this one's.
template <class T>
__device__ __forceinline__ T& shared_of_block(T& object, unsigned block) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  std::uint64_t there;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(reinterpret_cast<std::uint64_t>(&object)), "r"(block));
  return *reinterpret_cast<T*>(there);
#else
  __trap();
  return object;
#endif
}

}  // namespace ballot::simt
