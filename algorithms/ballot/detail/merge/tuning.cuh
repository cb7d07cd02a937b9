// SPDX-License-Identifier: Apache-2.0
// Tile shapes of a merge, by the size of a key: up to 48 KiB of keys (device/tuning.cuh says how
// tables are read).
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/merge/kernel.cuh>
#include <ballot/device/tuning.cuh>

#include <cstddef>
#include <type_traits>

namespace ballot::detail {

struct merge_tuning {
  std::size_t bytes;  // of a key, up to
  int threads;
  int items_per_thread;  // odd
  const char* measured;  // where, when, of which array; null: a guess
  int architecture = 0;  // from: 900 for sm_90; 0: every GPU
};
constexpr bool same_sizes(const merge_tuning& a, const merge_tuning& b) { return a.bytes == b.bytes; }

// For few items, up to most_in_small_tiles: their blocks search the path themselves.
struct small_merge_tunings {
  static constexpr merge_tuning rows[] = {
      {4, 256, 15, nullptr},
      {8, 256, 7,
       "H200, 2026-11-30, us in a graph of 200,003 and 700,001: f64 6.7 7.8, 9 items 7.5 8.8, 11 8.3 8.0, 15 9.4 8.6; "
       "u64 and u32 6.7 8.5, 9 items 8.6 10.8. Of 1,000,003 f64 10.3, 9 items 10.2"},
      {16, 256, 7, nullptr},
      {64, 128, 3, nullptr},
      {any_size, 64, 3, nullptr},
  };
};
// For more items, whose blocks still search.
struct medium_merge_tunings {
  static constexpr merge_tuning rows[] = {
      {4, 256, 15, "H200, 2026-11-23, u32, CUB's time by ours: 65,537 keys 1.78, 12,000,017 1.18, 2^28 0.69"},
      {8, 256, 9,
       "H200, 2026-11-30, us in a graph of 1.1, 3 and 7 million f64: 11.3 24.3 51.6, 15 items 11.9 21.9 49.6; of u64 "
       "and "
       "u32: 10.7 31.4 59.4, 15 items 11.2 30.1 63.9; 7 items lose"},
      {16, 256, 7, nullptr},
      {64, 128, 3, nullptr},
      {any_size, 64, 3, nullptr},
  };
};
// The same of more keys without values (most_in_medium_tiles).
struct more_keys_merge_tunings {
  static constexpr merge_tuning rows[] = {
      {4, 256, 15, nullptr},
      {8, 256, 15,
       "H200, 2026-12-01, f64, us in a graph of 1.1, 1.5, 2, 3, 5 and 8 million: 10.0 10.6 13.5 25.9 34.4 56.8; "
       "256 x 9: 9.2 10.9 15.1 26.0 39.5 61.2"},
      {16, 256, 7, nullptr},
      {64, 128, 3, nullptr},
      {any_size, 64, 3, nullptr},
  };
};
// For many items: an earlier launch searches the path.
struct merge_tunings {
  static constexpr merge_tuning rows[] = {
      {4, 512, 15, "H200, 2026-11-23, u32, CUB's time by ours: 65,537 keys 0.87, 12,000,017 1.01, 2^28 1.00"},
      {8, 256, 9, "H200, 2026-11-30, u64 and u64, us of 12 and 20 million: 124 191; 15 items 131 203"},
      {16, 256, 7, nullptr},
      {64, 128, 3, nullptr},
      {any_size, 64, 3, nullptr},
  };
};
// The same of keys without values.
struct keys_merge_tunings {
  static constexpr merge_tuning rows[] = {
      {4, 512, 15, nullptr},
      {8, 256, 15,
       "H200, 2026-11-30, f64, us of 12, 20 and 50 million (CUB): 73 111 240 (72 107 232); 256 x 9: 82 121 266; 256 x "
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
template <class K, class V>
using merge_shape_of_more =
    std::conditional_t<std::is_same_v<V, no_value>, typename tuned_merge_shape<more_keys_merge_tunings, K>::type,
                       merge_shape_of_medium<K>>;
// Of pairs. The scratch of keys is the same: their tiles have no fewer items.
template <class K>
using merge_shape_of = typename tuned_merge_shape<merge_tunings, K>::type;
template <class K, class V>
using merge_shape_of_many =
    std::conditional_t<std::is_same_v<V, no_value>, typename tuned_merge_shape<keys_merge_tunings, K>::type,
                       merge_shape_of<K>>;

}  // namespace ballot::detail
