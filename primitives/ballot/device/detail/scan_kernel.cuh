// SPDX-License-Identifier: Apache-2.0
// The kernel of the device scan: one launch, each item read once and written once. Few tiles take
// two launches.
//
//     take a ticket -> load the tile -> scan the block -> publish the aggregate, look back
//     -> scan the items -> store
//
// A ticket numbers the tiles in scan order. A backward scan starts at the array's end: ticket 0 is
// the last tile, and tiles are reversed when they are loaded and stored (block/staged_tile.cuh).
// Everything between is the same. Tile boundaries in memory do not depend on the direction, so
// vectors stay aligned. The partial tile is the last one of the array: it has the last ticket
// forward, the first ticket backward.
//
//     memory     [tile 0      ][tile 1      ][tile 2  ]          7 items in tiles of 3
//     forward     ticket 0      ticket 1      ticket 2
//     backward    ticket 2      ticket 1      ticket 0
//
// Input and output may both begin within a vector, at the same item of it. Then the first tile in
// memory is shorter by the items before that one, so that all other tiles begin with whole vectors.
//
// Few tiles. Up to 16 are one cluster and one launch (device/cluster.cuh), if the GPU has clusters.
// For somewhat more tiles, it costs less to read the items twice than to clear tile states and look
// back. So the kernel is launched twice. In the first launch each tile stores its aggregate. In the
// second, each tile sums up the aggregates before it. The second launch begins while the first one
// ends (programmatic dependent launch), and loads its tiles meanwhile. No tile waits for another.
//
// Shared memory: the tile, and an aggregate per warp. Barriers: three, and a fourth in a partial
// tile.
// Sources: Merrill and Garland 2016 for the single pass; Smith, Levien and Owens, Decoupled
// Fallback 2025, survey the variants.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/block/staged_tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/device/cluster.cuh>
#include <ballot/device/detail/byte_sums.cuh>
#include <ballot/device/detail/scan_arguments.cuh>
#include <ballot/device/detail/scan_input.cuh>
#include <ballot/device/detail/scan_items.cuh>
#include <ballot/device/detail/scan_kind.hpp>
#include <ballot/device/detail/scan_storage.cuh>
#include <ballot/device/detail/store_sums.cuh>
#include <ballot/device/look_back.cuh>
#include <ballot/device/scan_options.hpp>
#include <ballot/warp/reduce.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::device {

// The exclusive prefix of a thread's items, and the aggregate of its tile.
template <class T>
struct thread_prefix_sum {
  bool has_value;  // false where no item precedes
  T value;         // within the tile; after the look-back, within the array
  T tile_aggregate;
};

// The block scan of one sum per thread. extent: which threads have items. One barrier.
template <class T, int Threads, class Op, class Extent>
__device__ __forceinline__ thread_prefix_sum<T> scan_block(typename block::scan<T, Threads>::storage& shared, T sum,
                                                           Op op, Extent extent) {
  const auto in_warp = block::extent_of_warp<Threads, 1>(extent);
  const auto lane = scan_lane_sums(sum, op, in_warp);
  const block::warp_prefix<T> warp = block::scan<T, Threads>::across_warps(shared, lane.warp_aggregate, op, extent);
  T prefix = lane.exclusive;
  const bool has_lane_prefix = lane.has_exclusive() && in_warp.template of_lane<1>() != 0;
  if (warp.has_value) prefix = has_lane_prefix ? op(warp.value, prefix) : warp.value;
  return {has_lane_prefix || warp.has_value, prefix, warp.total};
}

// Blocks per multiprocessor for the launch bounds: 1280 threads in all; 0: no bound. The bound is
// for operators that must not be applied to filler values. With such operators ptxas takes up to 54
// registers a thread, although 48 are enough (nvcc 13.0, sm_90). Shared memory leaves room for
// about as many threads. A multiprocessor of sm_90 holds 32 blocks, and ptxas refuses larger
// numbers.
template <class T, class Op, class Shape>
inline constexpr int scan_blocks_at_once =
    ballot::detail::accepts_any_operand<Op, T> || sizeof(T) > 8 || simt::architecture < 900 ? 0
    : Shape::threads < 1280 / 32                                                            ? 32
                                                                                            : 1280 / Shape::threads;

