// SPDX-License-Identifier: Apache-2.0
// Tile shapes of a merge, by the size of a key: up to 48 KiB of keys (device/tuning.cuh says how
// tables are read).
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/merge/kernel.cuh>
#include <ballot/device/tuning.cuh>

#include <cstddef>

namespace ballot::detail {

struct merge_tuning {
  std::size_t bytes;  // of a key, up to
  int threads;
  int items_per_thread;  // odd
  const char* measured;  // where, when, of which array; null: a guess
  int architecture = 0;  // from: 900 for sm_90; 0: every GPU
};
constexpr bool same_sizes(const merge_tuning& a, const merge_tuning& b) { return a.bytes == b.bytes; }

// For few items: their blocks search the path themselves. Up to most_in_small_tiles.
struct small_merge_tunings {
  static constexpr merge_tuning rows[] = {
      {4, 256, 15, "H200, 2026-11-23, u32, CUB's time by ours: 65,537 keys 1.78, 12,000,017 1.18, 2^28 0.69"},
      {8, 256, 7,
       "H200, 2026-11-30, f64, us in a graph of 200,003 and 700,001: 6.7 7.8; 9 items: 7.5 8.8; 11: 8.3 8.0; 15: 9.4 "
       "8.6"},
      {16, 256, 7, nullptr},
      {64, 128, 3, nullptr},
      {any_size, 64, 3, nullptr},
  };
};
// For more items, whose blocks still search.
struct medium_merge_tunings {
  static constexpr merge_tuning rows[] = {
      {4, 256, 15, nullptr},  // as the smaller ones
      {8, 256, 15,
       "H200, 2026-11-30, f64, us in a graph of 3, 5 and 7 million: 21.4 38.9 49.1; 9 items: 23.9 38.9 51.2; 7: 27.2 "
       "43.2 57.3; 128 x 15: 22.1 38.7 47.6"},
      {16, 256, 7, nullptr},
      {64, 128, 3, nullptr},
      {any_size, 64, 3, nullptr},
  };
};
// For many items: an earlier launch searches the path.
struct merge_tunings {
  static constexpr merge_tuning rows[] = {
      {4, 512, 15, "H200, 2026-11-23, u32, CUB's time by ours: 65,537 keys 0.87, 12,000,017 1.01, 2^28 1.00"},
      {8, 256, 15,
       "H200, 2026-11-30, us of 12, 20 and 50 million f64 (CUB): 73 111 240 (72 107 232); 256 x 9: 82 121 266; 256 x "
       "11: "
       "79 118 261; 512 x 7: 91 136 302"},
      {16, 256, 7, nullptr},
      {64, 128, 3, nullptr},
      {any_size, 64, 3, nullptr},
  };
};

template <class Table, class K>
struct tuned_merge_shape {
  template <int Row>
  struct of_row {
    using type = merge_shape<Table::rows[Row].threads, Table::rows[Row].items_per_thread>;
  };
  using type = shape_of_row<Table, row_of_bytes<Table>(sizeof(K)), of_row>;
};
template <class K>
using merge_shape_of_few = typename tuned_merge_shape<small_merge_tunings, K>::type;
template <class K>
using merge_shape_of_medium = typename tuned_merge_shape<medium_merge_tunings, K>::type;
template <class K>
using merge_shape_of = typename tuned_merge_shape<merge_tunings, K>::type;

}  // namespace ballot::detail
