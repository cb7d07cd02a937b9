// SPDX-License-Identifier: Apache-2.0
// Tile shapes of multisplit, by item size. Warps take rows of 32 items. H200, 2026-11-20, u32, 2^28 items, 2 and 256
// buckets: 12 items a thread take 1.40 and 2.31 ms, 16 take 1.51 and 2.42, 8 take 1.30 and 2.65. The other rows are
// guesses.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>

#include <algorithm>
#include <cstddef>

namespace ballot::detail {

struct multisplit_tuning {
  std::size_t item_bytes;  // up to
  int items_per_thread;
};
inline constexpr multisplit_tuning multisplit_tunings[] = {{4, 12}, {8, 10}, {16, 6}, {32, 3}, {128, 1}};

constexpr int find_multisplit_items(std::size_t item_bytes) {
  for (const multisplit_tuning& row : multisplit_tunings)
    if (item_bytes <= row.item_bytes) return row.items_per_thread;
  return 1;
}
template <class... T>
using multisplit_shape = block::tile_shape<256, find_multisplit_items(std::max({sizeof(T)...})), 1>;

}  // namespace ballot::detail
