// Where the tiles of few items go: every tile reports how many items it keeps (its tally), in a word of its own, and adds
// up what it needs of the others' reports.
//
//     reports   [tile 0: 7] [tile 1: 5] [tile 2: 3] [tile 3: 6]
//     tile 2 reads          7 + 5                               before it: 12
//     rejected behind kept  7 + 5 + 3 + 6                       where the rejected items begin: 21
//
// All reports are asked for at once, so this takes one way to the L2 and back where a look-back over as many tiles takes
// one for every 32. It grows with the square of the number of tiles, though: hence few.
//
// Progress. There is no ticket, and a tile may wait for later ones, so nothing says that the blocks of all tiles run. Who
// has looked often in vain therefore counts the missing tile itself, and reports for it: a tile has one count, whoever
// counts it. So a block that runs depends on no other one. The launch is sized so that this is rare
// (partition_launch.cuh): it happens where other work has the multiprocessors, and in the emulator.
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
#include <ballot/simt/simt.cuh>
#include <ballot/warp/reduce.cuh>

#include <cstdint>

namespace ballot::detail {

// All lanes of warp 0: the tally of the tile that begins at `begin`; n: of the array.
template <class Tally, class Shape, class Source, class Selector>
__device__ __forceinline__ typename Tally::value_type tally_by_one_warp(const Source& from, const Selector& selector,
                                                                        std::uint64_t begin, std::uint64_t n) {
  using shape = block::tile_shape<static_cast<int>(simt::warp_size), 1, Shape::width>;
  const std::uint64_t end = smaller(begin + Shape::items, n);
  typename Tally::few mine{};
#pragma unroll 1
  for (std::uint64_t at = begin; at < end; at += shape::items) {
    const auto valid = static_cast<unsigned>(smaller(end - at, shape::items));
    unsigned flags[shape::chunks];
    flags_in_tile<shape>(from, selector, at, valid, flags);
    mine = typename Tally::join{}(mine, Tally::of_flags(tile_flags<shape>(flags), at));
  }
  return Tally::of_all_lanes(mine);
}

// `reports`, one a tile, are zero at launch: not reported. Where rejected items follow kept ones, a tile needs them all.
template <class Shape, rejects Rejects, class Tally>
struct reported_places {
  using tally = Tally;
  using value_type = typename Tally::value_type;
  using word = typename Tally::report;
  static constexpr bool in_place = false;
  static constexpr bool first_warp_asks = true;
  static constexpr bool counts = false;  // of all tiles: known where they are needed
  static constexpr bool needs_all = Rejects == rejects::after_kept;
  // Where all tiles run at once, few registers a thread are as good as a larger GPU.
  static constexpr int least_blocks = needs_all ? 1024 / Shape::threads : 0;
  static constexpr unsigned reports_a_lane = 8, window = simt::warp_size * reports_a_lane;

  word* reports;

  __device__ __forceinline__ tile_site take(std::uint32_t&, const length& length) const {
    return {blockIdx.x, length.get(), 0, 0, ~std::uint64_t{0}, 0};
  }
  // All lanes of the warp that speaks. Relaxed: the tally is all that is handed over.
  __device__ __forceinline__ void announce(const tile_site& site, const value_type& of_tile) const {
    report(site.index, of_tile);
  }
  // All lanes of warp 0. recount(t): all lanes of warp 0, what tile t would report.
  template <class Recount>
  __device__ __forceinline__ value_type before(tile_site& site, const value_type&, const Recount& recount) const {
    const std::uint32_t end = needs_all ? static_cast<std::uint32_t>(ceil_div(site.n, Shape::items)) : site.index;
    const typename Tally::join join;
    typename Tally::few before{}, all{};
    for (std::uint32_t first = 0; first < end; first += window) {
      const std::uint32_t mine = first + simt::lane_id();
      word found[reports_a_lane];
      gather(mine, end, site.index, recount, found);
#pragma unroll
      for (unsigned k = 0; k < reports_a_lane; ++k) {
        const std::uint32_t tile = mine + k * simt::warp_size;
        if (tile < end) all = join(all, Tally::reported(found[k]));
        if (tile < site.index) before = join(before, Tally::reported(found[k]));
      }
    }
    if constexpr (needs_all) site.total = Tally::count(Tally::of_all_lanes(all));
    return Tally::of_all_lanes(before);
  }
  __device__ __forceinline__ std::uint64_t total(const tile_site& site, const std::uint64_t*) const {
    return site.total;
  }

 private:
  __device__ __forceinline__ void report(std::uint32_t tile, const value_type& of_tile) const {
    if (simt::lane_id() == 0)
      simt::publish_relaxed(reports + tile, Tally::report_of(of_tile));  // pairs with load_relaxed in gather
  }

  // found[k]: the report of tile mine + 32 k; where that is `end` or more, of the last one before. end >= 1.
  template <class Recount>
  __device__ __forceinline__ void gather(std::uint32_t mine, std::uint32_t end, std::uint32_t self,
                                         const Recount& recount, word (&found)[reports_a_lane]) const {
    const auto tile_of = [&](unsigned k) {
      const std::uint32_t tile = mine + k * simt::warp_size;
      return tile < end ? tile : end - 1;
    };
#pragma unroll
    for (unsigned k = 0; k < reports_a_lane; ++k)
      found[k] = simt::load_relaxed(reports + tile_of(k));  // pairs with publish_relaxed in report
    for (unsigned looks = 1;; ++looks) {
      bool is_missing = false;
#pragma unroll
      for (unsigned k = 0; k < reports_a_lane; ++k) is_missing |= found[k] == 0;
      if (!simt::any(is_missing)) return;
      if (looks > simt::looks_before_helping) {
        // Blocks that wait together begin with different ones.
        std::uint32_t turn = window;
#pragma unroll
        for (unsigned k = 0; k < reports_a_lane; ++k)
          if (found[k] == 0) turn = minimum{}(turn, (tile_of(k) + self) % window);
        const std::uint32_t missing = mine / window * window + (warp::reduce(turn, minimum{}) - self) % window;
        report(missing, recount(missing));
      }
#pragma unroll
      for (unsigned k = 0; k < reports_a_lane; ++k)
        if (found[k] == 0) found[k] = simt::load_relaxed(reports + tile_of(k));
    }
  }
};

}  // namespace ballot::detail
