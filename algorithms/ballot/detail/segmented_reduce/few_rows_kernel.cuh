// SPDX-License-Identifier: Apache-2.0
// Reductions of few short rows of one length, by operators that commute. A row has a group of
// lanes, each of which takes every group-th vector, mostly one. With few rows, the time depends on
// how soon the loads begin. So this kernel has few instructions, and as many threads as there are
// vectors.
//
// No shared memory, no barriers.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/segmented_reduce/row_of_group.cuh>
#include <ballot/detail/segmented_reduce/rows_kernel.cuh>
#include <ballot/simt/simt.cuh>

namespace ballot::detail {

template <class Values, int Threads, int Width, class In, class Op, class Out = typename Values::value_type*>
__global__ void __launch_bounds__(Threads)
    reduce_few_rows_kernel(row_arguments<In, Op, typename Values::value_type, Out> a, unsigned group_bits) {
  const auto of = row_of_group::of_thread<Threads>(a, group_bits);
  store_sum_of_group<Width>(a, of, reduce_vectors_of_lane<Values, Width>(a, of));
}

}  // namespace ballot::detail
