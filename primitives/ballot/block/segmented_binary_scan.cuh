// SPDX-License-Identifier: Apache-2.0
// Binary prefix sums of the segments of a block; segments may cross warps. A head flag marks the first thread of a
// segment; thread 0 always begins one.
//
//     warp           0         1         2         3
//     heads in it    yes       no        yes       no        the segment of warp 3's first lanes begins in warp 2,
//     tail           5         14        9         3         so warp 3 adds the tail of warp 2: 9
//                                                            and warp 2 the tails of warps 0 and 1: 5 + 14
//
// A warp's tail is the number of its set flags from its last head on, or of all if it has no head.
// Backward, it is the number of those before its first head. Each warp stores its tail and whether
// it has a head in one word. After the barrier the head flags of all warps become a word. In this
// word the nearest warp with a head is found in the same way as a lane finds its head
// (warp/segments.cuh). One reduction adds the tails from there on.
// Source: Harris and Garland, GPU Computing Gems Jade Edition, chapter 3, listings 3.5 and 3.6
// together.
//
// Threads: the threads of the block, 1 to 1024 in any dimensions, taken in linear order; the last warp may be partial.
// All threads call together. One barrier per call; shared memory: a word per warp, which may be used again after the
// next barrier.
#pragma once

#include <ballot/block/extent.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/segments.cuh>

#include <type_traits>

namespace ballot::block {

template <int Threads>
class segmented_binary_scan {
  static constexpr unsigned warps = warps_of<Threads>;

 public:
  /// Shared memory of a scan.
  struct storage {
    unsigned warp_tail[warps];  // the tail; its top bit: the warp has a head
  };

  // Number of set flags of the segment up to and with this thread.
  static __device__ __forceinline__ unsigned inclusive(storage& shared, bool flag, bool head) {
    return scan<warp::forward>(shared, flag, head, simt::full_mask);
  }
  // Number of set flags of the segment before this thread.
  static __device__ __forceinline__ unsigned exclusive(storage& shared, bool flag, bool head) {
    return scan<warp::forward>(shared, flag, head, ~simt::lanemask_eq());
  }
  // Number of set flags of the segment in this thread and after it.
  static __device__ __forceinline__ unsigned inclusive_backward(storage& shared, bool flag, bool head) {
    return scan<warp::backward>(shared, flag, head, simt::full_mask);
  }
  // Number of set flags of the segment after this thread.
  static __device__ __forceinline__ unsigned exclusive_backward(storage& shared, bool flag, bool head) {
    return scan<warp::backward>(shared, flag, head, ~simt::lanemask_eq());
  }

 private:
  static constexpr unsigned has_head = 1u << 31;

  template <class Direction>
  static __device__ __forceinline__ unsigned scan(storage& shared, bool flag, bool head, unsigned counted_lanes) {
    constexpr bool is_forward = std::is_same_v<Direction, warp::forward>;
    const unsigned mask = mask_of_warp<Threads>(), lane = simt::lane_id(), warp = simt::warp_id();
    const unsigned votes = simt::ballot(flag, mask), heads = simt::ballot(head, mask);
    if (lane == 0)
      shared.warp_tail[warp] = simt::popcount(votes & tail<Direction>(heads)) | (heads != 0 ? has_head : 0);
    simt::sync_block();

    // The fewer lanes of a partial warp take several warps' words each.
    unsigned warps_with_head = 0;
#pragma unroll 1
    for (unsigned w = lane; w < warps; w += lanes_of_warp<Threads>()) {
      if ((shared.warp_tail[w] & has_head) != 0) warps_with_head |= 1u << w;
      if constexpr (full_warps<Threads>) break;
    }
    const unsigned reached = warps_reached<Direction>(simt::reduce_or(warps_with_head, mask), warp);
    unsigned before = 0;
#pragma unroll 1
    for (unsigned w = lane; w < warps; w += lanes_of_warp<Threads>()) {
      if ((reached >> w & 1u) != 0) before += shared.warp_tail[w] & ~has_head;
      if constexpr (full_warps<Threads>) break;
    }
    before = simt::reduce_add(before, mask);

    const warp::segment_masks segment = warp::masks_of_segment({heads});
    const unsigned in_warp = simt::popcount(votes & counted_lanes & (is_forward ? segment.from_head : segment.to_tail));
    const bool crosses = (heads & (is_forward ? simt::lanemask_le() : simt::lanemask_gt())) == 0;
    return crosses ? before + in_warp : in_warp;
  }

  // The lanes of a warp whose flags the next warp in scan order adds.
  template <class Direction>
  static __device__ __forceinline__ unsigned tail(unsigned heads) {
    if (heads == 0) return simt::full_mask;
    if constexpr (std::is_same_v<Direction, warp::forward>)
      return simt::full_mask << (31u - simt::leading_zeros(heads));
    else return (1u << simt::find_first(heads)) - 1u;
  }

  // The warps that precede this one in scan order, up to the nearest with a head, as bits.
  template <class Direction>
  static __device__ __forceinline__ unsigned warps_reached(unsigned with_head, unsigned warp) {
    if constexpr (std::is_same_v<Direction, warp::forward>) {
      const unsigned below = (1u << warp) - 1u;
      return below & (simt::full_mask << (31u - simt::leading_zeros((with_head & below) | 1u)));
    } else {
      const unsigned above = simt::full_mask << warp << 1, heads_above = with_head & above;
      return heads_above == 0 ? above : above & (heads_above ^ (heads_above - 1u));
    }
  }
};

}  // namespace ballot::block
