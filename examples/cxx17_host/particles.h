// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

struct ordered_particles {
  std::vector<unsigned> cells;  // sorted
  std::vector<unsigned> order;
};

// Moves particles, and sorts their indices by the cell that each is in. On the current device;
// throws what Thrust throws, and std::invalid_argument where ballot refuses a call.
ordered_particles step(std::size_t particles, unsigned cells);
