// SPDX-License-Identifier: Apache-2.0
// Words that follow from their position alone, for the host and the device.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstdint>

#if defined(__CUDACC__)
#  define BALLOT_BENCH_ANYWHERE __host__ __device__
#else
#  define BALLOT_BENCH_ANYWHERE
#endif

namespace ballot::bench {

// SplitMix64 (Steele, Lea and Flood 2014) by position.
BALLOT_BENCH_ANYWHERE inline std::uint64_t word_at(std::uint64_t position) {
  std::uint64_t z = 0x6a09e667f3bcc908 + (position + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace ballot::bench
