// SPDX-License-Identifier: Apache-2.0
// The kernel of reductions of runs: one launch, each key and value read once, each result written once. Few tiles are
// launched twice, and read twice: neither states nor a ticket have to be cleared, and no tile waits for another.
//
//     take a ticket -> load the tile, heads -> scan the block -> publish -> stage results -> look back -> store
//     of few tiles     load the tile, heads -> scan the block -> store the aggregate
//                      load the tile, heads -> scan the block -> stage results -> wait, look back -> store
//
//     heads          1 0 0 1 0 | 0 1 0 0 0 | 0 0 0 0 0 | 1 ...      tiles of five items
//     tile state     (2, de)     (1, ghij)   (0, klmno)             heads in the tile, op from its last head on
//     staged         -  abc      f           none      klmno..      at each head: op of the run before it, in the tile
//     stored         abc         de f        -         ghij klmno   a tile's first head: with the prefix of the tile
//
// A result is known at the next head. So a thread walks along its items and stages at each head the key, and the
// result of the run that ends there. Only the tile's first head needs the tiles before: its run may have begun there.
// All others are complete without the look-back. What a tile publishes is a pair, added as
// (m, a) + (n, b) = (m + n, n != 0 ? b : a op b), which is associative if op is.
//
// The end of the items is one more head, without a key: the first missing item of a partial tile; of a full one the
// tile's inclusive prefix has the last result.
//
// Shared memory: keys and values of the tile, which results and keys of runs overwrite; and per warp an item and two
// words. Barriers: three. Merrill and Garland 2016 for the look-back; Sengupta, Harris, Zhang and Owens, Scan
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

// Of consecutive ranges of items.
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

// What lies before a thread's items in its tile.
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
  // op from the thread's last head on; of all its items if it has none.
  __device__ __forceinline__ T tail(unsigned heads, Op op) const {
    T sum = item[0];
#pragma unroll
    for (unsigned i = 1; i < run; ++i) sum = (heads >> i & 1u) != 0 ? item[i] : op(sum, item[i]);
    return sum;
  }
  // Stages at each head the key, and the result of the run that ends there. `missing`: items that do not exist.
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

// One tile, by all threads of a block. HasInitial: each result begins with `initial`. Of few tiles the kernel is launched
// twice, first to store the tiles' aggregates (tile_exchange::publish_only), and then for the rest.
template <bool HasInitial, device::tile_exchange Exchange, class T, class Shape, class LookBack, class Values,
          class Heads, class Results, class Op>
class reduce_runs_of_tile {
 public:
  using arguments = reduce_runs_arguments<T, Values, Heads, Results, Op, typename LookBack::word>;
  using storage = reduce_runs_storage<T, Shape, Heads>;

  __device__ __forceinline__ reduce_runs_of_tile(const arguments& a, storage& shared) : a_(a), shared_(shared) {}

  __device__ __forceinline__ void process() {
    if (!take_tile()) return;
    load_and_find_heads();
    scan_block();
    publish();
    if constexpr (!publishes_only) {
      stage_runs();
      look_back();
      simt::sync_block();
      runs_before_ = index_ == 0 ? 0 : shared_.runs_before;
      store_runs();
      if (is_last_ && thread_ == 0) store_end();
    }
  }

 private:
  using tile_type = reduce_runs_tile<Shape, T, Op>;
  using heads_type = typename Heads::template tile<Shape>;
  static constexpr unsigned run = tile_type::run;
  static constexpr bool publishes_only = Exchange == device::tile_exchange::publish_only,
                        looks_back_only = Exchange == device::tile_exchange::look_back_only;
  static constexpr bool publishes_early = requires(run_aggregate<T> aggregate) {
    LookBack::publish_prefix(static_cast<typename LookBack::word*>(nullptr), 0u, aggregate);
  };

