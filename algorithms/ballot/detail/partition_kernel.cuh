// The kernel behind every selection: each kept item written once, in order, for as many columns as there are.
//
//     take a tile -> flags (of the first column's items, or read) -> rank by votes -> publish the count, look back
//                 -> gather kept (and rejected) items of a column in shared memory -> write out -> next column
//
// A warp's ranks come from its votes alone (warp/binary_scan.cuh); the only number that crosses warps is a count, and
// the only number that crosses tiles is a count. While the first warp looks back, the others already gather: where an
// item goes within the tile does not depend on other tiles. Writing from shared memory makes the kept items of a tile
// one contiguous run. Where rejected items are dropped, a vector whose flags are all clear is not read at all (but by
// the predicate). Harris and Garland, GPU Computing Gems Jade Edition, chapter 3.4 (stream compaction by binary
// scans); Merrill and Garland 2016.
//
// Shared memory: one tile of the largest items. Barriers: three for the first column, two for each other.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/columns.cuh>
#include <ballot/detail/partition_places.cuh>
#include <ballot/detail/selectors.cuh>
#include <ballot/detail/tuning_partition.cuh>
#include <ballot/warp/binary_scan.cuh>

namespace ballot::detail {

template <class Columns, class Shape>
struct partition_storage {
  typename block::scan<unsigned, Shape::threads>::storage warps;
  std::uint32_t tile;
  std::uint64_t before;  // kept items of all tiles before this one
  alignas(16) unsigned char items[Shape::items * Columns::largest_item];
};

// A tile, once its place is known.
struct placed_tile {
  tile_site site;
  std::uint64_t begin;           // of its array
  unsigned valid;                // items it has
  unsigned kept;                 // of them
  std::uint64_t before;          // kept items of the array before it
  std::uint64_t rejected_first;  // where the array's rejected items begin in their output
};

// What each thread knows of its vectors.
template <class Shape>
struct tile_flags {
  unsigned flags[Shape::chunks];
  unsigned rank[Shape::chunks];  // kept items of the tile before the vector
};

// Kept items to the front of the staged tile, rejected ones behind them.
template <class T, class Shape, rejects Rejects>
__device__ __forceinline__ void stage(const typename block::tile<T, Shape>::items& item, const tile_flags<Shape>& of,
                                      unsigned tile_kept, unsigned valid, T* staged) {
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    const unsigned first = block::tile<T, Shape>::first_item(c);
    unsigned kept_before = of.rank[c];  // of the item at hand
#pragma unroll
    for (int j = 0; j < Shape::width; ++j) {
      if (of.flags[c] >> j & 1u) {
        staged[kept_before++] = item[c][j];
      } else if (Rejects != rejects::dropped && first + j < valid) {
        staged[tile_kept + (first + j - kept_before)] = item[c][j];
      }
    }
  }
}

template <class Shape, class T>
__device__ __forceinline__ void copy_out(const T* from, unsigned items, const output<T>& to, const tile_site& site,
                                         std::uint64_t at) {
  const std::uint64_t end = smaller(to.size, site.out_base + site.out_room);
  at += site.out_base;
  const auto fits = static_cast<unsigned>(smaller(items, at < end ? end - at : 0));
  for (unsigned i = simt::thread_rank(); i < fits; i += Shape::threads) to.data[at + i] = from[i];
}

// All threads, after a barrier behind `stage`.
template <class Shape, rejects Rejects, class Source>
__device__ __forceinline__ void write_column(const column<Source>& of, const typename Source::item* staged,
                                             const placed_tile& tile) {
  copy_out<Shape>(staged, tile.kept, of.kept, tile.site, tile.before);
  if constexpr (Rejects != rejects::dropped)
    copy_out<Shape>(staged + tile.kept, tile.valid - tile.kept, of.rejected, tile.site,
                    tile.rejected_first + tile.begin - tile.before);
}

template <class Shape, rejects Rejects>
__device__ __forceinline__ void move_columns(const columns<>&, const tile_flags<Shape>&, const placed_tile&,
                                             unsigned char*) {}
