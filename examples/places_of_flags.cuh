// SPDX-License-Identifier: Apache-2.0
// The offset of each flagged item, and the number of flagged items.
//
// Before: an exclusive sum of 0/1 integers, a reduction of the same integers for the total, a
// blocking copy of the total.
//
// The scan also writes the total. Flags stay bytes, a quarter of the traffic of integers.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/compact.cuh>
#include <ballot/scan.cuh>

#include <cstdint>
#include <span>

namespace examples {

inline std::size_t places_of_flags_scratch_bytes(std::uint64_t n) {
  return ballot::scan_scratch_bytes<std::uint32_t>(n);
}

// places[i]: the set flags before flag i. `total`: a device address, for the kernel that scatters
// by the places.
inline void places_of_flags(const ballot::exec& gpu, std::span<const std::uint8_t> flags,
                            std::span<std::uint32_t> places, std::uint32_t* total) {
  ballot::exclusive_scan_flags(gpu, flags, places, {.total = total});
}

inline std::size_t list_of_flags_scratch_bytes(std::uint64_t n) {
  return ballot::compact_indices_scratch_bytes<std::uint32_t, std::uint32_t>(n);
}

// If the offsets were only used to scatter indices, this makes the list of indices directly. Its
// count is the length of the next call.
inline void list_of_flags(const ballot::exec& gpu, std::span<const std::uint8_t> flags, std::span<std::uint32_t> list,
                          std::uint64_t* count) {
  ballot::compact_indices(gpu, ballot::positions(flags.size()), ballot::byte_flags{flags}, list, count);
}

}  // namespace examples
