// SPDX-License-Identifier: Apache-2.0
// The kernel of reductions of runs: one launch, each key and value read once, each result written
// once. Few tiles are launched twice, and read twice. So neither states nor a ticket have to be
// cleared, and no tile waits for another.
//
//     take a ticket -> load the tile, heads -> scan the block -> publish -> stage results
//                   -> look back -> store
//     few tiles     first launch:   load the tile, heads -> scan the block -> store the aggregate
//                   second launch:  load the tile, heads -> scan the block -> stage results
//                                   -> wait, look back -> store
//
//     heads        1 0 0 1 0 | 0 1 0 0 0 | 0 0 0 0 0 | 1 ...    tiles of five items
//     tile state   (2, de)     (1, ghij)   (0, klmno)           heads in the tile, and op of the
//                                                               items from its last head on
//     staged       -  abc      f           none      klmno..    at each head: op of the run
//                                                               before it, in the tile
//     stored       abc         de f        -         ghij klmno a tile's first head: with the
//                                                               prefix of the tile
//
// A result is known at the next head. So a thread goes over its items in order. At each head it
// stages the key, and the result of the run that ends there. Only the tile's first head needs the
// tiles before, because its run may have begun there. All others are complete without the
// look-back. A tile publishes a pair. Pairs are added as (m, a) + (n, b) = (m + n, n != 0 ? b : a
// op b). This is associative if op is.
//
// The end of the items is one more head, without a key. In a partial tile it is the first missing
// item. In a full tile the tile's inclusive prefix has the last result.
//
// Shared memory: keys and values of the tile, which results and keys of runs overwrite; and per
// warp an item and two words. Barriers: three.
// Sources: Merrill and Garland 2016 for the look-back; Sengupta, Harris, Zhang and Owens, Scan
// Primitives for GPU Computing, 2007, for the pair.
#pragma once

#include <ballot/block/staged_tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/count.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/reduce_by_key/heads.cuh>
#include <ballot/detail/reduce_by_key/values.cuh>
#include <ballot/device/detail/segmented_items.cuh>
#include <ballot/device/detail/segmented_tile.cuh>
#include <ballot/device/look_back.cuh>
#include <ballot/device/tile_state.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/scan.cuh>

#include <cstdint>

namespace ballot::detail {

template <class T>
using run_aggregate = device::count_and_value<T>;

// The sum of consecutive ranges of items.
template <class T, class Op>
struct combine_runs {
  Op op;
  __device__ __forceinline__ run_aggregate<T> operator()(const run_aggregate<T>& a, const run_aggregate<T>& b) const {
    return {a.count + b.count, b.count != 0 ? b.value : op(a.value, b.value)};
  }
};

template <class T, class Shape, class Heads>
struct reduce_runs_storage {
  run_slots<T, Shape> values;
  typename Heads::template tile<Shape>::storage keys;
  typename device::segments_across_warps<T, Shape::threads>::storage warps;
  unsigned heads_of_warp[Shape::warps];
  std::uint32_t tile;
  bool first_is_head;
  std::uint64_t runs_before;
  alignas(16) T prefix;
};

template <class T, class Values, class Heads, class Results, class Op, class Word>
struct reduce_runs_arguments {
  Heads heads;
  Values values;
  Results results;
  ballot::detail::length length;
  T initial;  // before each run, if the kernel has one
  Op op;
  device_count count;
  bool vector_aligned;    // the values
  Word* states;           // LookBack::state_count(tiles) words, zero at launch; of several blocks
  std::uint32_t* ticket;  // zero at launch; null for one block
};

// The items of the tile before those of a thread.
template <class T>
struct thread_prefix_of_runs {
  unsigned rank;  // heads of the tile before this thread's items
  T value;        // op of the items of the tile before, from the last head on, or from the tile's first item
};

template <class Shape, class T, class Op>
struct reduce_runs_tile {
  using staged = block::staged_tile<T, Shape>;
  static constexpr unsigned run = Shape::chunks * Shape::width;
  T item[run];

