// SPDX-License-Identifier: Apache-2.0
// The two spellings that a header needs to serve both nvcc and a host compiler.
#pragma once

#if defined(__CUDACC__)
#  define BALLOT_HOST_DEVICE __host__ __device__ __forceinline__
#else
#  define BALLOT_HOST_DEVICE inline
#endif
