// SPDX-License-Identifier: Apache-2.0
// Spheres for host and GPU, and the test whether two of them touch.
//
// Both engines give the same bits. So every expression on floats stands once, here and in grid.hpp
// and motion.hpp. It is compiled so that each operation is rounded on its own, without contraction
// to fused multiply-adds (-ffp-contract=off, nvcc's -fmad=false; apps/CMakeLists.txt). Division and
// square root are IEEE's in both by default.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

#include <cstdint>

namespace ballot::app::collision {

struct alignas(16) sphere {
  float x, y, z;
  float radius;
};

struct alignas(16) velocity {
  float x, y, z;
  float unused = 0;  // one access of 16 bytes
};

// Two objects: by their numbers a < b, or by their places in the order of the cells.
struct alignas(8) object_pair {
  std::uint32_t a, b;
  friend bool operator==(const object_pair&, const object_pair&) = default;
};

// Coordinates and radii stay below this, so that no square overflows a float.
inline constexpr float largest_coordinate = 1e18f;

BALLOT_HOST_DEVICE float squared_distance(const sphere& a, const sphere& b) {
  const float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z;
  return x * x + y * y + z * z;
}

// Also where they have a single point in common. Symmetric to the last bit.
BALLOT_HOST_DEVICE bool touch(const sphere& a, const sphere& b) {
  const float reach = a.radius + b.radius;
  return squared_distance(a, b) <= reach * reach;
}

// Counts of one step, and those that exceeded the room for them.
struct pair_counts {
  std::uint64_t candidates;  // pairs in neighbouring cells
  std::uint64_t pairs;       // those that touch
};

struct step_account {
  std::uint64_t steps;       // detections so far
  pair_counts last;          // of the last one
  std::uint64_t overflowed;  // the first detection that found more than there was room for, counted from 1; 0: none
  pair_counts wanted;        // in that one
};

BALLOT_HOST_DEVICE void enter_step(step_account& account, const pair_counts& found, const pair_counts& room) {
  ++account.steps;
  account.last = found;
  if (account.overflowed == 0 && (found.candidates > room.candidates || found.pairs > room.pairs)) {
    account.overflowed = account.steps;
    account.wanted = found;
  }
}

}  // namespace ballot::app::collision