// A block's tile, and the stages of the kernel.
template <scan_kind Kind, class T, class Shape, class LookBack, class Input, class Op, class Out = T*>
struct scan_tile {
  using arguments_type = scan_arguments<T, Input, Op, typename LookBack::word, Out>;
  using stored = typename Input::stored;
  using staged = block::staged_tile<staged_scan_item<T, stored>, Shape>;
  using staged_sums = block::staged_tile<T, Shape>;
  static constexpr bool converts_first = is_converted_first<T, stored>;
  static constexpr bool has_initial = device::has_initial(Kind);
  // Whether a partial tile is summed item by item: for operators that must not be applied to its
  // filler.
  static constexpr bool skips_filler = !ballot::detail::accepts_any_operand<Op, T>;
  static constexpr bool adds_bytes =
      sums_bytes<T, Shape::width, Op> && (converts_first || std::is_same_v<Input, input_items<T>>);

  const arguments_type& arguments;
  scan_storage<T, Shape, stored>& shared;
  std::uint64_t n;
  std::uint32_t index, tiles;  // index in scan order
  std::uint64_t begin;         // in memory
  unsigned valid;              // items of the tile
  unsigned first_item;         // of this thread, in scan order
  unsigned thread_valid;       // items of this thread
  bool has_last_item;          // this thread has the tile's last item

  __device__ __forceinline__ scan_tile(const arguments_type& a, scan_storage<T, Shape, stored>& s, std::uint64_t items,
                                       std::uint32_t tile_index, std::uint32_t tile_count)
      : arguments(a),
        shared(s),
        n(items),
        index(tile_index),
        tiles(tile_count),
        begin(begin_of(backward() ? tiles - 1 - index : index)),
        valid(static_cast<unsigned>(
            ballot::detail::smaller(n - begin, Shape::items - (begin == 0 ? arguments.shifted.shift : 0u)))),
        first_item(simt::thread_rank() * staged::items_per_thread),
        thread_valid(first_item < valid
                         ? static_cast<unsigned>(ballot::detail::smaller(valid - first_item, staged::items_per_thread))
                         : 0u),
        has_last_item(valid - 1 - first_item < staged::items_per_thread) {}  // wraps round where it comes later

  // Of a tile in memory.
  __device__ __forceinline__ std::uint64_t begin_of(std::uint32_t tile) const {
    return arguments.shifted.begin(tile, Shape::items);
  }
  // Whether the tile begins with a whole vector, if `aligned` says so of those after the first
  // one.
  __device__ __forceinline__ bool is_aligned(bool aligned) const {
    return aligned && (arguments.shifted.shift == 0 || begin != 0);
  }
  __device__ __forceinline__ bool is_full() const { return valid == Shape::items; }
  // This is not a member: within a branch that has tested a stored flag, nvcc no longer knows the
  // flag's value.
  __device__ __forceinline__ bool backward() const { return arguments.order == scan_order::backward; }
  static __device__ __forceinline__ T initial(const arguments_type& a) {
    if constexpr (has_device_initial(Kind)) return *a.device_initial;
    else return a.initial;
  }

  __device__ __forceinline__ void load() {
    if constexpr (is_input_of_view<Input>) {
      arguments.in.template stage<staged, T, Shape>(shared.tiles.items, begin, valid, is_aligned(arguments.in_aligned),
                                                    backward());
    } else if constexpr (converts_first) {
      const stored* const in = arguments.in.data + begin;
      staged::template start_each<sizeof(stored)>(shared.tiles.items, valid, backward(), [&](unsigned at) {
        return Input::template convert<T>(in[at < valid ? at : 0]);
      });
    } else {
      staged::start(shared.tiles.items, arguments.in.data + begin, valid, is_aligned(arguments.in_aligned), backward());
    }
    staged::finish();
  }

