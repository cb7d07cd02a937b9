// SPDX-License-Identifier: Apache-2.0
// The plan of one `ballot collide`.
#pragma once

#include <ballot/core/namespace.hpp>

#include "collision/frames.hpp"
#include "collision/pairs_file.hpp"
#include "collision/scene.hpp"
#include "plans/run_plan.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace ballot::app {

struct collide_options : run_options {
  std::optional<std::uint64_t> particles, clusters, max_pairs, max_candidates, every, frame_rate;
  std::optional<float> radius, box, speed;
  std::uint64_t seed = 0, steps = 1;
  float dt = 0.01f;
  bool response = false;
  bool compare = false;
  bool exact = false;
  std::string format, of, frames, picture, size, view, up;
};

struct collide_plan : run_plan {
  std::variant<collision::particle_request, collision::file_request> objects;
  collision::pairs_format pairs{};
  std::uint64_t steps = 1;
  float dt = 0.01f;
  bool response = false;
  std::optional<std::uint64_t> max_candidates, max_pairs;  // without: by the number of objects
  std::optional<collision::pictures_request> pictures;
  bool compare = false;  // a step with one on Thrust
  bool exact = false;    // triangles, not their spheres
};

collide_plan plan_collide(const collide_options& options);  // throws usage_error

}  // namespace ballot::app
