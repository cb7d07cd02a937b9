// SPDX-License-Identifier: Apache-2.0
// A tile in the stages of a selection's kernel: its location, its counts, the flags of its items.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/output_view.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/partition/small_tile_shape.cuh>
#include <ballot/device/flags.cuh>
#include <ballot/device/tiles.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/binary_scan.cuh>
#include <ballot/warp/scan.cuh>

#include <cstdint>

namespace ballot::detail {

// The array that a tile belongs to, and where both lie.
struct tile_location {
  std::uint32_t index;               // of the tile in its array
  std::uint64_t n;                   // items of the array
  std::uint64_t in_base;             // where the array begins in the inputs and the flags,
  std::uint64_t out_base;            // and in the outputs
  std::uint64_t out_capacity;        // items of the array that an output holds
  std::uint64_t row;                 // number of the array
  shifted_tiles tiles{0};            // of the array
  std::uint64_t selected_total = 0;  // the array's selected items, where the sum of all tiles has found them
};

// The block's threads, the items of its tile, and how many such tiles n items have.
template <class Shape>
__device__ __forceinline__ unsigned threads_of_block() {
  if constexpr (may_have_fewer_threads<Shape>) return blockDim.x;
  else return Shape::threads;
}
template <class Shape>
__device__ __forceinline__ unsigned items_of_tile() {
  return threads_of_block<Shape>() * static_cast<unsigned>(Shape::items / Shape::threads);
}
template <class Shape>
__device__ __forceinline__ std::uint32_t tiles_of(std::uint64_t n) {
  if constexpr (may_have_fewer_threads<Shape>)  // powers of two
    return static_cast<std::uint32_t>((n + items_of_tile<Shape>() - 1) >>
                                      (31 - simt::leading_zeros(items_of_tile<Shape>())));
  else return static_cast<std::uint32_t>(ceil_div(n, Shape::items));
}

// A tile and its counts. The stages of the kernel fill it in, from top to bottom.
struct partition_tile {
  tile_location location;
  std::uint64_t begin;  // of its array
  unsigned valid;       // its items
  // The same number for loads and selectors. For a full tile it is all items of the shape, even if
  // the block has fewer threads. So no load treats the tile as a partial one.
  unsigned extent;
  unsigned selected;              // its selected items
  unsigned selected_before_warp;  // of them, those of the warps before this one
  std::uint64_t selected_before;  // the array's selected items before the tile: the exclusive prefix
  std::uint64_t rejected_begin;   // where the array's rejected items begin in their output
  // The position of the last selected item before the tile, if the aggregate has it
  // (aggregate.cuh). It is in shared memory, because one thread reads it, late.
  const std::uint64_t* last_before;
};

// The flags of a thread's vectors, packed: an array of them would cost a register each.
template <class Shape>
class tile_flags {
  static constexpr int width = Shape::width;
  static_assert(32 % width == 0, "a vector's flags lie in one word");
  unsigned word_[(Shape::chunks * width + 31) / 32];

 public:
  explicit __device__ __forceinline__ tile_flags(const unsigned (&flags)[Shape::chunks]) : word_{} {
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) word_[c * width / 32] |= flags[c] << (c * width % 32);
  }
  __device__ __forceinline__ unsigned operator[](int c) const {
    return word_[c * width / 32] >> (c * width % 32) & device::low_bits_of_word(width);
  }
  __device__ __forceinline__ unsigned count() const {
    unsigned set = 0;
    for (const unsigned w : word_) set += simt::popcount(w);
    return set;
  }
  // The position in the tile of the thread's last item with a flag. There must be one.
  __device__ __forceinline__ unsigned last() const {
    unsigned bit = 0;  // of all words
#pragma unroll
    for (unsigned i = 0; i < sizeof(word_) / sizeof(unsigned); ++i)
      if (word_[i] != 0) bit = 32 * i + 31 - simt::leading_zeros(word_[i]);
    return block::tile<std::uint8_t, Shape>::first_item(bit / width) + bit % width;
  }
};

// All lanes of the warp: calls use(c, flags, rank) for each of the thread's vectors. `rank` counts
// the warp's selected items before the vector. Ranks come from votes (warp/binary_scan.cuh).
// Returns how many the warp has.
template <class Shape, class Use>
__device__ __forceinline__ unsigned with_ranks(const tile_flags<Shape>& flags, Use use) {
  unsigned selected = 0;
  if constexpr (Shape::width >= 8) {
    // Sums of two vectors' counts in one word take fewer instructions than a vote for each item.
    constexpr unsigned half = 0xffffu;
#pragma unroll
    for (int c = 0; c < Shape::chunks; c += 2) {
      const bool has_second = c + 1 < Shape::chunks;
      const std::uint32_t own =
          simt::popcount(flags[c]) | (has_second ? simt::popcount(flags[has_second ? c + 1 : c]) << 16 : 0u);
      const std::uint32_t up_to_lane = warp::inclusive_scan(own), before = up_to_lane - own,
                          all = simt::shuffle(up_to_lane, simt::warp_size - 1);
      use(c, flags[c], selected + (before & half));
      selected += all & half;
      if (has_second) use(has_second ? c + 1 : c, flags[has_second ? c + 1 : c], selected + (before >> 16));
      selected += all >> 16;
    }
  } else {
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) {
      const warp::rank_and_total votes = warp::binary_rank_of_vector<Shape::width>(flags[c]);
      use(c, flags[c], selected + votes.rank);
      selected += votes.total;
    }
  }
  return selected;
}

// How many of `items` items fit into an output from offset `at` on.
template <class Out>
__device__ __forceinline__ unsigned items_that_fit(unsigned items, const Out& to, const tile_location& location,
                                                   std::uint64_t at) {
  const std::uint64_t end = smaller(to.size, location.out_base + location.out_capacity);
  return static_cast<unsigned>(smaller(items, at < end ? end - at : 0));
}

}  // namespace ballot::detail
