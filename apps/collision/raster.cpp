// SPDX-License-Identifier: Apache-2.0
#include "collision/raster.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ballot::app::collision {
namespace {

constexpr int rows_a_band = 32;
constexpr double infinity = std::numeric_limits<double>::infinity();

struct disc {
  vec centre;  // in pixels
  double radius;
};

disc disc_of(const view& from, const drawn_objects& objects, std::size_t i) {
  const sphere& s = objects.spheres[i];
  return {from.to_pixels(from.seen(centre_of(s))),
          std::max(static_cast<double>(s.radius) * from.pixels_a_unit, objects.least_radius)};
}

struct rows {
  int first, last;  // last included; empty where first > last
};

rows rows_between(double top, double bottom, int height) {
  if (!(bottom >= 0) || !(top < height)) return {0, -1};
  return {static_cast<int>(std::max(0.0, std::floor(top))),
          static_cast<int>(std::min(height - 1.0, std::floor(bottom)))};
}

rows rows_of(const view& from, const drawn_objects& objects, std::size_t i) {
  if (objects.shapes.empty()) {
    const disc d = disc_of(from, objects, i);
    return rows_between(d.centre[1] - d.radius, d.centre[1] + d.radius, from.height);
  }
  double top = infinity, bottom = -infinity;
  for (const vec& corner : corners_of(objects, i)) {
    const double y = from.to_pixels(from.seen(corner))[1];
    top = std::min(top, y);
    bottom = std::max(bottom, y);
  }
  return rows_between(top, bottom, from.height);
}

// Pixels whose middle is at x, within this row.
class row_of_pixels {
 public:
  row_of_pixels(seen_pixels& to, const view& from, int y)
      : to_(to), width_(from.width), first_(std::size_t(y) * std::size_t(from.width)) {}

  // depth_at(x): -infinity where the object is not.
  template <class Depth>
  void draw(double left, double right, std::uint32_t object, const Depth& depth_at) const {
    if (!(right >= 0) || !(left < width_)) return;
    const int last = static_cast<int>(std::min(width_ - 1.0, std::ceil(right - 0.5)));
    for (int x = static_cast<int>(std::max(0.0, std::floor(left - 0.5))); x <= last; ++x) {
      const auto depth = static_cast<float>(depth_at(x + 0.5));
      const std::size_t at = first_ + static_cast<std::size_t>(x);
      if (!(depth > to_.depth[at])) continue;
      to_.depth[at] = depth;
      to_.object[at] = object;
    }
  }

 private:
  seen_pixels& to_;
  int width_;
  std::size_t first_;
};

void draw_disc(const row_of_pixels& row, double y, const disc& d, std::uint32_t object) {
  const double dy = y - d.centre[1], square = d.radius * d.radius - dy * dy;
  if (square < 0) return;
  const double half = std::sqrt(square);
  row.draw(d.centre[0] - half, d.centre[0] + half, object, [&](double x) {
    const double dx = x - d.centre[0], bulge = square - dx * dx;
    return bulge < 0 ? -infinity : d.centre[2] + std::sqrt(bulge);
  });
}

void draw_triangle(const row_of_pixels& row, double y, const std::array<vec, 3>& corner, std::uint32_t object) {
  // The part of the row between the edges; depth is a plane.
  double left = infinity, right = -infinity;
  for (std::size_t e = 0; e < 3; ++e) {
    const vec &a = corner[e], &b = corner[(e + 1) % 3];
    if (y < std::min(a[1], b[1]) || y > std::max(a[1], b[1])) continue;
    const double along = a[1] == b[1] ? 0 : (y - a[1]) / (b[1] - a[1]), x = a[0] + along * (b[0] - a[0]);
    left = std::min({left, x, a[1] == b[1] ? b[0] : x});
    right = std::max({right, x, a[1] == b[1] ? b[0] : x});
  }
  if (!(left <= right)) return;
  const vec normal = cross_of(corner[1] - corner[0], corner[2] - corner[0]);
  if (std::abs(normal[2]) < 1e-9) return;  // from the side
  const double nearest = std::max({corner[0][2], corner[1][2], corner[2][2]});
  row.draw(left, right, object, [&](double x) {
    if (x < left - 0.01 || x > right + 0.01) return -infinity;
    const double z = corner[0][2] - (normal[0] * (x - corner[0][0]) + normal[1] * (y - corner[0][1])) / normal[2];
    return std::min(z, nearest);
  });
}

// The numbers of the objects in each band of rows.
struct bands {
  std::vector<std::size_t> begin;
  std::vector<std::uint32_t> objects;
};

bands into_bands(const view& from, const drawn_objects& objects) {
  const std::size_t count = objects.spheres.size();
  std::vector<rows> where(count);
  tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) { where[i] = rows_of(from, objects, i); });
  bands all;
  all.begin.resize(static_cast<std::size_t>((from.height + rows_a_band - 1) / rows_a_band) + 1);
  const auto for_bands = [&](const rows& r, const auto& act) {
    for (int band = r.first / rows_a_band; r.first <= r.last && band <= r.last / rows_a_band; ++band)
      act(static_cast<std::size_t>(band));
  };
  for (const rows& r : where) for_bands(r, [&](std::size_t band) { ++all.begin[band + 1]; });
  for (std::size_t b = 1; b < all.begin.size(); ++b) all.begin[b] += all.begin[b - 1];
  all.objects.resize(all.begin.back());
  std::vector<std::size_t> next = all.begin;
  for (std::size_t i = 0; i < count; ++i)
    for_bands(where[i], [&](std::size_t band) { all.objects[next[band]++] = static_cast<std::uint32_t>(i); });
  return all;
}

}  // namespace

