// SPDX-License-Identifier: Apache-2.0
// Multisplit on the host: scratch and launches.
//
//     multisplit                     ../multisplit.cuh checks the arguments, makes columns and the function of buckets
//          |
//     launch_multisplit              here; the tile shape is from tuning.cuh
//          |- bucket_count_kernel    kernels.cuh: counts[bucket][tile]                             not for one tile
//          |- exclusive_scan         of the counts: where each tile's items of a bucket begin      not for one tile
//          `- multisplit_kernel      kernels.cuh: rank, stage, scatter; overlaps the scan's end
//
// buckets.cuh has the bucket of an item, ranks within a warp by votes, and counts.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/common/clear_counts.cuh>
#include <ballot/detail/multisplit/kernels.cuh>
#include <ballot/detail/multisplit/tuning.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>
#include <ballot/scan.cuh>

#include <span>

namespace ballot::detail {

struct multisplit_scratch {
  std::uint64_t* tile_offsets;  // [bucket][tile], and the total; first the counts
  std::size_t entries;
  std::span<std::byte> scan;

  multisplit_scratch(scratch_carver& carver, std::uint64_t tiles, unsigned buckets)
      : tile_offsets(carver.take<std::uint64_t>(tiles * buckets + 1)), entries(tiles * buckets + 1) {
    const std::size_t bytes = scan_bytes<std::uint64_t>(entries);
    scan = {carver.take<std::byte>(bytes), bytes};
  }
};

template <class Shape>
std::size_t multisplit_bytes(std::uint64_t n, unsigned buckets) {
  if (n == 0) return 0;
  scratch_carver measure;
  multisplit_scratch(measure, ceil_div(n, Shape::items), buckets);
  return measure.bytes();
}

// All arguments are checked but the size of the scratch. Shape: multisplit_shape, or another in tests.
template <class Shape, class Columns, class Buckets>
void launch_multisplit(const exec& where, const length& n, const Columns& columns, const Buckets& bucket_of,
                       unsigned buckets, const device_count& offsets, const char* function) {
  using source = decltype(Columns::first.source);
  static_assert(Columns::largest_item <= 128, "items of more than 128 bytes: split their positions, then gather");
  const stream_t stream = where.stream();
  const std::uint32_t tiles = tile_count(n.capacity, Shape::items, function);
  if (tiles == 0) {
    clear_counts(stream, offsets, std::uint64_t{buckets} + 1);
    return;
  }
  const scratch_lease lease(where, multisplit_bytes<Shape>(n.capacity, buckets), function);
  scratch_carver carver(lease.base());
  const multisplit_scratch scratch(carver, tiles, buckets);
  const bool is_alone = tiles == 1;
  if (!is_alone) {
    simt::launch(bucket_count_kernel<source, Shape, Buckets>,
                 simt::launch_config{dim3(tiles), dim3(Shape::threads), sizeof(bucket_count_storage), stream},
                 columns.first.source, n, bucket_of, buckets, scratch.tile_offsets);
    const std::span<std::uint64_t> counts(scratch.tile_offsets, scratch.entries);
    exclusive_scan(exec(stream, scratch.scan), counts, counts);
  }
  simt::launch_config config{dim3(tiles), dim3(Shape::threads), sizeof(multisplit_storage<Columns, Shape>), stream};
  config.overlaps_previous_launch = overlaps_scan(tiles);
  simt::launch(multisplit_kernel<Columns, Shape, Buckets>, config, n, columns, bucket_of, buckets, bucket_bits(buckets),
               is_alone ? nullptr : scratch.tile_offsets, offsets);
}

}  // namespace ballot::detail
