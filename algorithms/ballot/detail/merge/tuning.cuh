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

// For few items: their blocks search the path themselves.
struct small_merge_tunings {
  static constexpr merge_tuning rows[] = {
      {4, 256, 15, "H200, 2026-11-23, u32, CUB's time by ours: 65,537 keys 1.78, 12,000,017 1.18, 2^28 0.69"},
      {8, 256, 9, "H200, 2026-11-23, u64, CUB's time by ours: 50,000,017 keys 1.06; 512 x 9 1.05"},
      {16, 256, 7, nullptr},
      {64, 128, 3, nullptr},
      {any_size, 64, 3, nullptr},
  };
};
// For many items: an earlier launch searches the path.
struct merge_tunings {
  static constexpr merge_tuning rows[] = {
      {4, 512, 15, "H200, 2026-11-23, u32, CUB's time by ours: 65,537 keys 0.87, 12,000,017 1.01, 2^28 1.00"},
      {8, 256, 9, nullptr},
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
using merge_shape_of = typename tuned_merge_shape<merge_tunings, K>::type;

}  // namespace ballot::detail
