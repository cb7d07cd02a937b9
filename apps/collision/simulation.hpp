// SPDX-License-Identifier: Apache-2.0
// A scene that runs: detection, and steps in time, on one of two engines with the same results.
#pragma once

#include <ballot/core/namespace.hpp>

#include "collision/motion.hpp"
#include "collision/scene.hpp"
#include "collision/sphere.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::app::collision {

struct settings {
  cell_grid grid;
  motion how;
  pair_counts room;
  bool response = false;
};

// Phases in the order of a step; pipeline.cuh describes them.
inline constexpr std::array<std::string_view, 4> phase_names = {"move", "cells", "tests", "compaction"};

struct timings {
  double step = 0;                                  // seconds, mean of all steps
  std::array<double, phase_names.size()> phases{};  // of the last step
};

class simulation {
 public:
  virtual ~simulation() = default;
  // The first step of all detects; every further one moves, then detects.
  virtual void advance(std::uint64_t steps) = 0;
  virtual step_account account() = 0;
  virtual std::vector<sphere> objects() = 0;
  virtual std::vector<object_pair> pairs() = 0;  // of the last detection: a < b, in the order of (a, b)
  virtual timings times() = 0;
};

std::unique_ptr<simulation> make_cpu_simulation(const scene& what, const settings& how);
std::unique_ptr<simulation> make_cuda_simulation(const scene& what, const settings& how);

// Room without a limit: for the CPU, which counts before it writes.
inline constexpr std::uint64_t no_limit = ~std::uint64_t{0};

settings settings_for(const scene& what, float dt, const pair_counts& room, bool response);

// Throws failure if a step found more pairs than this room holds, with their number and the option
// that makes room.
void require_room(const step_account& account, const pair_counts& room, std::string_view pairs = "colliding pairs");

// More room after a step did not fit: enough for that step, and a quarter more for later steps.
pair_counts grown(const pair_counts& room, const step_account& account);

}  // namespace ballot::app::collision
