// SPDX-License-Identifier: Apache-2.0
// All steps of a scene, with pictures of them, and with as much room for pairs as they turn out to
// need.
#pragma once

#include <ballot/core/namespace.hpp>

#include "collision/frames.hpp"
#include "collision/scene.hpp"
#include "collision/simulation.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ballot::app::collision {

using simulation_maker = std::function<std::unique_ptr<simulation>(const scene&, const settings&)>;

using pair_filter = std::function<std::vector<object_pair>(std::vector<object_pair>)>;

struct finished_run {
  std::unique_ptr<simulation> world;
  std::uint64_t begun_again = 0;  // how often the room did not suffice
};

// If a step finds more pairs than how.room holds, the run begins again with more room (in `how`,
// too), up to `allowed`; beyond that it throws failure. `pictures`: null where there are none.
// `narrow` makes of the pairs of spheres those that are drawn; without, all are.
finished_run run_scene(const scene& what, settings& how, std::uint64_t steps, const pair_counts& allowed,
                       const simulation_maker& make, picture_writer* pictures, const pair_filter& narrow = {});

}  // namespace ballot::app::collision
