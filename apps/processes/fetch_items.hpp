// SPDX-License-Identifier: Apache-2.0
// Fetches items from other processes by their places in the whole. The parts of the processes are
// those of parts.hpp.
#pragma once

#include <ballot/core/namespace.hpp>

#include "processes/part_sorter.hpp"

#include <cstdint>
#include <span>

namespace ballot::app {

// Collective. `own`: this process's items. item_bytes: of each. `items`: how many all processes
// have. Returns the items at `places`, in the order of `places`. Places may repeat.
host_buffer fetch_items(const process_group& group, part_sorter& by, std::span<const std::byte> own,
                        std::size_t item_bytes, std::uint64_t items, std::span<const std::uint64_t> places);

}  // namespace ballot::app
