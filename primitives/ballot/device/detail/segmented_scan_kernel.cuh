// SPDX-License-Identifier: Apache-2.0
// The kernel of the segmented scan: one launch, each item read once and written once, whatever the
// segments are.
//
//     take a ticket -> load the tile, head flags -> scan the block -> publish, look back
//     -> scan the items -> store
//
//     tile state    [prefix 9] [aggregate 4] [prefix 2] [aggregate 5] ...
//                              no head       has a head: its tail is a prefix at once
//     tile 4 looks back:                     2 <- stop   5               exclusive prefix: 2 + 5
//
// A tile with a head publishes its tail, the sum from its last head on, as a *prefix*. It does so
// before it has looked back, because later tiles need nothing from before that head. A tile without
// a head publishes an ordinary aggregate. So the tile states are those of a scan, and need no flag.
// If heads are frequent, no look-back takes more than one step. A tile whose first item is a head
// does not look back. A warp with a head before it in the tile, or at its start, does not wait for
// the look-back.
//
// The first item in scan order always begins a segment, so tile 0 always publishes a prefix.
// Backward, tiles are numbered from the array's end and reversed (block/staged_tile.cuh); the rest
// is the same.
//
// Shared memory: the tile, a tail and a flag per warp, and two values. Barriers: two of the block,
// and named barrier 1, at which only those warps wait that need the tile's prefix. If the flags are
// set in shared memory (offset_heads.cuh), two more of the block. Sources: Merrill and Garland 2016
// for the look-back; Sengupta, Harris, Zhang and Owens, Scan Primitives for GPU Computing, 2007,
// for segmented scans by head flags.
#pragma once

#include <ballot/block/staged_tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/device/cluster.cuh>
#include <ballot/device/detail/head_flags.cuh>
#include <ballot/device/detail/scan_input.cuh>
#include <ballot/device/detail/scan_kind.hpp>
#include <ballot/device/detail/segmented_items.cuh>
#include <ballot/device/detail/segmented_tile.cuh>
#include <ballot/device/detail/store_sums.cuh>
#include <ballot/device/look_back.cuh>
#include <ballot/device/tiles.hpp>
#include <ballot/warp/reduce.cuh>

#include <cstdint>

