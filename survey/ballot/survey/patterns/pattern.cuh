// SPDX-License-Identifier: Apache-2.0
// Common to the block patterns: their interface, their pictures, and the exclusive scan derived
// from the inclusive one.
//
// A pattern is a way for one block to turn an array in shared memory into its own prefix sums:
//
//     struct P {
//       static constexpr const char* name;
//       static constexpr bool full_warps;                     the block's size has to be a multiple of 32
//       static unsigned spare_items(n, threads);               items of shared memory needed beside the array
//       static unsigned barriers(n, threads);                  block barriers that `inclusive` takes
//       static std::uint64_t additions(n, threads);            applications of the operator, over all lanes
//       static void inclusive(T* items, unsigned n, T* spare, Op op);
//       static void exclusive(T* items, unsigned n, T* spare, T initial, Op op);
//     };
//
// All threads of the block call together, with the same arguments. The array was written before a
// barrier, and may be read by all when the call returns.
//
// - Any n, 0 too. Any block size, linear in thread order, except with `full_warps`.
// - Any associative operator, also one that does not commute or has no identity.
// - T: trivially copyable, at most 16 bytes, with a T{} that the operator takes (it comes into no
//   result).
//
// `barriers` and `additions` are what the tests count, not estimates.
//
// In the pictures a row is a step, and `o-->+` an addition: the item at `+` becomes (item at `o`)
// op (item at `+`), both as they were before the step. One `o` with several `+` to its right goes
// into each of them. The survey "GPU Prefix Sums" has the same networks in HLSL, most of them for
// arrays whose length is a power of two.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::survey {

__device__ __forceinline__ unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }

// The least k with 2^k >= n; 0 for n = 0.
BALLOT_HOST_DEVICE constexpr unsigned doublings_to(unsigned n) {
  unsigned k = 0;
  for (std::uint64_t reached = 1; reached < n; reached *= 2) ++k;
  return k;
}

// Items that a thread holds at a time when an array is moved, so that their latencies overlap.
inline constexpr unsigned rows_at_once = 8;

// Loads n items of global memory into shared memory, coalesced. No barrier.
template <class T>
__device__ __forceinline__ void load_items(T* items, const T* from, unsigned n, unsigned threads) {
  for (unsigned first = simt::thread_rank(); first < n; first += rows_at_once * threads) {
    T row[rows_at_once]{};
#pragma unroll
    for (unsigned r = 0; r < rows_at_once; ++r)
      if (first + r * threads < n) row[r] = from[first + r * threads];
#pragma unroll
    for (unsigned r = 0; r < rows_at_once; ++r)
      if (first + r * threads < n) items[first + r * threads] = row[r];
  }
}

// Moves every item up by one: `initial` becomes the first, the last item is lost. It goes piece by
// piece from the end down. In each piece all reads are a barrier ahead of the writes, so no item is
// overwritten before it is read.
template <class T>
__device__ __forceinline__ void shift_in(T* items, unsigned n, T initial) {
  const unsigned threads = block_threads(), piece = rows_at_once * threads;
  for (unsigned end = (n + piece - 1) / piece * piece; end != 0; end -= piece) {
    const unsigned first = end - piece + simt::thread_rank();
    T below[rows_at_once]{};
#pragma unroll
    for (unsigned r = 0; r < rows_at_once; ++r)
      if (const unsigned i = first + r * threads; i < n) below[r] = i == 0 ? initial : items[i - 1];
    simt::sync_block();
#pragma unroll
    for (unsigned r = 0; r < rows_at_once; ++r)
      if (const unsigned i = first + r * threads; i < n) items[i] = below[r];
  }
  if (n != 0) simt::sync_block();
}
BALLOT_HOST_DEVICE constexpr unsigned shift_barriers(unsigned n, unsigned threads) {
  return n == 0 ? 0 : (n + rows_at_once * threads - 1) / (rows_at_once * threads) + 1;
}

// The base of a pattern: no spare memory, and the exclusive scan, which is the inclusive scan of
// initial, items[0], ..., items[n - 2].
template <class Pattern>
struct block_pattern {
  static BALLOT_HOST_DEVICE constexpr unsigned spare_items(unsigned, unsigned) { return 0; }
  static BALLOT_HOST_DEVICE constexpr unsigned exclusive_barriers(unsigned n, unsigned threads) {
    return shift_barriers(n, threads) + Pattern::barriers(n, threads);
  }
  template <class T, class Op>
  static __device__ __forceinline__ void exclusive(T* items, unsigned n, T* spare, T initial, Op op) {
    shift_in(items, n, initial);
    Pattern::inclusive(items, n, spare, op);
  }
};

}  // namespace ballot::survey
