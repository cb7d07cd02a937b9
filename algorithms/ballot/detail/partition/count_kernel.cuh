// SPDX-License-Identifier: Apache-2.0
// Counts the items that a selector selects: of all items, or of each tile. Threads count the set
// bits of their flags, a warp sums its lanes, a block its warps. There are no votes, because no
// ranks are needed. One sum over lanes at the end is cheaper than a vote for each item of a thread.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/count.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/partition/selectors.cuh>
#include <ballot/device/tiles.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/reduce.cuh>

namespace ballot::detail {

struct count_storage {
  std::uint64_t of_warp[32];
};

// This thread's flags of the tile of `valid` items at `begin`.
template <class Shape, class Source, class Selector>
__device__ __forceinline__ void flags_in_tile(const Source& source, const Selector& selector, std::uint64_t begin,
                                              unsigned valid, unsigned (&flags)[Shape::chunks]) {
  using layout = block::tile<typename Source::item, Shape>;
  typename layout::items item;
  if constexpr (Selector::needs_items) source.template load<Shape>(begin, valid, item);
  select_of_tile<Shape>(selector, item, begin, valid, flags);
}
// The number of them that are set.
template <class Shape, class Source, class Selector>
__device__ __forceinline__ unsigned count_in_tile(const Source& source, const Selector& selector, std::uint64_t begin,
                                                  unsigned valid) {
  unsigned flags[Shape::chunks];
  flags_in_tile<Shape>(source, selector, begin, valid, flags);
  unsigned mine = 0;
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) mine += simt::popcount(flags[c]);
  return mine;
}

// All threads: the block's sum, in thread 0. One barrier.
template <class Shape>
__device__ __forceinline__ std::uint64_t block_sum(count_storage& shared, std::uint64_t mine) {
  const std::uint64_t of_warp = warp::reduce(mine);
  if (simt::lane_id() == 0) shared.of_warp[simt::warp_id()] = of_warp;
  simt::sync_block();
  std::uint64_t of_block = 0;
  if (simt::thread_rank() == 0)
    for (int w = 0; w < Shape::warps; ++w) of_block += shared.of_warp[w];
  return of_block;
}

// The count of all blocks.
class grid_count {
 public:
  explicit grid_count(const device_count& count) : address_(count.address()), is_wide_(count.type().is_wide) {}
  __device__ __forceinline__ void store(std::uint64_t items) const {
    if (is_wide_) *static_cast<std::uint64_t*>(address_) = items;
    else *static_cast<std::uint32_t*>(address_) = static_cast<std::uint32_t>(items);
  }
  // Relaxed: only later launches read the sum.
  __device__ __forceinline__ void add(std::uint64_t items) const {
    if (is_wide_) simt::atomic_add(static_cast<std::uint64_t*>(address_), items);
    else simt::atomic_add(static_cast<std::uint32_t*>(address_), static_cast<std::uint32_t>(items));
  }

 private:
  void* address_;
  bool is_wide_;
};

// Any grid: each block takes every gridDim.x-th tile. stores: there is one block, which stores the
// count. Otherwise the count is zero at launch, or when the launch before has ended, and each block
// adds its sum once.
template <class Source, class Shape, class Selector>
__global__ void __launch_bounds__(Shape::threads)
    count_kernel(Source source, length length, Selector selector, grid_count count, bool stores) {
  auto& shared = simt::shared_storage<count_storage>();
  const std::uint64_t n = length.get();
  std::uint64_t mine = 0;
  for (std::uint64_t begin = static_cast<std::uint64_t>(blockIdx.x) * Shape::items; begin < n;
       begin += static_cast<std::uint64_t>(gridDim.x) * Shape::items)
    mine += count_in_tile<Shape>(source, selector, begin, static_cast<unsigned>(smaller(n - begin, Shape::items)));
  const std::uint64_t sum = block_sum<Shape>(shared, mine);
  if (simt::thread_rank() != 0) return;
  if (stores) return count.store(sum);
  simt::wait_for_previous_launch();  // which may clear the count
  if (sum != 0) count.add(sum);
}

// One tile a block: counts[t] for every tile, and a zero after the last, so that an exclusive scan
// ends in the total. The last tiles are read first. So what the launch after the scan reads first
// is still in the L2.
template <class Source, class Shape, class Selector>
__global__ void __launch_bounds__(Shape::threads)
    tile_count_kernel(Source source, length length, Selector selector, shifted_tiles tiles, std::uint64_t* counts) {
  auto& shared = simt::shared_storage<count_storage>();
  const unsigned tile = gridDim.x - 1 - blockIdx.x;
  const std::uint64_t n = length.get(), begin = tiles.begin(tile, Shape::items);
  unsigned mine = 0;
  if (begin < n)
    mine =
        count_in_tile<Shape>(source, selector, begin, static_cast<unsigned>(tiles.end(tile, Shape::items, n) - begin));
  const std::uint64_t sum = block_sum<Shape>(shared, mine);
  if (simt::thread_rank() == 0) {
    counts[tile] = sum;
    if (tile + 1 == gridDim.x) counts[gridDim.x] = 0;
  }
}

}  // namespace ballot::detail