  // False: there are no items, or this is a surplus tile of a launch sized for the capacity.
  __device__ __forceinline__ bool take_tile() {
    if constexpr (publishes_only) simt::let_next_launch_begin();
    if constexpr (!publishes_only && !looks_back_only) {
      simt::wait_for_previous_launch();  // which clears the states
      if (a_.ticket != nullptr) index_ = device::take_ticket(a_.ticket, shared_.tile);
    }
    n_ = a_.length.get(), tiles_ = ceil_div(n_, Shape::items);
    if (index_ >= tiles_) {
      if constexpr (looks_back_only) simt::wait_for_previous_launch();
      if (!publishes_only && n_ == 0 && index_ == 0 && thread_ == 0) a_.count.store(0);
      return false;
    }
    begin_ = std::uint64_t{index_} * Shape::items;
    valid_ = static_cast<unsigned>(smaller(n_ - begin_, Shape::items));
    is_last_ = begin_ + valid_ == n_;
    return true;
  }

  // A missing item is a head of its own, and the first of them ends the last run.
  __device__ __forceinline__ void load_and_find_heads() {
    keys_.start(a_.heads, shared_.keys, begin_, valid_);
    tile_type::start(shared_.values.tile, a_.values, begin_, valid_, a_.vector_aligned);
    heads_type::finish();
    tile_type::staged::finish();
    const unsigned first = thread_ * run, count = first >= valid_ ? 0u : valid_ - first < run ? valid_ - first : run;
    heads_ = keys_.heads(a_.heads, shared_.keys, begin_, valid_, n_) & device::low_bits_of_word(count);
    tile_.get(shared_.values.tile);
    all_heads_ = heads_ | (device::low_bits_of_word(run) & ~device::low_bits_of_word(count));
    end_head_ = count < run && first <= valid_ ? 1u << count : 0u;  // the first missing item
  }

  __device__ __forceinline__ void scan_block() {
    const unsigned warp = simt::warp_id(), lane = simt::lane_id();
    const device::lane_segments<T> lanes = device::scan_lane_segments(tile_.tail(all_heads_, a_.op), all_heads_, a_.op);
    const unsigned lane_heads = warp::inclusive_scan(static_cast<unsigned>(simt::popcount(heads_)));
    if (lane == simt::warp_size - 1) shared_.heads_of_warp[warp] = lane_heads;
    if (thread_ == 0) shared_.first_is_head = (heads_ & 1u) != 0;
    const device::block_segments<T> block =
        device::segments_across_warps<T, Shape::threads>::scan(shared_.warps, lanes.warp, a_.op);
    tail_ = block.tail;
    place_ = {lane_heads - simt::popcount(heads_), lanes.exclusive};
#pragma unroll
    for (unsigned w = 0; w < static_cast<unsigned>(Shape::warps); ++w) {
      if (w < warp) place_.rank += shared_.heads_of_warp[w];
      tile_heads_ += shared_.heads_of_warp[w];
    }
    if (warp != 0) {
      if (lane == 0) place_.value = block.exclusive;
      else if (!lanes.has_head_below) place_.value = a_.op(block.exclusive, lanes.exclusive);
    }
  }

  // A tile that ends within publishes one head more: its tail is a missing item, which must not be added to anything.
  // No tile follows it.
  __device__ __forceinline__ run_aggregate<T> aggregate() const {
    return {tile_heads_ + (valid_ != Shape::items), tail_};
  }

  __device__ __forceinline__ void publish() const {
    if constexpr (publishes_only) {
      if (thread_ == 0) LookBack::store_for_next_launch(a_.states, index_, aggregate());
    } else if constexpr (publishes_early) {
      if (thread_ == 0 && index_ + 1 < tiles_) {
        if (index_ == 0) LookBack::publish_prefix(a_.states, index_, aggregate());
        else LookBack::publish_aggregate(a_.states, index_, aggregate());
      }
    } else if constexpr (!looks_back_only) {
      if (thread_ == 0 && tiles_ != 1) LookBack::publish(a_.states, index_, aggregate());
    }
  }

