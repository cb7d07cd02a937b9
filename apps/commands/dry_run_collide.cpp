// SPDX-License-Identifier: Apache-2.0
#include "commands/dry_run.hpp"

#include "collision/simulation.hpp"

#include <fmt/format.h>

#include <variant>

namespace ballot::app {
namespace {

using namespace collision;

std::string name_of_geometry(geometry g) {
  switch (g) {
    case geometry::obj:
      return "OBJ";
    case geometry::ply:
      return "PLY";
    case geometry::stl:
      return "STL";
    case geometry::gltf:
      return "glTF";
    case geometry::npy:
      break;
  }
  return "npy";
}

// The CPU's simulation without pairs, which are counted only in the run.
std::uint64_t bytes_for(const scene& what) {
  const std::uint64_t an_object = 3 * sizeof(sphere) + 2 * sizeof(velocity) + sizeof(push) + 3 * sizeof(std::uint64_t);
  const cell_grid grid = fit_grid(what.box, what.largest_radius, most_cells_for(what.spheres.size()));
  return what.spheres.size() * an_object + what.shapes.size() * sizeof(triangle_shape) +
         std::uint64_t{grid.cells()} * sizeof(std::uint32_t);
}

void add_pictures(forecast& to, const pictures_request& pictures, std::uint64_t steps) {
  const std::string size = fmt::format("{} x {} pixels", pictures.how.size.width, pictures.how.size.height);
  const std::uint64_t shown = pictures.pictures_of(steps);
  if (!pictures.file.empty())
    add_output(to, pictures.file,
               pictures.wants_film(steps)
                   ? fmt::format("a film of {} picture{}, {}", shown, shown == 1 ? "" : "s", size)
                   : "a picture, " + size);
  if (pictures.folder.empty()) return;
  (void)require_frames_folder(pictures.folder);
  to.outputs.push_back(
      {pictures.folder, fmt::format("a folder of {} picture{}, {}", shown, shown == 1 ? "" : "s", size), {}});
}

}  // namespace

forecast forecast_of(const collide_plan& plan) {
  forecast f = begin_forecast("collide", choose_engine(plan.engine));
  scene what;
  if (const auto* file = std::get_if<file_request>(&plan.objects)) {
    forecast_input in = look_at_input(file->path, name_of_geometry(file->format));
    in.content = file->of == object_kind::triangles ? "triangles" : "points";
    if (in.note.empty()) {
      what = read_scene(*file);
      f.items = in.items = what.spheres.size();
      f.memory_bytes = bytes_for(what) + in.bytes.value_or(0);
    }
    f.inputs.push_back(in);
  } else {
    const auto& particles = std::get<particle_request>(plan.objects);
    what = make_particles(particles);
    f.memory_bytes = bytes_for(what);
    f.steps.push_back(fmt::format("make {} particles", particles.count));
  }
  f.steps.push_back(fmt::format("find the colliding pairs of {} step{}; memory for their list comes on top", plan.steps,
                                plan.steps == 1 ? "" : "s"));
  add_output(f, plan.output, plan.pairs == pairs_format::npy ? "pairs, u32, npy" : "pairs, CSV");
  if (plan.pictures) add_pictures(f, *plan.pictures, plan.steps);
  return f;
}

}  // namespace ballot::app
