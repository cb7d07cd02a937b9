// SPDX-License-Identifier: Apache-2.0
// Light comes from the upper left, with shadows: the scene is drawn once more as the light sees it.
// Light also comes from the sky. There is less of it where other objects are near (differences of
// depth around a sample).
#include "collision/painter.hpp"

#include "base/text.hpp"
#include "pictures/lettering.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace ballot::app::collision {
namespace {

constexpr double infinite_depth = std::numeric_limits<double>::infinity();

// Linear light, not sRGB.
constexpr vec alone{0.17, 0.36, 0.72}, colliding{1.0, 0.27, 0.03};
constexpr vec backdrop_above{0.012, 0.015, 0.024}, backdrop_below{0.045, 0.052, 0.070};
constexpr vec sun{1.05, 1.0, 0.92}, sky{0.38, 0.44, 0.55}, ground{0.16, 0.14, 0.13};
constexpr colour title_ink{236, 240, 246}, marked_ink{255, 150, 60}, quiet_ink{150, 160, 176};

// By the 4096 steps that 8 bits of sRGB need at its dark end.
std::uint8_t to_srgb(double light) {
  static const std::vector<std::uint8_t> table = [] {
    std::vector<std::uint8_t> values(4096);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double v = static_cast<double>(i) / 4095;
      values[i] = static_cast<std::uint8_t>(
          std::lround(255 * (v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055)));
    }
    return values;
  }();
  return table[static_cast<std::size_t>(std::clamp(light, 0.0, 1.0) * 4095)];
}

vec axis_named(char name) { return name == 'x' ? vec{1, 0, 0} : name == 'z' ? vec{0, 0, 1} : vec{0, 1, 0}; }

// The place of the eye: azimuth 0 is z for y upwards, and so on around.
vec toward_eye(const viewpoint& from) {
  const vec up = axis_named(from.up), ahead = axis_named(from.up == 'y' ? 'z' : from.up == 'z' ? 'x' : 'y');
  const vec aside = cross_of(up, ahead);
  const double a = from.azimuth * std::numbers::pi / 180, e = from.elevation * std::numbers::pi / 180;
  return std::cos(e) * (std::cos(a) * ahead + std::sin(a) * aside) + std::sin(e) * up;
}

// Objects are told apart by a little brightness of their own.
double own_brightness(std::uint32_t object) {
  return 0.9 + 0.2 * static_cast<double>((object * 2654435761u) >> 24) / 255;
}

constexpr int smooth_most = 2, directions = 12;

// Places around a sample, nearer ones first, in units of the reach.
struct around {
  double x[directions], y[directions];
  around() {
    for (int i = 0; i < directions; ++i) {
      const double angle = i * 2.399963, away = std::sqrt((i + 0.6) / directions);
      x[i] = away * std::cos(angle);
      y[i] = away * std::sin(angle);
    }
  }
};

}  // namespace

// The depths that the light sees, and whether a place is in the shade.
struct painter::light {
  light(const view& eye, const drawn_objects& objects, const vec& up) {
    toward = unit_of(-0.55 * eye.axes[0] + 0.95 * up + 0.55 * eye.axes[2]);
    from.axes = axes_of(toward, eye.axes[1]);
    from.width = from.height = std::clamp(std::max(eye.width, eye.height), 256, 4096);
    fit(from, objects, {2, 2, 2, 2});
    seen = draw(from, objects);
  }
  // The part of the light that arrives; normal: of the surface there.
  double arrives(const vec& world, const vec& normal) const {
    const double texel = 1 / from.pixels_a_unit;
    const vec at = from.to_pixels(from.seen(world + (2.0 * texel) * normal));
    int lit = 0, asked = 0;
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx, ++asked) {
        const double x = at[0] + 1.3 * dx, y = at[1] + 1.3 * dy;
        const bool inside = x >= 0 && y >= 0 && x < from.width && y < from.height;
        lit += !inside ||
               static_cast<double>(seen.depth[static_cast<std::size_t>(y) * static_cast<std::size_t>(from.width) +
                                              static_cast<std::size_t>(x)]) <= at[2] + 1.5;
      }
    return static_cast<double>(lit) / asked;
  }

  vec toward;
  view from;
  seen_pixels seen;
};

