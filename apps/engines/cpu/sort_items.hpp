// SPDX-License-Identifier: Apache-2.0
// Sorts of columns in host memory on all cores: keys alone, or their positions.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/host_buffer.hpp"
#include "engines/engine.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ballot::app::cpu {

// Sorts the items in place. `scratch` grows to their size. Stable: items whose bits are equal keep
// their order.
void sort_items(const sort_request& request, std::span<std::byte> items, host_buffer& scratch);

// Where the buckets of a partition begin. An item's bucket is (key - least) >> shift. The key is
// the compared part of the item, as an integer.
struct key_buckets {
  std::uint64_t least = 0;
  int shift = 0;                      // of a key to the number of its bucket
  std::vector<std::uint64_t> begins;  // items, and the end behind them; empty: all items are in order
  std::uint64_t most = 0;             // those of more items are in order
};

// Half of a sort: puts the items into buckets of about `bucket_items`, which follow each other,
// while the items of each keep their order. Large buckets are sorted. The items may change places
// with `scratch`.
key_buckets partition_items(const sort_request& request, host_buffer& items, host_buffer& scratch,
                            std::uint64_t bucket_items);

// The positions (u64) of the items in sorted order, those of equal items ascending.
host_buffer sorted_positions(const sort_request& request, std::span<const std::byte> items);

// The memory that either takes for an item, that of the items included.
std::uint64_t sort_bytes_an_item(const sort_request& request);

}  // namespace ballot::app::cpu
