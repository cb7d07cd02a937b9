// SPDX-License-Identifier: Apache-2.0
// Stream compaction in host memory on all cores.
#pragma once

#include <ballot/core/namespace.hpp>

#include "engines/cpu/masks.hpp"
#include "engines/cpu/radix_passes.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ballot::app::cpu {

// Keeps the items that a mask selects, in order. mask_of(first, count, mask) fills the mask of a
// block; item_at(i) is an item; `to` has room for all that may be kept. Returns how many were kept.
// Items are looked at twice, as a cheap mask costs less than the memory for masks.
template <class Item, class MaskOf, class ItemAt>
std::size_t compact_items(std::size_t count, const MaskOf& mask_of, const ItemAt& item_at, Item* to) {
  if (count == 0) return 0;
  const parts pieces(count);
  const auto for_each_block = [&](std::size_t p, const auto& work) {
    std::uint8_t mask[mask_block];
    for (std::size_t at = pieces.begin(p), end = pieces.begin(p + 1); at < end; at += mask_block) {
      const std::size_t size = std::min(mask_block, end - at);
      mask_of(at, size, mask);
      work(at, size, mask);
    }
  };
  std::vector<std::size_t> places(pieces.count());
  if (pieces.count() > 1)
    tbb::parallel_for(std::size_t{0}, pieces.count(), [&](std::size_t p) {
      std::size_t kept = 0;
      for_each_block(p,
                     [&](std::size_t, std::size_t size, const std::uint8_t* mask) { kept += count_mask(mask, size); });
      places[p] = kept;
    });
  std::size_t total = 0;
  for (std::size_t& place : places) total += std::exchange(place, total);
  tbb::parallel_for(std::size_t{0}, pieces.count(), [&](std::size_t p) {
    Item* next = to + places[p];
    Item block[mask_block];
    for_each_block(p, [&](std::size_t at, std::size_t size, const std::uint8_t* mask) {
      // Without a branch; in a block of its own, because the place behind the last item may be
      // another thread's.
      std::size_t kept = 0;
      for (std::size_t i = 0; i < size; ++i) {
        block[kept] = item_at(at + i);
        kept += mask[i];
      }
      next = std::copy_n(block, kept, next);
    });
    if (pieces.count() == 1) total = static_cast<std::size_t>(next - to);
  });
  return total;
}

}  // namespace ballot::app::cpu
