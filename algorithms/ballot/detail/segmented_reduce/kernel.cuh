// SPDX-License-Identifier: Apache-2.0
// Adds a constant to every item of a tile and counts the sums that are not zero: one tile a block, one count a tile. A second
// kernel of one block adds up the tiles' counts.
#pragma once

#include <ballot/block/reduce.cuh>
#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/count.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/core/range.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

// Not measured: 64 bytes a thread in flight is a first guess.
template <class T>
using segmented_reduce_shape = block::tile_shape<256, 4, block::vector_width<T>()>;

// What each of the two kernels has in shared memory.
template <class Shape>
using segmented_reduce_storage = typename block::reduction<unsigned, Shape::threads>::storage;
template <class Shape>
using segmented_reduce_count_storage = typename block::reduction<std::uint64_t, Shape::threads>::storage;

// Tiles past a length on the device write nothing but their count, which is 0.
template <class T, class Shape>
__global__ void __launch_bounds__(Shape::threads)
    segmented_reduce_kernel(const T* in, length length, T addend, T* out, bool vector_aligned,
                            std::uint64_t* tile_counts) {
  using layout = block::tile<T, Shape>;
  using reduction = block::reduction<unsigned, Shape::threads>;
  auto& shared = simt::shared_storage<segmented_reduce_storage<Shape>>();
  const std::uint64_t n = length.get(), begin = static_cast<std::uint64_t>(blockIdx.x) * Shape::items;
  const auto valid = begin < n ? static_cast<unsigned>(smaller(n - begin, Shape::items)) : 0u;
  unsigned mine = 0;
  if (valid != 0) {
    typename layout::items item;
    layout::load(in + begin, valid, vector_aligned, item);
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c)
#pragma unroll
      for (int j = 0; j < Shape::width; ++j) {
        item[c][j] = plus{}(item[c][j], addend);
        if (layout::first_item(c) + j < valid && item[c][j] != 0) ++mine;
      }
    layout::store(out + begin, valid, vector_aligned, item);
  }
  const unsigned of_tile = reduction::of(shared, mine);
  if (simt::thread_rank() == 0) tile_counts[blockIdx.x] = of_tile;
}

// One block.
template <class Shape>
__global__ void __launch_bounds__(Shape::threads)
    segmented_reduce_count_kernel(const std::uint64_t* tile_counts, std::uint32_t tiles, device_count count) {
  using reduction = block::reduction<std::uint64_t, Shape::threads>;
  auto& shared = simt::shared_storage<segmented_reduce_count_storage<Shape>>();
  std::uint64_t mine = 0;
  for (std::uint32_t tile = simt::thread_rank(); tile < tiles; tile += Shape::threads) mine += tile_counts[tile];
  const std::uint64_t of_all = reduction::of(shared, mine);
  if (simt::thread_rank() == 0) count.store(of_all);
}

}  // namespace ballot::detail
