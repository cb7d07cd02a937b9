// SPDX-License-Identifier: Apache-2.0
#include "collision/scene.hpp"

#include "base/failure.hpp"
#include "base/host_buffer.hpp"
#include "base/resources.hpp"
#include "collision/mesh.hpp"
#include "columns/npy_array.hpp"
#include "files/input_file.hpp"
#include "files/unlinked_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <string_view>

namespace ballot::app::collision {
namespace {

using point = std::array<double, 3>;

// Uniform in [0, 1), 24 bits: number `draw` of object `i`.
float uniform(std::uint64_t seed, std::uint64_t i, std::uint64_t draw) {
  std::uint64_t z = seed * 0xd1342543de82ef95u + (i * 16 + draw + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return static_cast<float>(z >> 40) * 0x1p-24f;
}

velocity random_velocity(std::uint64_t seed, std::uint64_t i, float speed) {
  const auto component = [&](std::uint64_t axis) { return (2 * uniform(seed ^ 0x5eedu, i, axis) - 1) * speed; };
  return {component(0), component(1), component(2)};
}

void add_velocities(scene& to, std::uint64_t seed, float speed) {
  to.velocities.resize(to.spheres.size());
  if (speed == 0) return;
  for (std::size_t i = 0; i < to.velocities.size(); ++i) to.velocities[i] = random_velocity(seed, i, speed);
}

void require_count(std::uint64_t count, const std::string& name) {
  if (count > most_objects)
    throw failure(fmt::format("{}: {} objects: up to {} can be used", name, count, most_objects));
}

void fit_box(scene& to) {
  for (std::size_t i = 0; i < to.spheres.size(); ++i) {
    const sphere& s = to.spheres[i];
    const float at[3] = {s.x, s.y, s.z};
    for (int axis = 0; axis < 3; ++axis) {
      to.box.low[axis] = i == 0 ? at[axis] : std::min(to.box.low[axis], at[axis]);
      to.box.high[axis] = i == 0 ? at[axis] : std::max(to.box.high[axis], at[axis]);
    }
    to.largest_radius = std::max(to.largest_radius, s.radius);
  }
}

point minus(const point& a, const point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(const point& a, const point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// The smallest sphere around a triangle: about the circumcentre where all angles are acute, else
// about the middle of the longest edge. The radius is rounded upwards, and holds for the rounded
// centre.
sphere around(const std::array<point, 3>& corner) {
  point centre{};
  int longest = 0;  // the edge that faces this corner
  double squares[3];
  for (int i = 0; i < 3; ++i) {
    const point edge = minus(corner[(i + 1) % 3], corner[(i + 2) % 3]);
    squares[i] = dot(edge, edge);
    if (squares[i] > squares[longest]) longest = i;
  }
  const double others = squares[(longest + 1) % 3] + squares[(longest + 2) % 3];
  if (squares[longest] >= others) {
    for (int axis = 0; axis < 3; ++axis)
      centre[axis] = (corner[(longest + 1) % 3][axis] + corner[(longest + 2) % 3][axis]) / 2;
  } else {
    double weights[3], sum = 0;
    for (int i = 0; i < 3; ++i) {
      weights[i] = squares[i] * (squares[(i + 1) % 3] + squares[(i + 2) % 3] - squares[i]);
      sum += weights[i];
    }
    for (int axis = 0; axis < 3; ++axis)
      centre[axis] = (corner[0][axis] * weights[0] + corner[1][axis] * weights[1] + corner[2][axis] * weights[2]) / sum;
  }
  sphere s{static_cast<float>(centre[0]), static_cast<float>(centre[1]), static_cast<float>(centre[2]), 0};
  double radius = 0;
  for (const point& c : corner) {
    const point d = minus(c, {s.x, s.y, s.z});
    radius = std::max(radius, std::sqrt(dot(d, d)));
  }
  s.radius = std::nextafter(static_cast<float>(radius), std::numeric_limits<float>::infinity());
  if (radius == 0) s.radius = 0;
  return s;
}

triangle_shape shape_of(const std::array<point, 3>& corner, const sphere& around) {
  triangle_shape shape{};
  const point centre{around.x, around.y, around.z};
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t axis = 0; axis < 3; ++axis)
      shape.corner[c][axis] = static_cast<float>(corner[c][axis] - centre[axis]);
  return shape;
}

void add_spheres(scene& to, const mesh& from, const file_request& request, const std::string& name) {
  if (request.of == object_kind::vertices) {
    if (!request.radius) throw usage_error("vertices have no size: use --radius");
    for (const auto& at : from.vertices) to.spheres.push_back({at[0], at[1], at[2], *request.radius});
    return;
  }
  if (from.triangles.empty()) throw failure(fmt::format("{}: --of triangles, and the file has no faces", name));
  for (const auto& triangle : from.triangles) {
    std::array<point, 3> corner;
    for (int i = 0; i < 3; ++i) {
      const auto& at = from.vertices[triangle[static_cast<std::size_t>(i)]];
      corner[static_cast<std::size_t>(i)] = {at[0], at[1], at[2]};
    }
    sphere s = around(corner);
    if (request.shapes) to.shapes.push_back(shape_of(corner, s));
    if (request.triangles) {
      to.triangles.push_back({from.vertices[triangle[0]], from.vertices[triangle[1]], from.vertices[triangle[2]]});
      // Spheres are tested in rounded floats, and none that may have a common point is to be
      // missed. The last term is for squares below the smallest float: lengths up to 2^-75, about
      // 3e-23, have the square 0.
      const float largest = std::max({std::abs(s.x), std::abs(s.y), std::abs(s.z)});
      s.radius += 1e-6f * (s.radius + largest) + 1e-22f;
    }
    s.radius += request.radius.value_or(0);
    to.spheres.push_back(s);
  }
}

void read_points(scene& to, input_file file, const file_request& request) {
  const std::string name = file.name();
  npy_array array(std::move(file), [](const npy_type& type, const std::string& descr) {
    if (type.read_as != dtype::f32)
      throw failure(
          fmt::format("points are f32 or f16, and the items are of type '{}': save array.astype('f4')", descr));
  });
  const std::size_t columns = array.shape().size() == 2 ? static_cast<std::size_t>(array.shape()[1]) : 0;
  if (columns != 3 && columns != 4)
    throw failure(fmt::format("{}: the array has the shape ({}): (n, 3) are points, (n, 4) points with their radii",
                              name, fmt::join(array.shape(), ", ")));
  if (columns == 3 && !request.radius) throw usage_error("points have no size: use --radius");
  if (columns == 4 && request.radius) throw usage_error(name + " has radii of its own: leave --radius out");
  require_count(array.shape()[0], name);
  phase_clock unused;
  const host_buffer items = array.read(unused);
  const auto numbers = items.as<float>();
  for (std::size_t i = 0; i < numbers.size() / columns; ++i) {
    const float* const row = &numbers[i * columns];
    const std::string where = fmt::format("{}: row {}", name, i);
    for (int axis = 0; axis < 3; ++axis) require_coordinate(row[axis], where);
    const float radius = columns == 4 ? row[3] : *request.radius;
    if (!(radius >= 0) || radius > largest_coordinate)
      throw failure(fmt::format("{}: radius {}: it must be 0 or more, and finite", where, radius));
    to.spheres.push_back({row[0], row[1], row[2], radius});
  }
}

mesh read_mesh(const file_request& request, const std::string& name, std::string_view bytes) {
  switch (request.format) {
    case geometry::obj:
      return read_obj(name, bytes);
    case geometry::ply:
      return read_ply(name, bytes);
    case geometry::stl:
      return read_stl(name, bytes);
    case geometry::gltf:
      return read_gltf(name, bytes, request.path == "-" ? "." : parent_folder(request.path));
    case geometry::npy:
      break;
  }
  return {};
}

}  // namespace

scene make_particles(const particle_request& request) {
  require_count(request.count, "--particles");
  require_free_memory(request.count * (sizeof(sphere) + sizeof(velocity)), fmt::format("{} particles", request.count));
  scene made;
  made.spheres.resize(static_cast<std::size_t>(request.count));
  const float half = request.box / 2;
  const auto in_box = [&](std::uint64_t seed, std::uint64_t i, std::uint64_t axis) {
    return (2 * uniform(seed, i, axis) - 1) * half;
  };
  for (std::size_t i = 0; i < made.spheres.size(); ++i) {
    float at[3];
    for (std::uint64_t axis = 0; axis < 3; ++axis) {
      if (request.clusters == 0) {
        at[axis] = in_box(request.seed, i, axis);
        continue;
      }
      // Four uniform numbers add up to something like a normal distribution.
      float sum = 0;
      for (std::uint64_t draw = 0; draw < 4; ++draw) sum += uniform(request.seed, i, 4 * axis + draw);
      const float centre = in_box(request.seed ^ 0xc1u, i % request.clusters, axis);
      at[axis] = std::clamp(centre + (sum - 2) * request.box / 32, -half, half);
    }
    made.spheres[i] = {at[0], at[1], at[2], request.radius};
  }
  made.box = {{-half, -half, -half}, {half, half, half}};
  made.largest_radius = request.radius;
  add_velocities(made, request.seed, request.speed);
  return made;
}

std::optional<geometry> geometry_named(const std::string& name) {
  if (name == "obj") return geometry::obj;
  if (name == "ply") return geometry::ply;
  if (name == "stl") return geometry::stl;
  if (name == "gltf" || name == "glb") return geometry::gltf;
  if (name == "npy") return geometry::npy;
  return std::nullopt;
}

std::optional<geometry> geometry_of_extension(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  if (dot == path.npos) return std::nullopt;
  std::string extension(path.substr(dot + 1));  // exporters write .STL as well
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return geometry_named(extension);
}

scene read_scene(const file_request& request) {
  scene made;
  input_file file(request.path);
  if (request.format == geometry::npy) {
    if (request.of == object_kind::triangles) throw usage_error("--of triangles: an .npy file has only points");
    read_points(made, std::move(file), request);
  } else {
    const host_buffer bytes = read_rest(file);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const mesh from = read_mesh(request, file.name(), text);
    require_count(std::max(from.vertices.size(), from.triangles.size()), file.name());
    add_spheres(made, from, request, file.name());
  }
  fit_box(made);
  add_velocities(made, request.seed, request.speed);
  return made;
}

}  // namespace ballot::app::collision
