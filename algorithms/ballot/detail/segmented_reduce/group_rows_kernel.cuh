// SPDX-License-Identifier: Apache-2.0
// Reductions of rows of one length by groups of lanes, by operators that commute.
//
//     row     | vector 0 | 1 | 2 | ...                          a lane takes every group-th vector,
//     lanes   | 0        | 1 | 2 | ... group - 1 | 0 | 1 | ...  and loads `Vectors` of them at once
//
// So a whole row is in flight if its group has enough lanes. How the operands are grouped depends
// on the number of rows and their length.
//
// No shared memory, no barriers.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/segmented_reduce/row_of_group.cuh>
#include <ballot/detail/segmented_reduce/rows_kernel.cuh>
#include <ballot/simt/simt.cuh>

namespace ballot::detail {

template <class Values, int Threads, int Width, int Vectors, class In, class Op,
          class Out = typename Values::value_type*>
__global__ void __launch_bounds__(Threads)
    reduce_rows_by_groups_kernel(row_arguments<In, Op, typename Values::value_type, Out> a, unsigned group_bits) {
  using T = typename Values::value_type;
  const auto of = row_of_group::of_thread<Threads>(a, group_bits);
  const unsigned step = of.group * Width;
  T sum{};
  if (Width == 1 || (a.aligned && of.items % Width == 0)) {
    // Behind the row a lane loads the last vector again, so that no load has a condition.
    bool has_sum = false;
#pragma unroll 1
    for (unsigned at = of.lane * Width; at < of.items; at += Vectors * step) {
      simt::vector<item_of_source<In>, Width> item[Vectors];
#pragma unroll
      for (int c = 0; c < Vectors; ++c)
        item[c] = whole_vector_of_row<Width>(
            a.in, of.begin + device::smaller_of(at + static_cast<unsigned>(c) * step, of.items - Width));
#pragma unroll
      for (int c = 0; c < Vectors; ++c) {
        const unsigned from = at + static_cast<unsigned>(c) * step;
        const T next = Values::fold(item[c], of.begin + from, a.op);
        if (c == 0) sum = has_sum ? static_cast<T>(a.op(sum, next)) : next;
        else if (from < of.items) sum = a.op(sum, next);
      }
      has_sum = true;
    }
  } else {
    sum = reduce_vectors_of_lane<Values, Width>(a, of);
  }
  store_sum_of_group<Width>(a, of, sum);
}

}  // namespace ballot::detail
