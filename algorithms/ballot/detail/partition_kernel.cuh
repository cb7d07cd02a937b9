// The kernel behind every selection: each kept item written once, in order, for as many columns as there are.
//
//     take a tile -> load, flags (of the first column's items, or read) -> count -> announce the tally
//                 -> gather kept (and rejected) items in shared memory -> look back -> write out -> next column
//
// A warp's ranks come from its votes alone (warp/binary_scan.cuh); the only number that crosses warps is a count, and
// all that crosses tiles is a tally: a count, and for run lengths a place (partition_tally.cuh). Each warp gathers its
// run of an array within shared memory, where it has been loaded to (partition_runs.cuh); other columns pass through
// registers (partition_stage.cuh). All of that is between a tile's announcement and its look-back: where an item goes
// within the tile does not depend on other tiles. Writing from shared memory makes the kept items of a warp one
// contiguous run. Where rejected items are dropped, a vector whose flags are all clear is not read at all (but by the
// predicate). Harris and Garland, GPU Computing Gems Jade Edition, chapter 3.4 (stream compaction by binary scans);
// Merrill and Garland 2016.
//
// Shared memory: one tile of the largest items, half a tile more where nothing is dropped. Barriers: three, and two for
// each other column.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/columns.cuh>
#include <ballot/detail/partition_places.cuh>
#include <ballot/detail/partition_reports.cuh>
#include <ballot/detail/partition_runs.cuh>
#include <ballot/detail/partition_stage.cuh>
#include <ballot/detail/partition_tally.cuh>
#include <ballot/detail/partition_tile.cuh>
#include <ballot/detail/selectors.cuh>
#include <ballot/detail/tuning_partition.cuh>
#include <ballot/warp/reduce.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// The largest items of columns that pass in runs; 0 where there are none.
template <class Columns>
inline constexpr std::size_t largest_in_runs = 0;
template <class First, class... Rest>
inline constexpr std::size_t largest_in_runs<columns<First, Rest...>> = std::max(
    passes_in_runs<decltype(First::source)> ? sizeof(typename First::item) : 0, largest_in_runs<columns<Rest...>>);

template <class Columns, class Shape, rejects Rejects>
struct partition_storage {
  typename block::scan<unsigned, Shape::threads>::storage warps;
  std::uint32_t tile;
  std::uint64_t before;       // kept items of all tiles before this one,
  std::uint64_t last_before;  // and where the last of them is, if tiles tell each other,
  std::uint64_t total;        // and of all; where rejected ones follow
  alignas(simt::copy_alignment) unsigned char items[Shape::items * Columns::largest_item];
  // Beside the runs, where nothing is dropped.
  static constexpr std::size_t beside_stride = Rejects == rejects::dropped ? 0 : largest_in_runs<Columns>;
  alignas(16) unsigned char beside[Shape::items / 2 * beside_stride + 1];
};

// A column's items on their way through the block.
template <class Shape, rejects Rejects, class Column>
class passing_column {
  using source = decltype(Column::source);
  using T = typename Column::item;
  static constexpr bool in_runs = passes_in_runs<source>;
  using items_type = std::conditional_t<in_runs, run_items<T, Shape>, register_items<source, Shape>>;

 public:
  template <class Storage>
  static __device__ __forceinline__ items_type items_in(Storage& shared) {
    if constexpr (in_runs) return items_type::at(shared.items, stride<Storage>{});
    else return {};
  }

  // All threads. Through registers: after a barrier since the shared memory was last read, and before another one.
  template <class Storage>
  static __device__ __forceinline__ void gather(Storage& shared, items_type& items, const tile_flags<Shape>& of,
                                                unsigned warp_kept, const placed_tile& tile) {
    if constexpr (in_runs)
      items.template gather<Rejects>(of, tile.valid, warp_kept, shared.beside,
                                     std::integral_constant<std::size_t, Storage::beside_stride>{});
    else
      items.template gather<Rejects>(of, tile.kept_before_warp, tile.kept, tile.valid,
                                     reinterpret_cast<T*>(shared.items));
  }
  template <class Storage>
  static __device__ __forceinline__ void write(Storage& shared, const Column& of, const items_type& items,
                                               unsigned warp_kept, const placed_tile& tile) {
    if constexpr (in_runs) items.template write<Rejects>(warp_kept, of.kept, of.rejected, tile);
    else write_column<Shape, Rejects>(of, reinterpret_cast<const T*>(shared.items), tile);
  }

 private:
  template <class Storage>
  using stride = std::integral_constant<std::size_t, sizeof(Storage::items) / Shape::items>;
};

template <class Shape, rejects Rejects, class Storage>
__device__ __forceinline__ void move_columns(const columns<>&, Storage&, const tile_flags<Shape>&, unsigned,
                                             const placed_tile&) {}
