// SPDX-License-Identifier: Apache-2.0
// Which keys a sort takes as its sample.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

#include <cstdint>

namespace ballot::detail {

// The position of key i of a sample of n keys. Positions are scattered, so that they agree with no
// period of the input (the finaliser of MurmurHash3). n < 2^32.
BALLOT_HOST_DEVICE constexpr std::uint64_t radix_sample_position(std::uint32_t i, std::uint64_t n) {
  std::uint32_t hash = i + 1u;
  hash = (hash ^ hash >> 16) * 0x85ebca6bu;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
  hash ^= hash >> 16;
  return hash * n >> 32;
}

}  // namespace ballot::detail
