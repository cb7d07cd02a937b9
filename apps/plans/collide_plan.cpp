// SPDX-License-Identifier: Apache-2.0
#include "plans/collide_plan.hpp"

#include "base/failure.hpp"
#include "collision/sphere.hpp"

#include <fmt/format.h>

namespace ballot::app {
namespace {

using namespace collision;

void require_number(const std::optional<float>& value, const char* option, bool may_be_zero) {
  if (!value) return;
  if (!(*value >= 0) || *value > largest_coordinate || (*value == 0 && !may_be_zero))
    throw usage_error(
        fmt::format("{} {}: it must be {} and finite", option, *value, may_be_zero ? "0 or more," : "more than 0"));
}

// Throws usage_error where options contradict each other, or a number is out of range.
void require_consistent(const collide_options& options) {
  const bool has_particles = options.particles.has_value();
  if (has_particles == !options.input.empty())
    throw usage_error(has_particles ? "a file and --particles contradict each other"
                                    : "nothing to collide: give a file, or --particles N");
  if (has_particles && !options.radius) throw usage_error("particles have no size: use --radius");
  if (has_particles && !options.of.empty()) throw usage_error("--of is for files");
  if (!has_particles && (options.clusters || options.box))
    throw usage_error("--clusters and --box are for --particles");
  require_number(options.radius, "--radius", true);
  require_number(options.box, "--box", false);
  require_number(options.speed, "--speed", true);
  require_number(options.dt, "--dt", true);
}

file_request plan_file(const collide_options& options) {
  file_request request{options.input,  {},           object_kind::vertices,
                       options.radius, options.seed, options.speed.value_or(0)};
  if (!options.of.empty() && options.of != "vertices" && options.of != "triangles")
    throw usage_error(fmt::format("--of {}: use vertices or triangles", options.of));
  if (options.of == "triangles") request.of = object_kind::triangles;
  constexpr auto known = "obj, ply, npy";
  const auto format = options.format.empty() ? geometry_of_extension(options.input) : geometry_named(options.format);
  if (!format && options.format.empty()) throw_no_format(options.input, known);
  if (!format) throw_unknown_format(options.format, known);
  request.format = *format;
  return request;
}

particle_request plan_particles(const collide_options& options) {
  return {*options.particles,           options.seed,
          options.clusters.value_or(0), *options.radius,
          options.box.value_or(1),      options.speed.value_or(1)};
}

}  // namespace

collide_plan plan_collide(const collide_options& options) {
  require_consistent(options);
  collide_plan plan{};
  static_cast<run_plan&>(plan) = plan_run(options);
  plan.output = parse_output(options, true);
  plan.pairs = parse_pairs_format(plan.output);
  if (options.particles) plan.objects = plan_particles(options);
  else plan.objects = plan_file(options);
  plan.steps = options.steps;
  plan.dt = options.dt;
  plan.response = options.response;
  plan.max_candidates = options.max_candidates;
  plan.max_pairs = options.max_pairs;
  if (!options.frames.empty())
    plan.frames = frames_plan{options.frames, options.every, static_cast<int>(options.frame_size)};
  return plan;
}

}  // namespace ballot::app
