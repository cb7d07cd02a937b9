// SPDX-License-Identifier: Apache-2.0
// The block's shared memory as one object, wide accesses to global memory, and copies between the
// two.
#pragma once

#include <ballot/core/namespace.hpp>
#include <cstring>

#include <cuda_runtime.h>

#include <ballot/simt/common.hpp>

namespace ballot::simt {

/// The block's dynamic shared memory as one T, uninitialised. Launch with shared_bytes >=
/// sizeof(T).
template <class T>
__device__ __forceinline__ T& shared_storage() {
  static_assert(alignof(T) <= 128, "shared_storage: alignment above 128");
  extern __shared__ __align__(128) unsigned char ballot_dynamic_shared[];
  return *reinterpret_cast<T*>(ballot_dynamic_shared);
}

/// Loads W items of global memory in one access; p is aligned to their size together. No streaming
/// hint (.cs): with plain stores after it, a copy takes 2% longer on an H200. It is not the
/// read-only path (.nc), so the data may have been written by this kernel, if something orders the
/// two.
template <class T, int W>
__device__ __forceinline__ vector<T, W> load_vector(const T* p) {
  constexpr std::size_t n = detail::vector_bytes<T, W>;
  vector<T, W> v;
  if constexpr (n == 1) {
    unsigned b;
    asm volatile("ld.global.u8 %0, [%1];" : "=r"(b) : "l"(__cvta_generic_to_global(p)) : "memory");
    memcpy(&v, &b, 1);
  } else if constexpr (n == 2) {
    unsigned short b;
    asm volatile("ld.global.u16 %0, [%1];" : "=h"(b) : "l"(__cvta_generic_to_global(p)) : "memory");
    memcpy(&v, &b, 2);
  } else if constexpr (n == 4) {
    unsigned b;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(b) : "l"(__cvta_generic_to_global(p)) : "memory");
    memcpy(&v, &b, 4);
  } else if constexpr (n == 8) {
    unsigned b[2];
    asm volatile("ld.global.v2.u32 {%0, %1}, [%2];"
                 : "=r"(b[0]), "=r"(b[1])
                 : "l"(__cvta_generic_to_global(p))
                 : "memory");
    memcpy(&v, b, 8);
  } else {
    unsigned b[4];
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3])
                 : "l"(__cvta_generic_to_global(p))
                 : "memory");
    memcpy(&v, b, 16);
  }
  return v;
}

/// Stores W items to global memory in one access; p is aligned to their size together. Written back
/// as usual, with no hint: what one kernel writes, the next one reads.
template <class T, int W>
__device__ __forceinline__ void store_vector(T* p, const vector<T, W>& v) {
  constexpr std::size_t n = detail::vector_bytes<T, W>;
  if constexpr (n == 1) {
    unsigned b = 0;
    memcpy(&b, &v, 1);
    asm volatile("st.global.u8 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "r"(b) : "memory");
  } else if constexpr (n == 2) {
    unsigned short b;
    memcpy(&b, &v, 2);
    asm volatile("st.global.u16 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "h"(b) : "memory");
  } else if constexpr (n == 4) {
    unsigned b;
    memcpy(&b, &v, 4);
    asm volatile("st.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "r"(b) : "memory");
  } else if constexpr (n == 8) {
    unsigned b[2];
    memcpy(b, &v, 8);
    asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(p)), "r"(b[0]), "r"(b[1])
                 : "memory");
  } else {
    unsigned b[4];
    memcpy(b, &v, 16);
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(p)), "r"(b[0]), "r"(b[1]),
                 "r"(b[2]), "r"(b[3])
                 : "memory");
  }
}

/// Starts a copy of Bytes (4, 8 or 16) from global memory to the block's shared memory, both
/// aligned to Bytes. This thread may read the copy after its next wait_for_copies, other threads
/// after a barrier that follows. Until then neither address may be written. Before sm_80: an
/// ordinary copy, complete at once.
template <int Bytes>
__device__ __forceinline__ void copy_async(void* shared, const void* global) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "asynchronous copies take 4, 8 or 16 bytes");
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  const std::size_t from = __cvta_generic_to_global(global);
  if constexpr (Bytes == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  else asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(Bytes) : "memory");
#else
  memcpy(__builtin_assume_aligned(shared, Bytes), __builtin_assume_aligned(global, Bytes), Bytes);
#endif
}
/// Waits for all copies started by this thread.
__device__ __forceinline__ void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// Ends the kernel with an error that the host sees.
__device__ __forceinline__ void trap() { __trap(); }

}  // namespace ballot::simt
