// SPDX-License-Identifier: Apache-2.0
// Shapes of multisplit, by item size: tiles of a launch that has counts of tiles, the only block for few items, and the
// tiles of a sweep. Warps take rows of 32 items; a sweep's half warps rows of 16. Rows of other sizes are guesses.
//
// H100, 2026-11-23, u32, us. Tiles of 8 and of 12 items a thread: 10,007 items into 256 buckets 11.8 and 13.9,
// 1,000,003 into 2 14.9 and 15.1, 50,000,017 into 32 341 and 350. One block of 512 threads, in a graph, 1000 items into
// 2 and 256: 2 rows 3.2 and 3.7, 8 rows 4.0 and 5.6; of 256 threads 4 rows take 3.5 and 4.0. A sweep of 12,000,017
// items into 256: 16 items a thread of 512 110.7, 12 114.9, 16 of 256 114.6; by counts of tiles 131.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/multisplit/one_block_kernel.cuh>
#include <ballot/detail/multisplit/sweep_kernels.cuh>

#include <algorithm>
#include <cstddef>

namespace ballot::detail {

struct multisplit_tuning {
  std::size_t item_bytes;  // up to
  int items_per_thread;
  int threads;      // of the only block, and of a sweep's
  int rows_of_few;  // of a warp of the only block, at most
  int sweep_items;  // a thread of a sweep
};
inline constexpr multisplit_tuning multisplit_tunings[] = {
    {4, 8, 512, 8, 16}, {8, 10, 512, 8, 10}, {16, 6, 512, 4, 6}, {32, 3, 512, 2, 3}, {128, 1, 256, 1, 1}};

constexpr multisplit_tuning multisplit_tuning_of(std::size_t item_bytes) {
  for (const multisplit_tuning& row : multisplit_tunings)
    if (item_bytes <= row.item_bytes) return row;
  return multisplit_tunings[std::size(multisplit_tunings) - 1];
}

// Few, More: of the only block, by the number of items.
template <class Tile, class Few, class More, class Sweep>
struct multisplit_shapes {
  using tile = Tile;
  using few = Few;
  using more = More;
  using sweep = Sweep;
  // A sweep pays where the table of counts is large: from so many items and buckets on.
  static constexpr std::uint64_t least_sweep_items = std::uint64_t{1} << 21;
  static constexpr unsigned least_sweep_buckets = 65;
  // A tile state counts to 2^30.
  static constexpr std::uint64_t most_sweep_items = std::uint64_t{1} << 30;
};
template <class... T>
struct multisplit_shape_of {
  static constexpr multisplit_tuning tuning = multisplit_tuning_of(std::max({sizeof(T)...}));
  using type = multisplit_shapes<block::tile_shape<256, tuning.items_per_thread, 1>,
                                 one_block_shape<tuning.threads, std::min(tuning.rows_of_few, 2)>,
                                 one_block_shape<tuning.threads, tuning.rows_of_few>,
                                 bucket_sweep_shape<tuning.threads, tuning.sweep_items, 2>>;
};
template <class... T>
using multisplit_shape = typename multisplit_shape_of<T...>::type;

}  // namespace ballot::detail