  template <class Values>
  static __device__ __forceinline__ void start(typename staged::storage& shared, const Values& values,
                                               std::uint64_t begin, unsigned valid, bool vector_aligned) {
    if constexpr (Values::is_direct) {
      staged::start(shared, values.data + begin, valid, vector_aligned, false);
    } else {
      staged::template start_each<Values::loaded_bytes>(
          shared, valid, false, [&](unsigned at) { return values[begin + (at < valid ? at : 0u)]; });
    }
  }
  __device__ __forceinline__ void get(typename staged::storage& shared) {
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) {
      const auto v = staged::get(shared, c, false);
#pragma unroll
      for (int j = 0; j < Shape::width; ++j) item[c * Shape::width + j] = v[j];
    }
  }
  // op of the items from the thread's last head on, or of all its items if it has no head.
  __device__ __forceinline__ T tail(unsigned heads, Op op) const {
    T sum = item[0];
#pragma unroll
    for (unsigned i = 1; i < run; ++i) sum = (heads >> i & 1u) != 0 ? item[i] : op(sum, item[i]);
    return sum;
  }
  // Stages at each head the key, and the result of the run that ends there. `missing`: items that
  // do not exist.
  template <class Keys, class KeyStorage>
  __device__ __forceinline__ void stage(run_slots<T, Shape>& results, const Keys& keys, KeyStorage& key_storage,
                                        unsigned heads, unsigned missing, thread_prefix_of_runs<T> place, Op op) const {
    const bool is_first_thread = simt::thread_rank() == 0;
    T sum = place.value;
#pragma unroll
    for (unsigned i = 0; i < run; ++i) {
      if ((heads >> i & 1u) != 0) {
        if (i != 0 || !is_first_thread) results.slot(place.rank) = sum;
        keys.put(key_storage, place.rank, i);
        ++place.rank;
        sum = item[i];
      } else if (accepts_any_operand<Op, T> || (missing >> i & 1u) == 0) {
        sum = i == 0 && is_first_thread ? item[i] : op(sum, item[i]);
      }
    }
  }
};

// Blocks per multiprocessor for the launch bounds: 1152 threads in all, of small items.
template <class T, class Shape>
inline constexpr int reduce_runs_blocks_at_once = sizeof(T) > 8 || simt::architecture < 900 ? 0 : 1152 / Shape::threads;

// The block's tile, and the thread in it. The thread's numbers are read once: to read them again in
// each step costs few tiles 2 to 3 %.
struct tile_of_block {
  unsigned thread, warp, lane;
  std::uint32_t index;
  std::uint64_t n, tiles, begin;
  unsigned valid;
};

// The facts about the tile that a thread knows when the block has been scanned.
template <class T>
struct scanned_runs {
  thread_prefix_of_runs<T> place;
  unsigned tile_heads;
  T tail;  // of the tile
};

// By all threads. heads: those of the thread's items. all_heads: the same, with missing items as
// heads.
template <class T, class Shape, class Storage, class Op>
__device__ __forceinline__ scanned_runs<T> scan_runs(Storage& shared, const tile_of_block& at,
                                                     const reduce_runs_tile<Shape, T, Op>& tile, unsigned heads,
                                                     unsigned all_heads, const Op& op) {
  const unsigned thread = at.thread, warp = at.warp, lane = at.lane;
  const device::lane_segments<T> lanes = device::scan_lane_segments(tile.tail(all_heads, op), all_heads, op);
  const unsigned lane_heads = warp::inclusive_scan(static_cast<unsigned>(simt::popcount(heads)));
  if (lane == simt::warp_size - 1) shared.heads_of_warp[warp] = lane_heads;
  if (thread == 0) shared.first_is_head = (heads & 1u) != 0;
  const device::block_segments<T> block =
      device::segments_across_warps<T, Shape::threads>::scan(shared.warps, lanes.warp, op);
  scanned_runs<T> all{{lane_heads - simt::popcount(heads), lanes.exclusive}, 0, block.tail};
#pragma unroll
  for (unsigned w = 0; w < static_cast<unsigned>(Shape::warps); ++w) {
    if (w < warp) all.place.rank += shared.heads_of_warp[w];
    all.tile_heads += shared.heads_of_warp[w];
  }
  if (warp != 0) {
    if (lane == 0) all.place.value = block.exclusive;
    else if (!lanes.has_head_below) all.place.value = op(block.exclusive, lanes.exclusive);
  }
  return all;
}

