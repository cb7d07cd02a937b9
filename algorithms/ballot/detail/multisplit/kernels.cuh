// SPDX-License-Identifier: Apache-2.0
// The kernels of a stable split into up to 256 buckets. The first counts each tile's buckets. A
// scan turns the counts into offsets. The second scatters the items. Items that one block takes
// need neither (one_block_kernel.cuh).
//
//     counts     [bucket 0: tile 0, 1, 2, ...] [bucket 1: tile 0, 1, 2, ...] ...
//                one exclusive scan over all
//     offsets    of the first item of each bucket of each tile;
//                bucket b begins at its offset of tile 0
//
// The offsets are known before the scatter, so no tile waits for another: no ticket, no look-back.
// Within a tile the stages are those of a pass of the radix sort:
//
// 1. Rank by votes within each warp (buckets.cuh).
// 2. Scan the counts of buckets and warps.
// 3. Stage the items by bucket in shared memory.
// 4. Scatter each bucket's items of the tile as one run.
//
// Source: Ashkiani, Davidson, Meyer and Owens, GPU Multisplit, 2016 (the three stages, and ranks by
// votes).
//
// Shared memory: a tile of the largest items, a byte an item, 12 KiB of counts and offsets.
// Barriers: two to count; four to scatter the first column, two for each other column.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/count.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/device_columns.cuh>
#include <ballot/detail/multisplit/buckets.cuh>

namespace ballot::detail {

struct bucket_count_storage {
  std::uint32_t count[most_buckets];
};

// Find the bucket of each item of the thread. Items past the end of a partial tile have none.
template <class Shape, class T, class Buckets>
__device__ __forceinline__ void find_buckets(const simt::vector<T, 1> (&item)[Shape::chunks], const Buckets& bucket_of,
                                             std::uint64_t begin, unsigned valid, unsigned buckets,
                                             unsigned (&bucket)[Shape::chunks]) {
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    const unsigned first = block::tile<T, Shape>::first_item(c);
    bucket[c] = first < valid ? bucket_of.bucket(item[c][0], begin + first, buckets) : no_bucket;
  }
}

// One tile a block. Writes counts[b * tiles + t], and a zero after the last, which an exclusive
// scan turns into the total.
template <class Source, class Shape, class Buckets>
__global__ void __launch_bounds__(Shape::threads)
    bucket_count_kernel(Source source, length length, Buckets bucket_of, unsigned buckets, std::uint64_t* counts) {
  static_assert(Shape::width == 1 && Shape::threads >= static_cast<int>(most_buckets), "one thread a bucket");
  using T = typename Source::item;
  auto& shared = simt::shared_storage<bucket_count_storage>();
  const unsigned thread = simt::thread_rank();
  if (thread < buckets) shared.count[thread] = 0;
  simt::sync_block();

  const std::uint64_t n = length.get(), begin = static_cast<std::uint64_t>(blockIdx.x) * Shape::items;
  if (begin < n) {
    const auto valid = static_cast<unsigned>(smaller(n - begin, Shape::items));
    typename block::tile<T, Shape>::items item;
    if constexpr (Buckets::needs_items) source.template load<Shape>(begin, valid, item);
    unsigned bucket[Shape::chunks];
    find_buckets<Shape, T>(item, bucket_of, begin, valid, buckets, bucket);
    count_buckets<Shape::chunks>(shared.count, buckets, bucket);
  }
  simt::sync_block();
  const std::uint64_t tiles = gridDim.x;
  if (thread < buckets) counts[thread * tiles + blockIdx.x] = shared.count[thread];
  if (thread == 0 && blockIdx.x == 0) counts[buckets * tiles] = 0;
}

template <class Columns, class Shape>
struct multisplit_storage {
  std::uint32_t warp_count[Shape::warps][most_buckets];  // then the offset in the tile of each warp's first item
  // For each bucket: the output offset of its first item of the tile, minus that item's offset in
  // the tile.
  std::uint64_t scatter_offset[most_buckets];
  typename block::scan<std::uint32_t, Shape::threads>::storage scan;
  std::uint8_t bucket[Shape::items];  // of each staged item
  alignas(16) unsigned char items[Shape::items * Columns::largest_item];
};

// The thread's items: their buckets, and their ranks, first within the warp and then in the tile
// ordered by bucket.
template <class Shape>
struct bucket_ranks {
  unsigned bucket[Shape::chunks];
  unsigned rank[Shape::chunks];
  unsigned staged_items;  // of the tile: those that have a bucket
};

// Rank within the warp.
template <class Shape, class Storage>
__device__ __forceinline__ void rank_in_warp(Storage& shared, unsigned buckets, int bits, bucket_ranks<Shape>& ranks) {
  std::uint32_t* const counts = shared.warp_count[simt::warp_id()];
  for (unsigned b = simt::lane_id(); b < buckets; b += simt::warp_size) counts[b] = 0;
  simt::sync_warp();  // zeroed before any lane counts
  rank_in_buckets<Shape::chunks>(counts, bits, ranks.bucket, ranks.rank);
  simt::sync_block();
}

