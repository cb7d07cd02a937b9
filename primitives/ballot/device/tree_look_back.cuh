// SPDX-License-Identifier: Apache-2.0
// Look-back over a tree: computes the exclusive prefix of a tile. The sums are added in the same
// order on every run.
//
//     level 2                     [            sum of 1024 tiles             ] ...
//     level 1   [ sum of 32 tiles ][ sum of 32 tiles ] ... [                ] ...
//     level 0   [t][t][t] ... [t]  [t][t][t] ... [t]       [t][t][t][T]
//
//     tile T = 32 g + 3 adds: the 3 tiles before it in its group of 32,
//                             before them the groups before g in g's group of 32 groups,
//                             before them the groups of 1024 tiles before that, ...
//
// The look-back of device/look_back.cuh adds the aggregates or the prefix that it happens to find.
// So the grouping of its operands depends on timing, and sums of floats differ from run to run.
// Here the grouping depends on the tile's number alone.
//
// There is a state for each tile at level 0, for each 32 tiles at level 1, for each 1024 at level
// 2, and so on. A tile publishes its aggregate at level 0. The last tile of 32 adds its group and
// publishes the sum at level 1. The last of 32 groups does so at level 2. At each level at most 31
// states of a tile's group precede it. They take one load per lane and one warp scan, whose lanes
// associate in one way only.
//
// No tile waits for another's prefix, so prefixes form no chain. States of a higher level are
// loaded before the tile waits for the lower one.
//
// Sources: Blelloch, Prefix Sums and Their Applications, 1990, for the tree; Merrill and Garland,
// 2016, for the tiles of a single pass.
//
// Progress: as in look_back.cuh, tickets number the tiles. A state at any level is published by the
// last tile that it covers. That tile waits only for earlier tiles.
//
// No kernel of its own. The states must be zero before the launch: zero means empty. Accesses are
// relaxed: a state has its value in it, and no other memory is handed over (device/tile_state.cuh).
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/device/tile_state.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/scan.cuh>

#include <cstdint>

namespace ballot::device {

template <class State>
class tree_look_back {
 public:
  using value_type = typename State::value_type;
  using word = typename State::word;
  static constexpr std::uint32_t radix = simt::warp_size;

  // The number of state words of so many tiles: level after level, full groups only.
  static constexpr std::uint64_t state_count(std::uint64_t tiles) {
    std::uint64_t count = 0;
    for (; tiles != 0; tiles /= radix) count += tiles;
    return count;
  }

  // One thread, before publish_and_look_back, which publishes the same again: other tiles need not wait for what the
  // block does in between.
  static __device__ __forceinline__ void publish(word* states, std::uint32_t tile, const value_type& total) {
    publish_state(states + tile, State::pack(tile_status::aggregate, total));  // pairs with load_state in `look`
  }

  // All 32 lanes of one warp of the block. Publishes `total`, the tile's aggregate, and the sums of
  // the groups that end with this tile. Returns the exclusive prefix, in every lane: op of
  // `initial` (if HasInitial) and of all tiles before `tile`. If there is neither, it returns
  // `initial`. `tiles`: the number that the states were counted for. Waits for earlier tiles.
  template <bool HasInitial, class Op = plus>
  static __device__ __forceinline__ value_type publish_and_look_back(word* states, std::uint32_t tiles,
                                                                     std::uint32_t tile, value_type initial,
                                                                     value_type total, Op op = {}) {
    const unsigned lane = simt::lane_id();
    word* level = states;        // of this level: its states,
    std::uint32_t size = tiles;  // how many there are,
    std::uint32_t index = tile;  // which of them covers the tile,
    bool complete = true;        // whether it ends with the tile,
    value_type own = total;      // and if so, its value
    value_type prefix = initial;
    bool has_prefix = false;

    if (lane == 0) publish_state(level + index, State::pack(tile_status::aggregate, own));  // pairs with load_state
    word found = look(level, index);
    while (complete || index != 0) {
      const std::uint32_t before = index % radix;  // states in the group ahead of this one
      const word ahead = look(level + size, index / radix);
      if (before != 0) {
        value_type value = own;  // lanes at and above `before` repeat it
        if (lane < before) {
          while (State::status(found) == tile_status::empty) {    // the state loaded ahead may be old: load again first
            found = load_state(level + (index - before + lane));  // pairs with publish_state
            if (State::status(found) == tile_status::empty) simt::spin_hint();
          }
          value = State::value(found);
        }
        const value_type lane_inclusive = scan_group(value, before + (complete ? 1u : 0u), op);
        const value_type in_group = simt::shuffle(lane_inclusive, before - 1);
        prefix = has_prefix ? op(in_group, prefix) : in_group;
        has_prefix = true;
        own = simt::shuffle(lane_inclusive, radix - 1);
      }
      complete = complete && before == radix - 1;
      level += size;
      size /= radix;
      index /= radix;
      if (complete && lane == 0) publish_state(level + index, State::pack(tile_status::aggregate, own));  // as above
      found = ahead;
    }
    return HasInitial && has_prefix ? op(initial, prefix) : prefix;
  }

 private:
  // The inclusive sums of the first `states` lanes.
  template <class Op>
  static __device__ __forceinline__ value_type scan_group(value_type value, unsigned states, Op op) {
    if constexpr (ballot::detail::accepts_any_operand<Op, value_type>) return warp::inclusive_scan(value, op);
    else return warp::inclusive_scan(value, op, warp::first_items{states});
  }

  // The current state that this lane reads among those before `index` in its group; empty if there is none.
  static __device__ __forceinline__ word look(const word* level, std::uint32_t index) {
    const std::uint32_t before = index % radix;
    if (simt::lane_id() >= before) return word{};
    return load_state(level + (index - before + simt::lane_id()));  // pairs with publish_state
  }
};

}  // namespace ballot::device
