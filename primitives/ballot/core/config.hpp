// The spellings that a header needs to serve both nvcc and a host compiler.
#pragma once

#if defined(__CUDACC__)
#  define BALLOT_HOST_DEVICE __host__ __device__ __forceinline__
#else
#  define BALLOT_HOST_DEVICE inline
#endif

// Before a loop that one thread comes by, once: the compiler is not to unroll it.
#if defined(__CUDA_ARCH__)
#  define BALLOT_ROLLED _Pragma("unroll 1")
#else
#  define BALLOT_ROLLED
#endif
