// SPDX-License-Identifier: Apache-2.0
// Segments of a warp, by a word of head flags: bit l is set where a segment begins in lane l. Lane
// 0 always begins one.
//
//     lane       0 1 2 3 4 5 6 7
//     heads      1 0 0 1 0 0 1 0
//     lane 5:    heads & le = 1 0 0 1 . . . .   the highest bit: its segment begins in lane 3
//                heads & gt = . . . . . . 1 0   the lowest bit: and ends before lane 6
//
// Every lane has the whole word, so it finds its segment's ends by counting zeros, without
// communication. Only heads_of is a collective.
// Source: Harris and Garland, GPU Computing Gems Jade Edition, chapter 3, listing 3.5, which also
// takes the word.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/lanes.cuh>

#include <concepts>
#include <type_traits>

namespace ballot::warp {

// The head flags of a warp. A type of its own, so that a word of flags is not mistaken for the flag of a lane.
struct segment_heads {
  unsigned lanes;
};

// The word from a flag in each lane: one vote.
__device__ __forceinline__ segment_heads heads_of(std::same_as<bool> auto head, unsigned mask = simt::full_mask) {
  return {simt::ballot(head, mask)};
}

// The lanes of this lane's segment that its sums are taken over, as masks.
struct segment_masks {
  unsigned from_head;  // the head and everything up to and with this lane
  unsigned to_tail;    // this lane and everything up to and with the last of the segment
};

/// The lanes of each lane's segment before it, and all of them.
__device__ __forceinline__ segment_masks masks_of_segment(segment_heads heads) {
  const unsigned up_to_here = simt::lanemask_le();
  const unsigned head = 31u - simt::leading_zeros((heads.lanes | 1u) & up_to_here);
  const unsigned later_heads = heads.lanes & simt::lanemask_gt();
  const unsigned before_next = later_heads == 0 ? simt::full_mask : (1u << simt::find_first(later_heads)) - 1u;
  return {up_to_here & (simt::full_mask << head), simt::lanemask_ge() & before_next};
}

// The lanes at which a sum starts: forward the heads, backward the lanes before them.
template <class Direction>
__device__ __forceinline__ unsigned starts_of(segment_heads heads) {
  return std::is_same_v<Direction, forward> ? heads.lanes : heads.lanes >> 1;
}

// How many lanes a scan may reach from this lane: to the nearest of `starts` in its direction, this lane included, and
// at most `reach`.
template <class Direction>
__device__ __forceinline__ unsigned reach_within_segment(unsigned starts, unsigned reach) {
  constexpr bool is_forward = std::is_same_v<Direction, forward>;
  const unsigned here_or_before = starts & (is_forward ? simt::lanemask_le() : simt::lanemask_ge());
  if (here_or_before == 0) return reach;
  const unsigned nearest =
      is_forward ? 31u - simt::leading_zeros(here_or_before) : static_cast<unsigned>(simt::find_first(here_or_before));
  const unsigned within = is_forward ? simt::lane_id() - nearest : nearest - simt::lane_id();
  return within < reach ? within : reach;  // lanes without an item reach nothing
}

}  // namespace ballot::warp
