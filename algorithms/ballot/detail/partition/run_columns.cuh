// What a run is besides its value: where it begins, or how long it is, written by the pass that keeps the heads of runs.
//
//     items    a a b b b | b c c d d | d d d d d | e e       heads kept; | between tiles
//     heads    0   2     |   6   8   |           | 15
//     lengths        2   |   4   2   |           | 7   2     of a run: by the tile with the next head
//
// A run's length is the distance from its head to the next one. Where the run began that is open at its beginning, a tile
// learns from those before it, together with the number of runs (partition_tally.cuh). So each length is written by the
// tile with the next head, the last one by the last tile, and long runs cost nothing more.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/partition/register_items.cuh>

namespace ballot::detail {

template <class Length>
struct run_length_column {
  using item = std::uint32_t;  // positions, their low bits: how far they are from the tile's begin is known from them
  position_source<std::uint32_t> source;
  output<Length> lengths;
};

template <class Shape, rejects Rejects, class Length>
__device__ __forceinline__ void write_column(const run_length_column<Length>& of, const std::uint32_t* staged,
                                             const placed_tile& tile) {
  const auto write = [&](std::uint64_t run, std::uint64_t length) {
    if (run < of.lengths.size) of.lengths.data[run] = static_cast<Length>(length);
  };
  for (unsigned i = simt::thread_rank(); i + 1 < tile.kept; i += Shape::threads)
    write(tile.before + i, staged[i + 1] - staged[i]);
  if (simt::thread_rank() != 0) return;

  // The run that is open before the tile, and the last of all.
  const auto head = [&](unsigned i) { return tile.begin + (staged[i] - static_cast<std::uint32_t>(tile.begin)); };
  if (tile.before != 0 && tile.kept != 0) write(tile.before - 1, head(0) - *tile.last_before);
  if (tile.begin + tile.valid == tile.site.n)
    write(tile.before + tile.kept - 1, tile.site.n - (tile.kept != 0 ? head(tile.kept - 1) : *tile.last_before));
}

// Where runs begin, and behind the last one n.
template <class Index>
struct run_offset_column {
  using item = Index;
  position_source<Index> source;
  output<Index> offsets;
};

template <class Shape, rejects Rejects, class Index>
__device__ __forceinline__ void write_column(const run_offset_column<Index>& of, const Index* staged,
                                             const placed_tile& tile) {
  copy_out<Shape>(staged, tile.kept, of.offsets, tile.site, tile.before);
  const std::uint64_t runs = tile.before + tile.kept;
  if (tile.begin + tile.valid == tile.site.n && simt::thread_rank() == 0 && runs < of.offsets.size)
    of.offsets.data[runs] = static_cast<Index>(tile.site.n);
}

}  // namespace ballot::detail
