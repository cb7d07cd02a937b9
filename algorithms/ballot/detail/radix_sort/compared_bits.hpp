// SPDX-License-Identifier: Apache-2.0
// The bits of a key that a sort compares, as a number.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

namespace ballot::detail {

// The compared bits of ordered bits: all, or a range of them.
template <class U>
struct compared_bits {
  int low;
  U mask;

  BALLOT_HOST_DEVICE static compared_bits of(int low, int high) {
    const int bits = 8 * static_cast<int>(sizeof(U)), count = high - low;
    return {low, count == 0 ? U{0} : static_cast<U>(static_cast<U>(~U{0}) >> (bits - count))};
  }
  BALLOT_HOST_DEVICE bool are_whole() const { return mask == static_cast<U>(~U{0}); }
  BALLOT_HOST_DEVICE U operator()(U code) const { return static_cast<U>(static_cast<U>(code >> low) & mask); }
};

}  // namespace ballot::detail
