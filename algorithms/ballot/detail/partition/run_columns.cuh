// SPDX-License-Identifier: Apache-2.0
// Run offsets and run lengths as columns of a selection: the kernel that selects the heads of runs
// writes them.
//
//     items    a a b b b | b c c d d | d d d d d | e e      heads are selected; | between tiles
//     heads    0   2     |   6   8   |           | 15
//     lengths        2   |   4   2   |           | 7   2    of a run: the tile with the next head
//                                                           writes it
//
// A run's length is the distance from its head to the next one. A tile gets the head of the run
// that is open at its beginning from the tiles before it, together with the number of runs
// (aggregate.cuh). So each length is written by the tile with the next head, and the last one by
// the last tile. Long runs cost nothing more.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/output_view.hpp>
#include <ballot/detail/partition/register_items.cuh>

namespace ballot::detail {

template <class Lengths>
struct run_length_column {
  // The low bits of positions. The tile's begin supplies the other bits.
  using item = std::uint32_t;
  position_source<std::uint32_t> source;
  Lengths lengths;
};

template <class Shape, rejects Rejects, class Lengths>
__device__ __forceinline__ void scatter_column(const run_length_column<Lengths>& column, const std::uint32_t* heads,
                                               const partition_tile& tile) {
  using Length = typename Lengths::value_type;
  const auto write = [&](std::uint64_t run, std::uint64_t length) {
    if constexpr (is_view_output<Lengths>) {
      if (const auto to = located(column.lengths); run < to.size) put(to, run, static_cast<Length>(length));
    } else if (run < column.lengths.size) {
      column.lengths.data[run] = static_cast<Length>(length);
    }
  };
  for (unsigned i = simt::thread_rank(); i + 1 < tile.selected; i += threads_of_block<Shape>())
    write(tile.selected_before + i, heads[i + 1] - heads[i]);
  if (simt::thread_rank() != 0) return;

  // The run that is open before the tile, and the last run of all.
  const auto head = [&](unsigned i) { return tile.begin + (heads[i] - static_cast<std::uint32_t>(tile.begin)); };
  if (tile.selected_before != 0 && tile.selected != 0) write(tile.selected_before - 1, head(0) - *tile.last_before);
  if (tile.begin + tile.valid == tile.location.n)
    write(tile.selected_before + tile.selected - 1,
          tile.location.n - (tile.selected != 0 ? head(tile.selected - 1) : *tile.last_before));
}

// The begins of runs, and n after the last one.
template <class Index>
struct run_offset_column {
  using item = Index;
  position_source<Index> source;
  output<Index> offsets;
};

template <class Shape, rejects Rejects, class Index>
__device__ __forceinline__ void scatter_column(const run_offset_column<Index>& column, const Index* heads,
                                               const partition_tile& tile) {
  copy_to_output<Shape>(heads, tile.selected, column.offsets, tile.location, tile.selected_before);
  const std::uint64_t runs = tile.selected_before + tile.selected;
  if (tile.begin + tile.valid == tile.location.n && simt::thread_rank() == 0 && runs < column.offsets.size)
    column.offsets.data[runs] = static_cast<Index>(tile.location.n);
}

}  // namespace ballot::detail
