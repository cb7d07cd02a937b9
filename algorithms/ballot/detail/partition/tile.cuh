// What the passes of a selection know of a tile: where it lies, and which of its items are kept.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/device/flags.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/binary_scan.cuh>

#include <cstdint>

namespace ballot::detail {

// Where a tile lies.
struct tile_site {
  std::uint32_t index;     // of its array
  std::uint64_t n;         // items of the array
  std::uint64_t in_base;   // where the array begins in the inputs, the flags,
  std::uint64_t out_base;  // and in the outputs
  std::uint64_t out_room;  // items of an output
  std::uint64_t row;       // number of the array
  // Where they are not looked back for: kept items of the array before the tile, and in all.
  std::uint64_t before = 0;
  std::uint64_t total = 0;
};

// A tile, once its place is known.
struct placed_tile {
  tile_site site;
  std::uint64_t begin;           // of its array
  unsigned valid;                // items it has
  unsigned kept;                 // of them
  unsigned kept_before_warp;     // of them, in the runs of the warps before this one
  std::uint64_t before;          // kept items of the array before it
  std::uint64_t rejected_first;  // where the array's rejected items begin in their output
  // Where the last of those before is, if tiles tell each other (partition_tally.cuh): in shared memory, since one thread
  // asks for it, late.
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
  // Where in the tile the last item of the thread is that has a flag; one has.
  __device__ __forceinline__ unsigned last() const {
    unsigned bit = 0;  // of all words
#pragma unroll
    for (unsigned i = 0; i < sizeof(word_) / sizeof(unsigned); ++i)
      if (word_[i] != 0) bit = 32 * i + 31 - simt::leading_zeros(word_[i]);
    return block::tile<std::uint8_t, Shape>::first_item(bit / width) + bit % width;
  }
};

// All lanes of the warp: calls use(c, flags, rank) for each of the thread's vectors, `rank` being the number of kept
// items of the warp's run before the vector. By votes (warp/binary_scan.cuh).
template <class Shape, class Use>
__device__ __forceinline__ void with_ranks(const tile_flags<Shape>& of, Use use) {
  unsigned kept = 0;
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    const warp::rank_and_total votes = warp::binary_rank_of_vector<Shape::width>(of[c]);
    use(c, of[c], kept + votes.rank);
    kept += votes.total;
  }
}

// How many of `items` items from `at` on there is room for in an output.
template <class T>
__device__ __forceinline__ unsigned items_with_room(unsigned items, const output<T>& to, const tile_site& site,
                                                    std::uint64_t at) {
  const std::uint64_t end = smaller(to.size, site.out_base + site.out_room);
  return static_cast<unsigned>(smaller(items, at < end ? end - at : 0));
}

}  // namespace ballot::detail
