// SPDX-License-Identifier: Apache-2.0
// Sets a bit for each offset: the head flags of segments that are given by offsets.
//
//     offsets   0  3  3  5  8    five entries: four segments of n = 8 items, one of them empty, and
//                                the end
//     bits      1 0 0 1 0 1 0 0  an empty segment sets a bit again, the end sets none
//
// The order of the offsets does not matter, but ascending ones are fast. There are two kernels:
//
// - Dense offsets: a lane loads vectors of consecutive offsets, and combines those of a vector
//   whose bits lie in one word. A warp collects its bits in a window of words in shared memory,
//   which begins at its first offset. Then each word of the window takes one atomic. So tiny
//   segments cost no more atomics in global memory than there are words. A bit outside the window
//   takes an atomic of its own.
// - Sparse offsets: neighbouring lanes have neighbouring offsets, and each takes an atomic. Of
//   equal neighbours one does.
//
// H200, 2026-11-28, i32, microseconds of the whole scan by the mean length of segments; "by a warp
// scan" is what this replaced:
//
//                                     2     4     8    16    64 items
//     268,435,453    by a warp scan 887   716   627   585   560
//                    dense          732   644   594   577   562
//                    sparse        1737   929   680   579   563
//     1,000,003      by a warp scan 8.8   8.3   8.2   8.1   8.1    in a graph
//                    dense, of few  8.5   8.1   8.1   8.4   8.4
//                    sparse        13.8   9.9   8.2   7.7   7.5
//     300,007        by a warp scan 7.1   7.1   6.9   6.9   6.8
//                    dense, of few  7.3   7.2   7.1   7.0   7.2
//                    sparse         8.7   7.3   6.6   6.3   6.3
//     65,537         by a warp scan 6.8   6.7   6.6
//                    dense, of few  6.7   6.9   6.5
//                    sparse         7.2   6.5   6.0
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::device {

// Offsets: how many offsets a thread takes. Few offsets take the shape with fewer.
template <class Offset, int Offsets>
using set_head_flags_shape =
    block::tile_shape<256, Offsets / block::vector_width<Offset>(4), block::vector_width<Offset>(4)>;
inline constexpr int offsets_of_thread = 8, few_offsets_of_thread = 4;

// Offsets are sparse if segments are longer than this number of items on average. If there are few
// offsets, they may still lie close together in some places, where single atomics wait for each
// other. Of a million items in segments of all sizes, 8.5 on average, the sparse kernel took 12.6
// us in a graph, where a warp scan took 8.5 (H200, 2026-11-28, the whole grid).
inline constexpr std::uint64_t dense_segment_items = 16, dense_segment_items_of_few = 12, few_offsets = 1u << 19;
inline constexpr int sparse_head_flags_threads = 256, sparse_head_flags_offsets = 4;  // of a thread

// Words of a warp's window, at most: 256 offsets of segments that have dense_segment_items on
// average. A warp uses as many of them as its offsets need.
inline constexpr unsigned head_window_words = 128;

template <int Warps>
struct set_head_flags_storage {
  std::uint32_t window[Warps][head_window_words];
};

// Where the bit of an offset is: a word, from the first one of the window on, and its bit; no bit
// if the offset is to be ignored.
struct head_bit {
  std::uint64_t word;
  std::uint32_t bit;
};
__device__ __forceinline__ head_bit head_bit_of(std::uint64_t offset, std::uint64_t items, std::uint64_t window) {
  return {offset / 32 - window, offset < items ? 1u << (offset % 32) : 0u};
}

// Sets the bit of each offset below `items` in `words`, which a launch before this one may clear.
// vector_aligned: of the offsets. No barrier of the block.
template <class Offset, class Shape>
__global__ void __launch_bounds__(Shape::threads)
    set_head_flags_kernel(const Offset* offsets, ballot::detail::length length, std::uint64_t items,
                          std::uint32_t* words, bool vector_aligned) {
  using tile = block::tile<Offset, Shape>;
  auto& shared = simt::shared_storage<set_head_flags_storage<Shape::warps>>();
  std::uint32_t* const window = shared.window[simt::warp_id()];
  const unsigned lane = simt::lane_id();
  const std::uint64_t segments = length.get(), begin = static_cast<std::uint64_t>(blockIdx.x) * Shape::items;
  if (begin >= segments) {  // a surplus block of a launch sized for the capacity
    simt::wait_for_previous_launch();
    simt::let_next_launch_begin();
    return;
  }
  const auto valid = static_cast<unsigned>(segments - begin < Shape::items ? segments - begin : Shape::items);
  typename tile::items at;
  tile::load(offsets + begin, valid, vector_aligned, at);  // the missing ones are the first one, again
  const std::uint64_t first_word = simt::shuffle(static_cast<std::uint64_t>(at[0][0]) / 32, 0);
  const std::uint64_t last_word =
      simt::shuffle(static_cast<std::uint64_t>(at[Shape::chunks - 1][Shape::width - 1]) / 32, simt::warp_size - 1);
  const unsigned used = last_word - first_word < head_window_words ? static_cast<unsigned>(last_word - first_word) + 1
                                                                   : head_window_words;
  for (unsigned w = lane; w < used; w += simt::warp_size) window[w] = 0;
  simt::sync_warp();                 // the window is cleared
  simt::wait_for_previous_launch();  // which clears the words

  // Relaxed: the warp reads the window after a barrier, and the next launch reads the words.
  const auto set = [&](const head_bit& head) {
    if (head.bit == 0) return;
    if (head.word < used) simt::atomic_or<simt::order::relaxed, simt::scope::block>(window + head.word, head.bit);
    else simt::atomic_or(words + (first_word + head.word), head.bit);
  };
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    head_bit last = head_bit_of(static_cast<std::uint64_t>(at[c][0]), items, first_word);
#pragma unroll
    for (int j = 1; j < Shape::width; ++j) {
      const head_bit next = head_bit_of(static_cast<std::uint64_t>(at[c][j]), items, first_word);
      if (next.word == last.word) {
        last.bit |= next.bit;
      } else {
        set(last);
        last = next;
      }
    }
    set(last);
  }
  simt::sync_warp();  // the window has all bits
  for (unsigned w = lane; w < used; w += simt::warp_size)
    if (const std::uint32_t bits = window[w]; bits != 0) simt::atomic_or(words + (first_word + w), bits);
  simt::let_next_launch_begin();  // not before: with many offsets, blocks of the scan would take the place of these
}

