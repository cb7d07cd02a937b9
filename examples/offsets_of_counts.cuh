// SPDX-License-Identifier: Apache-2.0
// Offsets from counts: where the neighbours of each body begin, and at the end their total number.
//
// Before: an exclusive scan of N + 1 counts, the last one a zero, or one of N counts and a kernel
// for the last entry.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/scan.cuh>

#include <cstdint>
#include <span>

namespace examples {

inline std::size_t offsets_of_counts_scratch_bytes(std::uint64_t n) {
  return ballot::scan_scratch_bytes<std::uint64_t>(n);
}

// Counts of 32 bits, sums of 64. offsets.size() == counts.size() + 1.
inline void offsets_of_counts(const ballot::exec& gpu, std::span<const std::uint32_t> counts,
                              std::span<std::uint64_t> offsets) {
  ballot::counts_to_offsets(gpu, counts, offsets);
}

}  // namespace examples
