// Tile shapes of compact and split, by item size: the first row that fits is taken, the last is a safe default.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/block/tile.cuh>

namespace ballot::detail {

struct partition_tuning {
  std::size_t item_bytes;  // up to
  int threads;
  int chunks;
};

inline constexpr partition_tuning partition_tunings[] = {
    {1, 256, 4},
    {2, 256, 4},
    {4, 256, 4},
    {8, 256, 5},
    {16, 256, 6},
    {32, 256, 3},
    {128, 256, 1},
};

constexpr partition_tuning find_partition_tuning(std::size_t item_bytes) {
  for (const partition_tuning& row : partition_tunings)
    if (item_bytes <= row.item_bytes) return row;
  return {item_bytes, 256, 1};
}
template <class T>
using partition_shape = block::tile_shape<find_partition_tuning(sizeof(T)).threads, find_partition_tuning(sizeof(T)).chunks, block::vector_width<T>()>;

// Blocks of the counting kernel: enough to fill the largest device, few enough that their additions do not matter.
inline constexpr std::uint64_t count_blocks = 2048;

}  // namespace ballot::detail
