// SPDX-License-Identifier: Apache-2.0
// Reductions of rows of one length, by operators that commute. The host chooses by the length who
// reduces a row:
//
//     up to 16 KiB    a group of 1 to 32 lanes, several rows at once
//     longer          a block
//
// A lane takes every group-th vector of a row, in order. A vector has Width items if rows have
// whole vectors, else one. So the loads of a warp are next to each other. The association of the
// operands depends on the length of a row alone: if a row is not aligned to vectors, its items are
// loaded one by one and reduced in the same order.
//
// Shared memory: of blocks an item a warp, else none. Barriers: of blocks one.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/stored_output.cuh>
#include <ballot/detail/segmented_reduce/part_list.cuh>
#include <ballot/detail/segmented_reduce/segments.cuh>
#include <ballot/device/detail/reduce_kernel.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/lanes.cuh>
#include <ballot/warp/reduce.cuh>

#include <cstdint>

namespace ballot::detail {

// Out: T*, or a view_output.
template <class In, class Op, class T, class Out = T*>
struct row_arguments {
  In in;  // a pointer or a view
  ballot::detail::length length;
  std::uint64_t row_items;
  Op op;
  T initial;
  Out out;
  bool aligned;  // to vectors
};

// A tile shape of rows: vectors in flight of a lane and a row, and rows.
template <int Width, int Vectors, int Rows>
struct row_shape {
  static constexpr int width = Width, vectors = Vectors, rows = Rows, threads = 256;
};

// A vector of a row from item `at` of the input on, of which `items` are there.
template <int Width, class In>
__device__ __forceinline__ simt::vector<item_of_source<In>, Width> load_of_row(const In& in, std::uint64_t at,
                                                                               std::uint64_t items, bool aligned) {
  using input = device::reduce_input<In>;
  using Item = typename input::item;
  simt::vector<Item, Width> item;
  if constexpr (input::template has_vectors<Width>) {
    if (aligned && items >= Width) return input::template vector<Width>(in, at);
  }
#pragma unroll
  for (int j = 0; j < Width; ++j) item[j] = static_cast<Item>(in[at + (static_cast<std::uint64_t>(j) < items ? j : 0)]);
  return item;
}
template <class Values, int Width, class Item, class Op>
__device__ __forceinline__ typename Values::value_type fold_of_row(const simt::vector<Item, Width>& item,
                                                                   std::uint64_t index, std::uint64_t items, Op op) {
  if (items >= Width) return Values::fold(item, index, op);
  auto sum = Values::one(item[0], index);
#pragma unroll
  for (int j = 1; j < Width; ++j)
    if (static_cast<std::uint64_t>(j) < items) sum = op(sum, Values::one(item[j], index + static_cast<unsigned>(j)));
  return sum;
}

// group: a power of two up to 32.
template <class Values, class Shape, class In, class Op, class Out = typename Values::value_type*>
__global__ void __launch_bounds__(Shape::threads)
    reduce_rows_kernel(row_arguments<In, Op, typename Values::value_type, Out> a, unsigned group) {
  using T = typename Values::value_type;
  using Item = item_of_source<In>;
  constexpr int width = Shape::width, vectors = Shape::vectors, rows = Shape::rows;
  const std::uint64_t n = a.length.get();
  const unsigned groups = Shape::threads / group, lane = simt::thread_rank() & (group - 1);
  const std::uint64_t first = std::uint64_t{blockIdx.x} * (groups * rows) + simt::thread_rank() / group;
  const std::uint64_t row_items = a.row_items;
  // Whole: all rows of the block.
  const auto reduce = [&]<bool Whole>(std::bool_constant<Whole>) {
    T sum[rows]{};
    bool has_sum = false;  // of a whole row; else of each
    unsigned has = 0;
    for (std::uint64_t v = lane * width; v < row_items; v += std::uint64_t{group} * (vectors * width)) {
      simt::vector<Item, width> item[rows][vectors];
#pragma unroll
      for (int r = 0; r < rows; ++r)
#pragma unroll
        for (int c = 0; c < vectors; ++c) {
          const std::uint64_t in_row = v + c * (group * width);
          const std::uint64_t at = (first + r * groups) * row_items + in_row;
          if (Whole ? in_row < row_items : in_row < row_items && at < n)
            item[r][c] = load_of_row<width>(a.in, at, Whole ? row_items - in_row : smaller(row_items - in_row, n - at),
                                            a.aligned);
        }
#pragma unroll
      for (int r = 0; r < rows; ++r)
#pragma unroll
        for (int c = 0; c < vectors; ++c) {
          const std::uint64_t in_row = v + c * (group * width);
          const std::uint64_t at = (first + r * groups) * row_items + in_row;
          if (!(Whole ? in_row < row_items : in_row < row_items && at < n)) continue;
          const T next = fold_of_row<Values, width>(
              item[r][c], at, Whole ? std::uint64_t{width} : smaller(row_items - in_row, n - at), a.op);
          const bool begins = Whole ? !has_sum && c == 0 : (has >> r & 1u) == 0;
          sum[r] = begins ? next : a.op(sum[r], next);
          has |= 1u << r;
        }
      has_sum = true;
    }
    simt::sync_warp();
    // Lanes that have a vector.
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const std::uint64_t row = first + r * groups, begin = row * row_items;
      const std::uint64_t items = Whole ? row_items : begin < n ? smaller(row_items, n - begin) : 0;
      const std::uint64_t all_vectors = ceil_div(items, width);
      const auto valid_lanes = static_cast<unsigned>(smaller(all_vectors, group));
      for (unsigned distance = 1; distance < group; distance *= 2) {
        const T above = simt::shuffle_down(sum[r], distance);
        if (lane + distance < valid_lanes) sum[r] = a.op(sum[r], above);
      }
      if (lane == 0 && items != 0) store_at(a.out, row, static_cast<T>(a.op(a.initial, sum[r])));
    }
  };
  const std::uint64_t first_of_block = std::uint64_t{blockIdx.x} * (groups * rows);
  if (first_of_block * row_items >= n) return;
  if ((first_of_block + groups * rows) * row_items <= n) reduce(std::true_type{});
  else reduce(std::false_type{});
}

