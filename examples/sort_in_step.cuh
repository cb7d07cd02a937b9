// SPDX-License-Identifier: Apache-2.0
// Bodies sorted by their cell, inside a step. The sort uses only the bits that a cell number has,
// works in place, and reads the number of bodies on the device.
//
// Before: a sort of all 32 bits into second buffers, copies back, and a length read from the
// device.
//
// The call is captured once for the capacity; a replay sorts *count pairs. Up to 16 bits take two
// passes; beyond that it is three kernels, and one more for an odd number of passes
// (docs/reference.md).
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/sort.cuh>

#include <cstdint>
#include <span>

namespace examples {

inline std::size_t sort_by_cell_scratch_bytes(std::uint64_t capacity) {
  return ballot::sort_pairs_in_place_scratch_bytes<std::uint32_t, std::uint32_t>(capacity);
}

// `count`: a device address.
inline void sort_by_cell(const ballot::exec& gpu, std::span<std::uint32_t> cells, std::span<std::uint32_t> bodies,
                         int cell_bits, const std::uint64_t* count) {
  ballot::sort_pairs_in_place(gpu, ballot::counted{cells, count}, bodies, {.bits = {0, cell_bits}});
}

}  // namespace examples
