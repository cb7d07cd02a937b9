// How many items a selector keeps: in all, or of each tile. Threads count the set bits of their flags, a warp sums its
// lanes, a block its warps. No votes: ranks are not wanted, and a sum over lanes at the end is cheaper than one a row.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/partition/selectors.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/reduce.cuh>

namespace ballot::detail {

struct count_storage {
  std::uint64_t of_warp[32];
};

// The flags of the tile of `valid` items at `begin`, those of this thread.
template <class Shape, class Source, class Selector>
__device__ __forceinline__ void flags_in_tile(const Source& from, const Selector& selector, std::uint64_t begin,
                                              unsigned valid, unsigned (&flags)[Shape::chunks]) {
  using layout = block::tile<typename Source::item, Shape>;
  typename layout::items item;
  if constexpr (Selector::needs_items) from.template load<Shape>(begin, valid, item);
  select_of_tile<Shape>(selector, item, begin, valid, flags);
}
// How many of them are set.
template <class Shape, class Source, class Selector>
__device__ __forceinline__ unsigned count_in_tile(const Source& from, const Selector& selector, std::uint64_t begin,
                                                  unsigned valid) {
  unsigned flags[Shape::chunks];
  flags_in_tile<Shape>(from, selector, begin, valid, flags);
  unsigned mine = 0;
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) mine += simt::popcount(flags[c]);
  return mine;
}

// All threads: the block's sum, in thread 0. One barrier.
template <class Shape>
__device__ __forceinline__ std::uint64_t sum_of_block(count_storage& shared, std::uint64_t mine) {
  const std::uint64_t of_warp = warp::reduce(mine);
  if (simt::lane_id() == 0) shared.of_warp[simt::warp_id()] = of_warp;
  simt::sync_block();
  std::uint64_t of_block = 0;
  if (simt::thread_rank() == 0)
    for (int w = 0; w < Shape::warps; ++w) of_block += shared.of_warp[w];
  return of_block;
}

// `count` is zero at launch. Any grid: blocks take tiles a stride apart, and each adds once.
template <class Source, class Shape, class Selector>
__global__ void __launch_bounds__(Shape::threads)
    count_kernel(Source from, length length, Selector selector, std::uint64_t* count) {
  auto& shared = simt::shared_storage<count_storage>();
  const std::uint64_t n = length.get();
  std::uint64_t mine = 0;
  for (std::uint64_t begin = static_cast<std::uint64_t>(blockIdx.x) * Shape::items; begin < n;
       begin += static_cast<std::uint64_t>(gridDim.x) * Shape::items)
    mine += count_in_tile<Shape>(from, selector, begin, static_cast<unsigned>(smaller(n - begin, Shape::items)));
  const std::uint64_t of_block = sum_of_block<Shape>(shared, mine);
  // Relaxed: the sum is read by later launches only.
  if (simt::thread_rank() == 0 && of_block != 0) simt::atomic_add(count, of_block);
}

// One tile a block: of_tile[t] for every tile, and a zero behind the last, so that an exclusive scan ends in the total.
template <class Source, class Shape, class Selector>
__global__ void __launch_bounds__(Shape::threads)
    tile_count_kernel(Source from, length length, Selector selector, std::uint64_t* of_tile) {
  auto& shared = simt::shared_storage<count_storage>();
  const std::uint64_t n = length.get(), begin = static_cast<std::uint64_t>(blockIdx.x) * Shape::items;
  unsigned mine = 0;
  if (begin < n)
    mine = count_in_tile<Shape>(from, selector, begin, static_cast<unsigned>(smaller(n - begin, Shape::items)));
  const std::uint64_t of_block = sum_of_block<Shape>(shared, mine);
  if (simt::thread_rank() == 0) {
    of_tile[blockIdx.x] = of_block;
    if (blockIdx.x + 1 == gridDim.x) of_tile[gridDim.x] = 0;
  }
}

}  // namespace ballot::detail
