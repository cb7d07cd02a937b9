// SPDX-License-Identifier: Apache-2.0
// The number of tiles, hence blocks, of a launch over n items.
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

#include <cstdint>

namespace ballot::detail {

// With up to this number of tiles, a tile can read the aggregates of all tiles before it in a few
// steps. So kernels are launched twice, and no tile states are cleared (device::tile_exchange).
inline constexpr std::uint32_t few_tiles = 128;

// A grid has at most 2^31 - 1 blocks. With tiles of some thousand items that is more than any
// device's memory, so the error is for impossible lengths.
inline std::uint32_t tile_count(std::uint64_t n, std::uint64_t tile_items, const char* function) {
  const std::uint64_t tiles = ceil_div(n, tile_items);
  require(tiles <= 0x7fffffffu, function, "more items than one grid of tiles covers");
  return static_cast<std::uint32_t>(tiles);
}

// If an input does not begin with an aligned vector, the first tile is shorter by `shift` items, so
// that all others begin with one:
//
//     vectors        | . . . a | b c d e | f g h i | j k l m | n ...     shift 3, tiles of 8 items
//     tiles            0 ..............  | 1 ............... | 2 ...
struct shifted_tiles {
  static constexpr unsigned most = 15;  // items: vectors have up to 16
  unsigned shift;

  // The tiles of n items.
  BALLOT_HOST_DEVICE constexpr std::uint64_t count(std::uint64_t n, unsigned tile_items) const {
    return n == 0 ? 0 : ceil_div(n + shift, tile_items);
  }
  // The first item of a tile, and the end of its items, of which there are n.
  BALLOT_HOST_DEVICE constexpr std::uint64_t begin(std::uint64_t tile, unsigned tile_items) const {
    return tile == 0 ? 0 : tile * tile_items - shift;
  }
  BALLOT_HOST_DEVICE constexpr std::uint64_t end(std::uint64_t tile, unsigned tile_items, std::uint64_t n) const {
    return smaller(n, (tile + 1) * tile_items - shift);
  }
  // The most tiles of up to n items. More than one tile is shifted.
  static constexpr std::uint64_t most_of(std::uint64_t n, std::uint64_t tile_items) {
    return ceil_div(n <= tile_items ? n : smaller(n, ~std::uint64_t{0} - most) + most, tile_items);
  }
};

}  // namespace ballot::detail