// By one warp. Finds the number of runs before the tile, and op from their last head on. Stores
// them for the block, which reads them after a barrier.
template <device::tile_exchange Exchange, class LookBack, class T, class Arguments, class Storage, class Op>
__device__ __forceinline__ void look_back_runs(const Arguments& a, Storage& shared, const tile_of_block& at,
                                               const run_aggregate<T>& aggregate, const combine_runs<T, Op>& combine) {
  constexpr bool publishes_early = requires { LookBack::publish_prefix(a.states, at.index, aggregate); };
  const unsigned lane = at.lane;
  run_aggregate<T> before = aggregate;
  if constexpr (Exchange == device::tile_exchange::look_back_only) {
    if (at.index != 0) before = LookBack::exclusive_prefix(a.states, at.index, combine);
  } else if constexpr (publishes_early) {
    if (at.index != 0) before = LookBack::exclusive_prefix(a.states, at.index, combine);
    if (lane == 0 && at.index != 0 && at.index + 1 < at.tiles)
      LookBack::publish_prefix(a.states, at.index, combine(before, aggregate));
  } else {
    before =
        LookBack::template publish_and_look_back<false>(a.states, gridDim.x, at.index, aggregate, aggregate, combine);
  }
  if (lane == 0) {
    shared.runs_before = before.count;
    shared.prefix = before.value;
  }
}

// Stores at each head the key of its run, and the result of the run before. The last tile also
// stores the number of runs.
template <bool HasInitial, class Shape, class T, class Arguments, class Storage>
__device__ __forceinline__ void store_runs(const Arguments& a, Storage& shared, const tile_of_block& at,
                                           unsigned tile_heads, const T& tail) {
  const unsigned thread = at.thread;
  const std::uint64_t runs_before = at.index == 0 ? 0 : shared.runs_before;
  const bool is_last = at.begin + at.valid == at.n, ends_within = is_last && at.valid != Shape::items;
  const auto store_result = [&](std::uint64_t run_index, const T& result) {
    if constexpr (HasInitial) a.results.store(run_index, a.op(a.initial, result));
    else a.results.store(run_index, result);
  };
  for (unsigned h = thread; h < tile_heads + ends_within; h += Shape::threads) {
    if (h < tile_heads) a.heads.store(shared.keys, h, runs_before + h);
    T result = shared.values.slot(h);
    if (h == 0) {
      if (at.index == 0) continue;  // the first head of all ends no run
      result = shared.first_is_head ? shared.prefix : a.op(shared.prefix, result);
    }
    store_result(runs_before + h - 1, result);
  }
  if (is_last && thread == 0) {
    a.count.store(runs_before + tile_heads);
    if (!ends_within) {
      const bool is_open = tile_heads == 0;  // the last run began in another tile
      store_result(runs_before + tile_heads - 1, is_open ? a.op(shared.prefix, tail) : tail);
    }
  }
}

// One tile a block. HasInitial: each result begins with `initial`. For few tiles the kernel is
// launched twice: first to store the tiles' aggregates (tile_exchange::publish_only), and then for
// the rest.
template <bool HasInitial, device::tile_exchange Exchange, class T, class Shape, class LookBack, class Values,
          class Heads, class Results, class Op>
