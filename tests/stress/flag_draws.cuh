// SPDX-License-Identifier: Apache-2.0
// Random predicates, and their flags.
#pragma once

#include <ballot/core/namespace.hpp>

#include "stress/draws.cuh"

namespace ballot::test {

// All items, or those that have some of the lowest bits.
struct keeps {
  u64 mask, value;

  explicit keeps(draws& draw) : mask((u64{1} << draw.below(4)) - 1), value(draw.random() & mask) {}
  template <class T>
  __host__ __device__ bool operator()(const T& x) const {
    return (static_cast<u64>(x) & mask) == value;
  }
};

template <class T>
struct flag_of {
  const T* items;
  keeps keep;
  __host__ __device__ u8 operator()(u64 i) const { return keep(items[i]) ? 1 : 0; }
};

}  // namespace ballot::test
