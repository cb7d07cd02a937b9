// SPDX-License-Identifier: Apache-2.0
// The row of a group of lanes (few_rows_kernel.cuh, group_rows_kernel.cuh).
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/stored_output.cuh>
#include <ballot/detail/segmented_reduce/rows_kernel.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

// Groups of 2^group_bits lanes, up to 32. Rows have fewer than 2^32 items.
struct row_of_group {
  unsigned group, lane;  // its lanes, and this one
  std::uint64_t row, begin;
  unsigned items;  // of the row; 0 after the last

  template <int Threads, class Arguments>
  static __device__ __forceinline__ row_of_group of_thread(const Arguments& a, unsigned group_bits) {
    const unsigned thread = simt::thread_rank(), group = 1u << group_bits;
    const std::uint64_t n = a.length.get();
    const std::uint64_t row = (std::uint64_t{blockIdx.x} * Threads + thread) >> group_bits, begin = row * a.row_items;
    return {group, thread & (group - 1), row, begin,
            static_cast<unsigned>(begin < n ? smaller(a.row_items, n - begin) : 0)};
  }
};

// The sum of the lane's vectors, loaded one after the other. T{} if it has none.
template <class Values, int Width, class Arguments>
__device__ __forceinline__ typename Values::value_type reduce_vectors_of_lane(const Arguments& a,
                                                                              const row_of_group& of) {
  using T = typename Values::value_type;
  T sum{};
  bool has_sum = false;
#pragma unroll 1
  for (unsigned at = of.lane * Width; at < of.items; at += of.group * Width) {
    const T next = fold_of_row<Values, Width>(load_of_row<Width>(a.in, of.begin + at, of.items - at, a.aligned),
                                              of.begin + at, of.items - at, a.op);
    sum = has_sum ? static_cast<T>(a.op(sum, next)) : next;
    has_sum = true;
  }
  return sum;
}

// Stores the sum of the lanes' sums. All lanes of the warp.
template <int Width, class Arguments, class T>
__device__ __forceinline__ void store_sum_of_group(const Arguments& a, const row_of_group& of, T sum) {
  simt::sync_warp();
  const unsigned vectors = (of.items + Width - 1) / Width;
  const auto sums = static_cast<unsigned>(smaller(vectors, of.group));  // of lanes; the next lane may have another row
#pragma unroll 1
  for (unsigned distance = 1; distance < of.group; distance *= 2) {
    const T above = simt::shuffle_down(sum, distance);
    if (of.lane + distance < sums) sum = a.op(sum, above);
  }
  if (of.lane == 0 && of.items != 0) store_at(a.out, of.row, static_cast<T>(a.op(a.initial, sum)));
}

}  // namespace ballot::detail
