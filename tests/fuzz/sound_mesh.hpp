// SPDX-License-Identifier: Apache-2.0
// The properties that a mesh of any bytes must have.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "collision/mesh.hpp"
#include "collision/sphere.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace ballot::app::collision {

// Either a failure, or a mesh whose triangles have corners that exist and whose coordinates can be
// computed with.
template <class Read>
void require_sound(const Read& read) {
  try {
    const mesh found = read();
    for (const auto& at : found.vertices)
      for (const float coordinate : at)
        if (!(std::abs(coordinate) <= largest_coordinate)) std::abort();
    for (const auto& triangle : found.triangles)
      for (const std::uint32_t corner : triangle)
        if (corner >= found.vertices.size()) std::abort();
  } catch (const ballot::app::failure&) {
  }
}

}  // namespace ballot::app::collision
