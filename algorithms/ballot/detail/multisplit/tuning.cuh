// SPDX-License-Identifier: Apache-2.0
// Shapes of multisplit, by item size. There are shapes for tiles of launches that count per tile,
// for the only block of few items, and for tiles of a sweep. Warps take rows of 32 items; the half
// warps of a sweep take rows of 16. device/tuning.cuh says how tables are read.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/multisplit/one_block_kernel.cuh>
#include <ballot/detail/multisplit/sweep_kernels.cuh>
#include <ballot/device/tuning.cuh>

#include <cstddef>

namespace ballot::detail {

struct multisplit_tuning {
  std::size_t bytes;  // of an item, up to
  int items_per_thread;
  int threads;           // of the only block, and of a sweep's
  int rows_of_few;       // of a warp of the only block, at most
  int sweep_items;       // a thread of a sweep
  const char* measured;  // where, when, of which array; null: a guess
  int architecture = 0;  // from: 900 for sm_90; 0: every GPU
};
constexpr bool same_sizes(const multisplit_tuning& a, const multisplit_tuning& b) { return a.bytes == b.bytes; }

struct multisplit_tunings {
  static constexpr multisplit_tuning rows[] = {
      {4, 8, 512, 8, 16,
       "H100, 2026-11-23, u32, us. By counts of tiles: 10,007 items into 256 buckets 11.8, 1,000,003 into 2 14.9, "
       "50,000,017 into 32 341; 12 items a thread take 13.9, 15.1, 350. One block, in a graph, 1000 items into 2 and "
       "256: 2 rows 3.2 and 3.7, 8 rows 4.0 and 5.6; 4 rows of 256 threads 3.5 and 4.0. A sweep, 12,000,017 into 256: "
       "110.7; 12 items a thread 114.9, 16 of 256 threads 114.6, by counts 131"},
      {8, 10, 512, 8, 10, nullptr},
      {16, 6, 512, 4, 6, nullptr},
      {32, 3, 512, 2, 3, nullptr},
      {any_size, 1, 256, 1, 1, nullptr},
  };
};

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
template <class Table, std::size_t Bytes>
struct tuned_multisplit_shapes {
  template <int Row>
  struct of_row {
    static constexpr multisplit_tuning tuning = Table::rows[Row];
    using type = multisplit_shapes<block::tile_shape<256, tuning.items_per_thread, 1>,
                                   one_block_shape<tuning.threads, smallest_of(tuning.rows_of_few, 2)>,
                                   one_block_shape<tuning.threads, tuning.rows_of_few>,
                                   bucket_sweep_shape<tuning.threads, tuning.sweep_items, 2>>;
  };
  using type = shape_of_row<Table, row_of_bytes<Table>(Bytes), of_row>;
};
template <class... T>
using multisplit_shape = typename tuned_multisplit_shapes<multisplit_tunings, largest_of(sizeof(T)...)>::type;

}  // namespace ballot::detail
