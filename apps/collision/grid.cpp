// SPDX-License-Identifier: Apache-2.0
#include "collision/grid.hpp"

#include <algorithm>
#include <cmath>

namespace ballot::app::collision {

cell_grid fit_grid(const bounding_box& box, float largest_radius, std::uint64_t most_cells) {
  // Wider than the diameter by one part in 512. Spheres that touch by the rounded test are apart,
  // along an axis, by at most the diameter and a few parts in 2^22; their places on the grid, up to
  // 1024, are each rounded three times to a part in 2^24. In all that is less than 2^-10 of a cell.
  // So their cells differ by at most one. Squares below the smallest float are rounded to it or to
  // 0. So spheres may touch that are up to 2^-74, about 6e-23, further apart.
  constexpr double margin = 1.0 + 1.0 / 512, least_edge = 1e-22;
  double extent[3], longest = 0;
  for (int axis = 0; axis < 3; ++axis) {
    extent[axis] = static_cast<double>(box.high[axis]) - static_cast<double>(box.low[axis]);
    longest = std::max(longest, extent[axis]);
  }
  double edge = std::max(2.0 * static_cast<double>(largest_radius) * margin + least_edge, longest / most_cells_along);

  std::uint64_t along[3];
  for (;; edge *= 1.1) {
    std::uint64_t cells = 1;
    for (int axis = 0; axis < 3; ++axis) {
      along[axis] = std::min<std::uint64_t>(most_cells_along, static_cast<std::uint64_t>(extent[axis] / edge) + 1);
      cells *= along[axis];
    }
    if (cells <= std::max<std::uint64_t>(most_cells, 1)) break;
  }
  return {box.low[0],
          box.low[1],
          box.low[2],
          static_cast<float>(1.0 / edge),
          static_cast<std::uint32_t>(along[0]),
          static_cast<std::uint32_t>(along[1]),
          static_cast<std::uint32_t>(along[2])};
}

}  // namespace ballot::app::collision
