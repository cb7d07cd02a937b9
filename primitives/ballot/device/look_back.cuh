// SPDX-License-Identifier: Apache-2.0
// Decoupled look-back: computes the exclusive prefix of a tile within one launch.
//
//     tile state   [prefix 7] [prefix 12] [aggregate 3] [aggregate 6] [empty] ...
//     tile 4 looks back:      <- 12, a prefix: stop     <- 3          <- 6     12 + 3 + 6 = 21
//
// A tile publishes its aggregate (the sum of its own items) as soon as it is known. Then the tile
// goes back over its predecessors and adds their aggregates. It stops at a predecessor that has
// published its inclusive prefix (the sum of all items up to the last item of that tile), and adds
// this prefix. Then the tile publishes its own inclusive prefix. A warp reads 32 predecessors per
// step.
// Source: Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016.
//
// One word has status and value (device/tile_state.cuh), so all accesses are relaxed: no other
// memory is handed over.
//
// Progress: tile numbers come from a ticket. So when a tile gets its number, running blocks already
// have all of its predecessors, and no tile waits for a later one.
//
// No kernel of its own. States and ticket must be zero before the launch: zero means empty.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/device/tile_state.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::device {

// How a launch uses the tile states.
enum class tile_exchange {
  look_back,  // publishes and looks back; or there is but one tile
  // For few tiles a kernel is launched twice, so that states and a ticket need not be cleared. The
  // second launch begins while the first one ends (programmatic dependent launch), and none of its
  // tiles waits for another.
  publish_only,
  look_back_only,
  in_cluster  // the tiles are one cluster, and give each other their sums (device/cluster.cuh)
};

template <class State>
class look_back {
 public:
  using value_type = typename State::value_type;
  using word = typename State::word;

  // One thread: makes the tile's aggregate available.
  static __device__ __forceinline__ void publish_aggregate(word* states, std::uint32_t tile, value_type sum) {
    publish_state(states + tile,
                  State::pack(tile_status::aggregate, sum));  // pairs with load_state in exclusive_prefix
  }
  // One thread: stores the state of a tile for the next launch (tile_exchange::publish_only). It
  // does not read what was there.
  static __device__ __forceinline__ void store_for_next_launch(word* states, std::uint32_t tile, tile_status status,
                                                               value_type sum) {
    states[tile] = State::pack(status, sum);
  }
  // One thread: makes the tile's inclusive prefix available.
  static __device__ __forceinline__ void publish_prefix(word* states, std::uint32_t tile, value_type sum) {
    publish_state(states + tile, State::pack(tile_status::prefix, sum));  // pairs with load_state in exclusive_prefix
  }

  // The number of state words of so many tiles.
  static constexpr std::uint64_t state_count(std::uint64_t tiles) { return tiles; }

  // All 32 lanes of one warp of the block. Publishes the tile's aggregate and its inclusive prefix.
  // Returns its exclusive prefix, in every lane: op of `initial` (if HasInitial) and of all tiles
  // before `tile`. If there is neither, it returns `initial`.
  template <bool HasInitial, class Op = plus>
  static __device__ __forceinline__ value_type publish_and_look_back(word* states, std::uint32_t /*tiles*/,
                                                                     std::uint32_t tile, value_type initial,
                                                                     value_type total, Op op = {}) {
    if (tile == 0) {
      if (simt::lane_id() == 0) publish_prefix(states, 0, HasInitial ? op(initial, total) : total);
      return initial;
    }
    if (simt::lane_id() == 0) publish_aggregate(states, tile, total);
    const value_type exclusive = exclusive_prefix(states, tile, op);
    if (simt::lane_id() == 0) publish_prefix(states, tile, op(exclusive, total));
    return exclusive;
  }

  // All 32 lanes of a warp: op of all tiles before `tile`, in tile order, in every lane. tile >= 1.
  // Waits for predecessors.
  template <class Op = plus>
  static __device__ value_type exclusive_prefix(const word* states, std::uint32_t tile, Op op = {}) {
    const unsigned lane = simt::lane_id();
    value_type sum{};
    bool has_sum = false;
    for (std::int64_t newest = static_cast<std::int64_t>(tile) - 1;; newest -= simt::warp_size) {
      // Lane 0 takes the newest tile of the window, lane 31 the oldest. Lanes before tile 0 repeat
      // it and are never needed: tile 0 publishes only a prefix.
      const word* mine = states + (newest >= lane ? newest - lane : 0);
      word w = load_state(mine);  // pairs with publish_state in publish_*
      unsigned oldest_needed;
      for (;;) {
        const unsigned prefixes = simt::ballot(State::status(w) == tile_status::prefix);
        const unsigned empties = simt::ballot(State::status(w) == tile_status::empty);
        oldest_needed = prefixes == 0 ? simt::warp_size - 1u : static_cast<unsigned>(simt::find_first(prefixes));
        if ((empties & (simt::full_mask >> (simt::warp_size - 1u - oldest_needed))) == 0) break;
        if (State::status(w) == tile_status::empty) {
          simt::spin_hint();
          w = load_state(mine);  // pairs with publish_state in publish_*
        }
      }
      const bool found = simt::any(State::status(w) == tile_status::prefix);

      value_type window = State::value(w);
#pragma unroll
      for (unsigned distance = 1; distance < simt::warp_size; distance *= 2) {
        const value_type older = simt::shuffle_down(window, distance);
        if (lane + distance <= oldest_needed) window = op(older, window);
      }
      window = simt::shuffle(window, 0);
      sum = has_sum ? op(window, sum) : window;
      has_sum = true;
      if (found) return sum;
    }
  }
};

// A ticket that is taken in the constructor and awaited in `get`, so that other work overlaps its
// latency.
class pending_ticket {
 public:
  // Relaxed: the ticket only numbers tiles; they communicate through their states.
  __device__ __forceinline__ explicit pending_ticket(std::uint32_t* ticket)
      : number_(simt::thread_rank() == 0 ? simt::atomic_add(ticket, 1u) : 0u) {}
  // All threads of the block. One barrier; `slot` must not be written again before another one.
  __device__ __forceinline__ std::uint32_t get(std::uint32_t& slot) const {
    if (simt::thread_rank() == 0) slot = number_;
    simt::sync_block();
    return slot;
  }

 private:
  std::uint32_t number_;  // in thread 0
};

// All threads of the block: the number of the next tile. One barrier; `slot` must not be written
// again before another one.
__device__ __forceinline__ std::uint32_t take_ticket(std::uint32_t* ticket, std::uint32_t& slot) {
  simt::wait_for_previous_launch();  // which cleared the ticket, if this launch overlaps that one
  return pending_ticket(ticket).get(slot);
}

}  // namespace ballot::device
