// SPDX-License-Identifier: Apache-2.0
// The block-level scan: one block scans an array of any length, tile by tile, with a carry.
//
//     array     | tile 0 | tile 1 | tile 2 | tile 3 | ...           one block, one tile at a time
//     sums         A        B        C        D
//     carry     (none)  ->  A   ->  AB   ->  ABC   ->  ...           in a register of every thread
//
// Serial in the tiles, parallel within each: on a device with many multiprocessors all but one are
// idle. So this is a building block (for the sums of reduce_then_scan.cuh), not a scan for large
// arrays. Each item is read once and written once. Shared memory: a tile and the pattern's spare.
// Barriers a tile: two, and the pattern's.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/survey/device_scan.cuh>
#include <ballot/survey/patterns/radix_raking_reduce_scan.cuh>
#include <ballot/survey/tile_step.cuh>

namespace ballot::survey {

// All threads of a block: scans items [begin, end) tile by tile, from the prefix `before` on.
template <scan_kind Kind, class Pattern, class Shape, class T, class Op>
__device__ __forceinline__ void walk_tiles(typename tile_step<Pattern, Shape, T>::storage& shared, const T* in, T* out,
                                           std::uint64_t begin, std::uint64_t end, prefix<T> before, Op op) {
  using step = tile_step<Pattern, Shape, T>;
  for (; begin < end; begin += Shape::items) {
    const auto valid = static_cast<unsigned>(ballot::detail::smaller(end - begin, Shape::items));
    const T sum = step::load_and_scan(shared, in, begin, valid, op);
    step::template store<Kind>(shared, out, begin, valid, before, op);
    before = {before.exists ? op(before.value, sum) : sum, true};
    simt::sync_block();  // the storage is read until here
  }
}

// Launched with one block.
template <scan_kind Kind, class Pattern, class Shape, class T, class Op>
__global__ void __launch_bounds__(Shape::threads)
    block_scan_kernel(const T* in, T* out, std::uint64_t n, T initial, Op op) {
  auto& shared = simt::shared_storage<typename tile_step<Pattern, Shape, T>::storage>();
  walk_tiles<Kind, Pattern, Shape>(shared, in, out, 0, n, prefix<T>{initial, Kind == scan_kind::exclusive}, op);
}

template <class Shape = tile_shape<256, 2048>, class Pattern = radix_raking_reduce_scan>
struct block_scan : device_scan<block_scan<Shape, Pattern>> {
  static constexpr const char* name = "survey::block_scan";
  static constexpr std::size_t largest_item = 16;
  template <class T>
  static std::size_t scratch_bytes(std::uint64_t) {
    return 0;
  }
  template <scan_kind Kind, class T, class Op>
  static void launch(const exec& where, const T* in, T* out, std::uint64_t n, T initial, Op op) {
    simt::launch(block_scan_kernel<Kind, Pattern, Shape, T, Op>,
                 simt::launch_config{dim3(1), dim3(Shape::threads),
                                     sizeof(typename tile_step<Pattern, Shape, T>::storage), where.stream()},
                 in, out, n, initial, op);
  }
};

}  // namespace ballot::survey
