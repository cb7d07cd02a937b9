// Which tile a block takes, and how many kept items lie before it. Four ways:
//
//   look_back_places    one launch: tiles learn it from each other while they run (device/look_back.cuh)
//   counted_places      the tiles have been counted by an earlier launch, and the counts summed: nothing to wait for
//   reported_places     one launch, few tiles: each adds up what the others report (partition_reports.cuh)
//   row_places          many arrays in one launch: each row of tiles looks back within itself
//
// What tiles tell each other is a tally (partition_tally.cuh): the kept items, and perhaps where the last one is.
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
#include <ballot/detail/partition_tally.cuh>
#include <ballot/detail/partition_tile.cuh>
#include <ballot/device/look_back.cuh>
#include <ballot/warp/reduce.cuh>

namespace ballot::detail {

// All lanes of one warp, behind a barrier behind the block's loads: other tiles may count on this one from now on.
template <bool InPlace, class Tally>
__device__ __forceinline__ void announce_over(typename Tally::state::word* states, std::uint32_t index,
                                              const typename Tally::value_type& of_tile) {
  using back = device::look_back<typename Tally::state>;
  if (simt::lane_id() != 0) return;
  if constexpr (InPlace) simt::fence();  // releases the block's loads; pairs with the fence after a look-back
  if (index == 0) back::publish_prefix(states, 0, of_tile);
  else back::publish_aggregate(states, index, of_tile);
}
// All lanes of the same warp, after that: the tally before tile `index` of an array whose states begin at `states`.
template <bool InPlace, class Tally>
__device__ __forceinline__ typename Tally::value_type look_back_over(typename Tally::state::word* states,
                                                                     std::uint32_t index,
                                                                     const typename Tally::value_type& of_tile) {
  using back = device::look_back<typename Tally::state>;
  using join = typename Tally::join;
  if (index == 0) return {};
  const typename Tally::value_type before = back::exclusive_prefix(states, index, join{});
  if constexpr (InPlace) {
    simt::fence();  // acquires what each lane's states released; pairs with the fences before publishing
    simt::sync_warp();
  }
  if (simt::lane_id() == 0) {
    if constexpr (InPlace) simt::fence();  // releases it all further, with the block's loads
    back::publish_prefix(states, index, join{}(before, of_tile));
  }
  return before;
}

// `states` (one a tile) and `ticket` are zero at launch.
template <bool InPlace, class Tally>
struct look_back_places {
  using tally = Tally;
  static constexpr bool in_place = InPlace;
  static constexpr bool first_warp_asks = false;
  static constexpr int least_blocks = 0;  // of a multiprocessor: whatever the compiler finds best
  static constexpr bool counts = true;    // the kernel is who finds the total
  typename Tally::state::word* states;
  std::uint32_t* ticket;

  __device__ __forceinline__ tile_site take(std::uint32_t& slot, const length& length) const {
    return {device::take_ticket(ticket, slot), length.get(), 0, 0, ~std::uint64_t{0}, 0};
  }
  // All lanes of one warp, one after the other.
  __device__ __forceinline__ void announce(const tile_site& site, const typename Tally::value_type& of_tile) const {
    announce_over<InPlace, Tally>(states, site.index, of_tile);
  }
  template <class Recount>
  __device__ __forceinline__ typename Tally::value_type before(const tile_site& site,
                                                               const typename Tally::value_type& of_tile,
                                                               const Recount&) const {
    return look_back_over<InPlace, Tally>(states, site.index, of_tile);
  }
  // Where rejected items begin behind kept ones.
  __device__ __forceinline__ std::uint64_t total(const tile_site&, const std::uint64_t* count) const { return *count; }
};

// before_tile[t]: kept items before tile t; *all: of all tiles.
struct counted_places {
  using tally = kept_count;
  static constexpr bool in_place = false;
  static constexpr bool first_warp_asks = false;
  static constexpr int least_blocks = 0;  // of a multiprocessor: whatever the compiler finds best
  static constexpr bool counts = false;
  const std::uint64_t* before_tile;
  const std::uint64_t* all;

  __device__ __forceinline__ tile_site take(std::uint32_t&, const length& length) const {
    tile_site site{blockIdx.x, length.get(), 0, 0, ~std::uint64_t{0}, 0};
    // Asked for here, so that they arrive with the items.
    site.before = before_tile[site.index];
    site.total = *all;
    return site;
  }
  __device__ __forceinline__ void announce(const tile_site&, std::uint64_t) const {}
  template <class Recount>
  __device__ __forceinline__ std::uint64_t before(const tile_site& site, std::uint64_t, const Recount&) const {
    return site.before;
  }
  __device__ __forceinline__ std::uint64_t total(const tile_site& site, const std::uint64_t*) const {
    return site.total;
  }
};

// Rows of `width` items, `pitch` apart, each with tiles of its own. lengths: of each row, or null.
struct row_places {
  using tally = kept_count;
  static constexpr bool in_place = false;
  static constexpr bool first_warp_asks = false;
  static constexpr int least_blocks = 0;  // of a multiprocessor: whatever the compiler finds best
  static constexpr bool counts = true;
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
  __device__ __forceinline__ void announce(const tile_site& site, std::uint64_t of_tile) const {
    announce_over<false, tally>(states + site.row * tiles_a_row, site.index, of_tile);
  }
  template <class Recount>
  __device__ __forceinline__ std::uint64_t before(const tile_site& site, std::uint64_t of_tile, const Recount&) const {
    return look_back_over<false, tally>(states + site.row * tiles_a_row, site.index, of_tile);
  }
};

}  // namespace ballot::detail
