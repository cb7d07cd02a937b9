// SPDX-License-Identifier: Apache-2.0
#include "plans/collide_plan.hpp"

#include "base/failure.hpp"
#include "base/parse_number.hpp"
#include "collision/sphere.hpp"
#include "files/compression.hpp"
#include "options/number_option.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

namespace ballot::app {
namespace {

using namespace collision;

void require_number(const std::optional<float>& value, const char* option, bool may_be_zero) {
  if (!value) return;
  if (!(*value >= 0) || *value > largest_coordinate || (*value == 0 && !may_be_zero))
    throw usage_error(fmt::format("{} {}: it must be {} and at most {}", option, *value,
                                  may_be_zero ? "0 or more," : "more than 0", largest_coordinate));
}

// Throws usage_error where options contradict each other, or a number is out of range.
void require_consistent(const collide_options& options) {
  const bool has_particles = options.particles.has_value();
  if (has_particles == !options.input.empty())
    throw usage_error(has_particles ? "a file and --particles contradict each other"
                                    : "nothing to collide: give a file, or --particles N");
  if (has_particles && !options.radius) throw usage_error("particles have no size: use --radius");
  if (has_particles && !options.of.empty()) throw usage_error("--of is for files");
  if (has_particles && !options.format.empty()) throw usage_error("--format is for files");
  if (!has_particles && (options.clusters || options.box))
    throw usage_error("--clusters and --box are for --particles");
  if (options.exact && options.of != "triangles") throw usage_error("--exact is for triangles: use --of triangles");
  if (options.exact && options.radius) throw usage_error("--exact and --radius contradict each other");
  if (options.exact && (options.steps != 1 || options.response))
    throw usage_error("--exact is for the triangles of the file: it has one step, and no --response");
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
  constexpr auto known = geometry_names;
  const auto format = options.format.empty() ? geometry_of_extension(without_compression(options.input))
                                             : geometry_named(options.format);
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

// WxH, or N for a square.
picture_size parse_picture_size(const std::string& text) {
  if (text.empty()) return picture_request{}.size;
  const std::size_t by = text.find('x');
  const auto length = [&](std::string_view digits) {
    return static_cast<int>(parse_whole_number("--frame-size", digits, {.least = 1, .most = largest_frame}));
  };
  if (by == text.npos) return {length(text), length(text)};
  return {length(std::string_view(text).substr(0, by)), length(std::string_view(text).substr(by + 1))};
}

// AZIMUTH:ELEVATION in degrees.
void parse_view(const std::string& text, viewpoint& into) {
  const std::size_t colon = text.find(':');
  const auto degrees = [&](std::string_view number) {
    double value = 0;
    if (parse_number(number, value) != number_error::none || !(std::abs(value) <= 360))
      throw usage_error(fmt::format("--view {}: use AZIMUTH:ELEVATION in degrees, for example 30:20", text));
    return value;
  };
  if (colon == text.npos) (void)degrees("");
  into.azimuth = degrees(std::string_view(text).substr(0, colon));
  into.elevation = degrees(std::string_view(text).substr(colon + 1));
  if (std::abs(into.elevation) > 90) throw usage_error(fmt::format("--view {}: the elevation is from -90 to 90", text));
}

std::optional<pictures_request> plan_pictures(const collide_options& options) {
  if (options.frames.empty() && options.picture.empty()) {
    if (!options.size.empty() || !options.view.empty() || !options.up.empty() || options.every || options.frame_rate)
      throw usage_error(
          "--every, --frame-size, --frame-rate, --view and --up are for pictures: use --picture or --frames");
    return std::nullopt;
  }
  pictures_request request{{}, options.picture, options.frames, options.every.value_or(1), 25};
  if (!options.picture.empty()) (void)parse_picture_format(options.picture);
  request.how.size = parse_picture_size(options.size);
  if (!options.view.empty()) parse_view(options.view, request.how.from);
  if (!options.up.empty() && options.up != "x" && options.up != "y" && options.up != "z")
    throw usage_error(fmt::format("--up {}: use x, y or z", options.up));
  if (!options.up.empty()) request.how.from.up = options.up[0];
  const bool may_be_film = !options.picture.empty() && parse_picture_format(options.picture) == picture_format::webp;
  if (options.frame_rate && !may_be_film) throw usage_error("--frame-rate is for a film: use --picture FILE.webp");
  if (options.every && !may_be_film && options.frames.empty())
    throw usage_error("--every is for several pictures: use --picture FILE.webp or --frames");
  request.pictures_a_second = static_cast<int>(options.frame_rate.value_or(25));
  return request;
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
  plan.compare = options.compare;
  plan.exact = options.exact;
  if (options.compare && plan.engine == engine_name::cpu)
    throw usage_error("--compare is for the GPU: on the CPU there is no step on Thrust to compare with");
  plan.pictures = plan_pictures(options);
  if (auto* file = std::get_if<file_request>(&plan.objects)) {
    file->shapes = plan.pictures.has_value();
    file->triangles = plan.exact;
  }
  return plan;
}

}  // namespace ballot::app
