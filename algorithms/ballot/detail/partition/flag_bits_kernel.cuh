// SPDX-License-Identifier: Apache-2.0
// Flags as packed bits: a ballot returns the word to store.
//
//     chunk c of a warp    32 consecutive items, one a lane    ballot -> word c, held by lane c
//     after the last       lanes 0, 1, 2, ... store words 0, 1, 2, ... in one access
//
// No shared memory, no barrier.
// Source: Harris and Garland, GPU Computing Gems Jade Edition, chapter 3 (votes as bit vectors).
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/device/tiles.hpp>
#include <ballot/simt/simt.cuh>

namespace ballot::detail {

// Items a lane. Small items have as many bytes in flight as large ones, and a warp writes at least
// a sector of words.
template <class T>
using flag_bits_shape = block::tile_shape<256, smallest_of(largest_of(64 / static_cast<int>(sizeof(T)), 8), 16), 1>;

// One tile a block. Words of n items; the bits past the last item are clear.
template <class Source, class Shape, class Selector>
__global__ void __launch_bounds__(Shape::threads)
    flag_bits_kernel(Source source, length length, Selector selector, std::uint32_t* words) {
  static_assert(Shape::width == 1 && Shape::chunks <= 32);
  using layout = block::tile<typename Source::item, Shape>;
  const std::uint64_t n = length.get(), begin = static_cast<std::uint64_t>(blockIdx.x) * Shape::items;
  if (begin >= n) return;
  const auto valid = static_cast<unsigned>(smaller(n - begin, Shape::items));
  typename layout::items item;
  if constexpr (Selector::needs_items) source.template load<Shape>(begin, valid, item);
  // Two loops, so that no load waits for a vote.
  unsigned flags = 0;
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    const unsigned first = layout::first_item(c);
    flags |= selector.template flags<1>(item[c], begin + first, first < valid ? valid - first : 0u) << c;
  }
  std::uint32_t mine = 0;
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    const unsigned word = simt::ballot((flags >> c & 1u) != 0);
    if (simt::lane_id() == static_cast<unsigned>(c)) mine = word;
  }
  const unsigned word_of_tile = simt::warp_id() * Shape::chunks + simt::lane_id();
  if (simt::lane_id() < Shape::chunks && word_of_tile * 32 < valid) words[begin / 32 + word_of_tile] = mine;
}

template <class Source, class Selector>
void launch_flag_bits(stream_t stream, const Source& source, const length& n, const Selector& selector,
                      std::uint32_t* words, const char* function) {
  using shape = flag_bits_shape<typename Source::item>;
  const std::uint32_t tiles = tile_count(n.capacity, shape::items, function);
  if (tiles == 0) return;
  simt::launch(flag_bits_kernel<Source, shape, Selector>,
               simt::launch_config{dim3(tiles), dim3(shape::threads), 0, stream}, source, n, selector, words);
}

}  // namespace ballot::detail
