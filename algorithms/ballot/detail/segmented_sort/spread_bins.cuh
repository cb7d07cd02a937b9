// SPDX-License-Identifier: Apache-2.0
// Bins for keys that are not spread evenly. They follow the distribution of all keys in the block's
// window.
//
// The bits of floats are an example. Of numbers between 0 and 1, half begin with the same eight
// bits. With bins for evenly spread keys they would be in a few bins. So the window's keys are
// counted in cells, by their leading bits. A key's bin is then where it would lie in its segment if
// two things were true: its cell's keys are spread evenly in the cell, and each segment is spread
// like the window.
//
//     keys of a segment of 8    1.0 1.1 1.3 1.4 1.6 1.7 1.9 | 600.0
//     leading bits              one cell of 7 keys          | one of 1
//     bin of 1.6                0 + 7 * (1.6 - 1.0) / (2.0 - 1.0) = 4
//                               not 0, as with 8 bins from 1 to 1024
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/packed_words.cuh>
#include <ballot/detail/segmented_sort/block_words.cuh>
#include <ballot/detail/segmented_sort/heads.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

template <class U>
struct key_cells {
  static constexpr int bits = sizeof(U) == 8 ? 12 : 11;
  static constexpr unsigned count = 1u << bits;
};

// Replaces the cells' counts by the number of keys in the cells before: an exclusive scan.
template <class U, class Shape, class Scan>
__device__ __forceinline__ void scan_cells(std::uint32_t* cells, Scan& scan) {
  constexpr unsigned all = key_cells<U>::count, own = (all + Shape::threads - 1) / Shape::threads;
  const unsigned first = simt::thread_rank() * own;
  std::uint32_t sum = 0;
#pragma unroll
  for (unsigned j = 0; j < own; ++j) sum += first + j < all ? cells[first + j] : 0;
  std::uint32_t total;
  std::uint32_t before = block::scan<std::uint32_t, Shape::threads>::exclusive(scan, sum, 0u, total);
#pragma unroll
  for (unsigned j = 0; j < own; ++j) {
    if (first + j >= all) continue;
    const std::uint32_t count = cells[first + j];
    cells[first + j] = before;
    before += count;
  }
}

// The bins of item[i], at position thread + i * threads if that is less than `valid`. The heads are
// complete, and the lowest differing_bits of the compared bits decide the order. `cells` is scratch
// that no thread uses any more. All threads; a barrier has to follow before the cells are
// overwritten.
template <class U, class Shape, class W, class Scan>
__device__ __forceinline__ void spread_bins(std::uint32_t* cells, Scan& scan, const segment_heads<Shape>& heads,
                                            const W (&item)[Shape::items_per_thread], unsigned valid,
                                            int differing_bits, packed_words<Shape::items_per_thread, 16>& bin) {
  using words = block_word<U, Shape>;
  constexpr int cell_bits = key_cells<U>::bits;
  const unsigned thread = simt::thread_rank();
  const auto position = [&](int i) { return thread + static_cast<unsigned>(i) * Shape::threads; };
  const auto part_of = [&](int i) { return words::leading_part(words::compared(item[i]), differing_bits); };
  for (unsigned at = thread; at < key_cells<U>::count; at += Shape::threads) cells[at] = 0;
  simt::sync_block();
#pragma unroll
  for (int i = 0; i < Shape::items_per_thread; ++i)
    if (position(i) < valid)  // relaxed: read after the barrier
      simt::atomic_add<simt::order::relaxed, simt::scope::block>(&cells[part_of(i) >> (32 - cell_bits)], 1u);
  simt::sync_block();
  scan_cells<U, Shape>(cells, scan);
  simt::sync_block();
  const std::uint32_t share = 0xffffffffu / valid;  // of a key, in units of 2^-32
  const segment_rows<Shape> rows(heads, valid);
#pragma unroll
  for (int i = 0; i < Shape::items_per_thread; ++i) {
    if (!Shape::has_row(i, valid)) continue;
    const segment_bounds segment = rows.bounds(i);
    const std::uint32_t part = part_of(i), cell = part >> (32 - cell_bits), in_cell = part << cell_bits;
    const std::uint32_t begin = cells[cell], end = cell + 1 < key_cells<U>::count ? cells[cell + 1] : valid;
    const auto before = begin + static_cast<std::uint32_t>(std::uint64_t{end - begin} * in_cell >> 32);
    bin.set(i, position(i) < valid ? words::bin_at(segment, before * share) : 0);
  }
}

}  // namespace ballot::detail