// The same for sparse offsets. No shared memory.
template <class Offset>
__global__ void __launch_bounds__(sparse_head_flags_threads)
    set_sparse_head_flags_kernel(const Offset* offsets, ballot::detail::length length, std::uint64_t items,
                                 std::uint32_t* words) {
  constexpr int each = sparse_head_flags_offsets;
  const std::uint64_t segments = length.get();
  const std::uint64_t begin =
      static_cast<std::uint64_t>(blockIdx.x) * (sparse_head_flags_threads * each) + simt::thread_rank();
  std::uint64_t at[each];
#pragma unroll
  for (int i = 0; i < each; ++i) {
    const std::uint64_t mine = begin + static_cast<unsigned>(i * sparse_head_flags_threads);
    at[i] = mine < segments ? static_cast<std::uint64_t>(offsets[mine]) : items;
  }
  simt::wait_for_previous_launch();  // which clears the words
#pragma unroll
  for (int i = 0; i < each; ++i) {
    const std::uint64_t below = simt::shuffle_up(at[i], 1);
    const bool is_again = simt::lane_id() != 0 && at[i] == below;
    // Relaxed: the bits are read by the next launch.
    if (at[i] < items && !is_again) simt::atomic_or(words + at[i] / 32, 1u << (at[i] % 32));
  }
  simt::let_next_launch_begin();
}

}  // namespace ballot::device
