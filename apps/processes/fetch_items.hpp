// SPDX-License-Identifier: Apache-2.0
// Items of all processes by their places: each asks who has them. Each process has the part_begin()
// part.
#pragma once

#include <ballot/core/namespace.hpp>

#include "processes/part_sorter.hpp"

#include <cstdint>
#include <span>

namespace ballot::app {

// Collective. `own`: this process's items, of so many bytes each; of all there are `items`. Returns
// those at `places`, in their order; places may repeat.
host_buffer fetch_items(const process_group& group, part_sorter& by, std::span<const std::byte> own,
                        std::size_t item_bytes, std::uint64_t items, std::span<const std::uint64_t> places);

}  // namespace ballot::app
