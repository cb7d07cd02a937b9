// SPDX-License-Identifier: Apache-2.0
// The number of tiles, hence blocks, of a launch over n items.
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>

#include <cstdint>

namespace ballot::detail {

// With up to so many tiles, a look-back takes few steps although no tile has published a prefix. So
// kernels are launched twice, and the tile states are not filled (device::tile_exchange).
inline constexpr std::uint32_t few_tiles = 128;

// A grid has at most 2^31 - 1 blocks. With tiles of some thousand items that is more than any device's memory, so the
// error is for impossible lengths.
inline std::uint32_t tile_count(std::uint64_t n, std::uint64_t tile_items, const char* function) {
  const std::uint64_t tiles = ceil_div(n, tile_items);
  require(tiles <= 0x7fffffffu, function, "more items than one grid of tiles covers");
  return static_cast<std::uint32_t>(tiles);
}

}  // namespace ballot::detail
