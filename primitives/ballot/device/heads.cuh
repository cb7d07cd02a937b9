// Where segments begin in the order of the scan, from flags in memory: one word a thread, a bit for each of its items
// of a tile.
//
//     items            a  b  c  d  e  f  g         segments  a b c | d | e f g
//     flags            1  0  0  1  1  0  0         forward: the flags, and the first item
//     scanned backward g  f  e  d  c  b  a
//     begins           1  0  0  1  1  0  0         an item begins one where the item after it in memory has a flag, and
//                                                  the last item
//
// So backward the flags move by one item, which a thread gets from the lane below, that holds the items after its own.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/device/flags.cuh>
#include <ballot/device/mirrored_tile.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::device {

template <class Reader, bool Backward = false>
struct heads_by_flags {
  static constexpr bool backward = Backward;
  Reader reader;

  // The heads of this thread's items of the tile at `begin`, of n items in all, as bits c * width + j. All threads of
  // the warp call together.
  template <class Shape>
  __device__ __forceinline__ unsigned of_tile(std::uint64_t begin, unsigned valid, std::uint64_t /*n*/) const {
    const unsigned heads = flags_of_tile<Shape>(reader, begin, valid, block::tile<std::uint8_t, Shape>::first_item(0));
    return begin == 0 && simt::thread_rank() == 0 ? heads | 1u : heads;
  }
};

template <class Reader>
struct heads_by_flags<Reader, true> {
  static constexpr bool backward = true;
  Reader reader;

  // The same in the order of a mirrored tile. Missing items, which come first there, are heads too.
  template <class Shape>
  __device__ __forceinline__ unsigned of_tile(std::uint64_t begin, unsigned valid, std::uint64_t n) const {
    constexpr int width = Shape::width, chunks = Shape::chunks;
    const unsigned first = mirrored_first_item<Shape>();
    unsigned flags = flags_of_tile<Shape>(reader, begin, valid, first);
    if (valid != Shape::items) {
#pragma unroll
      for (int c = 0; c < chunks; ++c) {
        const unsigned at = first + c * Shape::chunk_items, there = at < valid ? valid - at : 0u;
        if (there < width) flags |= (low_bits(width) & ~low_bits(there)) << (c * width);
      }
    }
    const unsigned mirrored = simt::reverse_bits(flags) >> (32 - chunks * width);

    // From each chunk's last flag in the lane below; lane 0 from that of lane 31 in the chunk before, and for its first
    // from behind the warp's run.
    unsigned below = simt::shuffle_up(mirrored, 1);
    const unsigned top = simt::shuffle(mirrored, simt::warp_size - 1);
    if (simt::lane_id() == 0) {
      const std::uint64_t behind = begin + first + (chunks - 1) * Shape::chunk_items + width;
      const unsigned next = behind >= n ? 1u : reader.template flags<1>(behind, 1);
      below = (top << width) | next << (width - 1);
    }
    unsigned firsts = 0;  // the first bit of each chunk
#pragma unroll
    for (int c = 0; c < chunks; ++c) firsts |= 1u << (c * width);
    return ((mirrored << 1) & ~firsts) | (below >> (width - 1) & firsts);
  }
};

}  // namespace ballot::device