template <class T, int Threads>
struct reduced_row_storage {
  device::reduce_storage<T, Threads / 32> warps;
};

// A row a block. IsSmall: as many blocks at once as a multiprocessor has room for.
template <class Values, int Threads, int Width, int Vectors, bool IsSmall, class In, class Op,
          class Out = typename Values::value_type*>
__global__ void __launch_bounds__(Threads, (IsSmall ? most_threads_at_once / Threads : 0))
    reduce_long_rows_kernel(row_arguments<In, Op, typename Values::value_type, Out> a) {
  using T = typename Values::value_type;
  using Item = item_of_source<In>;
  auto& shared = simt::shared_storage<reduced_row_storage<T, Threads>>();
  const std::uint64_t n = a.length.get(), begin = blockIdx.x * a.row_items;
  if (begin >= n) return;
  const std::uint64_t items = smaller(a.row_items, n - begin);
  const unsigned thread = simt::thread_rank();
  constexpr std::uint64_t step = std::uint64_t{Threads} * Width;
  T sum{};
  bool has_sum = false;
  std::uint64_t at = thread * Width;
  const auto append = [&](const T& next) {
    sum = has_sum ? a.op(sum, next) : next;
    has_sum = true;
  };
  for (; at + (Vectors - 1) * step + Width <= items; at += Vectors * step) {
    simt::vector<Item, Width> item[Vectors];
#pragma unroll
    for (int c = 0; c < Vectors; ++c) item[c] = load_of_row<Width>(a.in, begin + at + c * step, Width, a.aligned);
#pragma unroll
    for (int c = 0; c < Vectors; ++c) append(Values::fold(item[c], begin + at + c * step, a.op));
  }
  for (; at < items; at += step)
    append(fold_of_row<Values, Width>(load_of_row<Width>(a.in, begin + at, items - at, a.aligned), begin + at,
                                      items - at, a.op));
  const auto valid = static_cast<unsigned>(smaller(ceil_div(items, Width), Threads));
  const unsigned first_of_warp = simt::warp_id() * simt::warp_size;
  simt::sync_warp();
  if (first_of_warp < valid)
    sum = warp::reduce(sum, a.op, warp::first_items{device::smaller_of(valid - first_of_warp, simt::warp_size)});
  sum = device::reduce_first_warps(shared.warps, sum, ceil_div(valid, simt::warp_size), a.op);
  if (thread == 0) store_at(a.out, blockIdx.x, static_cast<T>(a.op(a.initial, sum)));
}

}  // namespace ballot::detail
