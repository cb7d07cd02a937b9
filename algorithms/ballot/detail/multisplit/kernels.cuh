// A stable split into up to 256 buckets: count each tile's buckets, scan the counts, move the items.
//
//     counts    [bucket 0: tile 0, 1, 2, ...] [bucket 1: tile 0, 1, 2, ...] ...      one exclusive scan over all
//     places    where the first item of each bucket of each tile goes; where bucket b begins: the place of tile 0
//
// With the places known before, a tile that moves waits for no other: no ticket, no look-back. Within a tile it goes as
// in a pass of a radix sort: ranks by votes within each warp (detail/multisplit/buckets.cuh), counts summed over the warps in warp
// order, items gathered by bucket in shared memory, each bucket's items of the tile written as one run.
// Ashkiani, Davidson, Meyer and Owens, GPU Multisplit, 2016 (the three stages, and ranks by votes).
//
// Shared memory: a tile of the largest items, a byte an item, 12 KiB of counts and places. Barriers: two to count; four
// to move the first column, two for each other.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/device_columns.cuh>
#include <ballot/detail/multisplit/buckets.cuh>

namespace ballot::detail {

struct bucket_count_storage {
  std::uint32_t count[most_buckets];
};

// The bucket of each item of the thread; what is not there has none.
template <class Shape, class T, class Buckets>
__device__ __forceinline__ void find_buckets(const simt::vector<T, 1> (&item)[Shape::chunks], const Buckets& of,
                                             std::uint64_t begin, unsigned valid, unsigned buckets,
                                             unsigned (&bucket)[Shape::chunks]) {
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    const unsigned first = block::tile<T, Shape>::first_item(c);
    bucket[c] = first < valid ? of.bucket(item[c][0], begin + first, buckets) : no_bucket;
  }
}

// One tile a block. counts[b * tiles + t]; the entry behind the last gets a zero, where a scan leaves the total.
template <class Source, class Shape, class Buckets>
__global__ void __launch_bounds__(Shape::threads)
    bucket_count_kernel(Source from, length length, Buckets of, unsigned buckets, std::uint64_t* counts) {
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
    if constexpr (Buckets::needs_items) from.template load<Shape>(begin, valid, item);
    unsigned bucket[Shape::chunks];
    find_buckets<Shape, T>(item, of, begin, valid, buckets, bucket);
    count_buckets<Shape::chunks>(shared.count, buckets, bucket);
  }
  simt::sync_block();
  const std::uint64_t tiles = gridDim.x;
  if (thread < buckets) counts[thread * tiles + blockIdx.x] = shared.count[thread];
  if (thread == 0 && blockIdx.x == 0) counts[buckets * tiles] = 0;
}

template <class Columns, class Shape>
struct multisplit_storage {
  std::uint32_t warp_count[Shape::warps][most_buckets];
  // Of each bucket: the output position of its first item of the tile, less that item's position in the tile.
  std::uint64_t place[most_buckets];
  typename block::scan<std::uint32_t, Shape::threads>::storage scan;
  std::uint8_t bucket[Shape::items];  // of each staged item
  alignas(16) unsigned char items[Shape::items * Columns::largest_item];
};

// Where each item of the thread lies in the tile when it is ordered by bucket, and what is known of the tile.
template <class Shape>
struct bucket_ranks {
  unsigned bucket[Shape::chunks];
  unsigned rank[Shape::chunks];
  unsigned staged;  // items of the tile that have a bucket
};

// One column. All threads.
template <class Shape, class Storage, class Column, class Items>
__device__ __forceinline__ void move_to_buckets(Storage& shared, const Column& of, const Items& item,
                                                const bucket_ranks<Shape>& to) {
  using T = typename Column::item;
  T* const staged = reinterpret_cast<T*>(shared.items);
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c)
    if (to.bucket[c] != no_bucket) staged[to.rank[c]] = item[c][0];
  simt::sync_block();
  for (unsigned i = simt::thread_rank(); i < to.staged; i += Shape::threads) {
    const std::uint64_t at = shared.place[shared.bucket[i]] + i;
    if (at < of.kept.size) of.kept.data[at] = staged[i];
  }
}

