// SPDX-License-Identifier: Apache-2.0
// The position of a thread: its lane, its rank in the block, and the lane masks, which have no name
// in CUDA C++.
//
// The reads are not volatile: a thread's lane does not change, so the compiler may share and hoist
// them.
#pragma once

#include <cuda_runtime.h>
#include <ballot/core/namespace.hpp>
#include <cstring>
#include <type_traits>

#include <ballot/simt/common.hpp>

namespace ballot::simt {

using ::dim3;

/// The thread's lane in its warp, 0 to 31.
__device__ __forceinline__ unsigned lane_id() {
  unsigned r;
  asm("mov.u32 %0, %%laneid;" : "=r"(r));
  return r;
}
/// The bit of this lane.
__device__ __forceinline__ unsigned lanemask_eq() {
  unsigned r;
  asm("mov.u32 %0, %%lanemask_eq;" : "=r"(r));
  return r;
}
/// The bits of the lanes below this one.
__device__ __forceinline__ unsigned lanemask_lt() {
  unsigned r;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(r));
  return r;
}
/// The bits of this lane and of those below.
__device__ __forceinline__ unsigned lanemask_le() {
  unsigned r;
  asm("mov.u32 %0, %%lanemask_le;" : "=r"(r));
  return r;
}
/// The bits of the lanes above this one.
__device__ __forceinline__ unsigned lanemask_gt() {
  unsigned r;
  asm("mov.u32 %0, %%lanemask_gt;" : "=r"(r));
  return r;
}
/// The bits of this lane and of those above.
__device__ __forceinline__ unsigned lanemask_ge() {
  unsigned r;
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(r));
  return r;
}
/// The thread's rank in its block: x runs fastest, whatever the block's dimensions.
__device__ __forceinline__ unsigned thread_rank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
/// The rank of the thread's warp in its block.
__device__ __forceinline__ unsigned warp_id() { return thread_rank() / warp_size; }

/// The architecture compiled for, 900 for sm_90, for launch bounds that only some of them can hold.
/// 0: the host's code.
#if defined(__CUDA_ARCH__)
inline constexpr int architecture = __CUDA_ARCH__;
#else
inline constexpr int architecture = 0;
#endif

/// Returns v, with its value hidden from the compiler. Results computed from it before are
/// recomputed, and not kept in registers. Items packed in one word stay packed. This is for code
/// where instructions are cheaper than registers.
template <class T>
__device__ __forceinline__ T opaque(T v) {
  static_assert(std::is_trivially_copyable_v<T> && (sizeof(T) <= 4 || sizeof(T) == 8 || sizeof(T) == 16));
  if constexpr (sizeof(T) <= 4) {
    unsigned word = 0;
    memcpy(&word, &v, sizeof(T));
    asm volatile("" : "+r"(word));
    memcpy(&v, &word, sizeof(T));
  } else {
    unsigned long long word[sizeof(T) / 8];
    memcpy(word, &v, sizeof(T));
#pragma unroll
    for (unsigned long long& w : word) asm volatile("" : "+l"(w));
    memcpy(&v, word, sizeof(T));
  }
  return v;
}

}  // namespace ballot::simt
