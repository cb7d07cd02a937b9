// ballot collide
#include "base/failure.hpp"
#include "collision/frames.hpp"
#include "collision/pairs_file.hpp"
#include "collision/scene.hpp"
#include "collision/simulation.hpp"
#include "collision/verify.hpp"
#include "commands/commands.hpp"
#include "commands/run.hpp"
#include "files/output_file.hpp"
#include "options/number_option.hpp"
#include "options/options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

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
  Spheres. --particles makes N of them in a box around the origin; else they come from a file: .obj, .ply (text, or
  little-endian bytes), .npy of f32 with the shape (n, 3), or (n, 4) with a radius each. --of triangles takes the smallest
  sphere around each triangle; polygons are cut into triangles. Objects are numbered from 0 in the order of the file.
  Two collide where they have a point in common: (dx*dx + dy*dy) + dz*dz <= (ra + rb)^2, in floats, each operation rounded.

Pairs
  a < b, in the order of a, then b: .npy of u32 with the shape (pairs, 2), or .csv with a line "a,b" in front; of the last
  step, where there are several. Both engines write the same bytes.

Steps
  The first step finds the pairs; each further one moves the objects by --dt and finds them again. Centres stay in their
  box, whose walls reflect. With --response objects that collide push each other apart and exchange their velocities
  along the line between them, as equal masses do.
  On the GPU all of a step is launches (one graph, replayed): cells, a sort by cell, candidate pairs of neighbouring
  cells, a test of each, and the compaction of the tests into the pairs. Room for both lists is set aside beforehand; a
  step that needs more is an error that says how much.
)";

struct collide_options : run_options {
  std::uint64_t particles = 0;
  std::optional<std::uint64_t> clusters, max_pairs, max_candidates;
  std::optional<float> radius, box, speed;
  std::uint64_t seed = 0, steps = 1, every = 1;
  float dt = 0.01f;
  bool response = false;
  std::string format, of, frames;
  std::uint64_t frame_size = 800;
};

void require_number(const std::optional<float>& value, const char* option, bool may_be_zero) {
  if (!value) return;
  if (!(*value >= 0) || *value > largest_coordinate || (*value == 0 && !may_be_zero))
    throw usage_error(
        fmt::format("{} {}: it must be {} and finite", option, *value, may_be_zero ? "0 or more," : "more than 0"));
}

// Everything that the command line alone can tell.
void require_sense(const collide_options& options, bool has_particles) {
  if (has_particles == !options.input.empty())
    throw usage_error(has_particles ? "either a file or --particles" : "nothing to collide: a file, or --particles N");
  if (has_particles && !options.radius) throw usage_error("particles have no size: say --radius");
  if (has_particles && !options.of.empty()) throw usage_error("--of is for files");
  if (!has_particles && (options.clusters || options.box))
    throw usage_error("--clusters and --box are for --particles");
  require_number(options.radius, "--radius", true);
  require_number(options.box, "--box", false);
  require_number(options.speed, "--speed", true);
  require_number(options.dt, "--dt", true);
}

scene make_scene(const collide_options& options, bool has_particles, phase_clock& clock) {
  scoped_phase reading(clock, phase::read);
  if (has_particles)
    return make_particles({options.particles, options.seed, options.clusters.value_or(0), *options.radius,
                           options.box.value_or(1), options.speed.value_or(1)});
  file_request request{options.input,  {},           object_kind::vertices,
                       options.radius, options.seed, options.speed.value_or(0)};
  if (!options.of.empty() && options.of != "vertices" && options.of != "triangles")
    throw usage_error(fmt::format("--of {}: vertices or triangles", options.of));
  if (options.of == "triangles") request.of = object_kind::triangles;
  const auto format = options.format.empty() ? geometry_of_extension(options.input) : geometry_named(options.format);
  if (!format)
    throw usage_error(
        options.format.empty()
            ? fmt::format("{}: the name does not tell the format: say --format (obj, ply, npy)", options.input)
            : fmt::format("unknown format '{}': obj, ply, npy", options.format));
  request.format = *format;
  return read_scene(request);
}

// For small scenes much an object, which costs little; for large ones a few, which is what scenes without heaps have.
pair_counts room_for(const collide_options& options, std::uint64_t objects) {
  const auto room = [&](std::uint64_t an_object, std::uint64_t generous, std::uint64_t most_generous) {
    return std::max({std::uint64_t{1} << 20, an_object * objects, std::min(generous * objects, most_generous)});
  };
  return {options.max_candidates.value_or(room(32, 256, std::uint64_t{1} << 26)),
          options.max_pairs.value_or(room(16, 64, std::uint64_t{1} << 24))};
}

