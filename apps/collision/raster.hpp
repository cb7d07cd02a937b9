// SPDX-License-Identifier: Apache-2.0
// Which object is seen where: an orthographic view of spheres or triangles, on all cores.
#pragma once

#include <ballot/core/namespace.hpp>

#include "collision/scene.hpp"
#include "collision/sphere.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace ballot::app::collision {

using vec = std::array<double, 3>;

inline vec operator+(const vec& a, const vec& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline vec operator-(const vec& a, const vec& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline vec operator*(double s, const vec& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline double dot_of(const vec& a, const vec& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline vec cross_of(const vec& a, const vec& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
vec unit_of(const vec& a);
inline vec centre_of(const sphere& s) {
  return {static_cast<double>(s.x), static_cast<double>(s.y), static_cast<double>(s.z)};
}

// The objects that are drawn: spheres; or, where there are any, triangles that move with them.
struct drawn_objects {
  std::span<const sphere> spheres;
  std::span<const triangle_shape> shapes;  // none, or as many
  double least_radius = 0;                 // of a sphere, in pixels: so that points are seen
};

// A rectangle of the plane that is seen, and its pixels. x goes to the right, y upwards, z towards
// the eye.
struct view {
  std::array<vec, 3> axes{};  // x, y and z of the view: unit vectors in the world
  int width = 0, height = 0;
  double pixels_a_unit = 1;
  double middle_x = 0, middle_y = 0;  // of the rectangle, in units

  vec seen(const vec& world) const { return {dot_of(axes[0], world), dot_of(axes[1], world), dot_of(axes[2], world)}; }
  vec to_pixels(const vec& v) const {
    return {width / 2.0 + (v[0] - middle_x) * pixels_a_unit, height / 2.0 - (v[1] - middle_y) * pixels_a_unit,
            v[2] * pixels_a_unit};
  }
  vec from_pixels(const vec& p) const {
    return {(p[0] - width / 2.0) / pixels_a_unit + middle_x, (height / 2.0 - p[1]) / pixels_a_unit + middle_y,
            p[2] / pixels_a_unit};
  }
  vec to_world(const vec& v) const { return v[0] * axes[0] + v[1] * axes[1] + v[2] * axes[2]; }
};

// The axes of a view from `toward`, with `up` upwards in the picture.
std::array<vec, 3> axes_of(const vec& toward, const vec& up);

// Fits the view around everything, with so many pixels left free.
struct free_border {
  int left = 0, right = 0, top = 0, bottom = 0;
};
void fit(view& what, const drawn_objects& objects, const free_border& border);

inline constexpr std::uint32_t nothing_seen = 0xffffffffu;

struct seen_pixels {
  std::vector<float> depth;           // towards the eye, in pixels; -infinity where nothing is
  std::vector<std::uint32_t> object;  // nothing_seen, or its number
};
seen_pixels draw(const view& from, const drawn_objects& objects);

// The corners of a triangle, in the world.
std::array<vec, 3> corners_of(const drawn_objects& objects, std::size_t i);

}  // namespace ballot::app::collision
