// Which tile a block takes, and how many kept items lie before it. Four ways:
//
//   look_back_places    one launch: tiles learn it from each other while they run (device/look_back.cuh)
//   counted_places      the tiles have been counted by an earlier launch, and the counts summed: nothing to wait for
//   summed_places       counted likewise, and few: each tile sums the counts for itself
//   row_places          many arrays in one launch: each row of tiles looks back within itself
//
// In place. Kept items move towards the front, onto items that another block may not have read yet. Tile k writes to
// positions before its own end, so it can only hurt tiles up to k, and these must have read their items first. A tile
// publishes its state after the barrier behind its loads; the state is released, and the look-back acquires it:
//
//     tile i: load | barrier | fence, publish  ->  tile j > i: look back, fence | (publish) | barrier | write
//
// Where j stops at the prefix of a tile p, those before p are ordered too, because p published that prefix behind its own
// look-back's fence. So every read of a tile up to j happens before every write of j. Without the fences the states alone
// would not say so: relaxed words order nothing but themselves.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/device/look_back.cuh>
#include <ballot/warp/reduce.cuh>

namespace ballot::detail {

// Where a tile lies.
struct tile_site {
  std::uint32_t index;     // of its array
  std::uint64_t n;         // items of the array
  std::uint64_t in_base;   // where the array begins in the inputs, the flags,
  std::uint64_t out_base;  // and in the outputs
  std::uint64_t out_room;  // items of an output
  std::uint64_t row;       // number of the array
  // Where an earlier launch found them: kept items of the array before the tile, and in all.
  std::uint64_t before = 0;
  std::uint64_t total = 0;
};

// All lanes of one warp, behind a barrier behind the block's loads: other tiles may count on this one from now on.
template <bool InPlace>
__device__ __forceinline__ void announce_over(device::count_state::word* states, std::uint32_t index,
                                              unsigned tile_kept) {
  using back = device::look_back<device::count_state>;
  if (simt::lane_id() != 0) return;
  if constexpr (InPlace) simt::fence();  // releases the block's loads; pairs with the fence after a look-back
  if (index == 0) back::publish_prefix(states, 0, tile_kept);
  else back::publish_aggregate(states, index, tile_kept);
}
// All lanes of the same warp, after that: the kept items before tile `index` of an array whose states begin at `states`.
template <bool InPlace>
__device__ __forceinline__ std::uint64_t look_back_over(device::count_state::word* states, std::uint32_t index,
                                                        unsigned tile_kept) {
  using back = device::look_back<device::count_state>;
  if (index == 0) return 0;
  const std::uint64_t before = back::before(states, index);
  if constexpr (InPlace) {
    simt::fence();  // acquires what each lane's states released; pairs with the fences before publishing
    simt::sync_warp();
  }
  if (simt::lane_id() == 0) {
    if constexpr (InPlace) simt::fence();  // releases it all further, with the block's loads
    back::publish_prefix(states, index, before + tile_kept);
  }
  return before;
}

// `states` (a word a tile) and `ticket` are zero at launch.
template <bool InPlace>
struct look_back_places {
  static constexpr bool in_place = InPlace;
  static constexpr bool counts = true;  // the kernel is who finds the total
  static constexpr bool overlaps = false;
  device::count_state::word* states;
  std::uint32_t* ticket;

  __device__ __forceinline__ tile_site take(std::uint32_t& slot, const length& length) const {
    return {device::take_ticket(ticket, slot), length.get(), 0, 0, ~std::uint64_t{0}, 0};
  }
  // All lanes of one warp, one after the other.
  __device__ __forceinline__ void announce(const tile_site& site, unsigned tile_kept) const {
    announce_over<InPlace>(states, site.index, tile_kept);
  }
  __device__ __forceinline__ std::uint64_t before(const tile_site& site, unsigned tile_kept) const {
    return look_back_over<InPlace>(states, site.index, tile_kept);
  }
  // Where rejected items begin behind kept ones.
  __device__ __forceinline__ std::uint64_t total(const tile_site&, const std::uint64_t* count) const { return *count; }
};

// before_tile[t]: kept items before tile t; *all: of all tiles.
struct counted_places {
  static constexpr bool in_place = false;
  static constexpr bool counts = false;
  static constexpr bool overlaps = false;
  const std::uint64_t* before_tile;
  const std::uint64_t* all;

  __device__ __forceinline__ tile_site take(std::uint32_t&, const length& length) const {
    tile_site site{blockIdx.x, length.get(), 0, 0, ~std::uint64_t{0}, 0};
    // Asked for here, so that they arrive with the items.
    site.before = before_tile[site.index];
    site.total = *all;
    return site;
  }
  __device__ __forceinline__ void announce(const tile_site&, unsigned) const {}
  __device__ __forceinline__ std::uint64_t before(const tile_site& site, unsigned) const { return site.before; }
  __device__ __forceinline__ std::uint64_t total(const tile_site& site, const std::uint64_t*) const {
    return site.total;
  }
};

// of_tile[t]: kept items of tile t, of all tiles of the launch, which overlaps the one that counts them: the counts are
// there when it has waited for it.
struct summed_places {
  static constexpr bool in_place = false;
  static constexpr bool counts = false;
  static constexpr bool overlaps = true;
  static constexpr unsigned most_tiles = 512;  // sixteen counts a lane
  const std::uint64_t* of_tile;

  __device__ __forceinline__ tile_site take(std::uint32_t&, const length& length) const {
    return {blockIdx.x, length.get(), 0, 0, ~std::uint64_t{0}, 0};
  }
  __device__ __forceinline__ void announce(const tile_site&, unsigned) const {}
  // All lanes of one warp; leaves the sum of all tiles in the site.
  __device__ __forceinline__ std::uint64_t before(tile_site& site, unsigned) const {
    std::uint64_t before = 0, all = 0;
    simt::wait_for_launch_before();
#pragma unroll 4
    for (unsigned tile = simt::lane_id(); tile < gridDim.x; tile += simt::warp_size) {
      const std::uint64_t count = of_tile[tile];
      all += count;
      if (tile < site.index) before += count;
    }
    site.total = warp::reduce(all);
    return warp::reduce(before);
  }
  __device__ __forceinline__ std::uint64_t total(const tile_site& site, const std::uint64_t*) const {
    return site.total;
  }
};

// Rows of `width` items, `pitch` apart, each with tiles of its own. lengths: of each row, or null.
struct row_places {
  static constexpr bool in_place = false;
  static constexpr bool counts = true;
  static constexpr bool overlaps = false;
  std::uint64_t width;
  std::uint64_t pitch;
  const std::uint64_t* lengths;
  std::uint32_t tiles_a_row;
  device::count_state::word* states;
  std::uint32_t* ticket;

  __device__ __forceinline__ tile_site take(std::uint32_t& slot, const length&) const {
    const std::uint32_t tile = device::take_ticket(ticket, slot), row = tile / tiles_a_row;
    const std::uint64_t n = lengths == nullptr ? width : lengths[row], base = row * pitch;
    return {tile % tiles_a_row, n < width ? n : width, base, base, width, row};
  }
  __device__ __forceinline__ void announce(const tile_site& site, unsigned tile_kept) const {
    announce_over<false>(states + site.row * tiles_a_row, site.index, tile_kept);
  }
  __device__ __forceinline__ std::uint64_t before(const tile_site& site, unsigned tile_kept) const {
    return look_back_over<false>(states + site.row * tiles_a_row, site.index, tile_kept);
  }
};

}  // namespace ballot::detail
