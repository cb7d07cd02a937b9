// SPDX-License-Identifier: Apache-2.0
// Shapes of multisplit, by item size: tiles of a launch that has counts of tiles, the block for few items, and the tiles
// of a sweep. Warps take rows of 32 items; a sweep's half warps rows of 16. H200, 2026-11-20, u32, 2^28 items, 2 and 256
// buckets: tiles of 12 items a thread take 1.40 and 2.31 ms, 16 take 1.51 and 2.42, 8 take 1.30 and 2.65. The other rows
// are guesses.
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
  int rows_of_few;  // of a warp of the only block
  int sweep_items;  // a thread of a sweep
};
inline constexpr multisplit_tuning multisplit_tunings[] = {
    {4, 12, 512, 8, 16}, {8, 10, 512, 8, 10}, {16, 6, 512, 4, 6}, {32, 3, 512, 2, 3}, {128, 1, 256, 1, 1}};

constexpr multisplit_tuning multisplit_tuning_of(std::size_t item_bytes) {
  for (const multisplit_tuning& row : multisplit_tunings)
    if (item_bytes <= row.item_bytes) return row;
  return multisplit_tunings[std::size(multisplit_tunings) - 1];
}

template <class Tile, class Few, class Sweep>
struct multisplit_shapes {
  using tile = Tile;
  using few = Few;
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
                                 one_block_shape<tuning.threads, tuning.rows_of_few>,
                                 bucket_sweep_shape<tuning.threads, tuning.sweep_items, 2>>;
};
template <class... T>
using multisplit_shape = typename multisplit_shape_of<T...>::type;

}  // namespace ballot::detail
