// SPDX-License-Identifier: Apache-2.0
// ballot collide
#include "collision/compare_with_thrust.hpp"
#include "collision/frames.hpp"
#include "collision/pairs_file.hpp"
#include "collision/run_scene.hpp"
#include "collision/scene.hpp"
#include "collision/simulation.hpp"
#include "collision/triangle_touch.hpp"
#include "collision/verify.hpp"
#include "collision/verify_triangles.hpp"
#include "commands/commands.hpp"
#include "commands/dry_run.hpp"
#include "commands/run.hpp"
#include "files/output_file.hpp"
#include "options/number_option.hpp"
#include "plans/collide_plan.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ballot::app {
namespace {

using namespace collision;

constexpr auto collide_help = R"(
Examples
  ballot collide --particles 100000 --radius 0.004 --seed 1 -o pairs.npy --verify
  ballot collide bunny.obj --of vertices --radius 0.0005 -o pairs.csv
  ballot collide spheres.npy                                  # rows x y z radius; the pairs as CSV on standard output
  ballot collide gears.stl --of triangles --picture gears.png --view 40:25 -o pairs.csv
  ballot collide --particles 20000 --clusters 8 --radius 0.01 --steps 400 --response --every 4 --picture film.webp

Objects
  Objects are spheres. --particles makes N of them in a box around the origin. Otherwise they come from a file: .obj,
  .ply, .stl (text or bytes), .gltf, .glb, or .npy of f32 with the shape (n, 3), or (n, 4) with a radius each. --of
  triangles uses the smallest sphere around each triangle. Polygons are cut into triangles. Objects are numbered from 0
  in the order of the file. In STL, equal corners are one vertex. In glTF, nodes come depth first, each with the
  primitives of its mesh.
  Two spheres collide if (dx*dx + dy*dy) + dz*dz <= (ra + rb)^2, in floats, each operation rounded. With --exact, two
  triangles collide if they have a point in common. The numbers of the file are taken as they are. So neighbours
  collide, since they share corners. A triangle without area is a line or a point. --max-pairs limits the pairs of
  spheres around them. --verify checks both lists, that of triangles in whole numbers.

Pairs
  The output is the pairs of the last step, with a < b, sorted by a, then b: .npy of u32 with the shape (pairs, 2), or
  .csv with the header "a,b". Both engines write the same bytes.

Steps
  The first step finds the pairs. Each further step moves the objects by --dt and finds the pairs again. Centres stay
  in the box, whose walls reflect. With --response, colliding objects push each other apart and exchange their
  velocities along the line between them, like equal masses. On the GPU a step is one graph of launches, which is
  replayed: cells, a sort by cell, candidate pairs from neighbouring cells, a test of each, and the compaction of the
  colliding pairs. Memory for both lists is allocated first. If a step needs more, the run begins again with as much as
  it needs, unless --max-pairs or --max-candidates forbids it. On the CPU the list of pairs grows.

Pictures
  --picture draws the last step. With several steps and .webp it makes a film of every K-th step (--every K). --frames
  writes each of these as a PNG. Triangles are drawn as they are, other objects as spheres, on a floor below the scene.
  Pictures come into their places behind the pairs, when the run has succeeded.
)";

scene make_scene(const collide_plan& plan, phase_clock& clock) {
  scoped_phase reading(clock, phase::read);
  if (const auto* particles = std::get_if<particle_request>(&plan.objects)) return make_particles(*particles);
  return read_scene(std::get<file_request>(plan.objects));
}

// On the GPU, where room is allocated before anything is counted: a small scene gets much room per
// object, which costs little; a large one gets enough for objects that do not pile up. If that does
// not suffice, the run begins again.
pair_counts room_for(const collide_plan& plan, std::uint64_t objects, bool on_gpu) {
  if (!on_gpu) return {plan.max_candidates.value_or(no_limit), plan.max_pairs.value_or(no_limit)};
  const auto room = [&](std::uint64_t per_object, std::uint64_t generous, std::uint64_t most_generous) {
    return std::max({std::uint64_t{1} << 20, per_object * objects, std::min(generous * objects, most_generous)});
  };
  return {plan.max_candidates.value_or(room(32, 256, std::uint64_t{1} << 26)),
          plan.max_pairs.value_or(room(16, 64, std::uint64_t{1} << 24))};
}

