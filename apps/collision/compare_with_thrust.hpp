// SPDX-License-Identifier: Apache-2.0
// How long a step takes beside the same step made of Thrust's calls.
#pragma once

#include <ballot/core/namespace.hpp>

#include "collision/simulation.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ballot::app::collision {

struct step_comparison {
  std::optional<double> own, thrust;  // seconds: medians of 21 steps that detect and do not move
  std::string reason{};               // why not, where they are not there
};

// Both on the GPU, with the same objects; the counts of pairs must agree. `found`: of a step with
// these objects.
step_comparison compare_with_thrust(const std::vector<sphere>& objects, const settings& how, const pair_counts& found);

}  // namespace ballot::app::collision
