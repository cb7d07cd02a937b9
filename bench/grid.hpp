// SPDX-License-Identifier: Apache-2.0
// The grid: what people do, at sizes that are no powers of two. Each case is an operation, its data
// and a size.
//
// A case ends before the next one begins. First its answers are checked. Then its contenders take
// turns, in an order that changes from round to round. So a drift of the clocks spreads over all of
// them. The time of a contender is the median over the rounds. How a call is timed, and when the L2
// is cold, is as everywhere (stopwatch.hpp); up to 2^20 items, graph replays are timed too.
#pragma once

#include <ballot/core/namespace.hpp>

#include "harness.hpp"
#include "operation.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ballot::bench {

struct grid_row {
  std::string name;  // FAMILY:CASE, or FAMILY
  std::uint64_t n;
  mode how;
  std::map<std::string, double> seconds;  // of a call, by contender
};

struct grid_effort {
  bool quick = false;
  int rounds() const { return quick ? 5 : 9; }
  static int calls_a_round(std::uint64_t n) {
    return n <= std::uint64_t{1} << 20 ? 12 : n <= std::uint64_t{1} << 24 ? 5 : n <= std::uint64_t{1} << 26 ? 3 : 1;
  }
};

// Throws std::runtime_error where an answer is wrong or a call fails: then the case has no rows.
std::vector<grid_row> measure_case(harness& device, const operation& task, std::uint64_t n, const grid_effort& effort);

}  // namespace ballot::bench