template <class Shape, rejects Rejects, class First, class... Rest>
__device__ __forceinline__ void move_columns(const columns<First, Rest...>& all, const tile_flags<Shape>& of,
                                             const placed_tile& tile, unsigned char* memory) {
  using T = typename First::item;
  T* const staged = reinterpret_cast<T*>(memory);
  typename block::tile<T, Shape>::items item;
  const std::uint64_t at = tile.site.in_base + tile.begin;
  if constexpr (Rejects == rejects::dropped)
    all.first.source.template load_flagged<Shape>(at, tile.valid, of.flags, item);
  else all.first.source.template load<Shape>(at, tile.valid, item);
  simt::sync_block();  // the column before has been written out
  stage<T, Shape, Rejects>(item, of, tile.kept, tile.valid, staged);
  simt::sync_block();
  write_column<Shape, Rejects>(all.first, staged, tile);
  move_columns<Shape, Rejects>(all.rest, of, tile, memory);
}

// The block's next tile. False: there is none for it.
template <class Shape, rejects Rejects, class Columns, class Selector, class Places>
__device__ __forceinline__ bool partition_tile(partition_storage<Columns, Shape>& shared, const length& length,
                                               const Columns& all, const Selector& selector, const Places& places,
                                               std::uint64_t* count) {
  using T = typename decltype(Columns::first)::item;
  using layout = block::tile<T, Shape>;
  constexpr bool writes_count = !(Places::counts && Rejects == rejects::after_kept);

  placed_tile tile;
  tile.site = places.take(shared.tile, length);
  tile.begin = static_cast<std::uint64_t>(tile.site.index) * Shape::items;
  if (tile.begin >= tile.site.n) {  // a surplus tile of a launch sized for the capacity
    if (writes_count && tile.begin == 0 && simt::thread_rank() == 0) count[tile.site.row] = 0;
    return false;
  }
  tile.valid = static_cast<unsigned>(smaller(tile.site.n - tile.begin, Shape::items));
  const std::uint64_t at = tile.site.in_base + tile.begin;

  typename layout::items item;
  tile_flags<Shape> of;
  constexpr bool loads_all = Selector::needs_items || Rejects != rejects::dropped;
  if constexpr (loads_all) all.first.source.template load<Shape>(at, tile.valid, item);
  select_of_tile<Shape>(selector, item, at, tile.valid, of.flags);
  if constexpr (!loads_all) all.first.source.template load_flagged<Shape>(at, tile.valid, of.flags, item);

  // Ranks within the warp's run of the tile, and then within the tile.
  unsigned warp_kept = 0;
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    const warp::rank_and_total votes = warp::binary_rank_of_vector<Shape::width>(of.flags[c]);
    of.rank[c] = warp_kept + votes.rank;
    warp_kept += votes.total;
  }
  const block::warp_prefix<unsigned> in_block =
      block::scan<unsigned, Shape::threads>::across_warps(shared.warps, warp_kept);
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) of.rank[c] += in_block.has_before ? in_block.before : 0u;
  tile.kept = in_block.total;

  if (simt::warp_id() == 0) {
    const std::uint64_t before = places.before(tile.site, tile.kept);
    if (simt::lane_id() == 0) shared.before = before;
  }
  T* const staged = reinterpret_cast<T*>(shared.items);
  stage<T, Shape, Rejects>(item, of, tile.kept, tile.valid, staged);
  simt::sync_block();

  tile.before = shared.before;
  tile.rejected_first = 0;
  if constexpr (Rejects == rejects::after_kept) tile.rejected_first = places.total(tile.site, count);
  if (writes_count && tile.begin + tile.valid == tile.site.n && simt::thread_rank() == 0)
    count[tile.site.row] = tile.before + tile.kept;
  // In place, items that stay where they are need no write; and a later tile's head flag may still read the last one.
  if (Places::in_place && tile.before + tile.kept == tile.begin + tile.valid) return true;
  write_column<Shape, Rejects>(all.first, staged, tile);
  move_columns<Shape, Rejects>(all.rest, of, tile, shared.items);
  return true;
}

// One tile a block, or, where the places say so, tile after tile while there are some. `count` gets the number of kept
// items of each array, where the places do not know it before.
template <class Columns, class Shape, rejects Rejects, class Selector, class Places>
__global__ void __launch_bounds__(Shape::threads)
    partition_kernel(length length, Columns all, Selector selector, Places places, std::uint64_t* count) {
  auto& shared = simt::shared_storage<partition_storage<Columns, Shape>>();
  while (partition_tile<Shape, Rejects>(shared, length, all, selector, places, count) && Places::fewer_blocks)
    simt::sync_block();  // the tile has been written out; the next one takes its shared memory
}

}  // namespace ballot::detail