// The other columns, one after the other.
template <class Shape, rejects Rejects, class First, class... Rest, class Storage>
__device__ __forceinline__ void move_columns(const columns<First, Rest...>& all, Storage& shared,
                                             const tile_flags<Shape>& of, unsigned warp_kept, const placed_tile& tile) {
  using passing = passing_column<Shape, Rejects, First>;
  auto items = passing::items_in(shared);
  const std::uint64_t at = tile.site.in_base + tile.begin;
  simt::sync_block();  // the column before has been written out
  if constexpr (Rejects == rejects::dropped) items.start_flagged(all.first.source, at, tile.valid, of);
  else items.start(all.first.source, at, tile.valid);
  items.finish();
  passing::gather(shared, items, of, warp_kept, tile);
  simt::sync_block();
  passing::write(shared, all.first, items, warp_kept, tile);
  move_columns<Shape, Rejects>(all.rest, shared, of, warp_kept, tile);
}

// One tile a block. `count` gets the number of kept items of each array, where the places do not know it before.
template <class Columns, class Shape, rejects Rejects, class Selector, class Places>
__global__ void __launch_bounds__(Shape::threads, Places::least_blocks)
    partition_kernel(length length, Columns all, Selector selector, Places places, std::uint64_t* count) {
  auto& shared = simt::shared_storage<partition_storage<Columns, Shape, Rejects>>();
  using passing = passing_column<Shape, Rejects, decltype(Columns::first)>;
  using tally = typename Places::tally;
  constexpr bool writes_count = !(Places::counts && Rejects == rejects::after_kept);

  placed_tile tile;
  tile.site = places.take(shared.tile, length);
  tile.begin = static_cast<std::uint64_t>(tile.site.index) * Shape::items;
  if (tile.begin >= tile.site.n) {  // a surplus tile of a launch sized for the capacity
    if (writes_count && tile.begin == 0 && simt::thread_rank() == 0) count[tile.site.row] = 0;
    return;
  }
  tile.valid = static_cast<unsigned>(smaller(tile.site.n - tile.begin, Shape::items));
  const std::uint64_t at = tile.site.in_base + tile.begin;

  auto items = passing::items_in(shared);
  constexpr bool loads_all = Selector::needs_items || Rejects != rejects::dropped;
  unsigned flags[Shape::chunks];
  if constexpr (loads_all) items.start(all.first.source, at, tile.valid);
  if constexpr (Selector::needs_items) items.finish();
  select_of_tile<Shape>(selector, items, at, tile.valid, flags);
  const tile_flags<Shape> of(flags);
  if constexpr (!loads_all) items.start_flagged(all.first.source, at, tile.valid, of);
  if constexpr (!Selector::needs_items) items.finish();

  const unsigned warp_kept = warp::reduce(of.count());
  const unsigned warp_last = tally::last_of_warp(of);
  const block::warp_prefix<unsigned> in_block =
      block::scan<unsigned, Shape::threads>::across_warps(shared.warps, warp_kept);
  tile.kept = in_block.total;
  tile.kept_before_warp = in_block.has_value ? in_block.value : 0u;

  // Other tiles may count on this one while it gathers; what lies before it they will then have found, too.
  const bool speaks = tally::speaks(tile, warp_kept);
  const typename tally::value_type of_tile = tally::of_tile(tile, warp_last);
  if (speaks) places.announce(tile.site, of_tile);
  passing::gather(shared, items, of, warp_kept, tile);
  if (Places::first_warp_asks ? simt::warp_id() == 0 : speaks) {
    const auto recount = [&](std::uint32_t index) {
      return tally_by_one_warp<tally, Shape>(all.first.source, selector, std::uint64_t{index} * Shape::items,
                                             tile.site.n);
    };
    const typename tally::value_type before = places.before(tile.site, of_tile, recount);
    if (simt::lane_id() == 0) {
      shared.before = tally::count(before);
      if constexpr (tally::has_last) shared.last_before = tally::last(before);
      if constexpr (Rejects == rejects::after_kept) shared.total = places.total(tile.site, count);
    }
  }
  simt::sync_block();

  tile.before = shared.before;
  if constexpr (tally::has_last) tile.last_before = &shared.last_before;
  tile.rejected_first = Rejects == rejects::after_kept ? shared.total : 0;
  if (writes_count && tile.begin + tile.valid == tile.site.n && simt::thread_rank() == 0)
    count[tile.site.row] = tile.before + tile.kept;
  // In place, items that stay where they are need no write; and a later tile's head flag may still read the last one.
  if (Places::in_place && tile.before + tile.kept == tile.begin + tile.valid) return;
  passing::write(shared, all.first, items, warp_kept, tile);
  move_columns<Shape, Rejects>(all.rest, shared, of, warp_kept, tile);
}

}  // namespace ballot::detail