painter::painter(const picture_request& how, const scene& what, bool moves)
    : how_(how), shapes_(what.shapes), up_(axis_named(how.from.up)) {
  const auto pixels = static_cast<std::uint64_t>(how.size.width) * static_cast<std::uint64_t>(how.size.height);
  samples_ = pixels <= (std::uint64_t{4} << 20) ? smooth_most : 1;
  from_.axes = axes_of(toward_eye(how.from), up_);
  from_.width = how.size.width * samples_;
  from_.height = how.size.height * samples_;
  const int edge = std::min(from_.width, from_.height) / 24;
  const free_border border{edge, edge, 3 * edge, edge + edge / 2};
  if (!moves) {
    fit(from_, {what.spheres, shapes_, 0}, border);
  } else {
    std::vector<sphere> corners;
    for (unsigned c = 0; c < 8; ++c)
      corners.push_back({(c & 1u ? what.box.high : what.box.low)[0], (c & 2u ? what.box.high : what.box.low)[1],
                         (c & 4u ? what.box.high : what.box.low)[2], what.largest_radius});
    fit(from_, {corners, {}, 0}, border);
  }
  const auto axis = static_cast<std::size_t>(how.from.up - 'x');
  floor_ = static_cast<double>(what.box.low[axis]);
  if (moves || shapes_.empty()) floor_ -= static_cast<double>(what.largest_radius);
  if (!moves && !shapes_.empty())
    for (std::size_t i = 0; i < what.spheres.size(); ++i)
      for (const vec& corner : corners_of({what.spheres, shapes_, 0}, i)) floor_ = std::min(floor_, corner[axis]);
}

void painter::shade(image& to, const drawn_objects& objects, const std::vector<bool>& collides) const {
  const view& eye = from_;
  seen_pixels seen = draw(eye, objects);
  const light lamp(eye, objects, up_);
  const vec half_way = unit_of(lamp.toward + eye.axes[2]);
  const auto width = static_cast<std::size_t>(eye.width);

  // The floor, where nothing is in front of it: a plane in the view.
  const double rise = dot_of(up_, eye.axes[1]), tilt = dot_of(up_, eye.axes[2]);
  const bool has_floor = tilt > 0.05 && !objects.spheres.empty();
  const auto floor_depth = [&](double y) {
    const vec v = eye.from_pixels({0, y, 0});
    return (floor_ - v[1] * rise) / tilt * eye.pixels_a_unit;
  };

  double mean_radius = 0;
  for (std::size_t i = 0; i < objects.spheres.size(); i += std::max<std::size_t>(1, objects.spheres.size() / 1000))
    mean_radius = std::max(mean_radius, static_cast<double>(objects.spheres[i].radius) * eye.pixels_a_unit);
  const double short_side = std::min(eye.width, eye.height);
  const double reach = std::clamp(2.5 * mean_radius, short_side / 60, short_side / 12);
  static const around places;

  const auto depth_at = [&](std::size_t x, std::size_t y) {
    const auto d = static_cast<double>(seen.depth[y * width + x]);
    return d == -infinite_depth && has_floor ? floor_depth(static_cast<double>(y) + 0.5) : d;
  };
  // The part of the sky that is seen from there.
  const auto openness = [&](std::size_t x, std::size_t y, double depth, const vec& normal) {
    double hidden = 0;
    for (int i = 0; i < directions; ++i) {
      const double dx = places.x[i] * reach, dy = places.y[i] * reach;
      const double sx = static_cast<double>(x) + 0.5 + dx, sy = static_cast<double>(y) + 0.5 + dy;
      if (sx < 0 || sy < 0 || sx >= eye.width || sy >= eye.height) continue;
      const double other = depth_at(static_cast<std::size_t>(sx), static_cast<std::size_t>(sy));
      if (other == -infinite_depth) continue;
      const vec away{dx, -dy, other - depth};
      const double length = std::sqrt(dot_of(away, away)), above = dot_of(away, normal) / std::max(length, 1e-9);
      hidden += std::max(0.0, above - 0.08) * std::clamp(2 - length / reach, 0.0, 1.0);
    }
    return std::clamp(1 - 1.6 * hidden / directions, 0.0, 1.0);
  };

  const auto backdrop = [&](double y) {
    const double t = y / eye.height;
    return backdrop_above + (t * t) * (backdrop_below - backdrop_above);
  };
  const auto light_of = [&](std::size_t x, std::size_t y) -> vec {
    const std::uint32_t object = seen.object[y * width + x];
    const double px = static_cast<double>(x) + 0.5, py = static_cast<double>(y) + 0.5;
    const vec behind = backdrop(py);
    const bool is_floor = object == nothing_seen;
    if (is_floor && !has_floor) return behind;
    const double depth = depth_at(x, y);
    const vec in_view = eye.from_pixels({px, py, depth}), world = eye.to_world(in_view);
    vec normal = up_;  // in the world
    if (!is_floor && objects.shapes.empty()) {
      normal = unit_of(world - centre_of(objects.spheres[object]));
    } else if (!is_floor) {
      const auto corner = corners_of(objects, object);
      normal = unit_of(cross_of(corner[1] - corner[0], corner[2] - corner[0]));
      if (dot_of(normal, eye.axes[2]) < 0) normal = -1.0 * normal;
    }
    const double open = openness(x, y, depth, eye.seen(normal));
    const double facing = dot_of(normal, lamp.toward);
    const double direct = facing > 0 ? facing * lamp.arrives(world, normal) : 0;
    if (is_floor) {
      // It fades into the backdrop, away from the middle.
      const double dx = px / eye.width - 0.5, dy = py / eye.height - 0.55;
      const double near = std::exp(-7 * (dx * dx + dy * dy)), lit = 0.35 * open + 0.75 * direct;
      return behind + (near * lit) * vec{0.060, 0.066, 0.082} + (near * (lit - 1) * 0.35) * behind;
    }
    const double above = 0.5 + 0.5 * dot_of(normal, up_);
    vec base = collides[object] ? colliding : alone;
    base = own_brightness(object) * base;
    const double shine = direct > 0 ? 0.35 * std::pow(std::max(0.0, dot_of(normal, half_way)), 48) * direct : 0;
    const double rim = 0.25 * std::pow(1 - std::clamp(dot_of(normal, eye.axes[2]), 0.0, 1.0), 3) * open;
    vec sum{};
    for (std::size_t c = 0; c < 3; ++c) {
      const double from_sky = open * (ground[c] + above * (sky[c] - ground[c]));
      const double own = collides[object] ? 0.12 : 0;  // marked ones are seen in the shade, too
      sum[c] = base[c] * (1.15 * direct * sun[c] + from_sky + own) + shine * sun[c] + rim * sky[c] * 0.5;
    }
    return sum;
  };

  tbb::parallel_for(0, to.size.height, [&](int y) {
    const auto n = static_cast<std::size_t>(samples_);
    for (int x = 0; x < to.size.width; ++x) {
      vec sum{};
      for (std::size_t sy = 0; sy < n; ++sy)
        for (std::size_t sx = 0; sx < n; ++sx) {
          vec light = light_of(static_cast<std::size_t>(x) * n + sx, static_cast<std::size_t>(y) * n + sy);
          for (double& part : light) part = part / (1 + 0.18 * part);  // bright parts keep their colour
          sum = sum + light;
        }
      const double part = 1.1 / static_cast<double>(n * n);
      to.at(x, y) = {to_srgb(part * sum[0]), to_srgb(part * sum[1]), to_srgb(part * sum[2])};
    }
  });
}

