// SPDX-License-Identifier: Apache-2.0
// How the tiles of few items find their scatter offsets. Each tile publishes its aggregate in a
// word of its own. It sums the aggregates of all tiles that it needs.
//
//     aggregates            [tile 0: 7] [tile 1: 5] [tile 2: 3] [tile 3: 6]
//     tile 2 reads          7 + 5                             exclusive prefix: 12
//     rejected at the end   7 + 5 + 3 + 6                     offset of the first rejected item: 21
//
// All words are requested at once, so this takes one round trip to the L2 cache. A look-back takes
// one for every 32 tiles. But the work grows with the square of the number of tiles, so this is for
// few tiles.
//
// From sm_90 on, even fewer tiles are one cluster of blocks. Each tile writes its word to the
// shared memory of the tiles that need it. Then all tiles wait at a barrier of the cluster. So no
// words in global memory have to be cleared, and no tile polls.
//
// Progress, without a cluster. There is no ticket, and a tile may wait for later tiles. So nothing
// guarantees that the blocks of all tiles run. Therefore a block that has polled too long
// recomputes the missing aggregate itself and publishes it. The aggregate of a tile is the same,
// whichever block computes it. So a running block depends on no other block. The launch is sized so
// that this fallback is rare (launch.cuh): it happens where other work occupies the
// multiprocessors, and in the emulator.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/partition/aggregate.cuh>
#include <ballot/detail/partition/count_kernel.cuh>
#include <ballot/detail/partition/tile.cuh>
#include <ballot/detail/partition/tuning.cuh>
#include <ballot/device/cluster.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/reduce.cuh>

#include <cstdint>

namespace ballot::detail {

// All lanes of warp 0: the aggregate of the tile of the items from `begin` to `end`.
template <class Aggregate, class Shape, class Source, class Selector>
__device__ __forceinline__ typename Aggregate::value_type recompute_aggregate(const Source& source,
                                                                              const Selector& selector,
                                                                              std::uint64_t begin, std::uint64_t end) {
  using shape = block::tile_shape<static_cast<int>(simt::warp_size), 1, Shape::width>;
  typename Aggregate::lane_aggregate mine{};
#pragma unroll 1
  for (std::uint64_t at = begin; at < end; at += shape::items) {
    const auto valid = static_cast<unsigned>(smaller(end - at, shape::items));
    unsigned flags[shape::chunks];
    flags_in_tile<shape>(source, selector, at, valid, flags);
    mine = typename Aggregate::combine{}(mine, Aggregate::of_lane(tile_flags<shape>(flags), at));
  }
  return Aggregate::of_warp(mine);
}

// `words`, one for each tile, are zero at launch, which means: not published. Null for the only
// tile, and in a cluster. If rejected items follow the selected ones, a tile needs the words of all
// tiles. Otherwise it needs those of the tiles before it.
template <class Shape, rejects Rejects, class Aggregate>
struct aggregate_sum_offsets {
  using aggregate = Aggregate;
  using value_type = typename Aggregate::value_type;
  using word = typename Aggregate::sum_word;
  static constexpr bool in_place = false;
  static constexpr bool first_warp_finds_prefix = true;
  static constexpr unsigned cluster_tiles = simt::most_cluster_blocks;
  static constexpr bool needs_all = Rejects == rejects::after_selected;
  // If all tiles must run at once, fewer registers a thread allow more tiles, as a larger GPU
  // would.
  static constexpr int min_blocks = needs_all ? 1024 / Shape::threads : 0;
  static constexpr unsigned words_per_lane = 8, window = simt::warp_size * words_per_lane;

  word* words;
  bool in_cluster;
  shifted_tiles tiles;

  // All threads of all tiles call begin_cluster, and later meet_in_cluster.
  __device__ __forceinline__ void begin_cluster() const {
    if (in_cluster) device::begin_cluster();
  }
  // publishes: whether this warp has the tile's aggregate. of_tiles: a word for each tile, in
  // shared memory.
  __device__ __forceinline__ void meet_in_cluster(const tile_location& tile, bool publishes,
                                                  const value_type& aggregate, word* of_tiles) const {
    if (!in_cluster) return;
    device::give_to_tiles(of_tiles, tile.index, needs_all ? 0u : tile.index + 1, tiles_of<Shape>(tile.n + tiles.shift),
                          publishes, Aggregate::pack(aggregate));
  }
  // All lanes of warp 0.
  __device__ __forceinline__ value_type exclusive_prefix_in_cluster(tile_location& self, const word* of_tiles) const {
    simt::cluster_wait();
    const typename Aggregate::combine combine;
    typename Aggregate::lane_aggregate before{}, all{};
    const std::uint32_t end = needs_all ? tiles_of<Shape>(self.n + tiles.shift) : self.index, tile = simt::lane_id();
    if (tile < end) all = combine(all, Aggregate::unpack(of_tiles[tile]));
    if (tile < self.index) before = all;
    if constexpr (needs_all) self.selected_total = Aggregate::count(Aggregate::of_warp(all));
    return Aggregate::of_warp(before);
  }

