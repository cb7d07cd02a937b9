// SPDX-License-Identifier: Apache-2.0
// Block-wise scan, step 4: warps scan in registers, by shuffles; only the warps' totals go through
// shared memory.
//
//     every warp    scan of its 32 items by shuffles           no barrier
//     lane 31       the warp's total to shared memory          barrier
//     warp 0        scan of the totals by shuffles             barrier
//     every thread  adds the total of the warps before its own
//
// Two barriers instead of log2(Threads), and no shared memory within a warp.
//
// In the original: the first warp reads and writes 32 totals, beyond the shared memory of blocks of
// fewer than 32 warps. Threads past the end also read the input there.
// Source: as step 1; Harris and Garland, GPU Computing Gems Jade Edition, chapter 3.
#pragma once

#include <ballot/core/exec.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/survey/blockwise_scan/arguments.hpp>
#include <ballot/warp/scan.cuh>

namespace ballot::survey {

template <class T, int Threads>
struct warp_aggregates {
  static_assert(Threads % simt::warp_size == 0 && Threads <= 1024, "whole warps, at most 1024 threads");
  static constexpr unsigned warps = Threads / simt::warp_size;
  T total[warps];
};

// The sum of the items of the threads up to this one. Two barriers.
template <class T, int Threads>
__device__ __forceinline__ T scan_of_block(warp_aggregates<T, Threads>& shared, T item) {
  constexpr unsigned warps = warp_aggregates<T, Threads>::warps;
  const unsigned warp = simt::warp_id(), lane = simt::lane_id();
  const T in_warp = warp::inclusive_scan(item);
  if (lane == simt::warp_size - 1) shared.total[warp] = in_warp;
  simt::sync_block();
  if (warp == 0) {
    const T lane_inclusive = warp::inclusive_scan(lane < warps ? shared.total[lane] : T{});
    if (lane < warps) shared.total[lane] = lane_inclusive;
  }
  simt::sync_block();
  return warp == 0 ? in_warp : plus{}(shared.total[warp - 1], in_warp);
}

template <class T, int Threads>
__global__ void __launch_bounds__(Threads) scan_by_shuffles_kernel(const T* in, std::uint64_t n, T* out) {
  auto& shared = simt::shared_storage<warp_aggregates<T, Threads>>();
  const std::uint64_t i = std::uint64_t{blockIdx.x} * Threads + simt::thread_rank();
  const T sum = scan_of_block(shared, i < n ? in[i] : T{});
  if (i < n) out[i] = sum;
}

// As step 1, for whole warps and T of at most 16 bytes.
template <int Threads = 256, class T>
void blockwise_scan_by_shuffles(const exec& where, std::span<const T> in, std::span<T> out) {
  const std::uint32_t blocks = scan_blocks(in, out, Threads, "survey::blockwise_scan_by_shuffles");
  if (blocks == 0) return;
  simt::launch(scan_by_shuffles_kernel<T, Threads>,
               simt::launch_config{dim3(blocks), dim3(Threads), sizeof(warp_aggregates<T, Threads>), where.stream()},
               in.data(), in.size(), out.data());
}

}  // namespace ballot::survey