namespace ballot::device {

// Backward, the missing items of a partial tile come first, each a segment of its own. So the tail
// of the tile contains only valid items.
template <class T, class Shape>
using segmented_staged_tile = block::staged_tile<T, Shape, true>;

// The most tiles that are scanned in one cluster: of items that take little of the shared memory;
// 0: none.
template <class T>
inline constexpr unsigned segmented_cluster_tiles = sizeof(T) <= 8 ? simt::most_cluster_blocks : 0;

template <class T, class Shape, class Heads>
struct segmented_scan_storage : Heads::template storage<Shape> {
  typename segmented_staged_tile<T, Shape>::storage items;
  typename segments_across_warps<T, Shape::threads>::storage warps;
  std::uint32_t tile;
  T tile_prefix;
  // Of the tiles before, in a cluster.
  typename tile_state<T>::word of_tiles[segmented_cluster_tiles<T> == 0 ? 1 : segmented_cluster_tiles<T>];
};

// The valid items of this thread, which has consecutive ones, in a tile of `valid` items.
template <class Shape>
__device__ __forceinline__ valid_items valid_items_of_thread(unsigned valid, bool backward) {
  constexpr unsigned run = Shape::chunks * Shape::width;
  const unsigned first = simt::thread_rank() * run, end = backward ? Shape::items - valid : valid;
  const unsigned before_end = low_bits_of_word(first < end ? (end - first < run ? end - first : run) : 0u);
  return {(backward ? ~before_end : before_end) & low_bits_of_word(run)};
}

// Blocks per multiprocessor for the launch bounds: 1536 threads in all, at most 32 blocks; 0: no
// bound. This is for operators that must not be applied to invalid items. With them ptxas takes 56
// registers a thread where 40 are enough (nvcc 13.0, sm_90), and a quarter fewer threads fit.
template <class T, class Op, class Shape>
inline constexpr int segmented_scan_blocks_at_once =
    ballot::detail::accepts_any_operand<Op, T> || sizeof(T) > 8 || simt::architecture < 900 ? 0
    : Shape::threads < 1536 / 32                                                            ? 32
                                                                                            : 1536 / Shape::threads;

// The first warp of the block. It publishes the tile (not the only one, without states). If the
// tile's first item is not a head, it looks back for the prefix of that item's segment. It stores
// the prefix in `slot`.
template <class T, class Op>
__device__ __forceinline__ void publish_and_look_back(typename tile_state<T>::word* states, std::uint32_t tile,
                                                      const block_segments<T>& block, bool needs_prefix, T& slot,
                                                      tile_exchange exchange, Op op) {
  using back = look_back<tile_state<T>>;
  if (exchange == tile_exchange::publish_only) {
    if (simt::lane_id() == 0)
      back::store_for_next_launch(states, tile, block.has_head ? tile_status::prefix : tile_status::aggregate,
                                  block.tail);
    return;
  }
  if (simt::lane_id() == 0 && states != nullptr && exchange == tile_exchange::look_back) {
    if (block.has_head) back::publish_prefix(states, tile, block.tail);
    else back::publish_aggregate(states, tile, block.tail);
  }
  if (needs_prefix) {
    const T prefix = back::exclusive_prefix(states, tile, op);
    if (simt::lane_id() == 0) {
      if (!block.has_head && exchange == tile_exchange::look_back)
        back::publish_prefix(states, tile, op(prefix, block.tail));
      slot = prefix;
    }
  }
}

// The same for the tiles of a cluster, by all threads. Each tile gives its state to the tiles
// after it. The first warp finds the prefix among the states that its tile has received.
template <class T, class Op>
__device__ __forceinline__ void look_back_in_cluster(typename tile_state<T>::word* of_tiles, std::uint32_t tile,
                                                     std::uint32_t tiles, const block_segments<T>& block,
                                                     bool needs_prefix, T& slot, Op op) {
  using state = tile_state<T>;
  const tile_status status = block.has_head ? tile_status::prefix : tile_status::aggregate;
  give_to_tiles(of_tiles, tile, tile + 1, tiles, simt::warp_id() == 0, state::pack(status, block.tail));
  if (simt::warp_id() != 0) return;
  simt::cluster_wait();
  if (!needs_prefix) return;
  const unsigned lane = simt::lane_id();
  const bool is_prefix = lane < tile && state::status(of_tiles[lane]) == tile_status::prefix;
  const unsigned first = simt::warp_size - 1 - simt::leading_zeros(simt::ballot(is_prefix));  // tile 0 at the least
  const unsigned tiles_of_segment = tile - first;
  const T prefix = warp::reduce(state::value(of_tiles[lane < tiles_of_segment ? first + lane : first]), op,
                                warp::first_items{tiles_of_segment});
  if (lane == 0) slot = prefix;
}

// The exclusive prefix of this thread's items in the segment of the first of them. A warp that
// needs the tile's prefix waits for it at named barrier 1; the others only arrive. If the item is a
// head, the prefix is unspecified, and not used.
template <int Threads, class T, class Op>
__device__ __forceinline__ T thread_prefix_of_segment(const lane_segments<T>& lane, const block_segments<T>& block,
                                                      bool needs_tile_prefix, const T& tile_prefix, Op op) {
  T warp_prefix = block.exclusive;
  if (needs_tile_prefix) {
    simt::named_barrier_sync(1, Threads);
    warp_prefix = simt::warp_id() == 0 ? tile_prefix : op(tile_prefix, block.exclusive);
  } else {
    simt::named_barrier_arrive(1, Threads);
  }
  T prefix = lane.has_head_below ? lane.exclusive : warp_prefix;
  if (!lane.has_head_below && simt::lane_id() != 0) prefix = op(warp_prefix, lane.exclusive);
  return prefix;
}

// Whether the heads are those of tiles that begin at any item, and so may be shifted.
template <class Heads>
inline constexpr bool tiles_begin_anywhere = [] {
  if constexpr (requires { Heads::tiles_begin_anywhere; }) return Heads::tiles_begin_anywhere;
  else return false;
}();
template <class Shape, class Heads>
__device__ __forceinline__ unsigned heads_of_shorter_tile(const Heads& heads, unsigned missing, unsigned valid) {
  if constexpr (tiles_begin_anywhere<Heads>) return heads.template of_shorter_tile<Shape>(missing, valid);
  else return 0;
}

// One tile a block. `states` (one word a tile) and `ticket` are zero at launch. They are null for a
// single block, whose first item begins a segment, so that it does not look back. Two launches have
// no ticket (tile_exchange). `initial`: of an exclusive scan. In: a pointer or an input_of_view.
// Out: a pointer or a view_output. vector_aligned: of the input and the output, as the tiles are
// shifted. MayShift: whether they may be. Few tiles never are, and begin sooner.
template <class T, class Shape, scan_kind Kind, class Heads, class Op, class In, class Out, bool MayShift>
__global__ void __launch_bounds__(Shape::threads, segmented_scan_blocks_at_once<T, Op, Shape>)
    segmented_scan_kernel(In in, Out out, ballot::detail::length length, Heads heads, T initial, Op op,
                          bool vector_aligned, ballot::detail::shifted_tiles shifted,
                          typename tile_state<T>::word* states, std::uint32_t* ticket, tile_exchange exchange) {
  using staged = segmented_staged_tile<T, Shape>;
  auto& shared = simt::shared_storage<segmented_scan_storage<T, Shape, Heads>>();

  simt::let_next_launch_begin();
  const std::uint32_t index = ticket == nullptr ? blockIdx.x : take_ticket(ticket, shared.tile);
  if constexpr (!MayShift) shifted.shift = 0;
  const std::uint64_t n = length.get(), tiles = shifted.count(n, Shape::items);
  const bool waits = exchange == tile_exchange::look_back_only;
  if (index >= tiles) {  // a surplus tile of a launch sized for the capacity: the whole block leaves
    if (waits) simt::wait_for_previous_launch();
    return;
  }
  if constexpr (segmented_cluster_tiles<T> != 0) {
    if (exchange == tile_exchange::in_cluster) begin_cluster();
  }
  const std::uint64_t tile = Heads::backward ? tiles - 1 - index : index, begin = shifted.begin(tile, Shape::items);
  // A shorter first tile lacks its first slots, so that its last item is the last of its last
  // thread.
  const unsigned missing = tile == 0 ? shifted.shift : 0;
  const unsigned valid = missing + static_cast<unsigned>(shifted.end(tile, Shape::items, n) - begin);

  // Load the tile and its head flags.
  if constexpr (is_input_of_view<In>)
    in.template stage<staged, T, Shape>(shared.items, begin, valid, in.aligned_items >= Shape::width, Heads::backward);
  else if (missing != 0)
    staged::template start_each<sizeof(T)>(
        shared.items, valid, false, [&](unsigned at) { return in[at < missing || at >= valid ? 0 : at - missing]; });
  else staged::start(shared.items, in + begin, valid, vector_aligned, Heads::backward);
  const valid_items is_valid = ballot::detail::accepts_any_operand<Op, T>
                                   ? all_items_valid
                                   : valid_items_of_thread<Shape>(valid, Heads::backward);
  const auto& tile_heads = heads.template of_tile<Shape>(shared, begin);
  unsigned head_flags = ~is_valid.bits & low_bits_of_word(Shape::chunks * Shape::width);
  if (tiles_begin_anywhere<Heads> && missing != 0)
    head_flags |= heads_of_shorter_tile<Shape>(tile_heads, missing, valid);
  else head_flags |= tile_heads.template of_thread<Shape>(begin, valid, n);
  staged::finish();
  const auto get = [&](int c) { return staged::get(shared.items, c, Heads::backward); };

  // Scan the block.
  const T tail = thread_tail<Kind, T, Shape>(get, head_flags, is_valid, initial, op);
  const lane_segments<T> lane = scan_lane_segments(tail, head_flags, op);
  const block_segments<T> block = segments_across_warps<T, Shape::threads>::scan(shared.warps, lane.warp, op);

  // Publish, look back.
  const bool needs_tile_prefix = block.reaches_tile && lane.warp_is_open;  // warp 0: the tile's first item is no head
  if (waits) simt::wait_for_previous_launch();
  if (segmented_cluster_tiles<T> != 0 && exchange == tile_exchange::in_cluster)
    look_back_in_cluster<T>(shared.of_tiles, index, static_cast<std::uint32_t>(tiles), block, needs_tile_prefix,
                            shared.tile_prefix, op);
  else if (simt::warp_id() == 0)
    publish_and_look_back(states, index, block, needs_tile_prefix, shared.tile_prefix, exchange, op);
  if (exchange == tile_exchange::publish_only) return;
  T prefix = thread_prefix_of_segment<Shape::threads>(lane, block, needs_tile_prefix, shared.tile_prefix, op);

  // Scan the items, store the tile.
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c)
    staged::put(shared.items, c, Heads::backward,
                scan_along<Kind>(get(c), head_flags >> (c * Shape::width), {is_valid.bits >> (c * Shape::width)},
                                 prefix, initial, op));
  if constexpr (std::is_pointer_v<Out>)
    if (missing != 0)
      return staged::store_each(shared.items, valid, false, [&](unsigned at, const T& sum) {
        if (at >= missing) out[at - missing] = sum;
      });
  store_staged_sums<staged>(shared.items, out, begin, valid, vector_aligned, Heads::backward);
}

}  // namespace ballot::device
