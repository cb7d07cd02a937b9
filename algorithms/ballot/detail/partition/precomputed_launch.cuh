// SPDX-License-Identifier: Apache-2.0
// Selections whose tiles know their offsets beforehand, on the host: count each tile, scan the
// counts, scatter. launch.cuh has the other ways, and says when to use each.
//
//     tile_count_kernel    the selected items of each tile
//     exclusive_scan       of the counts; the total stands after them
//     partition_kernel     begins while the scan ends: no ticket, no look-back
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/partition/launch.cuh>
#include <ballot/scan.cuh>

#include <cstdint>
#include <span>

namespace ballot::detail {

struct precomputed_scratch {
  std::uint64_t* tile_offsets;  // and the total after them
  std::span<std::byte> scan;

  precomputed_scratch(scratch_carver& carver, std::uint64_t tiles)
      : tile_offsets(carver.take<std::uint64_t>(tiles + 1)) {
    const std::size_t bytes = scan_bytes<std::uint64_t>(tiles + 1);
    scan = {carver.take<std::byte>(bytes), bytes};
  }
};

template <class Aggregate>
std::size_t precomputed_scratch_bytes(std::uint64_t tiles) {
  scratch_carver measure;
  precomputed_scratch(measure, tiles);
  return measure.bytes();
}

template <rejects Rejects, class Shape, class Columns, class Selector>
void launch_precomputed(stream_t stream, std::byte* scratch_base, std::uint32_t tiles, shifted_tiles shifted,
                        const length& n, const Columns& columns, const Selector& selector, const device_count& count) {
  using source = decltype(Columns::first.source);
  scratch_carver carver(scratch_base);
  const precomputed_scratch scratch(carver, tiles);
  simt::launch(tile_count_kernel<source, Shape, Selector>,
               simt::launch_config{dim3(tiles), dim3(Shape::threads), sizeof(count_storage), stream},
               columns.first.source, n, selector, shifted, scratch.tile_offsets);
  const std::span<std::uint64_t> counts(scratch.tile_offsets, std::size_t{tiles} + 1);
  exclusive_scan(exec(stream, scratch.scan), counts, counts);
  simt::launch_config config = block_per_tile<Rejects, Shape, Columns, precomputed_offsets>(stream, tiles);
  config.overlaps_previous_launch = true;
  simt::launch(partition_kernel<Columns, Shape, Rejects, Selector, precomputed_offsets>, config, n, columns, selector,
               precomputed_offsets{scratch.tile_offsets, scratch.tile_offsets + tiles, shifted}, count);
}

}  // namespace ballot::detail
