// SPDX-License-Identifier: Apache-2.0
// Reductions of rows of one length, by operators that commute. The host chooses by the length who
// reduces a row:
//
//     one vector, or two items   a thread, several rows at once
//     short                      a thread, from shared memory (staged_rows_kernel.cuh)
//     up to some hundred items   a group of lanes (group_rows_kernel.cuh, few_rows_kernel.cuh)
//     longer                     a block
//
// A lane takes every group-th vector of a row, in order. A vector has Width items if rows have
// whole vectors, else one. So the loads of a warp are next to each other. If a row is not aligned
// to vectors, its items are loaded one by one and reduced in the same order. So the association of
// the operands does not depend on the address.
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
#include <type_traits>

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

// A vector of a row, from item `at` of the input on. `items` of its items exist.
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
// A vector all of whose items exist, and which is aligned.
template <int Width, class In>
__device__ __forceinline__ simt::vector<item_of_source<In>, Width> whole_vector_of_row(const In& in, std::uint64_t at) {
  using input = device::reduce_input<In>;
  if constexpr (Width != 1 && input::template has_vectors<Width>) {
    return input::template vector<Width>(in, at);
  } else {
    simt::vector<item_of_source<In>, Width> item;
#pragma unroll
    for (int j = 0; j < Width; ++j) item[j] = static_cast<item_of_source<In>>(in[at + static_cast<unsigned>(j)]);
    return item;
  }
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

// A thread takes `Rows` rows, Threads apart. For rows of one vector, or of few items.
template <class Values, int Threads, int Width, int Rows, class In, class Op, class Out = typename Values::value_type*>
__global__ void __launch_bounds__(Threads)
    reduce_rows_by_threads_kernel(row_arguments<In, Op, typename Values::value_type, Out> a) {
  using T = typename Values::value_type;
  using Item = item_of_source<In>;
  const std::uint64_t n = a.length.get(), row_items = a.row_items;
  const std::uint64_t first_of_block = std::uint64_t{blockIdx.x} * (Threads * Rows);
  const std::uint64_t first = first_of_block + simt::thread_rank();
  // Whole: all rows of the block exist.
  const auto reduce = [&]<bool Whole>(std::bool_constant<Whole>) {
    T sum[Rows]{};
    for (std::uint64_t in_row = 0; in_row < row_items; in_row += Width) {
      simt::vector<Item, Width> item[Rows];
      std::uint64_t at[Rows], items[Rows];  // items: those there are from here on
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        at[r] = (first + r * Threads) * row_items + in_row;
        items[r] = Whole ? row_items - in_row : at[r] < n ? smaller(row_items - in_row, n - at[r]) : 0;
        if (Whole || items[r] != 0) item[r] = load_of_row<Width>(a.in, at[r], items[r], a.aligned);
      }
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        if (!Whole && items[r] == 0) continue;
        const T next = fold_of_row<Values, Width>(item[r], at[r], Whole ? std::uint64_t{Width} : items[r], a.op);
        sum[r] = in_row == 0 ? next : static_cast<T>(a.op(sum[r], next));
      }
    }
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const std::uint64_t row = first + r * Threads;
      if (Whole || row * row_items < n) store_at(a.out, row, static_cast<T>(a.op(a.initial, sum[r])));
    }
  };
  if (first_of_block * row_items >= n) return;
  if ((first_of_block + Threads * Rows) * row_items <= n) reduce(std::true_type{});
  else reduce(std::false_type{});
}

template <class T, int Threads>
struct reduced_row_storage {
  device::reduce_storage<T, Threads / 32> warps;
};

// One block for each row. IsSmall: a multiprocessor runs as many blocks at once as it has room for.
template <class Values, int Threads, int Width, int Vectors, bool IsSmall, class In, class Op,
          class Out = typename Values::value_type*>
__global__ void __launch_bounds__(Threads, (IsSmall ? most_threads_at_once / Threads : 0))
    reduce_rows_by_blocks_kernel(row_arguments<In, Op, typename Values::value_type, Out> a) {
  using T = typename Values::value_type;
  using Item = item_of_source<In>;
  auto& shared = simt::shared_storage<reduced_row_storage<T, Threads>>();
  const std::uint64_t n = a.length.get(), begin = blockIdx.x * a.row_items;
  if (begin >= n) return;
  // A place in a row. Small blocks have short rows, and 32 bits take fewer registers.
  using Place = std::conditional_t<(Threads >= 512), std::uint64_t, std::uint32_t>;
  const auto items = static_cast<Place>(smaller(a.row_items, n - begin));
  const unsigned thread = simt::thread_rank();
  constexpr Place step = Place{Threads} * Width;
  T sum{};
  bool has_sum = false;
  Place at = thread * Width;
  const auto append = [&](const T& next) {
    sum = has_sum ? a.op(sum, next) : next;
    has_sum = true;
  };
  if (Width == 1 || (a.aligned && items % Width == 0)) {
    // Last: whether the row may end within these vectors. Then a thread loads the row's last vector
    // in place of those after it, so that no load has a condition.
    const auto append_vectors = [&]<bool Last>(std::bool_constant<Last>) {
      simt::vector<Item, Width> item[Vectors];
#pragma unroll
      for (int c = 0; c < Vectors; ++c) {
        const Place from = at + c * step, last = items - Width;
        item[c] = whole_vector_of_row<Width>(a.in, begin + (Last && from > last ? last : from));
      }
#pragma unroll
      for (int c = 0; c < Vectors; ++c)
        if (!Last || at + c * step < items) append(Values::fold(item[c], begin + at + c * step, a.op));
    };
    // A second loop pays in long rows alone.
    if constexpr (Threads >= 512)
      for (; at + (Vectors - 1) * step < items; at += Vectors * step) append_vectors(std::false_type{});
    for (; at < items; at += Vectors * step) append_vectors(std::true_type{});
  } else {
    for (; at < items; at += step)
      append(fold_of_row<Values, Width>(load_of_row<Width>(a.in, begin + at, items - at, a.aligned), begin + at,
                                        items - at, a.op));
  }
  const auto valid = static_cast<unsigned>(smaller(ceil_div(items, Width), Threads));
  const unsigned first_of_warp = simt::warp_id() * simt::warp_size;
  simt::sync_warp();
  if (first_of_warp < valid)
    sum = warp::reduce(sum, a.op, warp::first_items{device::smaller_of(valid - first_of_warp, simt::warp_size)});
  sum = device::reduce_first_warps(shared.warps, sum, ceil_div(valid, simt::warp_size), a.op);
  if (thread == 0) store_at(a.out, blockIdx.x, static_cast<T>(a.op(a.initial, sum)));
}

}  // namespace ballot::detail
