// SPDX-License-Identifier: Apache-2.0
// Pictures of a scene: its spheres or triangles, shaded, on a floor. Colliding ones are orange, the
// others blue. A title has the counts.
#pragma once

#include <ballot/core/namespace.hpp>

#include "collision/raster.hpp"
#include "pictures/image.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ballot::app::collision {

// From where a scene is seen. azimuth: degrees around the axis that is up; elevation: above the
// horizon.
struct viewpoint {
  double azimuth = 30, elevation = 20;
  char up = 'y';  // x, y or z
};

inline constexpr int largest_frame = 8192;  // pixels along an edge

struct picture_request {
  picture_size size{960, 640};
  viewpoint from;
};

class painter {
 public:
  // Fits the picture around the scene, and if it moves, around the box that its centres stay in.
  painter(const picture_request& how, const scene& what, bool moves);

  // step: 0 if the scene has only one.
  image paint(std::span<const sphere> objects, std::span<const object_pair> pairs, std::uint64_t step) const;

 private:
  struct light;
  void shade(image& to, const drawn_objects& objects, const std::vector<bool>& collides) const;
  void write_title(image& to, std::uint64_t objects, std::uint64_t pairs, std::uint64_t colliding,
                   std::uint64_t step) const;

  picture_request how_;
  std::span<const triangle_shape> shapes_;
  view from_;  // in samples: some a pixel along each axis
  int samples_;
  vec up_;
  double floor_;  // along up_
};

}  // namespace ballot::app::collision