  // Vector c of this thread's items, and the same of its sums.
  __device__ __forceinline__ auto get(int c) const {
    if constexpr (adds_bytes) {
      const auto bytes = staged::template get_as<packed_bytes<T, Shape::width>>(shared.tiles.items, c);
      return backward() ? reversed(bytes) : bytes;
    } else if constexpr (converts_first) {
      return staged::get(shared.tiles.items, c, backward());
    } else {
      return converted<T, Input, Shape::width>(staged::get(shared.tiles.items, c, backward()));
    }
  }
  template <class Sums>
  __device__ __forceinline__ void put(int c, const Sums& sums) const {
    if constexpr (adds_bytes) staged_sums::put_as(shared.tiles.sums(), c, backward() ? reversed(sums) : sums);
    else staged_sums::put(shared.tiles.sums(), c, backward(), sums);
  }
  __device__ __forceinline__ T sum_of_first_items(unsigned count) const {
    return sum_of_first<T, Shape::width>(
        count, [&](int c) { return get(c); }, arguments.op);
  }

  // The exclusive prefix of this thread's items within the tile. One barrier, two in a partial
  // tile.
  __device__ __forceinline__ thread_prefix_sum<T> scan_threads() const {
    const auto& op = arguments.op;
    thread_prefix_sum<T> prefix;
    if (!skips_filler || is_full()) {
      const T sum = sum_of_vectors<T, Shape::chunks>([&](int c) { return get(c); }, op);
      prefix = scan_block<T, Shape::threads>(shared.warps, sum, op, block::all_items{});
    } else {
      const unsigned threads = (valid + staged::items_per_thread - 1) / staged::items_per_thread;  // that have items
      prefix = scan_block<T, Shape::threads>(shared.warps, sum_of_first_items(thread_valid), op,
                                             block::first_items{threads});
    }
    // Other tiles follow a partial tile that is not the last one: its aggregate must not contain
    // filler.
    if (!skips_filler && !is_full() && index != tiles - 1) {
      if (has_last_item) {
        T last = sum_of_first_items(valid - first_item);
        if (prefix.has_value) last = op(prefix.value, last);
        shared.partial_aggregate = last;
      }
      simt::sync_block();
      prefix.tile_aggregate = shared.partial_aggregate;
    }
    return prefix;
  }

  __device__ __forceinline__ void add(const T& tile_prefix, thread_prefix_sum<T>& prefix) const {
    prefix.value = prefix.has_value ? arguments.op(tile_prefix, prefix.value) : tile_prefix;
    prefix.has_value = true;
  }

  // Gives the tile's aggregate to the later tiles of the cluster. Each warp then sums up the tile's
  // exclusive prefix by itself, and adds it.
  __device__ __forceinline__ void exchange_in_cluster(thread_prefix_sum<T>& prefix) const {
    exchange_with_tiles(shared.of_tiles_before, index, tiles, prefix.tile_aggregate);
    if (index == 0) {
      if constexpr (has_initial) add(initial(arguments), prefix);
      return;
    }
    const unsigned lane = simt::lane_id();
    const T sum = warp::reduce(shared.of_tiles_before[lane < index ? lane : 0], arguments.op, warp::first_items{index});
    add(has_initial ? arguments.op(initial(arguments), sum) : sum, prefix);
  }

  // Publishes the tile's aggregate and adds the tile's exclusive prefix. The first warp looks back;
  // the others wait at the barrier.
  __device__ __forceinline__ void look_back(thread_prefix_sum<T>& prefix) const {
    if constexpr (cluster_tiles<T> != 0) {
      if (arguments.in_cluster) return exchange_in_cluster(prefix);
    }
    if (arguments.ticket == nullptr && index == 0) {  // no tile goes before
      if constexpr (has_initial) add(initial(arguments), prefix);
      return;
    }
    if (simt::warp_id() == 0) {
      T tile_prefix;
      if (arguments.aggregates != nullptr) tile_prefix = sum_of_aggregates();
      else
        tile_prefix = LookBack::template publish_and_look_back<has_initial>(
            arguments.states, gridDim.x, index, initial(arguments), prefix.tile_aggregate, arguments.op);
      if (simt::lane_id() == 0) shared.tile_prefix = tile_prefix;
    }
    simt::sync_block();
    if (has_initial || index != 0) add(shared.tile_prefix, prefix);
  }

