// SPDX-License-Identifier: Apache-2.0
// Tile shapes of the selections, by item size (device/tuning.cuh says how tables are read).
// bench/tile_shapes_selection.cu compares other shapes.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>

#include <ballot/block/tile.cuh>
#include <ballot/detail/partition/small_tile_shape.cuh>
#include <ballot/device/tuning.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// Rejected items are dropped, written to a second output, or written after the selected ones.
enum class rejects { dropped, second_output, after_selected };

struct partition_tuning {
  std::size_t bytes;  // of an item, up to
  int threads;
  int chunks;
  const char* measured;  // where, when, result at 2^28 items, half of them selected; null: a guess
  int architecture = 0;  // from: 900 for sm_90; 0: every GPU
};
constexpr bool same_sizes(const partition_tuning& a, const partition_tuning& b) { return a.bytes == b.bytes; }

struct dropping_tunings {
  static constexpr partition_tuning rows[] = {
      {2, 128, 12, nullptr},
      {4, 128, 12,
       "H200, 2026-11-20, u32: 0.93 to 0.94 of the copy speed; 8 vectors: 0.89, 256 threads: 0.84. H100, 2026-11-23: "
       "1.00; 8 vectors: 0.99, of 256 threads: 1.00"},
      {8, 128, 12, nullptr},
      {any_size, 256, 6, nullptr},  // up to 16 bytes
  };
};
// Heads of runs: a tile compares its items before it publishes how many it has selected.
struct unique_tunings {
  static constexpr partition_tuning rows[] = {
      {2, 256, 8,
       "H200, 2026-11-30, us of 20 and 100 million u8, of 20 million u16, runs of 5: 41.3 153 41.5; 128 x 12: 43.4 152 "
       "46.2; 256 x 6: 40.9 155 42.7"},
      {4, 128, 10,
       "H200, 2026-11-30, u32, us of 12, 50 and 268 million items: runs of 1000 36 86 357, of 2 40 109 512; 12 "
       "vectors: 36 89 361, 41 112 518; 8: 35 91 389, 39 109 513"},
      {8, 256, 6,
       "H200, 2026-11-30, u64, us of 20 and 50 million in runs of 5, of 20 million in runs of 1000: 74.9 156 68.0; 128 "
       "x "
       "12: 81.1 166 75.7; 128 x 6: 73.5 157 70.1"},
      {any_size, 256, 6, nullptr},  // up to 16 bytes
  };
};
// The same with run lengths: a tile publishes two numbers.
struct run_length_tunings {
  static constexpr partition_tuning rows[] = {
      {2, 128, 12, nullptr},
      {4, 128, 8,
       "H200, 2026-11-30, u32, us of 12, 50 and 268 million items: runs of 1000 37 102 476, of 2 49 149 713; 10 "
       "vectors: 40 107 501, 52 163 816; 12: 39 105 484, 53 162 788"},
      {8, 128, 12, nullptr},
      {any_size, 256, 6, nullptr},  // up to 16 bytes
  };
};
// For selections by flags: smaller tiles, so that loads of items follow their flags sooner.
struct flagged_tunings {
  static constexpr partition_tuning rows[] = {
      {4, 128, 10,
       "H200, 2026-11-20, u32 by bytes: 0.92 of the copy speed; 8 vectors: 0.88; 12: the same, slower at 2^16. H100, "
       "2026-11-23: 0.99; 0.97; 1.00"},
      {8, 128, 12, nullptr},
      {any_size, 256, 6, nullptr},  // up to 16 bytes
  };
};
struct second_output_tunings {
  static constexpr partition_tuning rows[] = {
      {4, 128, 8,
       "H200, 2026-11-20, u32: 0.89 of the copy speed; 10 vectors: 0.90, slower at 2^16; 6: 0.85. H100, 2026-11-23: "
       "0.97; 0.97; 0.96"},
      {8, 128, 8, nullptr},
      {any_size, 256, 6, nullptr},  // up to 16 bytes
  };
};
struct after_selected_tunings {
  static constexpr partition_tuning rows[] = {
      {4, 128, 8,
       "H200, 2026-11-20, u32: 0.66 of the copy speed; 0.67 is what two reads and a write leave. H100, 2026-11-23: "
       "0.67; 6 and 12 vectors: 0.67"},
      {8, 128, 8, nullptr},
      {any_size, 256, 6, nullptr},  // up to 16 bytes
  };
};
// For items of more than 16 bytes, however they are selected: up to 128 bytes a thread.
struct wide_tunings {
  static constexpr partition_tuning rows[] = {
      {20, 256, 6, nullptr},
      {24, 256, 5,
       "H200, 2026-11-30, by a predicate, us of 3 and 20 million: 40.1 186; 4 items: 39.9 197; 2: 43.9 226; 128 x 10: "
       "41.1 188"},
      {32, 256, 4,
       "H200, 2026-11-30, by a predicate, us of 3 and 20 million: 45.5 236; 3 items: 47.0 238; 2: 49.6 258; 128 x 8: "
       "48.4 238; 512 x 2: 48.6 255"},
      {40, 256, 3, "H200, 2026-11-30, by a predicate, us of 3 million: 57.2; 1 item: 71.0; 128 x 6: 58.5"},
      {64, 256, 2,
       "H200, 2026-11-30, by a predicate, us of 3 million of 48 and 64 bytes: 65.1 80.5; 1 item: 75.5 87.6; 128 x 4: "
       "63.1 80.6"},
      {any_size, 256, 1, nullptr},
  };
};
template <rejects Rejects, bool ByFlags>
using partition_tunings =
    std::conditional_t<Rejects == rejects::second_output, second_output_tunings,
                       std::conditional_t<Rejects == rejects::after_selected, after_selected_tunings,
                                          std::conditional_t<ByFlags, flagged_tunings, dropping_tunings>>>;

