// SPDX-License-Identifier: Apache-2.0
// The head flags of a tile, set in shared memory by the block that scans it. This is for few items
// and few offsets. Each block goes over all offsets, whose order does not matter, and sets the bits
// of those in its tile. So a segmented scan by offsets needs no fill of flags in global memory, and
// no launch that sets them.
//
//     offsets   0 3 9 3 20 5       tile of items 8 to 15, and the item after
//     bits      0 1 0 0 0 0 0 0 | 0
//
// Backward, an item is a head if the item after it has a flag (head_flags.cuh). That is why there
// is a bit for the item after the tile.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/device/detail/head_flags.cuh>
#include <ballot/device/flags.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::device {

// Reads the flags of a tile's items in shared memory, by their positions in the array.
struct tile_flag_reader {
  const std::uint32_t* words;
  std::uint64_t begin;  // of the tile

  template <int Width>
  __device__ __forceinline__ unsigned flags(std::uint64_t first, unsigned valid) const {
    return bit_flag_reader{words, false}.template flags<Width>(first - begin, valid);
  }
  template <int Run, int Width>
  __device__ __forceinline__ unsigned run(std::uint64_t first, unsigned count) const {
    return bit_flag_reader{words, false}.template run<Run, Width>(first - begin, count);
  }
};

// The same as head_flag_loader, from offsets.
template <class Offset, bool Backward = false>
struct offset_heads {
  static constexpr bool backward = Backward;
  const Offset* offsets;
  ballot::detail::length length;

  template <class Shape>
  struct storage {
    std::uint32_t words[Shape::items / simt::warp_size + 1];  // a bit an item, and one for the item after
  };

  // All threads; two barriers.
  template <class Shape>
  __device__ __forceinline__ head_flag_loader<tile_flag_reader, Backward> of_tile(storage<Shape>& shared,
                                                                                  std::uint64_t begin) const {
    static_assert(Shape::items % simt::warp_size == 0);
    constexpr unsigned words = Shape::items / simt::warp_size + 1;
    constexpr unsigned at_once = 8;  // loads of a thread before the first is used
    const unsigned thread = simt::thread_rank();
    for (unsigned w = thread; w < words; w += Shape::threads) shared.words[w] = 0;
    simt::sync_block();  // cleared before any bit is set
    const std::uint64_t count = length.get();
    for (std::uint64_t first = thread; first < count; first += at_once * Shape::threads) {
      std::uint64_t at[at_once];
#pragma unroll
      for (unsigned i = 0; i < at_once; ++i) {
        const std::uint64_t mine = first + i * Shape::threads;
        at[i] = mine < count ? static_cast<std::uint64_t>(offsets[mine]) : begin - 1;
      }
#pragma unroll
      for (unsigned i = 0; i < at_once; ++i) {
        const std::uint64_t in_tile = at[i] - begin;  // what lies before the tile wraps
        // Relaxed: the barrier comes before any flag is read.
        if (in_tile <= Shape::items) simt::atomic_or(&shared.words[in_tile / 32], 1u << (in_tile % 32));
      }
    }
    simt::sync_block();
    return {{shared.words, begin}};
  }
};

}  // namespace ballot::device
