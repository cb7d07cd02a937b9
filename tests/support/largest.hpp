// SPDX-License-Identifier: Apache-2.0
// How large the tests' large arrays may be. Under a tool that slows kernels down a hundredfold,
// arrays of a few hundred tiles show all that larger ones would. scripts/sanitize sets
// BALLOT_LARGEST_POWER for such tools.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace ballot::test {

// `power`, or what the environment variable BALLOT_LARGEST_POWER says if that is less: arrays of
// 2^power items.
inline int at_most_largest_power(int power) {
  const char* const limit = std::getenv("BALLOT_LARGEST_POWER");
  if (limit == nullptr) return power;
  int most = 0;
  if (std::from_chars(limit, limit + std::strlen(limit), most).ec != std::errc{})
    throw std::invalid_argument("BALLOT_LARGEST_POWER is not a number");
  return std::min(power, most);
}

}  // namespace ballot::test
