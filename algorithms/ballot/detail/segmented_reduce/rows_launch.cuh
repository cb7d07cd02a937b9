// SPDX-License-Identifier: Apache-2.0
// Reductions of rows of one length by an operator that commutes: the choice of the kernel, and its
// launch.
//
// H200, 2026-11-23, i32 sums, time of CUB's DeviceSegmentedReduce by ours:
//
//     rows of          1    8   15   64  100  256 1024 65536
//     2^22 items     1.2  1.5  1.0  2.0  1.2  1.0  1.2   1.1
//     2^28 items     1.4  1.1  1.3  2.0  1.6  1.3  1.8   1.0
//
// H100, rows in shared memory, 4 10^6 items:
//
//     rows of                      3    5    7   15   31
//     in calls                   1.1  1.1  1.2  1.3  1.7
//     in graphs                  1.1  1.1  1.1  1.5  3.0
//     before, in calls                1.0            1.4
//     before, in graphs               0.7            2.0
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/stream.hpp>
#include <ballot/core/view.hpp>
#include <ballot/detail/segmented_reduce/few_rows_kernel.cuh>
#include <ballot/detail/segmented_reduce/rows_kernel.cuh>
#include <ballot/detail/segmented_reduce/staged_rows_kernel.cuh>
#include <ballot/device/detail/view_loads.cuh>
#include <ballot/device/tiles.hpp>

#include <cstdint>

namespace ballot::detail {

// Which rows have a block: those that are so long; if there are few, less long ones; and those long
// enough for a small block. H100, 2026-11-24, i32, us in a graph, CUB 3.5.0, groups of lanes, 128
// threads:
//
//     12,000,000 items in rows of 256       19.5   18.4   29.9
//     12,000,000 items in rows of 1024      23.1   18.5   17.2
//     50,000,000 in rows of 1000, calls      103   82.7   77.5
//     50,000,000 in rows of 2048, calls     84.3   82.8   76.9
inline constexpr std::uint64_t long_row_bytes = 8 * 1024, least_row_bytes_of_small_block = 3 * 1024,
                               least_row_bytes_of_few = 1024;
inline constexpr std::uint64_t few_rows = 2048;
inline constexpr std::uint64_t row_bytes_of_many_threads = 32 * 1024;
// Longer ones, if there are few, are for several blocks each.
inline constexpr std::uint64_t most_row_items_of_block = std::uint64_t{1} << 17, many_long_rows = 256;

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
inline constexpr unsigned few_rows_threads = 256, most_vectors_of_lane = 2;
inline constexpr std::uint64_t most_items_of_thread = 6;  // one by one

// The lanes for a row of so many vectors. A lane has `each` vectors or more.
constexpr unsigned group_of_row(std::uint64_t vectors, unsigned each) {
  unsigned group = 1;
  while (group < simt::warp_size && group * each < vectors) group *= 2;
  return group;
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
  const auto by_groups = [&]<class Shape>(Shape, unsigned group) {
    const std::uint32_t blocks = tile_count(rows, Shape::threads / group * Shape::rows, function);
    simt::launch(reduce_rows_kernel<Values, Shape, In, Op, Out>,
                 simt::launch_config{dim3(blocks), dim3(Shape::threads), 0, stream}, a, group);
  };
  const auto by_blocks = [&]<int Threads, int Width, int Vectors, bool IsSmall>() {
    simt::launch(reduce_long_rows_kernel<Values, Threads, Width, Vectors, IsSmall, In, Op, Out>,
                 simt::launch_config{dim3(tile_count(rows, 1, function)), dim3(Threads),
                                     sizeof(reduced_row_storage<T, Threads>), stream},
                 a);
  };
  const auto by_lanes = [&]<int Width>(std::integral_constant<int, Width>, std::uint64_t vectors_of_lane) {
    unsigned bits = 0;
    while ((1u << bits) < simt::warp_size && (Width * vectors_of_lane << bits) < row_items) ++bits;
    simt::launch(reduce_few_rows_kernel<Values, few_rows_threads, Width, In, Op, Out>,
                 simt::launch_config{dim3(tile_count(rows, few_rows_threads >> bits, function)), dim3(few_rows_threads),
                                     0, stream},
                 a, bits);
  };
  const std::uint64_t n = in.capacity(), row_bytes = product_or_most(row_items, sizeof(Item));
  if (n <= (has_vectors ? most_items_of_few : smaller(most_items_of_few, most_items_one_by_one)) &&
      row_items <= std::uint64_t{simt::warp_size} * most_vectors_of_lane * (has_vectors ? width : 1)) {
    if (has_vectors) by_lanes(std::integral_constant<int, width>(), n <= most_items_of_most_threads ? 1 : 2);
    else by_lanes(std::integral_constant<int, 1>(), row_items <= most_items_of_thread ? most_items_of_thread : 1);
  } else if (row_bytes > long_row_bytes || (rows <= few_rows && row_bytes >= least_row_bytes_of_few) ||
             (has_vectors && row_bytes >= least_row_bytes_of_small_block)) {
    if (row_items > most_row_items_of_block && rows < many_long_rows) return false;
    if (!has_vectors) by_blocks.template operator()<512, 1, 8, false>();
    else if (row_bytes <= long_row_bytes) by_blocks.template operator()<128, width, 2, sizeof(T) <= 4>();
    else if (row_bytes <= row_bytes_of_many_threads) by_blocks.template operator()<256, width, 4, false>();
    else by_blocks.template operator()<1024, width, 4, false>();
  } else if (has_vectors) {
    by_groups(row_shape<width, 1, 4>{}, group_of_row(row_items / width, 2));
  } else if (row_items <= 2) {
    by_groups(row_shape<1, 1, 6>{}, 1);
  } else if (can_stage_rows<Item> && row_items * sizeof(Item) <= most_staged_row_bytes) {
    if constexpr (can_stage_rows<Item>) {
      if (row_items * sizeof(Item) <= row_bytes_for_two)
        launch_staged_rows<2, Values>(stream, in, row_items, op, initial, rows, out, function);
      else launch_staged_rows<1, Values>(stream, in, row_items, op, initial, rows, out, function);
    }
  } else {
    by_groups(row_shape<1, 2, 4>{}, group_of_row(row_items, 4));
  }
  return true;
}

}  // namespace ballot::detail
