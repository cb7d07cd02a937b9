// SPDX-License-Identifier: Apache-2.0
// The spellings of CUDA C++ that kernels keep: declaration specifiers, dim3, and the built-in
// variables.
#pragma once

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__ static_assert(false, "declare no __shared__: shared_storage<T>() has the block's shared memory");

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

// Plain objects that the emulator sets when it switches threads, so that `auto t = threadIdx.x` is
// an unsigned.
extern thread_local constinit uint3 threadIdx, blockIdx, blockDim, gridDim;
