// SPDX-License-Identifier: Apache-2.0
// Reductions of few short rows of one length, by operators that commute. A row has a group of
// lanes, each of which takes every group-th vector, mostly one. With few rows, the time depends on
// how soon the loads begin. So this kernel has few instructions, and as many threads as there are
// vectors.
//
// No shared memory, no barriers.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/segmented_reduce/rows_kernel.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

// A group has 2^group_bits lanes, up to 32.
template <class Values, int Threads, int Width, class In, class Op, class Out = typename Values::value_type*>
__global__ void __launch_bounds__(Threads)
    reduce_few_rows_kernel(row_arguments<In, Op, typename Values::value_type, Out> a, unsigned group_bits) {
  using T = typename Values::value_type;
  const unsigned thread = simt::thread_rank(), group = 1u << group_bits, lane = thread & (group - 1);
  const std::uint64_t n = a.length.get();
  const std::uint64_t row = (std::uint64_t{blockIdx.x} * Threads + thread) >> group_bits, begin = row * a.row_items;
  const auto items = static_cast<unsigned>(begin < n ? smaller(a.row_items, n - begin) : 0);
  T sum{};
  bool has_sum = false;
#pragma unroll 1
  for (unsigned at = lane * Width; at < items; at += group * Width) {
    const T next = fold_of_row<Values, Width>(load_of_row<Width>(a.in, begin + at, items - at, a.aligned), begin + at,
                                              items - at, a.op);
    sum = has_sum ? a.op(sum, next) : next;
    has_sum = true;
  }
  simt::sync_warp();
  const unsigned vectors = (items + Width - 1) / Width;
  const auto sums = static_cast<unsigned>(smaller(vectors, group));  // of lanes; the next lane may have another row
#pragma unroll 1
  for (unsigned distance = 1; distance < group; distance *= 2) {
    const T above = simt::shuffle_down(sum, distance);
    if (lane + distance < sums) sum = a.op(sum, above);
  }
  if (lane == 0 && items != 0) store_at(a.out, row, static_cast<T>(a.op(a.initial, sum)));
}

}  // namespace ballot::detail
