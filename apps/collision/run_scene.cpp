// SPDX-License-Identifier: Apache-2.0
#include "collision/run_scene.hpp"

#include <algorithm>
#include <utility>

namespace ballot::app::collision {
namespace {

// Returns false where a step found more than there was room for.
bool run_steps(simulation& world, std::uint64_t steps, const scene& what, picture_writer* pictures,
               const pair_filter& narrow) {
  if (pictures != nullptr) pictures->begin(what);
  const std::uint64_t between = pictures != nullptr ? pictures->steps_between() : steps;
  for (std::uint64_t done = 0; done < steps;) {
    const std::uint64_t next = done == 0 && between < steps ? 1 : std::min(between, steps - done);
    world.advance(next);
    done += next;
    if (world.account().overflowed != 0) return false;
    if (pictures != nullptr) pictures->write(done, world.objects(), narrow ? narrow(world.pairs()) : world.pairs());
  }
  return true;
}

}  // namespace

finished_run run_scene(const scene& what, settings& how, std::uint64_t steps, const pair_counts& allowed,
                       const simulation_maker& make, picture_writer* pictures, const pair_filter& narrow) {
  for (std::uint64_t begun_again = 0;; ++begun_again) {
    std::unique_ptr<simulation> world = make(what, how);
    if (run_steps(*world, steps, what, pictures, narrow)) return {std::move(world), begun_again};
    const step_account account = world->account();
    require_room(account, allowed,
                 what.triangles.empty() ? "colliding pairs" : "pairs of triangles whose spheres collide");
    const pair_counts more = grown(how.room, account);
    how.room = {std::min(more.candidates, allowed.candidates), std::min(more.pairs, allowed.pairs)};
  }
}

}  // namespace ballot::app::collision
