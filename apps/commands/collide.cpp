// SPDX-License-Identifier: Apache-2.0
// ballot collide
#include "collision/frames.hpp"
#include "collision/pairs_file.hpp"
#include "collision/scene.hpp"
#include "collision/simulation.hpp"
#include "collision/verify.hpp"
#include "commands/commands.hpp"
#include "commands/run.hpp"
#include "files/output_file.hpp"
#include "options/number_option.hpp"
#include "plans/collide_plan.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
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
  ballot collide --particles 20000 --clusters 8 --radius 0.003 --steps 400 --response --frames film --every 4 -o last.npy

Objects
  Objects are spheres. --particles makes N of them in a box around the origin. Otherwise they come from a file: .obj,
  .ply (text or little-endian), .npy of f32 with the shape (n, 3), or (n, 4) with a radius each. --of triangles uses the
  smallest sphere around each triangle; polygons are cut into triangles. Objects are numbered from 0 in the order of the
  file.
  Two objects collide if (dx*dx + dy*dy) + dz*dz <= (ra + rb)^2, in floats, each operation rounded.

Pairs
  The output is the pairs of the last step, with a < b, sorted by a, then b: .npy of u32 with the shape (pairs, 2), or
  .csv with the header "a,b". Both engines write the same bytes.

Steps
  The first step finds the pairs. Each further step moves the objects by --dt and finds the pairs again. Centres stay in
  the box, whose walls reflect. With --response, colliding objects push each other apart and exchange their velocities
  along the line between them, like equal masses.
  On the GPU a step is one graph of launches, which is replayed: cells, a sort by cell, candidate pairs from
  neighbouring cells, a test of each, and the compaction of the colliding pairs. Memory for both lists is allocated
  first. A step that needs more fails, and the error says how much it needs.
)";

scene make_scene(const collide_plan& plan, phase_clock& clock) {
  scoped_phase reading(clock, phase::read);
  if (const auto* particles = std::get_if<particle_request>(&plan.objects)) return make_particles(*particles);
  return read_scene(std::get<file_request>(plan.objects));
}

// A small scene gets much room per object, which costs little; a large one gets enough for objects that do not pile up.
pair_counts room_for(const collide_plan& plan, std::uint64_t objects) {
  const auto room = [&](std::uint64_t per_object, std::uint64_t generous, std::uint64_t most_generous) {
    return std::max({std::uint64_t{1} << 20, per_object * objects, std::min(generous * objects, most_generous)});
  };
  return {plan.max_candidates.value_or(room(32, 256, std::uint64_t{1} << 26)),
          plan.max_pairs.value_or(room(16, 64, std::uint64_t{1} << 24))};
}

void run_steps(simulation& world, const collide_plan& plan, const scene& what, const pair_counts& room) {
  if (!plan.frames) {
    world.advance(plan.steps);
    return require_room(world.account(), room);
  }
  const frame_folder folder(plan.frames->folder, plan.frames->pixels, what.box, what.largest_radius);
  for (std::uint64_t done = 0; done < plan.steps;) {
    const std::uint64_t next = done == 0 ? 1 : std::min(plan.frames->every, plan.steps - done);
    world.advance(next);
    done += next;
    require_room(world.account(), room);
    folder.write(done, world.objects(), world.pairs());
  }
}

void record_simulation(report& facts, const settings& how, const step_account& account, const timings& times) {
  facts.details = {{"steps", account.steps},
                   {"cells", std::uint64_t{how.grid.cells()}},
                   {"candidates", account.last.candidates},
                   {"pairs", account.last.pairs},
                   {"seconds_per_step", times.step}};
  for (std::size_t p = 0; p < phase_names.size(); ++p)
    facts.details.push_back({fmt::format("{}_seconds", phase_names[p]), times.phases[p]});
  facts.count_out = account.last.pairs;
  facts.counted = "objects";
  facts.summary = fmt::format("{} objects in {} cells, {} candidate pairs, {} colliding pairs, {} step{} of {:.3g} ms",
                              facts.count, how.grid.cells(), account.last.candidates, account.last.pairs, account.steps,
                              account.steps == 1 ? "" : "s", 1000 * times.step);
}

void run_collide(const collide_plan& plan, report& facts) {
  phase_clock clock;
  record_files(plan, facts);
  const scene what = make_scene(plan, clock);
  facts.count = what.spheres.size();
  output_file file(plan.output, plan.compression_level);
  const engine_choice engine = choose_engine(plan.engine);
  record_engine(engine, facts);

  const settings how = settings_for(what, plan.dt, room_for(plan, what.spheres.size()), plan.response);
  std::vector<object_pair> pairs;
  std::vector<sphere> objects;
  {
    scoped_phase computing(clock, facts.engine == "cuda" ? phase::kernel : phase::compute);
    const auto world = facts.engine == "cuda" ? make_cuda_simulation(what, how) : make_cpu_simulation(what, how);
    run_steps(*world, plan, what, how.room);
    pairs = world->pairs();
    if (plan.verify) objects = world->objects();
    record_simulation(facts, how, world->account(), world->times());
  }
  record_verification(plan.verify, facts, [&] {
    if (!plan.verify) return;
    scoped_phase checking(clock, phase::verify);
    verify_pairs(objects, pairs);
  });
  {
    scoped_phase writing(clock, phase::write);
    write_pairs(file, plan.pairs, pairs);
    file.commit();
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
  command.add_option("--of", options->of, "meshes: what the objects are (vertices)")->type_name("vertices|triangles");
  command.add_option("--format", options->format, "of the file, if its name does not give it")
      ->type_name("obj|ply|npy");
  add_number_option(command, "--steps", options->steps, "number of steps (1)", {.least = 1}).type_name("N");
  command.add_option("--dt", options->dt, "the time between two steps (0.01)")->type_name("T");
  command.add_flag("--response", options->response, "colliding objects push each other");
  add_number_option(command, "--max-pairs", options->max_pairs,
                    "room for colliding pairs\n(64 per object; for many objects at least 16)", {.least = 1})
      .type_name("N");
  add_number_option(command, "--max-candidates", options->max_candidates,
                    "room for candidate pairs\n(256 per object; for many objects at least 32)", {.least = 1})
      .type_name("N");
  command.add_option("--frames", options->frames, "write pictures into this folder: frame_000001.png, ...")
      ->type_name("DIR");
  add_number_option(command, "--every", options->every, "write a picture every K steps (1)", {.least = 1})
      .type_name("K");
  add_number_option(command, "--frame-size", options->frame_size, "width and height of a picture in pixels (800)",
                    {.least = 1, .most = largest_frame})
      .type_name("N");
  add_engine_and_report(command, *options);
  command.footer(std::string(collide_help) + output_help);
  return {[options](report& facts) { run_collide(plan_collide(*options), facts); },
          [options] { return options->style(); }};
}

}  // namespace ballot::app
