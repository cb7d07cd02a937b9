// SPDX-License-Identifier: Apache-2.0
// Tiles of few items: one kernel, whose blocks have as many threads as the items need.
//
//     items     1,000         10,007             200,000
//     blocks    1 of 128      10 of 128          98 of 256       threads; u32, 8 items a thread
//
// A thread processes its vectors one after the other. In large blocks, a few warps would have many
// vectors each, while the other warps had no items.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/device/tiles.hpp>

#include <bit>
#include <cstdint>

namespace ballot::detail {

// The shape of the largest block. A block with fewer threads has a smaller tile.
template <int MostThreads, int Chunks, int Width>
struct small_tile_shape : block::tile_shape<MostThreads, Chunks, Width> {
  static_assert(std::has_single_bit(static_cast<unsigned>(Chunks * Width)) &&
                    std::has_single_bit(static_cast<unsigned>(MostThreads)),
                "tiles are counted by a shift");
  static constexpr unsigned items_per_thread = Chunks * Width;

  // One tile, if a block can have it. Else 128 threads for tiles that are one cluster, 256 for
  // little more than a tile on each multiprocessor of a large GPU. H200, 2026-11-28, us in a graph,
  // u32, half of them selected: by a predicate; by byte flags, of two columns; by a predicate,
  // split into one output. In brackets: tiles of 256 threads with 4 vectors each.
  //
  //     threads       128            256            512
  //     1,000         2.5 3.6 2.9    2.6 3.7 3.1    3.0 3.9 3.4    (3.1 4.5 3.8)
  //     10,007        3.2 4.2 3.7    3.4 4.4 3.8    3.5 4.9 4.1    (3.7 5.3 4.3)
  //     30,011        3.8 4.8 4.4    3.4 4.5 3.8    3.6 5.0 4.2    (3.7 5.5 4.4)
  //     131,073       3.9 4.9 4.4    3.9 5.1 4.4    4.3 5.7 4.8    (4.3 6.1 5.1)
  //     300,007       5.0 5.8 5.3    4.2 5.4 4.8    4.4 5.7 4.9    (4.4 6.2 5.1)
  //     1,000,003                    6.6 7.4 6.4    5.3 7.1 6.0    (5.3 7.3 6.2)
  struct choice {
    unsigned threads;
    std::uint64_t most_tiles;
    std::uint64_t tiles(std::uint64_t n) const { return ceil_div(n, std::uint64_t{threads} * items_per_thread); }
  };
  // The array is declared with its length, because nvcc 13.0 does not loop over it otherwise.
  static constexpr choice choices[6] = {{128, 1},  {256, 1},   {MostThreads, 1},
                                        {128, 16}, {256, 160}, {MostThreads, ~std::uint64_t{0}}};
  // The first one whose tiles suffice.
  static unsigned threads_for(std::uint64_t n) {
    const choice* of = choices;
    while (of->threads > MostThreads || of->tiles(n) > of->most_tiles) ++of;
    return of->threads;
  }
  // Of up to n items.
  static std::uint64_t most_tiles_for(std::uint64_t n) {
    std::uint64_t most = 0;
    for (const choice& of : choices)
      if (of.threads <= MostThreads) most = larger(most, smaller(of.tiles(n), of.most_tiles));
    return most;
  }
};
template <class Shape>
inline constexpr bool may_have_fewer_threads = false;
template <int MostThreads, int Chunks, int Width>
inline constexpr bool may_have_fewer_threads<small_tile_shape<MostThreads, Chunks, Width>> = true;

// The same shape, for blocks that may have fewer threads; larger items keep theirs.
template <class Shape>
struct shape_with_fewer_threads {
  using type = Shape;
};
template <int Threads, int Chunks, int Width>
  requires(std::has_single_bit(static_cast<unsigned>(Threads)) &&
           std::has_single_bit(static_cast<unsigned>(Chunks * Width)))
struct shape_with_fewer_threads<block::tile_shape<Threads, Chunks, Width>> {
  using type = small_tile_shape<Threads, Chunks, Width>;
};
template <class Shape>
using with_fewer_threads = typename shape_with_fewer_threads<Shape>::type;

// The threads of the blocks that select from n items; their tiles; the most tiles of up to n items,
// at any address.
template <class Shape>
unsigned threads_for(std::uint64_t n) {
  if constexpr (may_have_fewer_threads<Shape>) return Shape::threads_for(n);
  else return Shape::threads;
}
template <class Shape>
std::uint64_t tiles_for(std::uint64_t n) {
  return ceil_div(n, std::uint64_t{threads_for<Shape>(n)} * (Shape::items / Shape::threads));
}
template <class Shape>
std::uint64_t most_tiles_for(std::uint64_t n) {
  if constexpr (may_have_fewer_threads<Shape>) return Shape::most_tiles_for(n);
  else return shifted_tiles::most_of(n, Shape::items);
}

}  // namespace ballot::detail
