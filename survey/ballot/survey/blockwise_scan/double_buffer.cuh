// SPDX-License-Identifier: Apache-2.0
// Block-wise scan, step 3: two buffers in shared memory, so that one barrier a round is enough.
//
//     round 1   reads A, writes B    barrier
//     round 2   reads B, writes A    barrier
//
// No thread writes the buffer that others read; the next round writes the buffer whose reads ended
// one barrier ago. Twice the shared memory. All threads write in every round, also those without an
// addition.
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
struct two_buffers {
  T sum[2][Threads];
};

template <class T, int Threads>
__global__ void __launch_bounds__(Threads) scan_double_buffer_kernel(const T* in, std::uint64_t n, T* out) {
  auto& shared = simt::shared_storage<two_buffers<T, Threads>>();
  T *from = shared.sum[0], *to = shared.sum[1];
  const unsigned thread = simt::thread_rank();
  const std::uint64_t i = std::uint64_t{blockIdx.x} * Threads + thread;
  from[thread] = i < n ? in[i] : T{};
  simt::sync_block();
#pragma unroll
  for (unsigned distance = 1; distance < Threads; distance *= 2) {
    const T mine = from[thread];
    to[thread] = thread >= distance ? plus{}(from[thread - distance], mine) : mine;
    simt::sync_block();
    T* const written = to;
    to = from;
    from = written;
  }
  if (i < n) out[i] = from[thread];
}

// As step 1.
template <int Threads = 256, class T>
void blockwise_scan_double_buffer(const exec& where, std::span<const T> in, std::span<T> out) {
  const std::uint32_t blocks = scan_blocks(in, out, Threads, "survey::blockwise_scan_double_buffer");
  if (blocks == 0) return;
  simt::launch(scan_double_buffer_kernel<T, Threads>,
               simt::launch_config{dim3(blocks), dim3(Threads), sizeof(two_buffers<T, Threads>), where.stream()},
               in.data(), in.size(), out.data());
}

}  // namespace ballot::survey
