// SPDX-License-Identifier: Apache-2.0
// The only random generator: splitmix64, seeded by the policy. Small, and the same on every
// machine.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstdint>

namespace ballot::emulator {

class random_generator {
 public:
  void seed(std::uint64_t s) { state_ = s * 0x2545f4914f6cdd1dull + 77; }
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
  }
  /// 0 to n - 1.
  std::uint32_t below(std::uint32_t n) { return std::uint32_t((next() >> 32) * n >> 32); }
  bool one_in(std::uint32_t n) { return n != 0 && below(n) == 0; }

 private:
  std::uint64_t state_ = 0;
};

}  // namespace ballot::emulator
