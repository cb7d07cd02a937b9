// SPDX-License-Identifier: Apache-2.0
// The table of a grid. Each body that is the first of its cell has written its index; cells without
// bodies hold `no_body`. Such a cell must point to where the next cell begins. Then cell c has
// bodies first[c] to first[c + 1] - 1.
//
// Before: the table reversed, scanned by minimum, and reversed again; or iterators that walk
// backward.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/core/operators.hpp>
#include <ballot/scan.cuh>

#include <cstdint>
#include <span>

namespace examples {

inline constexpr std::uint32_t no_body = ~0u;

inline std::size_t next_cell_scratch_bytes(std::uint64_t cells) {
  return ballot::scan_scratch_bytes<std::uint32_t>(cells);
}

// In place. The last entry is the number of bodies.
inline void next_cell(const ballot::exec& gpu, std::span<std::uint32_t> first) {
  ballot::inclusive_scan(gpu, first, ballot::minimum{}, first, {.order = ballot::scan_order::backward});
}

}  // namespace examples
