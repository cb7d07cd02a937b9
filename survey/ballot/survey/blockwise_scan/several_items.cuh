// SPDX-License-Identifier: Apache-2.0
// Block-wise scan, step 5: several consecutive items a thread, scanned in registers; the block
// scans the threads' totals.
//
//     thread 0: a ab abc abcd    thread 1: e ef efg efgh    ...    running sums, in registers
//     scan of the block over abcd, efgh, ...                       as in step 4, once for Items times as many items
//     thread 1: abcd + e, abcd + ef, ...                           each adds its thread's prefix
//
// The decisive step: barriers and shuffles are shared by more items, and a thread's loads are in
// flight together. The lanes of a warp read and write addresses that lie Items apart: the cache has
// to combine the pieces of a line.
//
// In the original: indices are ints, wrong from 2^31 items on. Source: as step 1; Kirk and Hwu,
// Programming Massively Parallel Processors, call it thread coarsening.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/survey/blockwise_scan/warp_shuffles.cuh>

namespace ballot::survey {

template <class T, int Threads, int Items>
__global__ void __launch_bounds__(Threads) scan_several_kernel(const T* in, std::uint64_t n, T* out) {
  auto& shared = simt::shared_storage<warp_aggregates<T, Threads>>();
  const std::uint64_t first = (std::uint64_t{blockIdx.x} * Threads + simt::thread_rank()) * Items;
  T sum[Items];
#pragma unroll
  for (int j = 0; j < Items; ++j) sum[j] = first + j < n ? in[first + j] : T{};
#pragma unroll
  for (int j = 1; j < Items; ++j) sum[j] = plus{}(sum[j - 1], sum[j]);
  const T up_to_thread = scan_of_block(shared, sum[Items - 1]);

  // The exclusive prefix comes from the thread below, since not every operator has an inverse.
  const T below_in_warp = simt::shuffle_up(up_to_thread, 1);
  const unsigned warp = simt::warp_id();
  const bool is_first = simt::thread_rank() == 0;
  const T before = simt::lane_id() == 0 && !is_first ? shared.total[warp - 1] : below_in_warp;
#pragma unroll
  for (int j = 0; j < Items; ++j)
    if (first + j < n) out[first + j] = is_first ? sum[j] : plus{}(before, sum[j]);
}

// out[i] = in[first] + ... + in[i], where `first` is the largest multiple of Threads * Items up to
// i. Otherwise as step 4.
template <int Threads = 256, int Items = 16, class T>
void blockwise_scan_several_items(const exec& where, std::span<const T> in, std::span<T> out) {
  const std::uint32_t blocks =
      scan_blocks(in, out, std::uint64_t{Threads} * Items, "survey::blockwise_scan_several_items");
  if (blocks == 0) return;
  simt::launch(scan_several_kernel<T, Threads, Items>,
               simt::launch_config{dim3(blocks), dim3(Threads), sizeof(warp_aggregates<T, Threads>), where.stream()},
               in.data(), in.size(), out.data());
}

}  // namespace ballot::survey
