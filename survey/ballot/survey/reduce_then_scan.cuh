// SPDX-License-Identifier: Apache-2.0
// Reduce, then scan: the device-level scan in three launches, without any communication between
// running blocks.
//
//     array      |   part 0    |   part 1    |   part 2    |   part 3    |        a part: some tiles, one block each
//     reduce           A             B             C                             read: one sum a part
//     scan             A            AB            ABC                            one block (block_scan.cuh), in place
//     scan       | tiles of 0  | A tiles of 1| AB ...      | ABC ...     |      read again, written
//
// Memory traffic: 3 n items, where a single pass takes 2 n. The results have the same bits on every
// run on one GPU. No order of blocks is assumed, and nothing has to be zeroed: every sum is written
// by one block before another launch reads it. The last part's sum is not needed, so all parts that
// are reduced are full. Items of up to 16 bytes. Scratch: an item a part, at most as many as Grid
// says. Launches: three, or one if all fits one part.
// Sources: Chatterjee, Blelloch and Zagha 1990; the survey "GPU Prefix Sums" for this form, with
// the sums of at most one block's worth of parts.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/device/grids.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/survey/block_scan.cuh>
#include <ballot/survey/device_scan.cuh>
#include <ballot/survey/patterns/radix_raking_reduce_scan.cuh>
#include <ballot/survey/tile_step.cuh>

namespace ballot::survey {

// The number of items that a lane loads at once when it reduces: a power of two that divides a
// thread's share of a tile.
template <class T, class Shape>
inline constexpr int reduce_width = [] {
  int width = block::vector_width<T>();
  while (Shape::items / Shape::threads % static_cast<unsigned>(width) != 0) width /= 2;
  return width;
}();

// sums[b] = op of part b, which is full. Each warp reduces a contiguous piece of it, in order.
// Shared memory: an item a warp; one barrier.
template <class Shape, class T, class Op>
__global__ void __launch_bounds__(Shape::threads)
    reduce_parts_kernel(const T* in, T* sums, std::uint64_t tiles_a_part, bool vector_aligned, Op op) {
  constexpr int width = reduce_width<T, Shape>;
  constexpr int chunks = static_cast<int>(Shape::items / Shape::threads) / width;  // of 32 vectors, a warp and tile
  constexpr unsigned warp_tile = Shape::items / (Shape::threads / simt::warp_size);
  using block_total = block::scan<T, static_cast<int>(Shape::threads)>;
  auto& shared = simt::shared_storage<typename block_total::storage>();

  const std::uint64_t warp_items = warp_tile * tiles_a_part;
  const T* from =
      in + blockIdx.x * (Shape::items * tiles_a_part) + simt::warp_id() * warp_items + simt::lane_id() * width;
  T sum{};
  for (std::uint64_t t = 0; t < tiles_a_part; ++t, from += warp_tile) {
    simt::vector<T, width> v[chunks];
#pragma unroll
    for (int c = 0; c < chunks; ++c) {
      const T* const vector = from + c * static_cast<int>(simt::warp_size) * width;
      if constexpr (block::items_of_access<T, width> == width)
        if (vector_aligned) {
          v[c] = simt::load_vector<T, width>(vector);
          continue;
        }
#pragma unroll
      for (int j = 0; j < width; ++j) v[c][j] = vector[j];
    }
#pragma unroll
    for (int c = 0; c < chunks; ++c) {
      T mine = v[c][0];
#pragma unroll
      for (int j = 1; j < width; ++j) mine = op(mine, v[c][j]);
      const T chunk = warp::reduce(mine, op);
      sum = t == 0 && c == 0 ? chunk : op(sum, chunk);
    }
  }
  const T total = block_total::across_warps(shared, sum, op).total;
  if (simt::thread_rank() == 0) sums[blockIdx.x] = total;
}

// Block b scans part b from the sum of the parts before it, up_to[b - 1], on.
template <scan_kind Kind, class Pattern, class Shape, class T, class Op>
__global__ void __launch_bounds__(Shape::threads)
    scan_parts_kernel(const T* in, T* out, std::uint64_t n, std::uint64_t tiles_a_part, const T* up_to, T initial,
                      Op op) {
  auto& shared = simt::shared_storage<typename tile_step<Pattern, Shape, T>::storage>();
  constexpr bool has_initial = Kind == scan_kind::exclusive;
  prefix<T> before{initial, has_initial};
  if (blockIdx.x != 0) {
    const T parts = up_to[blockIdx.x - 1];
    before = {has_initial ? op(initial, parts) : parts, true};
  }
  const std::uint64_t part_items = Shape::items * tiles_a_part, begin = blockIdx.x * part_items;
  walk_tiles<Kind, Pattern, Shape>(shared, in, out, begin, ballot::detail::smaller(n, begin + part_items), before, op);
}

// Grid: at most so many parts. Eight blocks for each multiprocessor of the current GPU; other
// numbers have not been compared. The scratch must not depend on the GPU, so it has room for a sum
// a tile, or for most_sums. More is not used.
template <class Shape = tile_shape<256, 4096>, class Pattern = radix_raking_reduce_scan,
          class Grid = detail::blocks_per_multiprocessor<8>>
struct reduce_then_scan : device_scan<reduce_then_scan<Shape, Pattern, Grid>> {
  static constexpr std::uint64_t most_sums = 4096;  // 512 multiprocessors
  static constexpr const char* name = "survey::reduce_then_scan";
  static constexpr std::size_t largest_item = 16;

