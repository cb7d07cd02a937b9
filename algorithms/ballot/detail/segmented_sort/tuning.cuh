// SPDX-License-Identifier: Apache-2.0
// Shapes of the sort within segments, by the size of keys (device/tuning.cuh says how tables are
// read). The rows have not been compared with others on any GPU.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/tuning.cuh>
#include <ballot/detail/segmented_sort/block_segment.cuh>
#include <ballot/detail/segmented_sort/composite_keys.cuh>
#include <ballot/detail/segmented_sort/sort_arguments.cuh>
#include <ballot/detail/segmented_sort/sort_kernel.cuh>
#include <ballot/device/tuning.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot::detail {

struct segment_sort_tuning {
  std::size_t bytes;  // of a key, up to
  int warps, lane_items, bin_bits;
  int blocks_per_multiprocessor;  // that registers leave room for; 0: as it comes
  bool sparse;                    // the block skips rows that it does not need
  unsigned tile_items, merge_width;
  const char* measured;  // where, when, of which array; null: a guess
  int architecture = 0;  // from: 900 for sm_90; 0: every GPU
};
constexpr bool same_sizes(const segment_sort_tuning& a, const segment_sort_tuning& b) { return a.bytes == b.bytes; }

// A block with room for more than its tile sorts the last segment together with the others, if it
// is short.
struct large_segment_sort_tunings {
  static constexpr segment_sort_tuning rows[] = {
      {4, 12, 13, 12, 3, false, 4096, 16, nullptr},
      {any_size, 12, 9, 12, 2, false, 2560, 16, nullptr},
  };
};
// Few items are divided into small tiles, or few multiprocessors would have work. A block has room
// for many more items than a tile. So few segments have to be merged. That is good, because merging
// takes as long as the block's work. The block skips rows that it does not need. With keys of up to
// 4 bytes it takes all the shared memory that a kernel has without opting in.
struct small_segment_sort_tunings {
  static constexpr segment_sort_tuning rows[] = {
      {4, 19, 9, 12, 0, true, 1024, 64, nullptr},
      {any_size, 12, 9, 12, 0, true, 1024, 64, nullptr},
  };
};
inline constexpr std::uint64_t small_segmented_items = std::uint64_t{1} << 18;

template <class Table, class U>
struct tuned_segment_sort_shape {
  template <int Row>
  struct of_row {
    static constexpr segment_sort_tuning row = Table::rows[Row];
    using order =
        block_sort_shape<row.warps, row.lane_items, row.bin_bits, row.blocks_per_multiprocessor, false, row.sparse>;
    using type = segment_sort_shape<order, row.tile_items, row.merge_width, 4, most_items_alone<U>>;
  };
  using type = shape_of_row<Table, row_of_bytes<Table>(sizeof(U)), of_row>;
};
template <class U>
using large_segment_sort_shape = typename tuned_segment_sort_shape<large_segment_sort_tunings, U>::type;
template <class U>
using small_segment_sort_shape = typename tuned_segment_sort_shape<small_segment_sort_tunings, U>::type;
// How many items a block sorts, on any GPU.
template <class U>
inline constexpr unsigned longest_in_block = first_shape<large_segment_sort_shape<U>>::longest;
static_assert(
    sizeof(segment_sort_storage<std::uint32_t, first_shape<small_segment_sort_shape<std::uint32_t>>::order>) <=
    48 * 1024);
static_assert(small_segmented_items <= first_shape<small_segment_sort_shape<std::uint32_t>>::merged_twice);

// Very long segments are sorted in one shape, to save compile time. It has as many keys a tile as
// every GPU can run.
template <class U, class V>
using long_segment_shape =
    radix_shape<256, sizeof(composite_of_t<U>) == 8 ? (std::is_same_v<V, no_value> ? 20 : 12) : 8, 0, look_back_window>;

}  // namespace ballot::detail
