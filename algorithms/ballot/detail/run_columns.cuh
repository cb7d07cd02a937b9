// What a run is besides its value: where it begins, or how long it is, written by the pass that keeps the heads of runs.
//
//     items    a a b b b | b c c d d | d d d d d | e e       heads kept; | between tiles
//     heads    0   2     |   6   8   |           | 15
//     ends         2     |   6   8     ...         15  17    of a run: where the next one begins
//
// Within a tile a run's length is the distance to the next head. The last run of a tile ends in a later tile, which one
// is not known: the tile with the next head knows the run's number (it is one less than its own first) and leaves the
// end in the place of the length. A second launch, a thread a tile, subtracts the begin, which the run's own tile has
// left in scratch. Each place is written by one tile, so nothing is added atomically, and long runs cost nothing more.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/partition_stage.cuh>

namespace ballot::detail {

// The last run that begins in a tile, if it does not end there.
struct open_run {
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  std::uint64_t run;
  std::uint64_t begin;
};

template <class Length>
struct run_length_column {
  using item = std::uint32_t;  // positions, their low bits: their distances are less than a tile
  position_source<std::uint32_t> source;
  output<Length> lengths;
  open_run* open;  // of each tile
};

template <class Shape, rejects Rejects, class Length>
__device__ __forceinline__ void write_column(const run_length_column<Length>& of, const std::uint32_t* staged,
                                             const placed_tile& tile) {
  const auto write = [&](std::uint64_t run, std::uint64_t value) {
    if (run < of.lengths.size) of.lengths.data[run] = static_cast<Length>(value);
  };
  for (unsigned i = simt::thread_rank(); i + 1 < tile.kept; i += Shape::threads)
    write(tile.before + i, staged[i + 1] - staged[i]);
  if (simt::thread_rank() != 0) return;

  const auto position_of = [&](unsigned i) {
    return tile.begin + (staged[i] - static_cast<std::uint32_t>(tile.begin));
  };
  const bool is_last_tile = tile.begin + tile.valid == tile.site.n;
  open_run open{open_run::none, 0};
  if (tile.kept != 0) {
    const std::uint64_t run = tile.before + tile.kept - 1, begin = position_of(tile.kept - 1);
    if (is_last_tile) write(run, tile.site.n - begin);
    else open = {run, begin};
  }
  of.open[tile.site.index] = open;
  // The run that was open before this tile: its end for now, its length after the second launch.
  if (tile.before != 0) {
    if (tile.kept != 0) write(tile.before - 1, position_of(0));
    else if (is_last_tile) write(tile.before - 1, tile.site.n);
  }
}

inline constexpr int close_runs_threads = 256;

// A thread a tile. Overlaps the launch that wrote `open` and lengths.
template <class Length>
__global__ void __launch_bounds__(close_runs_threads)
    close_runs_kernel(output<Length> lengths, const open_run* open, length n, std::uint64_t tile_items) {
  const std::uint64_t tile = static_cast<std::uint64_t>(blockIdx.x) * close_runs_threads + simt::thread_rank();
  simt::wait_for_launch_before();
  if (tile * tile_items >= n.get()) return;
  const open_run last = open[tile];
  if (last.run < lengths.size) lengths.data[last.run] = static_cast<Length>(lengths.data[last.run] - last.begin);
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