__global__ void __launch_bounds__(Shape::threads, reduce_runs_blocks_at_once<T, Shape>)
    reduce_runs_kernel(reduce_runs_arguments<T, Values, Heads, Results, Op, typename LookBack::word> a) {
  using tile_type = reduce_runs_tile<Shape, T, Op>;
  using heads_type = typename Heads::template tile<Shape>;
  constexpr unsigned run = tile_type::run;
  auto& shared = simt::shared_storage<reduce_runs_storage<T, Shape, Heads>>();
  const unsigned thread = simt::thread_rank(), warp = simt::warp_id(), lane = simt::lane_id();

  constexpr bool publishes_only = Exchange == device::tile_exchange::publish_only,
                 looks_back_only = Exchange == device::tile_exchange::look_back_only;
  std::uint32_t index = blockIdx.x;
  if constexpr (publishes_only) simt::let_next_launch_begin();
  if constexpr (!publishes_only && !looks_back_only) {
    simt::wait_for_previous_launch();  // which clears the states
    if (a.ticket != nullptr) index = device::take_ticket(a.ticket, shared.tile);
  }
  const std::uint64_t n = a.length.get(), tiles = ceil_div(n, Shape::items);
  if (index >= tiles) {  // no items, or a surplus tile of a launch sized for the capacity
    if constexpr (looks_back_only) simt::wait_for_previous_launch();
    if (!publishes_only && n == 0 && index == 0 && thread == 0) a.count.store(0);
    return;
  }
  const std::uint64_t begin = std::uint64_t{index} * Shape::items;
  const auto valid = static_cast<unsigned>(smaller(n - begin, Shape::items));
  const tile_of_block at{thread, warp, lane, index, n, tiles, begin, valid};

  // Load the tile, find its heads. A missing item is a head of its own, and the first of them ends
  // the last run.
  heads_type keys;
  tile_type tile;
  keys.start(a.heads, shared.keys, begin, valid);
  tile_type::start(shared.values.tile, a.values, begin, valid, a.vector_aligned);
  heads_type::finish();
  tile_type::staged::finish();
  const unsigned first = thread * run, count = first >= valid ? 0u : valid - first < run ? valid - first : run;
  const unsigned heads = keys.heads(a.heads, shared.keys, begin, valid, n) & device::low_bits_of_word(count);
  tile.get(shared.values.tile);
  const unsigned all_heads = heads | (device::low_bits_of_word(run) & ~device::low_bits_of_word(count));

  const scanned_runs<T> all = scan_runs<T, Shape>(shared, at, tile, heads, all_heads, a.op);

  // Publish, stage, look back. A tile that ends within publishes one more head. Its tail is a
  // missing item, which must not be added to anything. No tile follows it.
  const run_aggregate<T> aggregate{all.tile_heads + (valid != Shape::items), all.tail};
  constexpr bool publishes_early = requires { LookBack::publish_prefix(a.states, index, aggregate); };
  if constexpr (publishes_only) {
    if (thread == 0) LookBack::store_for_next_launch(a.states, index, aggregate);
    return;
  } else if constexpr (publishes_early) {
    if (thread == 0 && index + 1 < tiles) {
      if (index == 0) LookBack::publish_prefix(a.states, index, aggregate);
      else LookBack::publish_aggregate(a.states, index, aggregate);
    }
  } else if constexpr (!looks_back_only) {
    if (thread == 0 && tiles != 1) LookBack::publish(a.states, index, aggregate);
  }
  const unsigned end_head = count < run && first <= valid ? 1u << count : 0u;  // the first missing item
  tile.stage(shared.values, keys, shared.keys, heads | end_head, all_heads, all.place, a.op);
  if constexpr (looks_back_only) simt::wait_for_previous_launch();  // which stores the aggregates
  if constexpr (!publishes_only) {
    if (warp == 0 && tiles != 1)
      look_back_runs<Exchange, LookBack>(a, shared, at, aggregate, combine_runs<T, Op>{a.op});
    simt::sync_block();
    store_runs<HasInitial, Shape>(a, shared, at, all.tile_heads, all.tail);
  }
}

}  // namespace ballot::detail
