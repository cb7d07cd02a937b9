// SPDX-License-Identifier: Apache-2.0
// Who reduces rows of one length, by an operator that commutes; and the launch.
//
// H200, 2026-11-23, i32 sums, time of CUB's DeviceSegmentedReduce by ours, of 2^22 and 2^28 items: rows of 8 1.5 and
// 1.1, of 64 2.0 and 2.0, of 100 1.2 and 1.6, of 256 1.0 and 1.3, of 1024 1.2 and 1.8, of 65536 1.1 and 1.0; of 1 1.2
// and 1.4, of 15 1.0 and 1.3. H100, rows in shared memory, 4 10^6 items in calls and graphs: of 3 1.1 and 1.1, of 5 1.1
// and 1.1, of 7 1.2 and 1.1, of 15 1.3 and 1.5, of 31 1.7 and 3.0; before, of 5 1.0 and 0.7, of 31 1.4 and 2.0.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/stream.hpp>
#include <ballot/detail/segmented_reduce/rows_kernel.cuh>
#include <ballot/detail/segmented_reduce/staged_rows_kernel.cuh>
#include <ballot/device/tiles.hpp>

#include <cstdint>

namespace ballot::detail {

inline constexpr std::uint64_t long_row_bytes = 16 * 1024;  // for a block
inline constexpr std::uint64_t few_rows = 1024;             // so many are for blocks, if a row has ...
inline constexpr std::uint64_t least_row_bytes_of_block = 1024;
inline constexpr std::uint64_t row_bytes_of_many_threads = 32 * 1024;
// Longer ones, if there are few, are for several blocks each.
inline constexpr std::uint64_t most_row_items_of_block = std::uint64_t{1} << 17, many_long_rows = 256;

// Lanes for a row of so many vectors, of which a lane has `each` or more.
constexpr unsigned group_of_row(std::uint64_t vectors, unsigned each) {
  unsigned group = 1;
  while (group < simt::warp_size && group * each < vectors) group *= 2;
  return group;
}

// Rows in shared memory, `Rows` of them a thread.
template <unsigned Rows, class Values, class Op, class Item, class Out>
void launch_staged_rows(stream_t stream, const input<Item>& in, std::uint64_t row_items, const Op& op,
                        typename Values::value_type initial, std::uint64_t rows, const Out& out, const char* function) {
  constexpr unsigned rows_of_block = staged_rows_threads * Rows;
  const row_arguments<Item, Op, typename Values::value_type, Out> a{
      in.data, in.length, row_items, op, initial, out, block::is_vector_aligned<Item, 16 / sizeof(Item)>(in.data)};
  simt::launch(reduce_staged_rows_kernel<Values, Rows, Item, Op, Out>,
               simt::launch_config{dim3(tile_count(rows, rows_of_block, function)), dim3(staged_rows_threads),
                                   sizeof(staged_rows_storage) + rows_of_block * row_items * sizeof(Item), stream},
               a);
}

// Whether it has been launched: else the rows are too long for a block each. rows > 0. out: as kernels take it.
template <class Values, class Item, class Op, class Out>
bool launch_rows(stream_t stream, const input<Item>& in, std::uint64_t row_items, const Op& op,
                 typename Values::value_type initial, std::uint64_t rows, const Out& out, const char* function) {
  using T = typename Values::value_type;
  constexpr int width = block::vector_width<Item>();
  const bool has_vectors = width > 1 && row_items % width == 0;
  const row_arguments<Item, Op, T, Out> a{
      in.data,
      in.length,
      row_items,
      op,
      initial,
      out,
      has_vectors ? block::is_vector_aligned<Item, width>(in.data) : block::is_vector_aligned<Item, 1>(in.data)};
  const auto by_groups = [&]<class Shape>(Shape, unsigned group) {
    const std::uint32_t blocks = tile_count(rows, Shape::threads / group * Shape::rows, function);
    simt::launch(reduce_rows_kernel<Values, Shape, Item, Op, Out>,
                 simt::launch_config{dim3(blocks), dim3(Shape::threads), 0, stream}, a, group);
  };
  const auto by_blocks = [&]<int Threads, int Width, int Vectors>() {
    simt::launch(reduce_long_rows_kernel<Values, Threads, Width, Vectors, Item, Op, Out>,
                 simt::launch_config{dim3(tile_count(rows, 1, function)), dim3(Threads),
                                     sizeof(row_storage<T, Threads>), stream},
                 a);
  };
  if (row_items > long_row_bytes / sizeof(Item) ||
      (rows <= few_rows && row_items >= least_row_bytes_of_block / sizeof(Item))) {
    if (row_items > most_row_items_of_block && rows < many_long_rows) return false;
    if (!has_vectors) by_blocks.template operator()<512, 1, 8>();
    else if (row_items <= row_bytes_of_many_threads / sizeof(Item)) by_blocks.template operator()<256, width, 4>();
    else by_blocks.template operator()<1024, width, 4>();
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
