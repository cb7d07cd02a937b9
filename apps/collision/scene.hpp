// SPDX-License-Identifier: Apache-2.0
// The objects of a scene: generated particles, or spheres from a file.
#pragma once

#include <ballot/core/namespace.hpp>

#include "collision/grid.hpp"
#include "collision/sphere.hpp"
#include "collision/triangle_touch.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ballot::app::collision {

// The corners of a triangle, less the centre of its sphere.
struct triangle_shape {
  std::array<std::array<float, 3>, 3> corner;
};

struct scene {
  std::vector<sphere> spheres;
  std::vector<velocity> velocities;  // as many
  bounding_box box{};                // no centre is outside
  float largest_radius = 0;
  std::vector<triangle_shape> shapes;  // of triangles, where they are asked for: as many; else none
  std::vector<triangle> triangles;     // the same, as the file has them
};

// The same for the same request, on every machine: coordinates come from a counter that is hashed
// (splitmix64).
struct particle_request {
  std::uint64_t count = 0;
  std::uint64_t seed = 0;
  std::uint64_t clusters = 0;  // 0: uniform in the box
  float radius = 0;
  float box = 1;  // from -box/2 to box/2 along each axis
  float speed = 1;
};
scene make_particles(const particle_request& request);

enum class geometry { obj, ply, stl, gltf, npy };
enum class object_kind { vertices, triangles };

struct file_request {
  std::string path;  // "-" is standard input
  geometry format{};
  object_kind of = object_kind::vertices;
  std::optional<float> radius;  // of vertices and points; of triangles it is added
  std::uint64_t seed = 0;
  float speed = 0;
  bool shapes = false;     // of triangles, for pictures
  bool triangles = false;  // for the exact test
};

inline constexpr auto geometry_names = "obj, ply, stl, gltf, glb, npy";
std::optional<geometry> geometry_named(const std::string& name);
std::optional<geometry> geometry_of_extension(std::string_view path);

// .npy: f32 of shape (n, 3), or (n, 4) with a radius for each. Throws failure, usage_error where
// the radius is missing.
scene read_scene(const file_request& request);

inline constexpr std::uint64_t most_objects = 0x7fffffff;

}  // namespace ballot::app::collision
