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
//     launch.cuh -> kernel.cuh -> heads.cuh                   where runs begin: keys, or flags
//                              -> values.cuh, tile.cuh        a tile's values, scanned by the block
//                              -> head_words.cuh              its heads as words
//                              -> store_runs.cuh, results.cuh what it stores, and where
//
// A result is known at the next head. So a thread goes over its items in order, and stages in place
// of each item what the items before it in its run give. Only the tile's first head needs the tiles
// before, because its run may have begun there. All others are complete without the look-back.
//
// Then each warp goes over its items, 32 at a time (head_words.cuh). The lanes whose item is a head
// store its key, and what is staged there. So nothing moves in shared memory. A thread holds its
// keys or its values in registers, never both. So a multiprocessor has room for more tiles.
//
// A tile publishes a pair. Pairs are added as (m, a) + (n, b) = (m + n, n != 0 ? b : a op b). This
// is associative if op is.
//
// The last result has no next head. In a partial tile it is what is staged at the first missing
// item, in a full tile the tile's inclusive prefix.
//
// Shared memory: keys and values of the tile; and per warp an item and two words. Barriers: three.
// Sources: Merrill and Garland 2016 for the look-back; Sengupta, Harris, Zhang and Owens, Scan
// Primitives for GPU Computing, 2007, for the pair.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/count.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/reduce_by_key/head_words.cuh>
#include <ballot/detail/reduce_by_key/store_runs.cuh>
#include <ballot/detail/reduce_by_key/tile.cuh>
#include <ballot/device/flags.cuh>
#include <ballot/device/look_back.cuh>
#include <ballot/device/tile_state.cuh>
#include <ballot/simt/simt.cuh>

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

template <class T, class Values, class Heads, class Results, class Op, class Word>
struct reduce_runs_arguments {
  Heads heads;
  Values values;
  Results results;
  ballot::detail::length length;
  T initial;  // before each run, if the kernel has one
  Op op;
  device_count count;
  block::aligned_vectors vectors;  // of the values
  Word* states;                    // LookBack::state_count(tiles) words, zero at launch; of several blocks
  std::uint32_t* ticket;           // zero at launch; null for one block
};

// Blocks per multiprocessor for the launch bounds: 1280 threads in all, of small items. Few tiles
// leave room for more registers. So does shared memory if a thread has many bytes: with 48 registers
// doubles were spilled.
template <class T, class Shape, device::tile_exchange Exchange>
inline constexpr int reduce_runs_blocks_at_once = sizeof(T) > 8 || simt::architecture < 900
                                                      ? 0
                                                      : (Exchange != device::tile_exchange::look_back ? 1024
                                                         : Shape::threads < 256                       ? 896
                                                                                                      : 1280) /
                                                            Shape::threads;

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

// One tile a block. HasInitial: each result begins with `initial`. For few tiles the kernel is
// launched twice: first to store the tiles' aggregates (tile_exchange::publish_only), and then for
// the rest. MayShift: keys or values may begin between two vectors (block/shifted_tile.cuh).
template <bool HasInitial, bool MayShift, device::tile_exchange Exchange, class T, class Shape, class LookBack,
          class Values, class Heads, class Results, class Op>
__global__ void __launch_bounds__(Shape::threads, (reduce_runs_blocks_at_once<T, Shape, Exchange>))
    reduce_runs_kernel(reduce_runs_arguments<T, Values, Heads, Results, Op, typename LookBack::word> a) {
  using tile_type = reduce_runs_tile<Shape, T, Op, MayShift>;
  using heads_type = typename Heads::template tile<Shape, MayShift>;
  constexpr unsigned run = tile_type::run;
  auto& shared = simt::shared_storage<reduce_runs_storage<T, Shape, Heads, MayShift>>();
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
  keys.start(a.heads, shared.keys, begin, valid, n);
  tile.start(shared.values, a.values, begin, valid, n, a.vectors);
  heads_type::finish();
  tile_type::loaded::finish();
  const unsigned first = thread * run, count = first >= valid ? 0u : valid - first < run ? valid - first : run;
  const unsigned heads = keys.heads(a.heads, shared.keys, begin, valid, n) & device::low_bits_of_word(count);
  const head_words words = words_of_heads<run>(heads);
  tile.get(shared.values);
  const unsigned all_heads = heads | (device::low_bits_of_word(run) & ~device::low_bits_of_word(count));

  const scanned_runs<T> all = scan_runs<T, Shape>(shared, at, tile, all_heads, words.count, a.op);

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
  // A warp without heads has nothing to stage. Few tiles pass it over: 2 % less time. Of many
  // tiles, the warp that looks back would begin sooner, and find less.
  if (!looks_back_only || simt::any(all_heads != 0))
    tile.stage(shared.values.items, heads, all_heads, all.before, a.op);
  if constexpr (looks_back_only) simt::wait_for_previous_launch();  // which stores the aggregates
  if constexpr (!publishes_only) {
    if (warp == 0 && tiles != 1)
      look_back_runs<Exchange, LookBack>(a, shared, at, aggregate, combine_runs<T, Op>{a.op});
    simt::sync_block();
    store_runs<HasInitial, T, Shape>(a, keys, shared, at, words, all);
  }
}

}  // namespace ballot::detail
