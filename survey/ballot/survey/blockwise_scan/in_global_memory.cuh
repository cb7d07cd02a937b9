// SPDX-License-Identifier: Apache-2.0
// Block-wise scan, step 1: each block scans as many items as it has threads, in the output itself.
//
// A block-wise scan restarts in every block of `Threads` items: in blocks of 4, 0 1 2 3 4 5 6 7
// becomes 0 1 3 6 4 9 15 22. This is the first part of a scan of everything. All steps but the last
// add by doubling distances:
//
//     distance 1    a   ab   bc    cd   ...     each item adds the one 1 below,
//     distance 2    a   ab   abc   abcd ...     then 2, 4, 8, ... below: log2(Threads) rounds
//
// Every round reads and writes global memory, and has two barriers: one between the reads and the
// writes, one between the writes and the next reads.
//
// In the original: if the length is no multiple of the block, threads past the end read the input
// and write the output there.
// Source: "Making prefix sum really fast" (simons blog); Hillis and Steele, Data Parallel
// Algorithms (1986).
#pragma once

#include <ballot/core/exec.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/survey/blockwise_scan/arguments.hpp>

namespace ballot::survey {

template <class T, int Threads>
__global__ void __launch_bounds__(Threads) scan_in_global_kernel(const T* in, std::uint64_t n, T* out) {
  const unsigned thread = simt::thread_rank();
  const std::uint64_t i = std::uint64_t{blockIdx.x} * Threads + thread;
  if (i < n) out[i] = in[i];
  simt::sync_block();
#pragma unroll
  for (unsigned distance = 1; distance < Threads; distance *= 2) {
    const bool adds = thread >= distance && i < n;
    T below{};
    if (adds) below = out[i - distance];
    simt::sync_block();
    if (adds) out[i] = plus{}(below, out[i]);
    simt::sync_block();
  }
}

// out[i] = in[first] + ... + in[i], where `first` is the largest multiple of Threads up to i. Any
// number of threads up to
// 1024. Input and output do not overlap.
template <int Threads = 256, class T>
void blockwise_scan_in_global_memory(const exec& where, std::span<const T> in, std::span<T> out) {
  const std::uint32_t blocks = scan_blocks(in, out, Threads, "survey::blockwise_scan_in_global_memory");
  if (blocks == 0) return;
  simt::launch(scan_in_global_kernel<T, Threads>, simt::launch_config{dim3(blocks), dim3(Threads), 0, where.stream()},
               in.data(), in.size(), out.data());
}

}  // namespace ballot::survey