  __device__ __forceinline__ tile_location take_tile(std::uint32_t&, const length& length) const {
    return {blockIdx.x, length.get(), 0, 0, ~std::uint64_t{0}, 0, tiles};
  }
  // All lanes of the warp that publishes. Relaxed: the word itself is all that other tiles read.
  __device__ __forceinline__ void publish(const tile_location& tile, const value_type& aggregate) const {
    publish_word(tile.index, aggregate);
  }
  // All lanes of warp 0. recompute(t): computes the aggregate of tile t, by all lanes of warp 0.
  template <class Recompute>
  __device__ __forceinline__ value_type exclusive_prefix(tile_location& self, const value_type& own,
                                                         const Recompute& recompute) const {
    const std::uint32_t end = needs_all ? tiles_of<Shape>(self.n + tiles.shift) : self.index;
    const typename Aggregate::combine combine;
    typename Aggregate::lane_aggregate before{}, all{};
    if (words == nullptr) {
      if constexpr (needs_all) self.selected_total = Aggregate::count(own);
      return {};
    }
    simt::wait_for_previous_launch();
    for (std::uint32_t first = 0; first < end; first += window) {
      const std::uint32_t mine = first + simt::lane_id();
      word found[words_per_lane];
      poll(mine, end, self.index, recompute, found);
#pragma unroll
      for (unsigned k = 0; k < words_per_lane; ++k) {
        const std::uint32_t tile = mine + k * simt::warp_size;
        if (tile < end) all = combine(all, Aggregate::unpack(found[k]));
        if (tile < self.index) before = combine(before, Aggregate::unpack(found[k]));
      }
    }
    if constexpr (needs_all) self.selected_total = Aggregate::count(Aggregate::of_warp(all));
    return Aggregate::of_warp(before);
  }
  __device__ __forceinline__ std::uint64_t total(const tile_location& tile) const { return tile.selected_total; }

 private:
  __device__ __forceinline__ void publish_word(std::uint32_t tile, const value_type& aggregate) const {
    simt::wait_for_previous_launch();  // which cleared the words
    if (simt::lane_id() == 0 && words != nullptr)
      simt::publish_relaxed(words + tile, Aggregate::pack(aggregate));  // pairs with load_relaxed in poll
  }

  // found[k]: the word of tile mine + 32 k, or of tile end - 1 if that is less. end >= 1. Waits
  // until all are published.
  template <class Recompute>
  __device__ __forceinline__ void poll(std::uint32_t mine, std::uint32_t end, std::uint32_t self,
                                       const Recompute& recompute, word (&found)[words_per_lane]) const {
    const auto tile_of = [&](unsigned k) {
      const std::uint32_t tile = mine + k * simt::warp_size;
      return tile < end ? tile : end - 1;
    };
#pragma unroll
    for (unsigned k = 0; k < words_per_lane; ++k)
      found[k] = simt::load_relaxed(words + tile_of(k));  // pairs with publish_relaxed in publish_word
    for (unsigned looks = 1;; ++looks) {
      bool is_missing = false;
#pragma unroll
      for (unsigned k = 0; k < words_per_lane; ++k) is_missing |= found[k] == 0;
      if (!simt::any(is_missing)) return;
      if (looks > simt::polls_before_fallback) {
        // Blocks that poll at the same time begin with different missing tiles.
        std::uint32_t turn = window;
#pragma unroll
        for (unsigned k = 0; k < words_per_lane; ++k)
          if (found[k] == 0) turn = minimum{}(turn, (tile_of(k) + self) % window);
        const std::uint32_t missing = mine / window * window + (warp::reduce(turn, minimum{}) - self) % window;
        publish_word(missing, recompute(missing));
      }
#pragma unroll
      for (unsigned k = 0; k < words_per_lane; ++k)
        if (found[k] == 0) found[k] = simt::load_relaxed(words + tile_of(k));  // pairs as above
    }
  }
};

}  // namespace ballot::detail