template <class Shape, class Storage>
__device__ __forceinline__ void move_rest(Storage&, const columns<>&, const bucket_ranks<Shape>&, std::uint64_t,
                                          unsigned) {}
template <class Shape, class Storage, class First, class... Rest>
__device__ __forceinline__ void move_rest(Storage& shared, const columns<First, Rest...>& all,
                                          const bucket_ranks<Shape>& to, std::uint64_t begin, unsigned valid) {
  typename block::tile<typename First::item, Shape>::items item;
  all.first.source.template load<Shape>(begin, valid, item);
  simt::sync_block();  // the column before has been written out
  move_to_buckets<Shape>(shared, all.first, item, to);
  move_rest<Shape>(shared, all.rest, to, begin, valid);
}

// One tile a block. places: the exclusive scan of the counts. offsets[b] gets where bucket b begins, b up to `buckets`.
template <class Columns, class Shape, class Buckets>
__global__ void __launch_bounds__(Shape::threads)
    multisplit_kernel(length length, Columns all, Buckets of, unsigned buckets, int bits, const std::uint64_t* places,
                      std::uint64_t* offsets) {
  using T = typename decltype(Columns::first)::item;
  auto& shared = simt::shared_storage<multisplit_storage<Columns, Shape>>();
  const unsigned thread = simt::thread_rank();
  const std::uint64_t tiles = gridDim.x;
  if (blockIdx.x == 0) {
    if (thread < buckets) offsets[thread] = places[thread * tiles];
    if (thread == 0) offsets[buckets] = places[buckets * tiles];
  }
  const std::uint64_t n = length.get(), begin = static_cast<std::uint64_t>(blockIdx.x) * Shape::items;
  if (begin >= n) return;  // a surplus tile of a launch sized for the capacity: the whole block leaves
  const auto valid = static_cast<unsigned>(smaller(n - begin, Shape::items));

  typename block::tile<T, Shape>::items item;
  all.first.source.template load<Shape>(begin, valid, item);
  bucket_ranks<Shape> to;
  find_buckets<Shape, T>(item, of, begin, valid, buckets, to.bucket);

  std::uint32_t* const counts = shared.warp_count[simt::warp_id()];
  for (unsigned b = simt::lane_id(); b < buckets; b += simt::warp_size) counts[b] = 0;
  simt::sync_warp();  // zeroed before any lane counts
  rank_in_buckets<Shape::chunks>(counts, bits, to.bucket, to.rank);
  simt::sync_block();

  // Thread b: the counts of bucket b become exclusive over the warps, and then positions in the tile.
  std::uint32_t of_bucket = 0;
  if (thread < buckets)
    for (int w = 0; w < Shape::warps; ++w) of_bucket += shared.warp_count[w][thread];
  std::uint32_t staged;
  const std::uint32_t start = block::scan<std::uint32_t, Shape::threads>::exclusive(shared.scan, of_bucket, 0u, staged);
  if (thread < buckets) {
    std::uint32_t at = start;
    for (int w = 0; w < Shape::warps; ++w) {
      const std::uint32_t of_warp = shared.warp_count[w][thread];
      shared.warp_count[w][thread] = at;
      at += of_warp;
    }
    shared.place[thread] = places[thread * tiles + blockIdx.x] - start;
  }
  simt::sync_block();
  to.staged = staged;
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    if (to.bucket[c] == no_bucket) continue;
    to.rank[c] += counts[to.bucket[c]];
    shared.bucket[to.rank[c]] = static_cast<std::uint8_t>(to.bucket[c]);
  }
  move_to_buckets<Shape>(shared, all.first, item, to);
  move_rest<Shape>(shared, all.rest, to, begin, valid);
}

}  // namespace ballot::detail
