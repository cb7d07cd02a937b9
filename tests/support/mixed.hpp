// SPDX-License-Identifier: Apache-2.0
// A number for each position, as good as random, so that inputs of any length are made where they
// are needed (splitmix64).
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::test {

struct mixed {
  std::uint64_t seed;
  __host__ __device__ std::uint64_t operator()(std::uint64_t i) const {
    std::uint64_t x = i * 0x9e3779b97f4a7c15u + seed;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
  }
};

}  // namespace ballot::test
