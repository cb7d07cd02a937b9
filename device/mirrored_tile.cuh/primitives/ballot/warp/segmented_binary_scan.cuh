// Binary prefix sums of the segments of a warp. A head flag marks the first lane of a segment; lane 0 always begins
// one.
//
//     lane       0 1 2 3 4 5 6 7
//     head       1 0 0 1 0 0 1 0
//     flag       1 0 1 1 1 0 1 1
//     heads & le of lane 5: 00001001, its highest bit is lane 3: the segment of lane 5 begins there
//     votes of lanes 3..5:  1 1 0  ->  inclusive scan 2
//
// Counting the leading zeros of `heads & lanemask_le` finds the head without any exchange between lanes (Harris and
// Garland, GPU Computing Gems Jade Edition, chapter 3, listing 3.6). Backward scans sum towards the lane before the
// next head.
//
// All 32 lanes call together. A call costs two votes and a few bit operations, and orders no memory.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

namespace ballot::warp {

// The lanes of one segment that this lane's sums are taken over, as masks.
struct segment_masks {
  unsigned from_head;  // the head and everything up to and with this lane
  unsigned to_tail;    // this lane and everything up to and with the last of the segment
};

// The masks from a word of head flags, bit l for lane l.
__device__ __forceinline__ segment_masks masks_of_segment(unsigned heads) {
  const unsigned up_to_here = simt::lanemask_le();
  const unsigned head = 31u - simt::leading_zeros((heads | 1u) & up_to_here);
  const unsigned later_heads = heads & simt::lanemask_gt();
  const unsigned before_next = later_heads == 0 ? simt::full_mask : (1u << simt::find_first(later_heads)) - 1u;
  return {up_to_here & (simt::full_mask << head), simt::lanemask_ge() & before_next};
}

// Number of set flags of the segment at and below this lane.
__device__ __forceinline__ unsigned segmented_binary_inclusive_scan(bool flag, bool head) {
  const unsigned votes = simt::ballot(flag);
  return simt::popcount(votes & masks_of_segment(simt::ballot(head)).from_head);
}

// Number of set flags of the segment below this lane.
__device__ __forceinline__ unsigned segmented_binary_exclusive_scan(bool flag, bool head) {
  const unsigned votes = simt::ballot(flag);
  return simt::popcount(votes & masks_of_segment(simt::ballot(head)).from_head & simt::lanemask_lt());
}

// Number of set flags of the segment at and above this lane.
__device__ __forceinline__ unsigned segmented_binary_inclusive_reverse_scan(bool flag, bool head) {
  const unsigned votes = simt::ballot(flag);
  return simt::popcount(votes & masks_of_segment(simt::ballot(head)).to_tail);
}

// Number of set flags of the segment above this lane.
__device__ __forceinline__ unsigned segmented_binary_exclusive_reverse_scan(bool flag, bool head) {
  const unsigned votes = simt::ballot(flag);
  return simt::popcount(votes & masks_of_segment(simt::ballot(head)).to_tail & simt::lanemask_gt());
}

}  // namespace ballot::warp
