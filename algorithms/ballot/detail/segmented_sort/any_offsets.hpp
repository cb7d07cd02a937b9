// SPDX-License-Identifier: Apache-2.0
// Offsets of a sort within segments for the compiled library.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

#include <cstdint>

namespace ballot::detail {

// Offsets whose kind is known only when a kernel runs. They have 4 or 8 bytes. Or there are none,
// because all segments are rows of one length. So the compiled library has one kernel for all of
// them.
struct any_offsets {
  const void* offsets = nullptr;
  std::uint64_t row_items = 0;       // of each row; 0: by offsets
  std::uint64_t tile_items = 0;      // not 0: so many a tile, which are whole rows
  bool are_wide = false;             // the offsets
  bool counts_from_segment = false;  // positions, where they are the values: from the start of their segment

  BALLOT_HOST_DEVICE std::uint64_t operator[](std::uint64_t j) const {
    if (row_items != 0) return j * row_items;
    return are_wide ? static_cast<const std::uint64_t*>(offsets)[j] : static_cast<const std::uint32_t*>(offsets)[j];
  }
};

}  // namespace ballot::detail
