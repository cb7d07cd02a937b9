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

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/segmented_reduce/rows_kernel.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

// A group has 2^group_bits lanes, up to 32. Rows have fewer than 2^32 items.
template <class Values, int Threads, int Width, int Vectors, class In, class Op,
          class Out = typename Values::value_type*>
__global__ void __launch_bounds__(Threads)
    reduce_rows_by_groups_kernel(row_arguments<In, Op, typename Values::value_type, Out> a, unsigned group_bits) {
  using T = typename Values::value_type;
  const unsigned thread = simt::thread_rank(), group = 1u << group_bits, lane = thread & (group - 1);
  const std::uint64_t n = a.length.get();
  const std::uint64_t row = (std::uint64_t{blockIdx.x} * Threads + thread) >> group_bits, begin = row * a.row_items;
  const auto items = static_cast<unsigned>(begin < n ? smaller(a.row_items, n - begin) : 0);
  const unsigned step = group * Width;
  T sum{};
  bool has_sum = false;
  if (Width == 1 || (a.aligned && items % Width == 0)) {
    // Behind the row a lane loads the last vector again, so that no load has a condition.
#pragma unroll 1
    for (unsigned at = lane * Width; at < items; at += Vectors * step) {
      simt::vector<item_of_source<In>, Width> item[Vectors];
#pragma unroll
      for (int c = 0; c < Vectors; ++c)
        item[c] = whole_vector_of_row<Width>(
            a.in, begin + device::smaller_of(at + static_cast<unsigned>(c) * step, items - Width));
#pragma unroll
      for (int c = 0; c < Vectors; ++c) {
        const unsigned from = at + static_cast<unsigned>(c) * step;
        const T next = Values::fold(item[c], begin + from, a.op);
        if (c == 0) sum = has_sum ? static_cast<T>(a.op(sum, next)) : next;
        else if (from < items) sum = a.op(sum, next);
      }
      has_sum = true;
    }
  } else {
#pragma unroll 1
    for (unsigned at = lane * Width; at < items; at += step) {
      const T next = fold_of_row<Values, Width>(load_of_row<Width>(a.in, begin + at, items - at, a.aligned), begin + at,
                                                items - at, a.op);
      sum = has_sum ? static_cast<T>(a.op(sum, next)) : next;
      has_sum = true;
    }
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
