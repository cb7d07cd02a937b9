// SPDX-License-Identifier: Apache-2.0
// Which items of a file a process has: parts of sizes that differ by one at most, in the order of
// the processes.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstdint>
#include <vector>

namespace ballot::app {

// The begin of the part of process `rank`; that of process `ranks` is the end. Counts up to 2^64 -
// 1 do not wrap.
constexpr std::uint64_t part_begin(std::uint64_t items, int rank, int ranks) {
  const auto r = static_cast<std::uint64_t>(rank), all = static_cast<std::uint64_t>(ranks);
  return items / all * r + items % all * r / all;
}
constexpr std::uint64_t part_size(std::uint64_t items, int rank, int ranks) {
  return part_begin(items, rank + 1, ranks) - part_begin(items, rank, ranks);
}
// The process that has an item.
constexpr int owner_of(std::uint64_t item, std::uint64_t items, int ranks) {
  int low = 0, high = ranks - 1;
  while (low < high) {
    const int middle = low + (high - low + 1) / 2;
    if (part_begin(items, middle, ranks) <= item) low = middle;
    else high = middle - 1;
  }
  return low;
}

}  // namespace ballot::app
