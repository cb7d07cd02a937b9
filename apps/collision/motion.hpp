// SPDX-License-Identifier: Apache-2.0
// How objects move between two detections: what colliding pairs do to each other, and the step in
// time. All masses are equal and collisions elastic; it is an example of a response, not a physics
// engine.
//
// An object's pushes are summed in any order. So they are summed as integers, in fixed point. Then
// the order does not matter, and a step is the same on every run, on both engines. Units are powers
// of two, so scaling is exact.
#pragma once

#include <ballot/core/namespace.hpp>

#include "collision/grid.hpp"

#include <cmath>

namespace ballot::app::collision {

// Sums in fixed point, two's complement: position x y z, velocity x y z.
inline constexpr unsigned push_components = 6;
struct alignas(16) push {
  std::uint64_t sum[push_components];
};

struct motion {
  float dt;
  bounding_box box;  // reflecting walls for the centres
  // Units of fixed point in 1 of position and of velocity.
  double position_units, velocity_units;
};

BALLOT_HOST_DEVICE std::uint64_t to_fixed(float value, double units) {
  constexpr double most = 4.0e18;
  double scaled = static_cast<double>(value) * units;
  if (!(scaled < most)) scaled = most;
  if (scaled < -most) scaled = -most;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(scaled));
}
BALLOT_HOST_DEVICE float from_fixed(std::uint64_t sum, double units) {
  return static_cast<float>(static_cast<double>(static_cast<std::int64_t>(sum)) / units);
}

// The push of the colliding objects a < b: b gets the given push, a the opposite one. They are
// pushed apart by half of their overlap, and if they approach each other, they exchange their
// velocities along the line between them.
BALLOT_HOST_DEVICE push push_of(const motion& how, const sphere& a, const velocity& va, const sphere& b,
                                const velocity& vb) {
  const float distance = std::sqrt(squared_distance(a, b));
  const bool apart = distance > 0.0f;
  const float x = apart ? (b.x - a.x) / distance : 1.0f, y = apart ? (b.y - a.y) / distance : 0.0f,
              z = apart ? (b.z - a.z) / distance : 0.0f;
  const float overlap = a.radius + b.radius - distance;
  const float shift = overlap > 0.0f ? 0.25f * overlap : 0.0f;  // each by a quarter
  const float approach = x * (va.x - vb.x) + y * (va.y - vb.y) + z * (va.z - vb.z);
  const float impulse = approach > 0.0f ? approach : 0.0f;
  return {{to_fixed(shift * x, how.position_units), to_fixed(shift * y, how.position_units),
           to_fixed(shift * z, how.position_units), to_fixed(impulse * x, how.velocity_units),
           to_fixed(impulse * y, how.velocity_units), to_fixed(impulse * z, how.velocity_units)}};
}

BALLOT_HOST_DEVICE void move_along(const motion& how, int axis, float shift, float& at, float& speed) {
  at = at + shift;
  at = at + speed * how.dt;
  if (!(at >= how.box.low[axis])) {
    at = how.box.low[axis];
    speed = speed < 0.0f ? -speed : speed;
  }
  if (!(at <= how.box.high[axis])) {
    at = how.box.high[axis];
    speed = speed > 0.0f ? -speed : speed;
  }
}

BALLOT_HOST_DEVICE void move(const motion& how, const push& pushed, sphere& s, velocity& v) {
  v.x = v.x + from_fixed(pushed.sum[3], how.velocity_units);
  v.y = v.y + from_fixed(pushed.sum[4], how.velocity_units);
  v.z = v.z + from_fixed(pushed.sum[5], how.velocity_units);
  move_along(how, 0, from_fixed(pushed.sum[0], how.position_units), s.x, v.x);
  move_along(how, 1, from_fixed(pushed.sum[1], how.position_units), s.y, v.y);
  move_along(how, 2, from_fixed(pushed.sum[2], how.position_units), s.z, v.z);
}

}  // namespace ballot::app::collision
