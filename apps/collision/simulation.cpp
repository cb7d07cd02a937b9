// SPDX-License-Identifier: Apache-2.0
#include "collision/simulation.hpp"

#include "base/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ballot::app::collision {

settings settings_for(const scene& what, float dt, const pair_counts& room, bool response) {
  double longest = 0, fastest = 0;
  for (int axis = 0; axis < 3; ++axis)
    longest = std::max(longest, static_cast<double>(what.box.high[axis]) - static_cast<double>(what.box.low[axis]));
  for (const velocity& v : what.velocities)
    fastest = std::max({fastest, std::abs(static_cast<double>(v.x)), std::abs(static_cast<double>(v.y)),
                        std::abs(static_cast<double>(v.z))});
  // 40 bits for what is largest now; there are 22 above for what adds up.
  const auto units_for = [](double largest) {
    return largest > 0 ? std::ldexp(1.0, 40 - std::ilogb(largest)) : std::ldexp(1.0, 40);
  };
  return {fit_grid(what.box, what.largest_radius, most_cells_for(what.spheres.size())),
          {dt, what.box, units_for(std::max(longest, static_cast<double>(what.largest_radius))), units_for(fastest)},
          room,
          response};
}

void require_room(const step_account& account, const pair_counts& room, std::string_view pairs) {
  if (account.overflowed == 0) return;
  if (account.wanted.candidates > room.candidates)
    throw failure(fmt::format("step {} has {} candidate pairs and there is room for {}: use --max-candidates {}",
                              account.overflowed, account.wanted.candidates, room.candidates,
                              account.wanted.candidates));
  if (account.wanted.pairs > room.pairs)
    throw failure(fmt::format("step {} has {} {} and there is room for {}: use --max-pairs {}", account.overflowed,
                              account.wanted.pairs, pairs, room.pairs, account.wanted.pairs));
}

pair_counts grown(const pair_counts& room, const step_account& account) {
  const auto enough = [](std::uint64_t now, std::uint64_t wanted) { return wanted > now ? wanted + wanted / 4 : now; };
  return {enough(room.candidates, account.wanted.candidates), enough(room.pairs, account.wanted.pairs)};
}

}  // namespace ballot::app::collision
