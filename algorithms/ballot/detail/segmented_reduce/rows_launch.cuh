// SPDX-License-Identifier: Apache-2.0
// Reductions of rows of one length by an operator that commutes: the choice of the kernel, and its
// launch.
//
// H200, 2026-11-30, sums, us in a graph, before / now / CUB 3.5.0's DeviceSegmentedReduce, about
// 3 million items (more in bench/results):
//
//     rows of        31                63                99               300              999
//     f64    11.3  8.4 12.6    11.5  6.6  8.6    12.9  6.9  7.3     7.9  7.4 11.6    30.6  6.8  6.8
//     f32     4.3  4.4  9.9     6.9  4.8  7.2     8.7  5.4  6.4     5.5  4.1  4.1    13.0  5.9  6.0
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/stream.hpp>
#include <ballot/core/view.hpp>
#include <ballot/detail/segmented_reduce/few_rows_kernel.cuh>
#include <ballot/detail/segmented_reduce/group_rows_kernel.cuh>
#include <ballot/detail/segmented_reduce/rows_kernel.cuh>
#include <ballot/detail/segmented_reduce/staged_rows_kernel.cuh>
#include <ballot/device/detail/view_loads.cuh>
#include <ballot/device/tiles.hpp>

#include <cstdint>

namespace ballot::detail {

// Longer rows have a block, and so have rows of so many whole vectors. H100, 2026-11-24, i32, us in
// a graph, CUB 3.5.0, groups of lanes, 128 threads:
//
//     12,000,000 items in rows of 256       19.5   18.4   29.9
//     12,000,000 items in rows of 1024      23.1   18.5   17.2
//     50,000,000 in rows of 1000, calls      103   82.7   77.5
//     50,000,000 in rows of 2048, calls     84.3   82.8   76.9
inline constexpr std::uint64_t long_row_bytes = 8 * 1024, least_row_vectors_of_block = 192;
inline constexpr std::uint64_t row_bytes_of_many_threads = 32 * 1024;
// Longer ones, if there are few, are for several blocks each.
inline constexpr std::uint64_t most_row_items_of_block = std::uint64_t{1} << 17, many_long_rows = 256;

// Rows for groups of lanes that are loaded item by item: up to so many items a lane, of which all
// (items of up to 4 bytes) or half are in flight. In the latter case few rows have blocks. Of
// vectors 4 are in flight.
inline constexpr int most_row_items_of_lane = 16;
inline constexpr std::uint64_t most_group_items = std::uint64_t{simt::warp_size} * most_row_items_of_lane,
                               few_rows = 1024;
// A group has more lanes than it needs if all have fewer threads than this. H200: with twice or
// four times as many, 1.5 million f32 in rows of 100 take 3.6 and 4.1 us in a graph in place of 3.3.
inline constexpr std::uint64_t least_group_threads = 34'000;

// Up to the first number of items, short rows have at least half as many threads as vectors; up to
// the second number, as many threads as vectors. The third number is for rows that have no whole
// vectors, and are loaded item by item. H100, as above, us in a graph, CUB, these threads, the
// kernels for more rows:
//
//     rows of 8      65,536 items    1.5   1.4   1.9
//     rows of 8      1,000,000       2.5   2.1   2.3
//     rows of 100    65,536          1.6   1.6   2.4
//     rows of 100    1,000,000       2.8   2.4   3.1
//     rows of 31     65,534          1.4   1.6   1.8
inline constexpr std::uint64_t most_items_of_few_rows = std::uint64_t{1} << 20,
                               most_items_of_most_threads = std::uint64_t{1} << 18,
                               most_items_one_by_one = std::uint64_t{1} << 17;
inline constexpr unsigned row_threads = 256, most_vectors_of_lane = 2;
inline constexpr std::uint64_t most_items_of_thread = 6;  // one by one

// The lanes for a row of so many vectors, as a power of two. A lane has up to `each` vectors. Rows of
// 8 have four lanes: with two, 3 million f64 take 7.8 us in a graph in place of 6.7 (H200).
constexpr unsigned group_bits_of_row(std::uint64_t vectors, unsigned each, std::uint64_t rows) {
  unsigned bits = vectors == 8 ? 2 : 0;
  const auto may_grow = [&] { return (1u << bits) < simt::warp_size && (1u << bits) < vectors; };
  while (may_grow() && std::uint64_t{each} << bits < vectors) ++bits;
  while (may_grow() && rows << bits < least_group_threads) ++bits;
  return bits;
}

// Input: input<...> or view_input<...>. Rows in shared memory, `Rows` of them a thread.
template <unsigned Rows, class Values, class Op, class Input, class Out>
void launch_staged_rows(stream_t stream, const Input& in, std::uint64_t row_items, const Op& op,
                        typename Values::value_type initial, std::uint64_t rows, const Out& out, const char* function) {
  using In = source_of_input_t<Input>;
  using Item = typename Input::value_type;
  constexpr unsigned rows_of_block = staged_rows_threads * Rows;
  const row_arguments<In, Op, typename Values::value_type, Out> a{
      source_of_input(in),
      in.length,
      row_items,
      op,
      initial,
      out,
      device::is_vector_aligned<16 / sizeof(Item)>(source_of_input(in))};
  simt::launch(reduce_staged_rows_kernel<Values, Rows, In, Op, Out>,
               simt::launch_config{dim3(tile_count(rows, rows_of_block, function)), dim3(staged_rows_threads),
                                   sizeof(staged_rows_storage) + rows_of_block * row_items * sizeof(Item), stream},
               a);
}

// Whether it has been launched: otherwise the rows are too long for a block each. rows > 0. out: as
// kernels take it. most_items_of_few: only tests and measurements change it.
template <class Values, class Input, class Op, class Out>
bool launch_rows(stream_t stream, const Input& in, std::uint64_t row_items, const Op& op,
                 typename Values::value_type initial, std::uint64_t rows, const Out& out, const char* function,
                 std::uint64_t most_items_of_few = most_items_of_few_rows) {
  using T = typename Values::value_type;
  using In = source_of_input_t<Input>;
  using Item = typename Input::value_type;
  constexpr int width = block::vector_width<Item>();
  const bool has_vectors = width > 1 && row_items % width == 0;
  const row_arguments<In, Op, T, Out> a{source_of_input(in),
                                        in.length,
                                        row_items,
                                        op,
                                        initial,
                                        out,
                                        has_vectors ? device::is_vector_aligned<width>(source_of_input(in))
                                                    : device::is_vector_aligned<1>(source_of_input(in))};
  const auto by_threads = [&]<int Width, int Rows>() {
    simt::launch(
        reduce_rows_by_threads_kernel<Values, row_threads, Width, Rows, In, Op, Out>,
        simt::launch_config{dim3(tile_count(rows, row_threads * Rows, function)), dim3(row_threads), 0, stream}, a);
  };
  const auto by_groups = [&]<int Width, int Vectors>() {
    const unsigned bits = group_bits_of_row(row_items / Width, Vectors, rows);
    simt::launch(
        reduce_rows_by_groups_kernel<Values, row_threads, Width, Vectors, In, Op, Out>,
        simt::launch_config{dim3(tile_count(rows, row_threads >> bits, function)), dim3(row_threads), 0, stream}, a,
        bits);
  };
  const auto by_blocks = [&]<int Threads, int Width, int Vectors, bool IsSmall>() {
    simt::launch(reduce_rows_by_blocks_kernel<Values, Threads, Width, Vectors, IsSmall, In, Op, Out>,
                 simt::launch_config{dim3(tile_count(rows, 1, function)), dim3(Threads),
                                     sizeof(reduced_row_storage<T, Threads>), stream},
                 a);
  };
  const auto by_lanes = [&]<int Width>(std::integral_constant<int, Width>, std::uint64_t vectors_of_lane) {
    unsigned bits = 0;
    while ((1u << bits) < simt::warp_size && (Width * vectors_of_lane << bits) < row_items) ++bits;
    simt::launch(
        reduce_few_rows_kernel<Values, row_threads, Width, In, Op, Out>,
        simt::launch_config{dim3(tile_count(rows, row_threads >> bits, function)), dim3(row_threads), 0, stream}, a,
        bits);
  };
  const std::uint64_t n = in.capacity(), row_bytes = product_or_most(row_items, sizeof(Item));
  if (n <= (has_vectors ? most_items_of_few : smaller(most_items_of_few, most_items_one_by_one)) &&
      row_items <= std::uint64_t{simt::warp_size} * most_vectors_of_lane * (has_vectors ? width : 1)) {
    if (has_vectors) by_lanes(std::integral_constant<int, width>(), n <= most_items_of_most_threads ? 1 : 2);
    else by_lanes(std::integral_constant<int, 1>(), row_items <= most_items_of_thread ? most_items_of_thread : 1);
  } else if (row_bytes > long_row_bytes && row_items > most_row_items_of_block && rows < many_long_rows) {
    return false;
  } else if (has_vectors) {
    if constexpr (width > 1) {  // else there are none
      if (row_bytes > row_bytes_of_many_threads) by_blocks.template operator()<1024, width, 4, false>();
      else if (row_bytes > long_row_bytes) by_blocks.template operator()<256, width, 4, false>();
      else if (row_items >= width * least_row_vectors_of_block)
        by_blocks.template operator()<128, width, 2, sizeof(T) <= 4>();
      else if (row_items != width) by_groups.template operator()<width, 4>();
      else by_threads.template operator()<width, 4>();
    }
  } else if (row_bytes > long_row_bytes) {
    by_blocks.template operator()<512, 1, 8, false>();
  } else if (row_items > most_group_items ||
             (sizeof(Item) > 4 && rows <= few_rows && row_items > most_group_items / 2)) {
    by_blocks.template operator()<128, 1, 8, false>();
  } else if (row_items <= 2) {
    by_threads.template operator()<1, 6>();
  } else if (can_stage_rows<Item> && row_bytes <= most_staged_row_bytes) {
    if constexpr (can_stage_rows<Item>) {
      if (row_bytes <= row_bytes_for_two)
        launch_staged_rows<2, Values>(stream, in, row_items, op, initial, rows, out, function);
      else launch_staged_rows<1, Values>(stream, in, row_items, op, initial, rows, out, function);
    }
  } else if (sizeof(Item) <= 4 && row_items > most_group_items / 2) {
    if constexpr (sizeof(Item) <= 4) by_groups.template operator()<1, most_row_items_of_lane>();
  } else {
    by_groups.template operator()<1, most_row_items_of_lane / 2>();
  }
  return true;
}

}  // namespace ballot::detail
