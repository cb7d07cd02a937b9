// SPDX-License-Identifier: Apache-2.0
// Tile shapes of the selections, by item size: the first row that fits is taken, the last is a safe default.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/block/tile.cuh>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// Rejected items are dropped, written to a second output, or written behind the selected ones.
enum class rejects { dropped, second_output, after_selected };

struct partition_tuning {
  std::size_t item_bytes;  // up to
  int threads;
  int chunks;
  const char* measured;  // machine, date, result at 2^28 items, half of them selected; null: a guess
};

inline constexpr partition_tuning dropping_tunings[] = {
    {2, 128, 12, nullptr},
    {4, 128, 12, "H200, 2026-11-20, u32: 0.93 to 0.94 of the copy speed; 8 vectors: 0.89, 256 threads: 0.84"},
    {8, 128, 12, nullptr},
};
// By flags: smaller tiles, so that loads of items follow their flags sooner.
inline constexpr partition_tuning flagged_tunings[] = {
    {4, 128, 10,
     "H200, 2026-11-20, u32 by bytes: 0.92 of the copy speed; 8 vectors: 0.88; 12: the same, slower at 2^16"},
};
inline constexpr partition_tuning second_output_tunings[] = {
    {4, 128, 8, "H200, 2026-11-20, u32: 0.89 of the copy speed; 10 vectors: 0.90, slower at 2^16; 6: 0.85"},
    {8, 128, 8, nullptr},
};
inline constexpr partition_tuning after_selected_tunings[] = {
    {4, 128, 8, "H200, 2026-11-20, u32: 0.66 of the copy speed; 0.67 is what two reads and a write leave"},
    {8, 128, 8, nullptr},
};
// What is staged of a position: its place in the tile. The rows of positions are those of this type. H100, 2026-11-23, of
// 10^8, half of them selected by bytes, us: of 8 bytes 195 (as 8 bytes 221 to 246), of 4 bytes 130; 4, 8, 10 and 12
// vectors are within 3 %.
using staged_place = std::uint16_t;
// For larger items.
inline constexpr partition_tuning other_tunings[] = {
    {4, 128, 6, nullptr}, {8, 128, 6, nullptr}, {16, 256, 6, nullptr}, {32, 256, 3, nullptr}, {128, 256, 1, nullptr},
};

constexpr partition_tuning find_partition_tuning(std::size_t item_bytes, rejects rejected, bool by_flags) {
  partition_tuning found{item_bytes, 256, 1, nullptr};
  const auto look = [&](const auto& rows) {
    for (const partition_tuning& row : rows) {
      if (item_bytes > row.item_bytes) continue;
      found = row;
      return true;
    }
    return false;
  };
  if (rejected == rejects::dropped && by_flags && look(flagged_tunings)) return found;
  if (rejected == rejects::dropped && look(dropping_tunings)) return found;
  if (rejected == rejects::second_output && look(second_output_tunings)) return found;
  if (rejected == rejects::after_selected && look(after_selected_tunings)) return found;
  look(other_tunings);
  return found;
}

// The largest of several item types.
template <class First, class... Rest>
struct largest_item {
  using type = First;
};
template <class First, class Second, class... Rest>
struct largest_item<First, Second, Rest...>
    : largest_item<std::conditional_t<(sizeof(Second) > sizeof(First)), Second, First>, Rest...> {};

// The shape for columns of items T...: the row of the largest type gives the items a thread (shared memory holds one
// column at a time). The vectors have the largest width that suits all types.
template <rejects Rejects, bool ByFlags, class... T>
struct partition_shape_of {
  using largest = typename largest_item<T...>::type;
  static constexpr partition_tuning row = find_partition_tuning(sizeof(largest), Rejects, ByFlags);
  static constexpr int width = std::min({block::vector_width<T>()...});
  static constexpr int chunks = std::min(12, row.chunks* block::vector_width<largest>() / width);
  using type = block::tile_shape<row.threads, chunks, width>;
};
template <rejects Rejects, class... T>
using partition_shape = typename partition_shape_of<Rejects, false, T...>::type;

// Few items: each tile sums the aggregates of the others (aggregate_sum.cuh). Blocks have 256 threads; tiles are small
// up to a number of them, then large. H200, 2026-11-22, u32 by a predicate, us (in brackets: by look-back): 2^16 6.3
// (6.6), 2^20 8.8 (10.3), 2^22 14.8 (17.0), 2^23 24.3 (24.9); 512 threads and half as many vectors: 6.7, 9.0, slower
// above.
template <int BytesPerThread, int MostChunks, class... T>
struct aggregate_sum_shape_of {
  static constexpr int item_bytes = static_cast<int>(sizeof(typename largest_item<T...>::type));
  static constexpr int width = std::min({block::vector_width<T>()...});
  static constexpr int chunks = std::clamp(BytesPerThread / (item_bytes * width), 1, MostChunks);
  using type = block::tile_shape<256, chunks, width>;
};

// All shapes of a selection: for few items (small and large tiles, by aggregate sums), and for many.
template <rejects Rejects, bool ByFlags, class... T>
struct partition_shapes {
  using small = typename aggregate_sum_shape_of<64, 4, T...>::type;
  using large = typename aggregate_sum_shape_of<128, 8, T...>::type;
  using many = typename partition_shape_of<Rejects, ByFlags, T...>::type;
  static constexpr std::uint64_t most_small = 256, most_large = 1024;  // tiles
};

// Heads of runs, for up to 2^20 items, in place (which needs a look-back) and with run lengths. H200, 2026-11-22, u32,
// us: unique in place of 2^20 items 9.9 (in blocks of 256 threads 10.8), 2^16 6.5 (6.5).
inline constexpr std::uint64_t most_small_head_items = std::uint64_t{1} << 20;
template <class... T>
struct small_head_shape_of {
  using large = partition_shape_of<rejects::dropped, false, T...>;
  static constexpr std::size_t item_bytes = sizeof(typename large::largest);
  static constexpr int chunks = (item_bytes <= 8 ? 8 : 4) / large::width;
  using type = std::conditional_t<item_bytes <= 16, block::tile_shape<512, chunks, large::width>, typename large::type>;
};
template <class... T>
using small_head_shape = typename small_head_shape_of<T...>::type;

// Blocks of count_kernel: enough to fill the largest device, few enough that their additions cost nothing.
inline constexpr std::uint64_t count_blocks = 2048;

}  // namespace ballot::detail
