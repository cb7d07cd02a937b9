// SPDX-License-Identifier: Apache-2.0
// The uniform grid of the broad phase. A cell is at least as wide as the largest sphere. So spheres
// that touch are in the same cell or in neighbouring ones. It is enough that each looks at its own
// cell and at 13 of its 26 neighbours: those ahead of it in the order of keys.
//
//     one layer of cells, x to the right      . o + +        o own cell, + ahead, . behind (these look at o)
//     and y upwards; the layer above it       . . .
//     in z is ahead altogether
//
// Cells that follow each other in x have keys that follow each other. So the 14 cells are five
// ranges of keys: the rest of the own cell with the next one, and four rows of three. In an array
// sorted by key they are five ranges of places.
#pragma once

#include <ballot/core/namespace.hpp>

#include "collision/sphere.hpp"

namespace ballot::app::collision {

inline constexpr unsigned neighbour_ranges = 5;
inline constexpr unsigned most_cells_along = 1024;

struct key_range {
  std::uint32_t first, last;  // last included; empty where first > last
};

struct cell_grid {
  float low_x, low_y, low_z;
  float cells_a_unit;
  std::uint32_t along_x, along_y, along_z;

  BALLOT_HOST_DEVICE std::uint32_t cells() const { return along_x * along_y * along_z; }

  // Monotone in the coordinate. Points outside belong to the cell at the border.
  BALLOT_HOST_DEVICE std::uint32_t along(float coordinate, float low, std::uint32_t count) const {
    const float place = (coordinate - low) * cells_a_unit;
    if (!(place > 0.0f)) return 0;
    return place >= static_cast<float>(count) ? count - 1 : static_cast<std::uint32_t>(place);
  }

  BALLOT_HOST_DEVICE std::uint32_t key_of(const sphere& s) const {
    return (along(s.z, low_z, along_z) * along_y + along(s.y, low_y, along_y)) * along_x + along(s.x, low_x, along_x);
  }

  // The keys that an object with this key looks at. Range 0 begins with its own cell. Of this cell
  // only the objects behind this one count.
  BALLOT_HOST_DEVICE key_range keys_ahead(std::uint32_t key, unsigned range) const {
    const std::uint32_t x = key % along_x, y = key / along_x % along_y, z = key / along_x / along_y;
    const bool has_next = x + 1 < along_x;
    if (range == 0) return {key, key + (has_next ? 1u : 0u)};
    // Rows: 1 is ahead in y; 2, 3 and 4 are in the next layer, one behind in y, the same, one
    // ahead.
    const bool is_ahead = range == 1 || range == 4, is_behind = range == 2, is_next_layer = range >= 2;
    if ((is_ahead && y + 1 == along_y) || (is_behind && y == 0) || (is_next_layer && z + 1 == along_z)) return {1, 0};
    std::uint32_t row = key + (is_ahead ? along_x : 0u) - (is_behind ? along_x : 0u);
    if (is_next_layer) row += along_x * along_y;
    return {row - (x > 0 ? 1u : 0u), row + (has_next ? 1u : 0u)};
  }
};

// Places in the sorted array.
struct index_range {
  std::uint32_t begin, end;
  BALLOT_HOST_DEVICE std::uint32_t size() const { return end - begin; }
};

// The places that the object at `place` has to be tested against. starts[c]: the first place whose
// key is c or more, for c from 0 to cells().
BALLOT_HOST_DEVICE index_range indices_ahead(const cell_grid& grid, const std::uint32_t* starts, std::uint32_t key,
                                             std::uint32_t place, unsigned range) {
  const key_range keys = grid.keys_ahead(key, range);
  if (keys.first > keys.last) return {0, 0};
  return {range == 0 ? place + 1 : starts[keys.first], starts[keys.last + 1]};
}

// The box that no centre leaves.
struct bounding_box {
  float low[3], high[3];
};

// A grid over the box for n spheres of at most this radius. Cells have their diameter. They are
// wider if there would be more than 1024 along an axis, or more than `most_cells` in all (the table
// of cells is filled anew in every step).
cell_grid fit_grid(const bounding_box& box, float largest_radius, std::uint64_t most_cells);
inline std::uint64_t most_cells_for(std::uint64_t objects) {
  constexpr std::uint64_t least = std::uint64_t{1} << 20;  // 4 MiB
  return 16 * objects < least ? least : 16 * objects;
}

// How many low bits of the keys can differ; at least 1.
inline int key_bits(const cell_grid& grid) {
  int bits = 1;
  while (bits < 32 && (grid.cells() - 1) >> bits != 0) ++bits;
  return bits;
}

}  // namespace ballot::app::collision