  // Bytes of scratch for n items. Pure.
  template <class T>
  static std::size_t scratch_bytes(std::uint64_t n) {
    return detail::bytes_at_any_address(n == 0 ? 0 : sums_bytes<T>(n));
  }

  template <scan_kind Kind, class T, class Op>
  static void launch(const exec& where, const T* in, T* out, std::uint64_t n, T initial, Op op) {
    const detail::scratch_lease lease(where, sums_bytes<T>(n), name);
    detail::scratch_carver carver(lease.base());
    const parts cut = parts_of(n);
    T* const sums = carver.take<T>(cut.count);
    const dim3 threads(Shape::threads);
    const std::size_t tile_bytes = sizeof(typename tile_step<Pattern, Shape, T>::storage);
    if (cut.count > 1) {
      const bool vector_aligned = block::is_vector_aligned<T, reduce_width<T, Shape>>(in);
      const std::size_t sum_bytes = sizeof(typename block::scan<T, static_cast<int>(Shape::threads)>::storage);
      simt::launch(reduce_parts_kernel<Shape, T, Op>,
                   simt::launch_config{dim3(cut.count - 1), threads, sum_bytes, where.stream()}, in, sums,
                   cut.tiles_each, vector_aligned, op);
      simt::launch(block_scan_kernel<scan_kind::inclusive, Pattern, Shape, T, Op>,
                   simt::launch_config{dim3(1), threads, tile_bytes, where.stream()}, sums, sums, cut.count - 1,
                   initial, op);
    }
    simt::launch(scan_parts_kernel<Kind, Pattern, Shape, T, Op>,
                 simt::launch_config{dim3(cut.count), threads, tile_bytes, where.stream()}, in, out, n, cut.tiles_each,
                 sums, initial, op);
  }

 private:
  template <class T>
  static std::size_t sums_bytes(std::uint64_t n) {
    detail::scratch_carver measure;
    measure.take<T>(detail::smaller(detail::ceil_div(n, Shape::items), most_sums));
    return measure.bytes();
  }

  // Parts of equally many tiles, none of them empty.
  struct parts {
    std::uint64_t tiles_each;
    unsigned count;
  };
  static parts parts_of(std::uint64_t n) {
    const std::uint64_t tiles = detail::ceil_div(n, Shape::items);
    const std::uint64_t each = detail::ceil_div(tiles, detail::smaller(Grid::most(), most_sums));
    return {each, each == 0 ? 0u : static_cast<unsigned>(detail::ceil_div(tiles, each))};
  }
};

}  // namespace ballot::survey
