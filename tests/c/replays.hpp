// SPDX-License-Identifier: Apache-2.0
// Calls of the C library in one captured graph that is replayed with other data: where they work,
// and arrays that have as many items as the device says.
#pragma once

#include "c/support.hpp"

#include "support/replayed_calls.hpp"

#include <numeric>

namespace ballot::test::c {

inline ballot_exec on(const exec& gpu) { return ballot_on(gpu.stream(), gpu.scratch().data(), gpu.scratch().size()); }

template <class T>
ballot_array now(const replayed_calls& calls, const guarded<T>& items) {
  return ballot_counted(items.data(), items.size(), code<T>, calls.length(), BALLOT_U64);
}
template <class T>
ballot_array now(const replayed_calls& calls, const changing<T>& items) {
  return now(calls, items.device);
}

// Random offsets of `segments` segments in `items` items, in order; some segments are empty.
inline changing<u32>& segment_offsets(replayed_calls& calls, std::size_t segments, std::size_t items) {
  return calls.filled<u32>(segments + 1, [items](std::vector<u32>& offsets, std::mt19937& random) {
    for (u32& at : offsets) at = static_cast<u32>(random() % (items + 1));
    offsets.back() = static_cast<u32>(items);
    std::sort(offsets.begin(), offsets.end());
    offsets.front() = 0;
    offsets[2] = offsets[1];
  });
}
// Those offsets, of the items that there are.
inline std::vector<u32> cut(std::vector<u32> offsets, std::size_t there) {
  for (u32& at : offsets) at = std::min(at, static_cast<u32>(there));
  return offsets;
}

// The positions [begin, end), stably sorted by their keys. The largest first, or else the smallest.
inline std::vector<u32> order_of(const std::vector<u32>& keys, std::size_t begin, std::size_t end, bool descending) {
  std::vector<u32> order(end - begin);
  std::iota(order.begin(), order.end(), static_cast<u32>(begin));
  std::stable_sort(order.begin(), order.end(),
                   [&](u32 a, u32 b) { return descending ? keys[b] < keys[a] : keys[a] < keys[b]; });
  return order;
}
template <class T>
std::vector<T> items_at(const std::vector<T>& items, const std::vector<u32>& positions) {
  std::vector<T> found;
  for (const u32 at : positions) found.push_back(items[at]);
  return found;
}

}  // namespace ballot::test::c
