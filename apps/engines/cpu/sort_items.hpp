// SPDX-License-Identifier: Apache-2.0
// Sorts of columns in host memory on all cores: keys alone, or their positions.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/host_buffer.hpp"
#include "engines/engine.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace ballot::app::cpu {

// Sorts the items in place. `scratch` grows to their size. Stable: items whose bits are equal keep their order.
void sort_items(const sort_request& request, std::span<std::byte> items, host_buffer& scratch);

// The positions (u64) of the items in sorted order, those of equal items ascending.
host_buffer sorted_positions(const sort_request& request, std::span<const std::byte> items);

// The memory that either takes for an item, that of the items included.
std::uint64_t sort_bytes_an_item(const sort_request& request);

}  // namespace ballot::app::cpu
