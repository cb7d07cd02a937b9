// SPDX-License-Identifier: Apache-2.0
// Ranks and counts of a tile's flags, in the two ways that the chapter compares in its
// applications.
//
//     binary     flags of a warp  1 0 1 1 ...  -> vote -> mask, count             listings 3.2 and 3.3
//     generic    the same flags as 32-bit numbers -> five steps of shuffles       listing 3.1
//     both       counts of the warps -> shared memory, one barrier                block/warp_aggregates.cuh
//
// As in the chapter's comparison of listing 3.6 with itself, only the step within a warp is
// exchanged. Kernels are templates over it. The code that loads, combines warps, and stores is the
// same text.
//
// With several items, each way does what suits it. A vote ranks the items of 32 lanes, so there is
// one vote for each item of a lane. Numbers can be added up in a lane first, so there is one scan
// for all `width` consecutive items of a lane. With a width of 1 there is one of either for each
// item, which is the chapter's case.
//
// The generic way hides that its operator is a sum. Otherwise a hardware reduction, which the
// chapter's GPUs did not have, would replace it.
// Source: Harris and Garland, GPU Computing Gems Jade Edition, chapter 3.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/binary_scan.cuh>
#include <ballot/warp/reduce.cuh>
#include <ballot/warp/scan.cuh>

#include <cstdint>

namespace ballot::survey {

// The shapes that are compared (block/tile.cuh): 2048 items a tile, eight of a thread, and of a
// lane one or four side by side.
using single_items = block::tile_shape<256, 8, 1>;
using items_by_four = block::tile_shape<256, 2, 4>;

// A way has:
//   ranks(flag, rank)  rank[j]: set flags of the warp's vector of items before item j of this lane,
//                      lane after lane; returns the number of set flags
//   counter            add(flag) for one vector after another, then of_warp(): set flags of the
//                      warp in all of them
// All 32 lanes call together. No shared memory; orders none.

struct binary_ranks {
  static constexpr const char* name = "binary";

  template <int Width>
  static __device__ __forceinline__ unsigned ranks(const bool (&flag)[Width], unsigned (&rank)[Width]) {
    warp::rank_and_total sum{0, 0};
#pragma unroll
    for (int j = 0; j < Width; ++j) {
      const warp::rank_and_total one = warp::binary_rank(flag[j]);
      sum.rank += one.rank;
      sum.total += one.total;
    }
#pragma unroll
    for (int j = 0; j < Width; ++j) {
      rank[j] = sum.rank;
      sum.rank += flag[j] ? 1 : 0;
    }
    return sum.total;
  }

  class counter {
   public:
    template <int Width>
    __device__ __forceinline__ void add(const bool (&flag)[Width]) {
#pragma unroll
      for (int j = 0; j < Width; ++j) sum_ += warp::binary_count(flag[j]);
    }
    __device__ __forceinline__ unsigned of_warp() const { return sum_; }

   private:
    unsigned sum_ = 0;
  };
};

struct generic_ranks {
  static constexpr const char* name = "generic";

  struct sum {
    __device__ unsigned operator()(unsigned a, unsigned b) const { return a + b; }
  };

  template <int Width>
  static __device__ __forceinline__ unsigned ranks(const bool (&flag)[Width], unsigned (&rank)[Width]) {
    unsigned of_lane = 0;
#pragma unroll
    for (int j = 0; j < Width; ++j) of_lane += flag[j] ? 1 : 0;
    const unsigned lane_inclusive = warp::inclusive_scan(of_lane, sum{});
    unsigned before = lane_inclusive - of_lane;
#pragma unroll
    for (int j = 0; j < Width; ++j) {
      rank[j] = before;
      before += flag[j] ? 1 : 0;
    }
    return simt::shuffle(lane_inclusive, simt::warp_size - 1);
  }

  class counter {
   public:
    template <int Width>
    __device__ __forceinline__ void add(const bool (&flag)[Width]) {
#pragma unroll
      for (int j = 0; j < Width; ++j) of_lane_ += flag[j] ? 1 : 0;
    }
    __device__ __forceinline__ unsigned of_warp() const { return warp::reduce(of_lane_, sum{}); }

   private:
    unsigned of_lane_ = 0;
  };
};

// The number of items of this block's tile.
template <class Shape>
__device__ __forceinline__ unsigned items_of_tile(std::uint64_t n) {
  return static_cast<unsigned>(ballot::detail::smaller(n - std::uint64_t{blockIdx.x} * Shape::items, Shape::items));
}

// One flag for each item of a thread in a tile, and one number.
template <class Shape>
using tile_flags = bool[Shape::chunks][Shape::width];
template <class Shape>
using tile_numbers = unsigned[Shape::chunks][Shape::width];

// The flags of a thread's items. Missing items, from `valid` on, have clear flags.
template <class Shape, class T, class Keep>
__device__ __forceinline__ void make_flags(const typename block::tile<T, Shape>::items& item, unsigned valid, Keep keep,
                                           tile_flags<Shape>& flag) {
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    const unsigned first = block::tile<T, Shape>::first_item(c);
#pragma unroll
    for (int j = 0; j < Shape::width; ++j) flag[c][j] = first + j < valid && keep(item[c][j]);
  }
}

// The items of this block's tile and their flags; returns their number. vector_aligned: of `in`.
template <class Shape, class T, class Keep>
__device__ __forceinline__ unsigned load_flagged(const T* in, std::uint64_t n, bool vector_aligned, Keep keep,
                                                 typename block::tile<T, Shape>::items& item, tile_flags<Shape>& flag) {
  const unsigned valid = items_of_tile<Shape>(n);
  block::tile<T, Shape>::load(in + std::uint64_t{blockIdx.x} * Shape::items, valid, vector_aligned, item);
  make_flags<Shape, T>(item, valid, keep, flag);
  return valid;
}

// Ranks of a full tile. Full warps; all threads call together. Shared memory: a word a warp, which
// may be used again after the next barrier. One barrier a call.
template <class Ranks, class Shape>
class tile_ranks {
  using across = block::scan<unsigned, Shape::threads>;

 public:
  using storage = typename across::storage;

  // rank: set flags of the tile before each item of this thread; returns the number of set flags.
  static __device__ __forceinline__ unsigned of(storage& shared, const tile_flags<Shape>& flag,
                                                tile_numbers<Shape>& rank) {
    unsigned of_warp = 0, before[Shape::chunks];
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) {
      before[c] = of_warp;
      of_warp += Ranks::ranks(flag[c], rank[c]);
    }
    const block::warp_prefix<unsigned> warps = across::across_warps(shared, of_warp);
    const unsigned warp_exclusive = warps.has_value ? warps.value : 0;
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c)
#pragma unroll
      for (int j = 0; j < Shape::width; ++j) rank[c][j] += warp_exclusive + before[c];
    return warps.total;
  }

  // The number of set flags.
  static __device__ __forceinline__ unsigned count(storage& shared, const tile_flags<Shape>& flag) {
    typename Ranks::counter counter;
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) counter.add(flag[c]);
    return across::across_warps(shared, counter.of_warp()).total;
  }
};

}  // namespace ballot::survey