void record_comparison(const collide_plan& plan, simulation& world, const settings& how, bool on_gpu, report& facts) {
  if (!plan.compare) return;
  const step_comparison times =
      on_gpu ? compare_with_thrust(world.objects(), how, world.account().last)
             : step_comparison{{}, {}, "the engine is the CPU's, which has no step on Thrust to compare with"};
  if (!times.thrust) {
    facts.details.push_back({"comparison", times.reason});
    facts.summary += fmt::format("; no comparison with Thrust: {}", times.reason);
    return;
  }
  facts.details.push_back({"detection_seconds", *times.own});
  facts.details.push_back({"thrust_detection_seconds", *times.thrust});
  facts.summary +=
      fmt::format("; a detection takes {:.3g} ms, on Thrust {:.3g} ms", 1000 * *times.own, 1000 * *times.thrust);
}

void record_simulation(report& facts, const settings& how, const step_account& account, const timings& times) {
  const std::pair<std::string, detail> first[] = {{"steps", account.steps},
                                                  {"cells", std::uint64_t{how.grid.cells()}},
                                                  {"candidates", account.last.candidates},
                                                  {"pairs", account.last.pairs},
                                                  {"seconds_per_step", times.step}};
  facts.details.insert(facts.details.begin(), std::begin(first), std::end(first));
  for (std::size_t p = 0; p < phase_names.size(); ++p)
    facts.details.push_back({fmt::format("{}_seconds", phase_names[p]), times.phases[p]});
  facts.count_out = account.last.pairs;
  facts.counted = "objects";
  facts.detail_bytes = facts.count * account.steps * sizeof(sphere);
  facts.summary = fmt::format("{} objects in {} cells, {} candidate pairs, {} colliding pairs, {} step{} of {:.3g} ms",
                              facts.count, how.grid.cells(), account.last.candidates, account.last.pairs, account.steps,
                              account.steps == 1 ? "" : "s", 1000 * times.step);
}

void run_collide(const collide_plan& plan, report& facts) {
  if (plan.dry_run) return print_forecast(forecast_of(plan), plan.style);
  phase_clock clock;
  record_files(plan, facts);
  const scene what = make_scene(plan, clock);
  facts.count = what.spheres.size();
  output_file file(plan.output, plan.compression_level);
  std::optional<picture_writer> pictures;
  if (plan.pictures) pictures.emplace(*plan.pictures, plan.steps);
  const engine_choice engine = choose_engine(plan.engine);
  record_engine(engine, facts);

  const bool on_gpu = facts.engine == "cuda";
  settings how = settings_for(what, plan.dt, room_for(plan, what.spheres.size(), on_gpu), plan.response);
  std::vector<object_pair> pairs;
  std::vector<sphere> objects;
  const auto narrow = [&](std::vector<object_pair> of) { return plan.exact ? touching(of, what.triangles) : of; };
  {
    scoped_phase computing(clock, on_gpu ? phase::kernel : phase::compute);
    const pair_counts allowed{plan.max_candidates.value_or(no_limit), plan.max_pairs.value_or(no_limit)};
    const auto [world, begun_again] =
        run_scene(what, how, plan.steps, allowed, on_gpu ? make_cuda_simulation : make_cpu_simulation,
                  pictures ? &*pictures : nullptr, narrow);
    if (begun_again > 0) facts.details.push_back({"begun_again", begun_again});
    pairs = world->pairs();
    if (plan.verify) objects = world->objects();
    record_simulation(facts, how, world->account(), world->times());
    record_comparison(plan, *world, how, on_gpu, facts);
  }
  std::vector<object_pair> of_spheres;
  if (plan.exact) {
    scoped_phase computing(clock, phase::compute);
    of_spheres = std::exchange(pairs, touching(pairs, what.triangles));
  }
  record_verification(plan.verify, facts, [&] {
    if (!plan.verify) return;
    scoped_phase checking(clock, phase::verify);
    verify_pairs(objects, plan.exact ? of_spheres : pairs);
    if (plan.exact) verify_triangles(what.triangles, of_spheres, pairs);
  });
  if (plan.exact) {
    facts.details.push_back({"touching_triangles", std::uint64_t{pairs.size()}});
    facts.summary += fmt::format("; {} pairs of triangles touch", pairs.size());
    facts.count_out = pairs.size();
  }
  {
    scoped_phase writing(clock, phase::write);
    write_pairs(file, plan.pairs, pairs);
    if (pictures) pictures->write_file();
    file.commit();
    if (pictures) pictures->commit();
  }
  print_report(facts, clock, plan.style);
}

}  // namespace