  // All lanes of the first warp: op of the initial value and all tiles before this one. There is at
  // least one.
  __device__ __forceinline__ T sum_of_aggregates() const {
    const unsigned each = (index + simt::warp_size - 1) / simt::warp_size;  // consecutive tiles a lane
    const unsigned lanes = (index + each - 1) / each, first = simt::lane_id() * each;
    T sum = arguments.aggregates[first < index ? first : 0];
#pragma unroll 4
    for (unsigned i = 1; i < each; ++i) {
      const T next = arguments.aggregates[first + i < index ? first + i : 0];
      if (first + i < index) sum = arguments.op(sum, next);
    }
    sum = warp::reduce(sum, arguments.op, warp::first_items{lanes});
    return has_initial ? arguments.op(initial(arguments), sum) : sum;
  }

  __device__ __forceinline__ void store_total(const thread_prefix_sum<T>& prefix) const {
    if (index != tiles - 1 || !has_last_item || !arguments.total.wanted()) return;
    const T last = sum_of_first_items(valid - first_item);
    arguments.total.store(arguments.out, n, prefix.has_value ? arguments.op(prefix.value, last) : last);
  }

  // Replaces this thread's items by their sums.
  __device__ __forceinline__ void scan_items(thread_prefix_sum<T> prefix) const {
    const auto& op = arguments.op;
    if (!skips_filler || is_full()) {
#pragma unroll
      for (int c = 0; c < Shape::chunks; ++c) {
        const auto items = get(c);
        const auto inclusive = inclusive_along(items, prefix.has_value, prefix.value, op);
        if constexpr (is_exclusive(Kind)) put(c, exclusive_along(items, prefix.value, op));
        else put(c, inclusive);
        prefix.value = inclusive[Shape::width - 1];
        prefix.has_value = true;
      }
    } else if constexpr (skips_filler) {
#pragma unroll 1
      for (unsigned c = 0; c * Shape::width < thread_valid; ++c) {
        const auto items = get(static_cast<int>(c));
        put(static_cast<int>(c),
            scan_along_first<Kind>(thread_valid - c * Shape::width, items, prefix.has_value, prefix.value, op));
      }
    }
  }

  __device__ __forceinline__ void store() const {
    store_staged_sums<staged_sums>(shared.tiles.sums(), arguments.out, begin, valid, is_aligned(arguments.out_aligned),
                                   backward());
  }
};

// One tile a block.
template <scan_kind Kind, class T, class Shape, class LookBack, class Input, class Op, class Out = T*>
__global__ void __launch_bounds__(Shape::threads, scan_blocks_at_once<T, Op, Shape>)
    scan_kernel(scan_arguments<T, Input, Op, typename LookBack::word, Out> arguments) {
  using tile_type = scan_tile<Kind, T, Shape, LookBack, Input, Op, Out>;
  auto& shared = simt::shared_storage<scan_storage<T, Shape, typename Input::stored>>();
  simt::let_next_launch_begin();

  // Only a tile that looks back needs a ticket.
  const std::uint32_t index = arguments.ticket == nullptr ? blockIdx.x : take_ticket(arguments.ticket, shared.tile);
  const std::uint64_t n = arguments.length.get();
  const bool waits = arguments.aggregates != nullptr && !arguments.stores_aggregates;
  if (n == 0 && index == 0 && tile_type::has_initial && simt::thread_rank() == 0 && !arguments.stores_aggregates)
    arguments.total.store(arguments.out, 0, tile_type::initial(arguments));
  const auto tiles = static_cast<std::uint32_t>(arguments.shifted.count(n, Shape::items));
  if (index >= tiles) {  // no items, or a surplus tile of a launch sized for the capacity: the whole block leaves
    if (waits) simt::wait_for_previous_launch();
    return;
  }

  if constexpr (cluster_tiles<T> != 0) {
    if (arguments.in_cluster) begin_cluster();
  }
  tile_type tile(arguments, shared, n, index, tiles);
  tile.load();
  thread_prefix_sum<T> prefix = tile.scan_threads();
  if (arguments.stores_aggregates) {
    if (simt::thread_rank() == 0) arguments.aggregates[index] = prefix.tile_aggregate;
    return;
  }
  if (waits) simt::wait_for_previous_launch();
  tile.look_back(prefix);
  tile.store_total(prefix);
  tile.scan_items(prefix);
  tile.store();
}

}  // namespace ballot::device
