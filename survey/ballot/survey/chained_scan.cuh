// SPDX-License-Identifier: Apache-2.0
// The chained scan with decoupled look-back: the device-level scan in one launch, each item read
// once and written once.
//
//     block       scans its tile, publishes its aggregate, looks back, publishes its prefix, stores
//     states      [prefix A] [prefix AB] [aggregate C] [aggregate D] [empty] ...
//     tile 4      looks back:        <-AB     <-C     <-D       one lane, tile by tile, until it finds a prefix
//
// Chained: each tile needs the prefix of the tile before it. Decoupled: it does not wait for that
// prefix. An older prefix and the aggregates in between do as well, and every tile publishes its
// aggregate without waiting. Status and value are one word of 64 or 128 bits
// (device/look_back.cuh). So no fence is needed and a sum keeps all of its bits. In the survey "GPU
// Prefix Sums" both share 32 bits, which leaves 30 for the sum.
// Source: Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016.
//
// The assignment of tiles to blocks decides whether the scan terminates. By ticket: a tile is
// numbered when its block runs. So blocks that run or have run hold all tiles before it, and one of
// them can always make progress. By block index: the GPU may start blocks in any order. If all
// resident blocks come after one that has not started, they wait for it, and it waits for a slot:
//
//     two slots:   [block 5 waits for 0 to 4]  [block 3 waits for 0 to 2]     block 0 waits until one of them ends
//
// It demonstrates that, in the emulator (tests/survey/deadlock.cu); on a device it may hang. This
// is the plain form of what ballot::inclusive_scan does with tiles in registers and wide accesses
// (device/detail/scan_kernel.cuh).
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/device/look_back.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>
#include <ballot/survey/device_scan.cuh>
#include <ballot/survey/patterns/radix_raking_reduce_scan.cuh>
#include <ballot/survey/tile_step.cuh>

namespace ballot::survey {

enum class tile_order { ticket, block_index };

// The look-back of one lane: one tile per step. Called by a warp, with the result in lane 0.
struct look_back_by_lane {
  template <class T, class Op>
  static __device__ __forceinline__ T before(const typename device::tile_state<T>::word* states, std::uint32_t tile,
                                             Op op) {
    using state = device::tile_state<T>;
    T sum{};
    if (simt::lane_id() != 0) return sum;
    for (std::uint32_t t = tile;;) {
      --t;                                                      // tile 0 publishes only a prefix
      typename state::word w = simt::load_relaxed(states + t);  // pairs with publish_relaxed in look_back::publish_*
      while (state::status(w) == device::tile_status::empty) {
        simt::spin_hint();
        w = simt::load_relaxed(states + t);  // likewise
      }
      sum = t + 1 == tile ? state::value(w) : op(state::value(w), sum);
      if (state::status(w) == device::tile_status::prefix) return sum;
    }
  }
};

// The look-back of a warp: 32 tiles per step. That of the library.
struct look_back_by_warp {
  template <class T, class Op>
  static __device__ __forceinline__ T before(const typename device::tile_state<T>::word* states, std::uint32_t tile,
                                             Op op) {
    return device::look_back<device::tile_state<T>>::exclusive_prefix(states, tile, op);
  }
};

template <class Pattern, class Shape, class T>
struct chained_storage {
  typename tile_step<Pattern, Shape, T>::storage tile;
  std::uint32_t index;
  T before;
};

// One tile a block. `states` and `ticket` are zero at launch. Barriers: two, the pattern's, and one
// for a ticket.
template <scan_kind Kind, class Pattern, class Shape, class LookBack, tile_order Order, class T, class Op>
__global__ void __launch_bounds__(Shape::threads)
    chained_scan_kernel(const T* in, T* out, std::uint64_t n, T initial, Op op,
                        typename device::tile_state<T>::word* states, std::uint32_t* ticket) {
  using step = tile_step<Pattern, Shape, T>;
  using back = device::look_back<device::tile_state<T>>;
  constexpr bool has_initial = Kind == scan_kind::exclusive;
  auto& shared = simt::shared_storage<chained_storage<Pattern, Shape, T>>();

  std::uint32_t index = blockIdx.x;
  if constexpr (Order == tile_order::ticket) index = device::take_ticket(ticket, shared.index);
  const std::uint64_t begin = std::uint64_t{index} * Shape::items;
  const auto valid = static_cast<unsigned>(ballot::detail::smaller(n - begin, Shape::items));
  const T sum = step::load_and_scan(shared.tile, in, begin, valid, op);

  if (simt::warp_id() == 0) {
    const bool is_first_lane = simt::lane_id() == 0;
    T before = initial;
    if (index != 0) {
      if (is_first_lane) back::publish_aggregate(states, index, sum);
      before = LookBack::template before<T>(states, index, op);
      // The first tile of an exclusive scan publishes a prefix that contains `initial`, so all
      // others contain it.
    }
    if (is_first_lane) {
      back::publish_prefix(states, index, has_initial || index != 0 ? op(before, sum) : sum);
      shared.before = before;
    }
  }
  simt::sync_block();
  step::template store<Kind>(shared.tile, out, begin, valid, prefix<T>{shared.before, has_initial || index != 0}, op);
}

template <class Shape = tile_shape<256, 4096>, class Pattern = radix_raking_reduce_scan,
          class LookBack = look_back_by_warp, tile_order Order = tile_order::ticket>
struct chained_scan : device_scan<chained_scan<Shape, Pattern, LookBack, Order>> {
  static constexpr const char* name = "survey::chained_scan";
  static constexpr std::size_t largest_item = 8;

  // Bytes of scratch for n items: 8 bytes a tile for items of up to 4 bytes, 16 for larger. Pure.
  template <class T>
  static std::size_t scratch_bytes(std::uint64_t n) {
    return detail::bytes_at_any_address(n == 0 ? 0 : scratch<T>::bytes(detail::ceil_div(n, Shape::items)));
  }

  // For floats the sums are associated differently from run to run, by the timing of the tiles.
  template <scan_kind Kind, class T, class Op>
  static void launch(const exec& where, const T* in, T* out, std::uint64_t n, T initial, Op op) {
    const std::uint32_t tiles = detail::tile_count(n, Shape::items, name);
    const std::size_t bytes = scratch<T>::bytes(tiles);
    const detail::scratch_lease lease(where, bytes, name);
    detail::scratch_carver carver(lease.base());
    const scratch<T> memory(carver, tiles);
    simt::fill_bytes(where.stream(), lease.base(), 0, bytes);
    simt::launch(chained_scan_kernel<Kind, Pattern, Shape, LookBack, Order, T, Op>,
                 simt::launch_config{dim3(tiles), dim3(Shape::threads), sizeof(chained_storage<Pattern, Shape, T>),
                                     where.stream()},
                 in, out, n, initial, op, memory.states, memory.ticket);
  }

 private:
  template <class T>
  struct scratch {
    std::uint32_t* ticket;
    typename device::tile_state<T>::word* states;
    scratch(detail::scratch_carver& carver, std::uint64_t tiles)
        : ticket(carver.take<std::uint32_t>(1)), states(carver.take<typename device::tile_state<T>::word>(tiles)) {}

    static std::size_t bytes(std::uint64_t tiles) {
      detail::scratch_carver measure;
      scratch(measure, tiles);
      return measure.bytes();
    }
  };
};

}  // namespace ballot::survey
