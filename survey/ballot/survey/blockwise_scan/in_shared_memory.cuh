// SPDX-License-Identifier: Apache-2.0
// Block-wise scan, step 2: the rounds go through shared memory; global memory is read once and
// written once.
//
//     global -> shared    round, round, round ...    shared -> global
//
// Shared memory is on the multiprocessor: a round costs tens of cycles instead of hundreds. Two
// barriers a round remain.
//
// In the original: threads past the end read the input there. Source: as step 1.
#pragma once

#include <ballot/core/exec.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/survey/blockwise_scan/arguments.hpp>

namespace ballot::survey {

template <class T, int Threads>
struct one_buffer {
  T sum[Threads];
};

template <class T, int Threads>
__global__ void __launch_bounds__(Threads) scan_in_shared_kernel(const T* in, std::uint64_t n, T* out) {
  T* const sum = simt::shared_storage<one_buffer<T, Threads>>().sum;
  const unsigned thread = simt::thread_rank();
  const std::uint64_t i = std::uint64_t{blockIdx.x} * Threads + thread;
  sum[thread] = i < n ? in[i] : T{};
  simt::sync_block();
#pragma unroll
  for (unsigned distance = 1; distance < Threads; distance *= 2) {
    const bool adds = thread >= distance;
    T below{};
    if (adds) below = sum[thread - distance];
    simt::sync_block();
    if (adds) sum[thread] = plus{}(below, sum[thread]);
    simt::sync_block();
  }
  if (i < n) out[i] = sum[thread];
}

// As step 1.
template <int Threads = 256, class T>
void blockwise_scan_in_shared_memory(const exec& where, std::span<const T> in, std::span<T> out) {
  const std::uint32_t blocks = scan_blocks(in, out, Threads, "survey::blockwise_scan_in_shared_memory");
  if (blocks == 0) return;
  simt::launch(scan_in_shared_kernel<T, Threads>,
               simt::launch_config{dim3(blocks), dim3(Threads), sizeof(one_buffer<T, Threads>), where.stream()},
               in.data(), in.size(), out.data());
}

}  // namespace ballot::survey
