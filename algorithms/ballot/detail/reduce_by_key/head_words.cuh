// SPDX-License-Identifier: Apache-2.0
// The heads among a warp's items as words of 32 bits. From the bits of lanes with `run` consecutive
// items each:
//
//     run 20    lane 0   items 0 to 19     lane 1   items 20 to 39    lane 2   items 40 to 59  ...
//     words     word 0   items 0 to 31  |  word 1   items 32 to 63  ...           in the same lanes
//
// So the warp goes over its items 32 at a time, an item per lane, and a vote of lanes is not
// needed: the lanes whose item is a head write neighbouring results.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/scan.cuh>

namespace ballot::detail {

struct head_words {
  unsigned word;    // lane w: bit i for item 32 * w + i of the warp; 0 after the last word
  unsigned before;  // lane w: the heads of the warp before the word
  unsigned count;   // of the warp
};

// heads: bit i for the i-th of the lane's `Run` items. All lanes of the warp.
template <unsigned Run>
__device__ __forceinline__ head_words words_of_heads(unsigned heads) {
  static_assert(Run >= 1 && Run <= 32);
  constexpr unsigned bits = simt::warp_size, lanes_of_word = (bits - 1 + Run - 1) / Run + 1;
  const unsigned first_bit = simt::lane_id() * bits, first_lane = first_bit / Run;
  unsigned word = 0;
#pragma unroll
  for (unsigned k = 0; k < lanes_of_word; ++k) {
    const unsigned from = first_lane + k;
    const unsigned run = simt::shuffle(heads, from % simt::warp_size);
    const unsigned at = from * Run - first_bit;  // where the run begins in the word; wraps for the first one
    if (from < simt::warp_size) word |= k == 0 ? run >> (0u - at) : at < bits ? run << at : 0u;
  }
  const unsigned inclusive = warp::inclusive_scan(static_cast<unsigned>(simt::popcount(word)));
  return {word, inclusive - simt::popcount(word), simt::shuffle(inclusive, simt::warp_size - 1)};
}

}  // namespace ballot::detail
