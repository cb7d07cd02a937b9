// SPDX-License-Identifier: Apache-2.0
// How large the tests' large arrays may be. Under a tool that slows kernels down a hundredfold, arrays of a few hundred
// tiles show all that larger ones would: scripts/sanitize sets BALLOT_LARGEST_POWER for those.
#pragma once

#include <algorithm>
#include <cstdlib>

namespace ballot::test {

// `power`, or what the environment variable BALLOT_LARGEST_POWER says if that is less: arrays of 2^power items.
inline int at_most_largest_power(int power) {
  const char* const limit = std::getenv("BALLOT_LARGEST_POWER");
  return limit == nullptr ? power : std::min(power, std::atoi(limit));
}

}  // namespace ballot::test
