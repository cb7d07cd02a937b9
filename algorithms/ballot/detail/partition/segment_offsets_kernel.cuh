// SPDX-License-Identifier: Apache-2.0
// The begins of segments after a compaction: the number of selected items before a position, for
// many positions.
//
//     selected before p  = selected before p's tile (the prefixes of the look-back are still there)
//                          + set bits of the tile before p
//
// One warp for each position: its lanes count the words of the tile, a few each. The time does not
// depend on the lengths of the segments. No shared memory, no barrier.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/count.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/device/look_back.cuh>
#include <ballot/simt/simt.cuh>

namespace ballot::detail {

inline constexpr int segment_offsets_threads = 256;

// words: the flags of n items. states: those of a compaction by these flags in tiles of
// `tile_items`, a multiple of 32. All its tiles have published their inclusive prefixes.
template <class Index>
__global__ void __launch_bounds__(segment_offsets_threads)
    segment_offsets_kernel(const Index* offsets, std::uint64_t positions, length length, const std::uint32_t* words,
                           const device::count_state::word* states, std::uint64_t tile_items,
                           device_count selected_before) {
  const std::uint64_t warp = std::uint64_t{blockIdx.x} * (segment_offsets_threads / simt::warp_size) + simt::warp_id();
  if (warp >= positions) return;
  const std::uint64_t position = smaller(offsets[warp], length.get()), tile = position / tile_items;
  unsigned mine = 0;
  for (std::uint64_t w = tile * tile_items / 32 + simt::lane_id(); w * 32 < position; w += simt::warp_size) {
    const std::uint64_t bits = position - w * 32;
    mine += simt::popcount(bits >= 32 ? words[w] : words[w] & ((1u << bits) - 1u));
  }
  const unsigned in_tile = simt::reduce_add(mine);
  if (simt::lane_id() == 0)
    selected_before.store(in_tile + (tile == 0 ? 0 : device::count_state::value(states[tile - 1])), warp);
}

}  // namespace ballot::detail