void run_steps(simulation& world, const collide_options& options, const scene& what, const pair_counts& room) {
  if (options.frames.empty()) {
    world.advance(options.steps);
    return require_room(world.account(), room);
  }
  const frame_folder folder(options.frames, static_cast<int>(options.frame_size), what.box, what.largest_radius);
  for (std::uint64_t done = 0; done < options.steps;) {
    const std::uint64_t next = done == 0 ? 1 : std::min(options.every, options.steps - done);
    world.advance(next);
    done += next;
    require_room(world.account(), room);
    folder.write(done, world.objects(), world.pairs());
  }
}

void tell(report& facts, const settings& how, const step_account& account, const timings& times) {
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

void run_collide(const collide_options& options, bool has_particles, report& facts) {
  phase_clock clock;
  require_sense(options, has_particles);
  const engine_name wanted_engine = require_engine(options.engine);
  const std::string output = require_output(options, true);
  const pairs_format output_format = pairs_format_of(output);
  facts.input = options.input;
  facts.output = output;
  const scene what = make_scene(options, has_particles, clock);
  facts.count = what.spheres.size();
  output_file file(output);
  const engine_choice engine = choose_engine(wanted_engine);
  introduce(*engine.chosen, engine.reason, facts);

  const settings how = settings_for(what, options.dt, room_for(options, what.spheres.size()), options.response);
  std::vector<object_pair> pairs;
  std::vector<sphere> objects;
  {
    scoped_phase computing(clock, facts.engine == "cuda" ? phase::kernel : phase::compute);
    const auto world = facts.engine == "cuda" ? make_cuda_simulation(what, how) : make_cpu_simulation(what, how);
    run_steps(*world, options, what, how.room);
    pairs = world->pairs();
    if (options.verify) objects = world->objects();
    tell(facts, how, world->account(), world->times());
  }
  noting_the_verdict(options.verify, facts, [&] {
    if (!options.verify) return;
    scoped_phase checking(clock, phase::verify);
    verify_pairs(objects, pairs);
  });
  {
    scoped_phase writing(clock, phase::write);
    write_pairs(file, output_format, pairs);
    file.commit();
  }
  print_report(facts, clock, options.style());
}

}  // namespace

command_run add_collide(CLI::App& app) {
  const auto options = std::make_shared<collide_options>();
  CLI::App& command = *app.add_subcommand("collide", "find the pairs of spheres that collide, also over steps in time");
  add_input_and_output(command, *options);
  command.get_option("INPUT")->description("a file of points or triangles; - is standard input");
  const CLI::Option* const particles =
      add_number_option(command, "--particles", options->particles, "make N particles instead of reading a file")
          .type_name("N");
  command.add_option("--radius", options->radius, "of each object; of triangles it is added to their spheres")
      ->type_name("R");
  command.add_option("--box", options->box, "of particles: the edge of their box (1)")->type_name("L");
  add_number_option(command, "--clusters", options->clusters,
                    "of particles: in so many clusters, not uniform in the box")
      .type_name("N");
  add_number_option(command, "--seed", options->seed, "of random places and velocities (0)").type_name("S");
  command.add_option("--speed", options->speed, "velocities are up to this along each axis (particles 1, files 0)")
      ->type_name("V");
  command.add_option("--of", options->of, "of a mesh: what the objects are (vertices)")
      ->type_name("vertices|triangles");
  command.add_option("--format", options->format, "of the file, where its name does not tell")
      ->type_name("obj|ply|npy");
  add_number_option(command, "--steps", options->steps, "how many times pairs are found (1)", {.least = 1})
      .type_name("N");
  command.add_option("--dt", options->dt, "the time between two steps (0.01)")->type_name("T");
  command.add_flag("--response", options->response, "colliding objects push each other");
  add_number_option(command, "--max-pairs", options->max_pairs,
                    "room for colliding pairs\n(64 an object, of many objects at least 16)", {.least = 1})
      .type_name("N");
  add_number_option(command, "--max-candidates", options->max_candidates,
                    "room for candidate pairs\n(256 an object, of many objects at least 32)", {.least = 1})
      .type_name("N");
  command.add_option("--frames", options->frames, "write pictures into this folder: frame_000001.png, ...")
      ->type_name("DIR");
  add_number_option(command, "--every", options->every, "a picture every K steps (1)", {.least = 1}).type_name("K");
  add_number_option(command, "--frame-size", options->frame_size, "width and height of a picture in pixels (800)",
                    {.least = 1, .most = largest_frame})
      .type_name("N");
  add_engine_and_report(command, *options);
  command.footer(std::string(collide_help) + output_help);
  return {[options, particles](report& facts) { run_collide(*options, particles->count() > 0, facts); },
          [options] { return options->style(); }};
}

}  // namespace ballot::app
