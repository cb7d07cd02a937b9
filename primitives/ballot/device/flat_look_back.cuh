// SPDX-License-Identifier: Apache-2.0
// Look-back over the aggregates of all tiles before a tile, which an earlier launch has stored. It
// is for few tiles.
//
//     states      [t][t][t][t] [t][t][t][t] [t][t][t] T
//     lane        0            1            2           consecutive states, then a scan of the warp
//
// A kernel is launched twice (tile_exchange in device/look_back.cuh). No tile waits for another, so
// neither states nor a ticket have to be cleared. All states are requested at once: one round trip
// to the L2 cache. But the work grows with the square of the number of tiles, so this is for few
// tiles. The grouping of the operands depends only on the tile's number. So sums of floats have the
// same bits on every run.
//
// No kernel of its own. The states are those of the launch before, for which the block has waited.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/device/tile_state.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/lanes.cuh>
#include <ballot/warp/scan.cuh>

#include <cstdint>

namespace ballot::device {

template <class State>
class flat_look_back {
 public:
  using value_type = typename State::value_type;
  using word = typename State::word;

  // The number of state words of so many tiles.
  static constexpr std::uint64_t state_count(std::uint64_t tiles) { return tiles; }

  // One thread: stores the aggregate of a tile for the next launch. It does not read what was
  // there.
  static __device__ __forceinline__ void store_for_next_launch(word* states, std::uint32_t tile,
                                                               const value_type& aggregate) {
    states[tile] = State::pack(tile_status::aggregate, aggregate);
  }

  // All 32 lanes of a warp: op of all tiles before `tile`, in tile order, in every lane. tile >= 1.
  template <class Op = plus>
  static __device__ __forceinline__ value_type exclusive_prefix(const word* states, std::uint32_t tile, Op op = {}) {
    constexpr unsigned loads = 4;  // of a lane, in flight
    const std::uint32_t each = (tile + simt::warp_size - 1) / simt::warp_size, lanes = (tile + each - 1) / each;
    const std::uint32_t first = simt::lane_id() * each, end = first + each < tile ? first + each : tile;
    value_type sum{};
#pragma unroll 1
    for (std::uint32_t at = first; at < end; at += loads) {
      word found[loads];
#pragma unroll
      for (unsigned i = 0; i < loads; ++i)
        if (at + i < end) found[i] = states[at + i];
#pragma unroll
      for (unsigned i = 0; i < loads; ++i) {
        if (at + i >= end) continue;
        const value_type next = State::value(found[i]);
        sum = at == first && i == 0 ? next : op(sum, next);
      }
    }
    simt::sync_warp();
    value_type inclusive;
    if constexpr (ballot::detail::accepts_any_operand<Op, value_type>) inclusive = warp::inclusive_scan(sum, op);
    else inclusive = warp::inclusive_scan(sum, op, warp::first_items{lanes});
    return simt::shuffle(inclusive, lanes - 1);
  }
};

}  // namespace ballot::device
