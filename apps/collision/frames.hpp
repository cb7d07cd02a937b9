// SPDX-License-Identifier: Apache-2.0
// Pictures of a scene as PNG files: seen along z from above, orthographic, nearer objects brighter, colliding ones in
// orange and the others in blue.
#pragma once

#include <ballot/core/namespace.hpp>

#include "collision/grid.hpp"
#include "collision/sphere.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace ballot::app::collision {

inline constexpr int largest_frame = 8192;

class frame_folder {
 public:
  // Makes the folder if it is not there. `size`: width and height in pixels.
  frame_folder(const std::string& path, int size, const bounding_box& box, float largest_radius);
  // Writes frame_NNNNNN.png, whole or not at all.
  void write(std::uint64_t step, std::span<const sphere> objects, std::span<const object_pair> pairs) const;

 private:
  std::string path_;
  int size_;
  double pixels_a_unit_, middle_x_, middle_y_;
  float low_z_, high_z_;
};

}  // namespace ballot::app::collision