  __device__ __forceinline__ void stage_runs() {
    tile_.stage(shared_.values, keys_, shared_.keys, heads_ | end_head_, all_heads_, place_, a_.op);
  }

  // By one warp. What lies before the tile is known to the block after a barrier.
  __device__ __forceinline__ void look_back() const {
    if constexpr (looks_back_only) simt::wait_for_previous_launch();  // which stores the aggregates
    if (simt::warp_id() != 0 || tiles_ == 1) return;
    const combine_runs<T, Op> combine{a_.op};
    run_aggregate<T> before = aggregate();
    if constexpr (looks_back_only || publishes_early) {
      if (index_ != 0) before = LookBack::exclusive_prefix(a_.states, index_, combine);
      if constexpr (!looks_back_only)
        if (simt::lane_id() == 0 && index_ != 0 && index_ + 1 < tiles_)
          LookBack::publish_prefix(a_.states, index_, combine(before, aggregate()));
    } else {
      before = LookBack::template publish_and_look_back<false>(a_.states, gridDim.x, index_, aggregate(), aggregate(),
                                                               combine);
    }
    if (simt::lane_id() == 0) {
      shared_.runs_before = before.count;
      shared_.prefix = before.value;
    }
  }

  // At each head the key of its run, and the result of the run before.
  __device__ __forceinline__ void store_runs() const {
    for (unsigned h = thread_; h < tile_heads_ + ends_within(); h += Shape::threads) {
      if (h < tile_heads_) a_.heads.store(shared_.keys, h, runs_before_ + h);
      T result = shared_.values.slot(h);
      if (h == 0) {
        if (index_ == 0) continue;  // the first head of all ends no run
        result = shared_.first_is_head ? shared_.prefix : a_.op(shared_.prefix, result);
      }
      store_result(runs_before_ + h - 1, result);
    }
  }

  // The number of runs, and the result of the last one if no missing item ends it.
  __device__ __forceinline__ void store_end() const {
    a_.count.store(runs_before_ + tile_heads_);
    if (ends_within()) return;
    const bool is_open = tile_heads_ == 0;  // the last run began in another tile
    store_result(runs_before_ + tile_heads_ - 1, is_open ? a_.op(shared_.prefix, tail_) : tail_);
  }

  __device__ __forceinline__ void store_result(std::uint64_t at, const T& result) const {
    if constexpr (HasInitial) a_.results.store(at, a_.op(a_.initial, result));
    else a_.results.store(at, result);
  }

  __device__ __forceinline__ bool ends_within() const { return is_last_ && valid_ != Shape::items; }

  const arguments& a_;
  storage& shared_;
  const unsigned thread_ = simt::thread_rank();
  std::uint32_t index_ = blockIdx.x;
  std::uint64_t n_ = 0, tiles_ = 0, begin_ = 0, runs_before_ = 0;
  unsigned valid_ = 0;
  bool is_last_ = false;
  heads_type keys_;
  tile_type tile_;
  unsigned heads_ = 0, all_heads_ = 0, end_head_ = 0;  // of the thread's items, as bits
  unsigned tile_heads_ = 0;
  thread_prefix_of_runs<T> place_;
  T tail_;  // of the tile
};

template <bool HasInitial, device::tile_exchange Exchange, class T, class Shape, class LookBack, class Values,
          class Heads, class Results, class Op>
__global__ void __launch_bounds__(Shape::threads, reduce_runs_blocks_at_once<T, Shape>)
    reduce_runs_kernel(reduce_runs_arguments<T, Values, Heads, Results, Op, typename LookBack::word> a) {
  auto& shared = simt::shared_storage<reduce_runs_storage<T, Shape, Heads>>();
  reduce_runs_of_tile<HasInitial, Exchange, T, Shape, LookBack, Values, Heads, Results, Op>(a, shared).process();
}

}  // namespace ballot::detail