void painter::write_title(image& to, std::uint64_t objects, std::uint64_t pairs, std::uint64_t touching,
                          std::uint64_t step) const {
  const double side = std::min(to.size.width, to.size.height), left = side / 24;
  double height = side / 28;
  if (height < 5) return;  // too small to be read
  const std::string all = fmt::format("{} {}", grouped(objects), shapes_.empty() ? "spheres" : "triangles");
  const std::string marked = fmt::format("{} pairs", grouped(pairs));
  const std::string some = fmt::format("{} collide", grouped(touching));
  const std::string when = step > 0 ? fmt::format("step {}", step) : "";
  const double between = 1.4 * height;
  const double wide = width_of_text(all, height) + width_of_text(some, height) + width_of_text(marked, height) +
                      width_of_text(when, height) + 3 * between + 2 * left;
  height = std::min(height, height * to.size.width / wide);
  double at = left;
  draw_text(to, all, at, left, height, title_ink);
  at += width_of_text(all, height) + between;
  draw_text(to, some, at, left, height, marked_ink);
  at += width_of_text(some, height) + between;
  draw_text(to, marked, at, left, height, quiet_ink);
  draw_text(to, when, to.size.width - left - width_of_text(when, height), left, height, quiet_ink);
}

image painter::paint(std::span<const sphere> objects, std::span<const object_pair> pairs, std::uint64_t step) const {
  std::vector<bool> collides(objects.size());
  for (const object_pair& pair : pairs) collides[pair.a] = collides[pair.b] = true;
  image made(how_.size);
  shade(made, {objects, shapes_, 0.75 * samples_}, collides);
  const auto touching = static_cast<std::uint64_t>(std::count(collides.begin(), collides.end(), true));
  write_title(made, objects.size(), pairs.size(), touching, step);
  return made;
}

}  // namespace ballot::app::collision
