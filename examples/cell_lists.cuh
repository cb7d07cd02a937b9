// SPDX-License-Identifier: Apache-2.0
// Cell lists: particles in the order of their cells, and where each cell begins, empty cells too.
//
// Before: atomic counters for each cell, a scan, and a scatter with atomics, whose order differs
// from run to run.
//
// Sorted by the bits that a cell's number has. The begin of cell c is the number of particles in
// cells before c. This is a lower bound for each number from 0 to `cells`. These numbers are an
// input without memory.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/search.cuh>
#include <ballot/sort.cuh>

#include <bit>
#include <cstdint>
#include <span>

namespace examples {

inline std::size_t cell_lists_scratch_bytes(std::uint64_t n) {
  return ballot::argsort_scratch_bytes<std::uint32_t, std::uint32_t>(n);
}

// particles: those of cell c are particles[begins[c]] to particles[begins[c + 1]], in their order.
// begins: cells + 1.
inline void cell_lists(const ballot::exec& gpu, std::span<const std::uint32_t> cell_of_particle,
                       std::span<std::uint32_t> sorted_cells, std::span<std::uint32_t> particles,
                       std::span<std::uint32_t> begins) {
  const std::uint64_t cells = begins.size() - 1;
  ballot::argsort(gpu, cell_of_particle, sorted_cells, particles, {.bits = {0, std::bit_width(cells - 1)}});
  ballot::lower_bound(gpu, sorted_cells, ballot::positions(cells + 1), begins);
}

}  // namespace examples