vec unit_of(const vec& a) {
  const double length = std::sqrt(dot_of(a, a));
  return length > 0 ? (1 / length) * a : vec{0, 0, 1};
}

std::array<vec, 3> axes_of(const vec& toward, const vec& up) {
  const vec z = unit_of(toward);
  vec x = cross_of(up, z);
  if (dot_of(x, x) < 1e-12) x = std::abs(z[0]) < 0.9 ? vec{1, 0, 0} - z[0] * z : vec{0, 0, -1};  // from above or below
  x = unit_of(x);
  return {x, cross_of(z, x), z};
}

std::array<vec, 3> corners_of(const drawn_objects& objects, std::size_t i) {
  const vec centre = centre_of(objects.spheres[i]);
  std::array<vec, 3> corners;
  for (std::size_t c = 0; c < 3; ++c) {
    const auto& away = objects.shapes[i].corner[c];
    corners[c] = centre + vec{static_cast<double>(away[0]), static_cast<double>(away[1]), static_cast<double>(away[2])};
  }
  return corners;
}

void fit(view& what, const drawn_objects& objects, const free_border& border) {
  double low[2] = {infinity, infinity}, high[2] = {-infinity, -infinity};
  for (std::size_t i = 0; i < objects.spheres.size(); ++i) {
    const auto include = [&](const vec& at, double radius) {
      const vec v = what.seen(at);
      for (std::size_t axis = 0; axis < 2; ++axis) {
        low[axis] = std::min(low[axis], v[axis] - radius);
        high[axis] = std::max(high[axis], v[axis] + radius);
      }
    };
    if (objects.shapes.empty()) include(centre_of(objects.spheres[i]), static_cast<double>(objects.spheres[i].radius));
    else
      for (const vec& corner : corners_of(objects, i)) include(corner, 0);
  }
  if (!(low[0] <= high[0])) low[0] = low[1] = -1, high[0] = high[1] = 1;
  const double room_x = std::max(1, what.width - border.left - border.right),
               room_y = std::max(1, what.height - border.top - border.bottom);
  const double wide = high[0] - low[0], tall = high[1] - low[1];
  const double least = std::max({1e-30, wide * 1e-9, tall * 1e-9});
  what.pixels_a_unit = std::min(room_x / std::max(wide, least), room_y / std::max(tall, least));
  if (wide <= 0 && tall <= 0) what.pixels_a_unit = 1;  // a point
  what.middle_x = (low[0] + high[0]) / 2 - (border.left - border.right) / 2.0 / what.pixels_a_unit;
  what.middle_y = (low[1] + high[1]) / 2 + (border.top - border.bottom) / 2.0 / what.pixels_a_unit;
}

seen_pixels draw(const view& from, const drawn_objects& objects) {
  const std::size_t pixels = static_cast<std::size_t>(from.width) * static_cast<std::size_t>(from.height);
  seen_pixels seen{std::vector<float>(pixels, -std::numeric_limits<float>::infinity()),
                   std::vector<std::uint32_t>(pixels, nothing_seen)};
  const bands all = into_bands(from, objects);
  // A band belongs to one thread, and its objects come in their order: so a picture is the same on
  // every run.
  tbb::parallel_for(std::size_t{0}, all.begin.size() - 1, [&](std::size_t band) {
    const int top = static_cast<int>(band) * rows_a_band, bottom = std::min(from.height, top + rows_a_band) - 1;
    for (std::size_t at = all.begin[band]; at < all.begin[band + 1]; ++at) {
      const std::uint32_t i = all.objects[at];
      const rows r = rows_of(from, objects, i);
      std::array<vec, 3> corners{};
      disc d{};
      if (objects.shapes.empty()) d = disc_of(from, objects, i);
      else
        for (std::size_t c = 0; c < 3; ++c) corners[c] = from.to_pixels(from.seen(corners_of(objects, i)[c]));
      for (int y = std::max(top, r.first); y <= std::min(bottom, r.last); ++y) {
        const row_of_pixels row(seen, from, y);
        if (objects.shapes.empty()) draw_disc(row, y + 0.5, d, i);
        else draw_triangle(row, y + 0.5, corners, i);
      }
    }
  });
  return seen;
}

}  // namespace ballot::app::collision