// A position is staged as its place in the tile. The tuning rows for positions are those of this
// type. H100, 2026-11-23, 10^8 positions of 8 bytes by byte flags, us, by the share of set flags
// (in brackets: in tiles for 8 bytes): half 200 (258), a twentieth 110 (209), all 339 (380). If
// half of them are set, 4, 8, 10 and 12 vectors are within 3 %.
using staged_place = std::uint16_t;

// The largest of several item types.
template <class First, class... Rest>
struct largest_item {
  using type = First;
};
template <class First, class Second, class... Rest>
struct largest_item<First, Second, Rest...>
    : largest_item<std::conditional_t<(sizeof(Second) > sizeof(First)), Second, First>, Rest...> {};

// The shape for columns of items T... The row of the largest type decides how many items a thread
// has, because shared memory holds one column at a time. Vectors have the largest width that suits
// all types.
template <class OfNarrow, class... T>
struct partition_shape_of {
  using largest = typename largest_item<T...>::type;
  using Table = std::conditional_t<(sizeof(largest) > 16), wide_tunings, OfNarrow>;
  static constexpr int width = smallest_of(block::vector_width<T>()...);
  template <int Row>
  struct of_row {
    static constexpr int chunks = smallest_of(12, Table::rows[Row].chunks* block::vector_width<largest>() / width);
    using type = block::tile_shape<Table::rows[Row].threads, chunks, width>;
  };
  using type = shape_of_row<Table, row_of_bytes<Table>(sizeof(largest)), of_row>;
};
template <rejects Rejects, class... T>
using partition_shape = typename partition_shape_of<partition_tunings<Rejects, false>, T...>::type;

// For few items, whose tiles sum each other's aggregates (aggregate_sum.cuh). Tiles are small up to
// a certain number of tiles, and large above it.
struct few_items_tuning {
  std::size_t bytes;  // of an item, up to
  int threads;
  int bytes_per_thread;  // of items,
  int most_chunks;       // in at most so many vectors
  const char* measured;
  int architecture = 0;
};
constexpr bool same_sizes(const few_items_tuning& a, const few_items_tuning& b) { return a.bytes == b.bytes; }

