// SPDX-License-Identifier: Apache-2.0
// Binary prefix sums of the segments of a warp: the votes, masked to the lane's segment by the head
// flags.
//
//     lane       0 1 2 3 4 5 6 7
//     head       1 0 0 1 0 0 1 0
//     flag       1 0 1 1 1 0 1 1
//     lane 5:    its segment begins in lane 3 (segments.cuh);
//                votes of lanes 3..5: 1 1 0  ->  inclusive scan 2
//
// Backward scans sum from the lane before the next head. Each function takes the head flags of the
// warp as a word, segment_heads{word}, or the lane's own flag as a bool, which costs another vote.
// Harris and Garland, GPU Computing Gems Jade Edition, chapter 3, listing 3.5.
//
// All 32 lanes call together. A call costs one or two votes and a few bit operations. No shared
// memory. Memory accesses are not ordered.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/segments.cuh>

#include <concepts>

namespace ballot::warp {

// Number of set flags of the lane's segment.
__device__ __forceinline__ unsigned segmented_binary_count(bool flag, segment_heads heads) {
  const segment_masks segment = masks_of_segment(heads);
  return simt::popcount(simt::ballot(flag) & (segment.from_head | segment.to_tail));
}

// Number of set flags of the segment at and below this lane.
__device__ __forceinline__ unsigned segmented_binary_inclusive_scan(bool flag, segment_heads heads) {
  return simt::popcount(simt::ballot(flag) & masks_of_segment(heads).from_head);
}

// Number of set flags of the segment below this lane.
__device__ __forceinline__ unsigned segmented_binary_exclusive_scan(bool flag, segment_heads heads) {
  return simt::popcount(simt::ballot(flag) & masks_of_segment(heads).from_head & simt::lanemask_lt());
}

// Number of set flags of the segment at and above this lane.
__device__ __forceinline__ unsigned segmented_binary_inclusive_scan_backward(bool flag, segment_heads heads) {
  return simt::popcount(simt::ballot(flag) & masks_of_segment(heads).to_tail);
}

// Number of set flags of the segment above this lane.
__device__ __forceinline__ unsigned segmented_binary_exclusive_scan_backward(bool flag, segment_heads heads) {
  return simt::popcount(simt::ballot(flag) & masks_of_segment(heads).to_tail & simt::lanemask_gt());
}

// The same with each lane's own head flag. Only a bool: a word would be converted to one silently.
__device__ __forceinline__ unsigned segmented_binary_count(bool flag, std::same_as<bool> auto head) {
  return segmented_binary_count(flag, heads_of(head));
}
__device__ __forceinline__ unsigned segmented_binary_inclusive_scan(bool flag, std::same_as<bool> auto head) {
  return segmented_binary_inclusive_scan(flag, heads_of(head));
}
__device__ __forceinline__ unsigned segmented_binary_exclusive_scan(bool flag, std::same_as<bool> auto head) {
  return segmented_binary_exclusive_scan(flag, heads_of(head));
}
__device__ __forceinline__ unsigned segmented_binary_inclusive_scan_backward(bool flag, std::same_as<bool> auto head) {
  return segmented_binary_inclusive_scan_backward(flag, heads_of(head));
}
__device__ __forceinline__ unsigned segmented_binary_exclusive_scan_backward(bool flag, std::same_as<bool> auto head) {
  return segmented_binary_exclusive_scan_backward(flag, heads_of(head));
}

}  // namespace ballot::warp