command_run add_collide(CLI::App& app) {
  const auto options = std::make_shared<collide_options>();
  CLI::App& command = *app.add_subcommand("collide", "find the pairs of spheres that collide, also over steps in time");
  add_input_and_output(command, *options);
  command.get_option("INPUT")->description("a file of points or triangles; - is standard input");
  add_number_option(command, "--particles", options->particles, "make N particles instead of reading a file")
      .type_name("N");
  command.add_option("--radius", options->radius, "radius of each object; for triangles it is added to their spheres")
      ->type_name("R");
  command.add_option("--box", options->box, "particles: the edge of their box (1)")->type_name("L");
  add_number_option(command, "--clusters", options->clusters,
                    "particles: place them in N clusters, not uniformly in the box")
      .type_name("N");
  add_number_option(command, "--seed", options->seed, "seed of random positions and velocities (0)").type_name("S");
  command.add_option("--speed", options->speed, "largest velocity along each axis (particles 1, files 0)")
      ->type_name("V");
  command.add_option("--of", options->of, "meshes: the kind of the objects (vertices)")
      ->type_name("vertices|triangles");
  command.add_flag("--exact", options->exact,
                   "triangles: those that have a point in common, not their\nspheres, without rounding (one step)");
  command.add_option("--format", options->format, "of the file, if its name does not give it")
      ->type_name("obj|ply|stl|gltf|glb|npy");
  add_number_option(command, "--steps", options->steps, "number of steps (1)", {.least = 1}).type_name("N");
  command.add_option("--dt", options->dt, "the time between two steps (0.01)")->type_name("T");
  command.add_flag("--response", options->response, "colliding objects push each other");
  add_number_option(
      command, "--max-pairs", options->max_pairs,
      "fail if a step has more colliding pairs (no limit), with\n--exact of spheres; on the GPU also the room for them",
      {.least = 1})
      .type_name("N");
  add_number_option(command, "--max-candidates", options->max_candidates, "the same for candidate pairs", {.least = 1})
      .type_name("N");
  command
      .add_option("--picture", options->picture,
                  "draw the last step, colliding objects in orange: .png or\n.webp; of several steps, .webp is a film")
      ->type_name("FILE");
  command.add_option("--frames", options->frames, "write pictures into this folder: frame_000001.png, ...")
      ->type_name("DIR");
  add_number_option(command, "--every", options->every, "draw a picture every K steps (1)", {.least = 1})
      .type_name("K");
  command.add_option("--frame-size", options->size, "the size of a picture in pixels (960x640); N is a square")
      ->type_name("WxH");
  add_number_option(command, "--frame-rate", options->frame_rate, "pictures a second of a film (25)",
                    {.least = 1, .most = 1000})
      .type_name("N");
  command
      .add_option("--view", options->view,
                  "the view of pictures, in degrees: around the upward\naxis, and above the horizon (30:20)")
      ->type_name("AZIMUTH:ELEVATION");
  command.add_option("--up", options->up, "the axis that is upwards in pictures (y)")->type_name("x|y|z");
  command.add_flag("--compare", options->compare,
                   "measure a detection beside one made of Thrust's sort, scans\nand copy_if (GPU only)");
  add_engine_and_report(command, *options);
  command.footer(std::string(collide_help) + output_help);
  return {[options](report& facts) { run_collide(plan_collide(*options), facts); },
          [options] { return options->style(); }};
}

}  // namespace ballot::app