struct small_tile_tunings {
  static constexpr few_items_tuning rows[] = {{32, 512, 32, 2, "H200, 2026-11-28: small_tile_shape"},
                                              {any_size, 256, 32, 1, nullptr}};
  static constexpr std::uint64_t most_tiles = 256;
  template <int Threads, int Chunks, int Width>
  using shape = small_tile_shape<Threads, Chunks, Width>;
};
struct large_tile_tunings {
  static constexpr few_items_tuning rows[] = {
      {any_size, 256, 128, 8,
       "H200, 2026-11-22, u32 by a predicate, us (in brackets: by look-back): 2^22 14.8 (17.0), 2^23 24.3 (24.9); 512 "
       "threads and half as many vectors: slower"}};
  static constexpr std::uint64_t most_tiles = 1024;
  template <int Threads, int Chunks, int Width>
  using shape = block::tile_shape<Threads, Chunks, Width>;
};
template <class Table, class... T>
struct aggregate_sum_shape_of {
  static constexpr int item_bytes = static_cast<int>(sizeof(typename largest_item<T...>::type));
  static constexpr int width = smallest_of(block::vector_width<T>()...);
  template <int Row>
  struct of_row {
    static constexpr few_items_tuning row = Table::rows[Row];
    static constexpr int chunks =
        smallest_of(largest_of(row.bytes_per_thread / (item_bytes * width), 1), row.most_chunks);
    using type = typename Table::template shape<row.threads, chunks, width>;
  };
  using type = shape_of_row<Table, row_of_bytes<Table>(item_bytes), of_row>;
};

// All shapes of a selection: for few items (small and large tiles, by aggregate sums), and for
// many.
template <rejects Rejects, bool ByFlags, class... T>
struct partition_shapes {
  using small = typename aggregate_sum_shape_of<small_tile_tunings, T...>::type;
  using large = typename aggregate_sum_shape_of<large_tile_tunings, T...>::type;
  using many = typename partition_shape_of<partition_tunings<Rejects, ByFlags>, T...>::type;
  // Half as many tiles of wide items. H200, 2026-11-30, us of a call (in a graph), of 32 bytes: by a
  // predicate, 131,071 in 128 large tiles 10.0 (5.1), in 256 small ones 10.9 (5.9); by byte flags,
  // 700,001 by look-back 19.2 (11.4), by aggregate sums 20.7 (13.2). But by byte flags 131,071 of 24
  // bytes and of 4 in large tiles 11.8 (6.5), in small ones, which load fewer items in turn, 10.2
  // (6.6).
  static constexpr std::size_t most_bytes = sizeof(typename largest_item<T...>::type);
  static constexpr bool is_wide = most_bytes > 16,
                        stays_small = !is_wide || (ByFlags && Rejects == rejects::dropped && most_bytes <= 24);
  static constexpr std::uint64_t most_small = small_tile_tunings::most_tiles / (stays_small ? 1 : 2),
                                 most_large = large_tile_tunings::most_tiles / (is_wide ? 2 : 1);
};

// Heads of runs, for up to 2^20 items, in place (which needs a look-back) and with run lengths.
inline constexpr std::uint64_t most_small_head_items = std::uint64_t{1} << 20;
struct head_tuning {
  std::size_t bytes;  // of an item, up to
  int threads;
  int items_per_thread;
  const char* measured;
  int architecture = 0;
};
constexpr bool same_sizes(const head_tuning& a, const head_tuning& b) { return a.bytes == b.bytes; }

struct small_head_tunings {
  static constexpr head_tuning rows[] = {
      {8, 512, 8,
       "H200, 2026-11-22, u32, unique in place: of 2^20 items 9.9 us (256 threads: 10.8), of 2^16 6.5 (6.5)"},
      {16, 512, 4, nullptr},
  };
  static constexpr std::size_t most_bytes = 16;  // larger items: in the shape for many
};
template <class... T>
struct small_head_shape_of {
  using many = partition_shape_of<dropping_tunings, T...>;
  static constexpr std::size_t item_bytes = sizeof(typename many::largest);
  template <int Row>
  struct of_row {
    static constexpr head_tuning row = small_head_tunings::rows[Row];
    using type = block::tile_shape<row.threads, row.items_per_thread / many::width, many::width>;
  };
  using small = shape_of_row<small_head_tunings, row_of_bytes<small_head_tunings>(item_bytes), of_row>;
  using type = std::conditional_t<item_bytes <= small_head_tunings::most_bytes, small, typename many::type>;
};
template <class... T>
using small_head_shape = typename small_head_shape_of<T...>::type;

// Blocks of count_kernel: enough to fill the largest device, few enough that their additions cost
// nothing.
inline constexpr std::uint64_t count_blocks = 2048;

}  // namespace ballot::detail
