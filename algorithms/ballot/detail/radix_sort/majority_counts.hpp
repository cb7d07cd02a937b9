// SPDX-License-Identifier: Apache-2.0
// What a sort of items with nearly always the same key counts (majority_sort.cuh).
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstdint>

namespace ballot::detail {

// Zero at launch.
struct majority_counts {
  std::uint64_t key;     // of the majority: its ordered bits
  std::uint64_t others;  // how many others there are; in the upper half, how many of them are less
  std::uint32_t ticket;
  std::uint32_t finished;  // parts of the input that have been collected
};

}  // namespace ballot::detail
