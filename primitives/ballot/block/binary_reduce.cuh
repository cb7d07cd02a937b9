// SPDX-License-Identifier: Apache-2.0
// Counts and sums of a block by the barriers that reduce: each thread passes a flag to the barrier,
// which returns the block's result.
//
//     thread        0  1  2  3 ...                     bitwise_sum<2>
//     value         2  0  3  1 ...
//     barrier 1     0  0  1  1 ...  -> 2 set           2 * 1
//     barrier 2     1  0  1  0 ...  -> 2 set           2 * 2 = 6 in every thread
//
// No shared memory and no second step: the hardware counts the flags. All threads of the block call
// together, whatever its dimensions; the last warp may be partial. Each function states its
// barriers. They order memory as simt::sync_block does.
// Source: Harris and Garland, GPU Computing Gems Jade Edition, chapter 3, section 3.2.2.3.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

namespace ballot::block {

// The number of threads whose flag is set. One barrier.
__device__ __forceinline__ unsigned binary_count(bool flag) {
  return static_cast<unsigned>(simt::sync_block_count(flag));
}

// Whether any thread's flag is set. One barrier.
__device__ __forceinline__ bool binary_any(bool flag) { return simt::sync_block_any(flag); }

// Whether all threads' flags are set. One barrier.
__device__ __forceinline__ bool binary_all(bool flag) { return simt::sync_block_all(flag); }

// Sum of the threads' values of `Bits` bits. Higher bits are ignored; the sum wraps at 2^32. There
// is a barrier for each bit, so this is for few bits only: block/reduce.cuh needs one barrier for
// any width.
template <int Bits>
__device__ __forceinline__ unsigned bitwise_sum(unsigned value) {
  static_assert(Bits >= 1 && Bits <= 32, "values of 1 to 32 bits");
  unsigned sum = 0;
#pragma unroll
  for (int b = 0; b < Bits; ++b) sum += binary_count((value >> b & 1u) != 0) << b;
  return sum;
}

}  // namespace ballot::block