// Scan: the counts of each bucket become offsets in the tile, exclusive over buckets and warps.
// From these follow ranks in the tile. tile_offsets: where the tile's items of each bucket begin in
// the output, `stride` apart.
template <class Shape, class Storage>
__device__ __forceinline__ void rank_in_tile(Storage& shared, unsigned buckets, const std::uint64_t* tile_offsets,
                                             std::uint64_t stride, bucket_ranks<Shape>& ranks) {
  const unsigned thread = simt::thread_rank();  // thread b has bucket b
  std::uint32_t of_bucket = 0;
  if (thread < buckets)
    for (int w = 0; w < Shape::warps; ++w) of_bucket += shared.warp_count[w][thread];
  std::uint32_t staged_items;
  const std::uint32_t start =
      block::scan<std::uint32_t, Shape::threads>::exclusive(shared.scan, of_bucket, 0u, staged_items);
  if (thread < buckets) {
    std::uint32_t offset = start;
    for (int w = 0; w < Shape::warps; ++w) {
      const std::uint32_t of_warp = shared.warp_count[w][thread];
      shared.warp_count[w][thread] = offset;
      offset += of_warp;
    }
    shared.scatter_offset[thread] = tile_offsets[thread * stride] - start;
  }
  simt::sync_block();
  ranks.staged_items = staged_items;
  const std::uint32_t* const warp_offsets = shared.warp_count[simt::warp_id()];
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    if (ranks.bucket[c] == no_bucket) continue;
    ranks.rank[c] += warp_offsets[ranks.bucket[c]];
    shared.bucket[ranks.rank[c]] = static_cast<std::uint8_t>(ranks.bucket[c]);
  }
}

// Stage and scatter one column. All threads.
template <class Shape, class Storage, class Column, class Items>
__device__ __forceinline__ void stage_and_scatter(Storage& shared, const Column& column, const Items& item,
                                                  const bucket_ranks<Shape>& ranks) {
  using T = typename Column::item;
  T* const staged = reinterpret_cast<T*>(shared.items);
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c)
    if (ranks.bucket[c] != no_bucket) staged[ranks.rank[c]] = item[c][0];
  simt::sync_block();
  for (unsigned i = simt::thread_rank(); i < ranks.staged_items; i += Shape::threads) {
    const std::uint64_t at = shared.scatter_offset[shared.bucket[i]] + i;
    if (at < column.selected.size) column.selected.data[at] = staged[i];
  }
}

// The other columns, one after the other: load, stage, scatter.
template <class Shape, class Storage>
__device__ __forceinline__ void multisplit_other_columns(Storage&, const device_columns<>&, const bucket_ranks<Shape>&,
                                                         std::uint64_t, unsigned) {}
template <class Shape, class Storage, class First, class... Rest>
__device__ __forceinline__ void multisplit_other_columns(Storage& shared, const device_columns<First, Rest...>& columns,
                                                         const bucket_ranks<Shape>& ranks, std::uint64_t begin,
                                                         unsigned valid) {
  typename block::tile<typename First::item, Shape>::items item;
  columns.first.source.template load<Shape>(begin, valid, item);
  simt::sync_block();  // the column before has been written out
  stage_and_scatter<Shape>(shared, columns.first, item, ranks);
  multisplit_other_columns<Shape>(shared, columns.rest, ranks, begin, valid);
}

// Whether the scatter of so many tiles begins before the scan of their counts has ended. This gains
// some microseconds. With many tiles the wait costs each of them something.
BALLOT_HOST_DEVICE constexpr bool overlaps_scan(std::uint32_t tiles) { return tiles <= 4096; }

// One tile a block. tile_offsets: the exclusive scan of the counts, by the launch before. This
// launch may begin before that one has ended. bucket_offsets[b] gets where bucket b begins, for b
// up to `buckets`.
template <class Columns, class Shape, class Buckets>
__global__ void __launch_bounds__(Shape::threads)
    multisplit_kernel(length length, Columns columns, Buckets bucket_of, unsigned buckets, int bits,
                      const std::uint64_t* tile_offsets, device_count bucket_offsets) {
  using T = typename decltype(Columns::first)::item;
  auto& shared = simt::shared_storage<multisplit_storage<Columns, Shape>>();
  const unsigned thread = simt::thread_rank();
  const std::uint64_t tiles = gridDim.x;
  const std::uint64_t n = length.get(), begin = static_cast<std::uint64_t>(blockIdx.x) * Shape::items;
  if (begin >= n) {  // a surplus tile of a launch sized for the capacity: the whole block leaves
    if (overlaps_scan(gridDim.x)) simt::wait_for_previous_launch();
    if (blockIdx.x != 0) return;
    if (thread < buckets) bucket_offsets.store(0, thread);
    if (thread == 0) bucket_offsets.store(0, buckets);
    return;
  }
  const auto valid = static_cast<unsigned>(smaller(n - begin, Shape::items));

  typename block::tile<T, Shape>::items item;
  columns.first.source.template load<Shape>(begin, valid, item);
  bucket_ranks<Shape> ranks;
  find_buckets<Shape, T>(item, bucket_of, begin, valid, buckets, ranks.bucket);
  rank_in_warp<Shape>(shared, buckets, bits, ranks);
  if (overlaps_scan(gridDim.x)) simt::wait_for_previous_launch();
  if (blockIdx.x == 0) {
    if (thread < buckets) bucket_offsets.store(tile_offsets[thread * tiles], thread);
    if (thread == 0) bucket_offsets.store(tile_offsets[buckets * tiles], buckets);
  }
  rank_in_tile<Shape>(shared, buckets, tile_offsets + blockIdx.x, tiles, ranks);
  stage_and_scatter<Shape>(shared, columns.first, item, ranks);
  multisplit_other_columns<Shape>(shared, columns.rest, ranks, begin, valid);
}

}  // namespace ballot::detail
