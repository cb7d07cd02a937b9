// SPDX-License-Identifier: Apache-2.0
// The lanes of a warp that hold the same digit, from votes: one per bit of the digit.
//
//     digit bit 0   votes 0110...   lanes with a clear bit keep ~votes, lanes with a set bit keep
//                                   votes
//     digit bit 1   votes 1010...   and so on; the lanes left are those that agree in every bit
//
// `votes ^ (bit - 1)` is the votes where the bit is set, and their complement where it is clear.
// This is one operation less than a select. All 32 lanes call together. A call costs `bits` votes,
// whatever the digits are. Memory accesses are not ordered.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

namespace ballot::warp {

/// The lanes whose digit is the same as this lane's.
template <int Bits>
__device__ __forceinline__ unsigned match_digit(unsigned digit) {
  unsigned peers = simt::full_mask;
#pragma unroll
  for (int b = 0; b < Bits; ++b) {
    const unsigned bit = digit >> b & 1u;
    peers &= simt::ballot(bit != 0) ^ (bit - 1u);
  }
  return peers;
}

}  // namespace ballot::warp
