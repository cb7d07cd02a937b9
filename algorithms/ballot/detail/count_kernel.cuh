// How many items a selector keeps: threads count the set bits of their flags over a strided share of the items, a warp
// sums its lanes, a block its warps, and each block adds once. No votes: ranks are not wanted, and a sum over lanes at the
// end is cheaper than one a row.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/reduce.cuh>

namespace ballot::detail {

struct count_storage {
  std::uint64_t of_warp[32];
};

// `count` is zero at launch. Any grid.
template <class T, class Shape, class Selector>
__global__ void __launch_bounds__(Shape::threads)
    count_kernel(const T* in, length length, Selector selector, bool whole_vectors, std::uint64_t* count) {
  using tile = block::tile<T, Shape>;
  auto& shared = simt::shared_storage<count_storage>();
  const std::uint64_t n = length.get();

  std::uint64_t mine = 0;  // of this thread
  for (std::uint64_t begin = static_cast<std::uint64_t>(blockIdx.x) * Shape::items; begin < n;
       begin += static_cast<std::uint64_t>(gridDim.x) * Shape::items) {
    const auto valid = static_cast<unsigned>(smaller(n - begin, Shape::items));
    typename tile::items item;
    if constexpr (Selector::needs_items) tile::load(in + begin, valid, whole_vectors, item);
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) {
      const unsigned first = tile::first_item(c);
      mine += simt::popcount(
          selector.template flags<Shape::width>(item[c], begin + first, first < valid ? valid - first : 0u));
    }
  }
  const std::uint64_t of_warp = warp::reduce(mine);
  if (simt::lane_id() == 0) shared.of_warp[simt::warp_id()] = of_warp;
  simt::sync_block();
  if (simt::thread_rank() == 0) {
    std::uint64_t of_block = 0;
    for (int w = 0; w < Shape::warps; ++w) of_block += shared.of_warp[w];
    // Relaxed: the sum is read by later launches only.
    if (of_block != 0) simt::atomic_add(count, of_block);
  }
}

}  // namespace ballot::detail
